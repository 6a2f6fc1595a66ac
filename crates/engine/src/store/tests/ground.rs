//! An owner whose file was taken away under it records nothing more, and leaves alone what lies there now.

use super::{Home, Journal, create, id, plan, store_with};
use crate::store::{FILE, Ground, Kind, Lost, Reader, Store, Write, WriteError};
use std::fs;
use std::path::PathBuf;

/// The store, its WAL and what lies beside it.
fn files(home: &Home) -> Vec<PathBuf> {
    ["", "-wal", "-shm"].map(|end| home.dir().join(format!("{FILE}{end}"))).into()
}

fn refused(store: &mut Store, write: &Write) -> WriteError {
    let commits = store.counters().commits;
    let error = store.commit(std::slice::from_ref(write)).unwrap_err();
    assert_eq!(error.kind(), Kind::Lost);
    assert_eq!(store.counters().commits, commits);
    error
}

#[test]
fn what_was_removed_takes_nothing_more() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 2);
    fs::remove_file(home.file()).unwrap();
    let error = refused(&mut store, &journal.append("{}"));
    assert_eq!(error, WriteError::Lost(Lost::Removed(home.file())));
    assert_eq!(store.collect().unwrap_err().kind(), Kind::Lost);
    assert!(store.close().is_err());
}

#[test]
fn a_whole_directory_may_go() {
    let home = Home::new();
    let dir = home.dir().join("data");
    let mut store = Store::open(&dir).unwrap();
    store.commit(&[plan(), create("a")]).unwrap();
    fs::remove_dir_all(&dir).unwrap();
    assert_eq!(refused(&mut store, &Journal::of("a").append("{}")), Lost::Removed(dir.join(FILE)).into());
    fs::write(&dir, "a file in the way").unwrap();
    assert_eq!(store.stands(), Err(Lost::Removed(dir.join(FILE))));
}

#[test]
fn another_store_in_its_place_is_left_alone() {
    for ends_well in [true, false] {
        let home = Home::new();
        let (mut old, mut journal) = store_with(&home, "a", 2);
        for file in files(&home) {
            fs::remove_file(file).unwrap();
        }
        fs::remove_file(home.dir().join(crate::store::lock::FILE)).unwrap();
        let (mut new, mut theirs) = store_with(&home, "b", 2);
        assert_eq!(refused(&mut old, &journal.append("{}")), Lost::Replaced(home.file()).into());
        match ends_well {
            true => assert!(old.close().is_err()),
            false => drop(old),
        }
        assert!(files(&home).iter().all(|file| file.exists()), "closing removes files by their names");
        new.commit(&[theirs.append("{}")]).unwrap();
        assert_eq!(Reader::open(home.dir()).unwrap().run(&id("b")).unwrap().unwrap().head.seq, 3);
        new.close().unwrap();
        assert!(!files(&home)[1].exists(), "a clean close leaves one file");
    }
}

#[test]
fn what_was_moved_and_put_back_is_the_same() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 1);
    let aside = home.dir().join("aside");
    fs::rename(home.file(), &aside).unwrap();
    let entry = journal.append("{}");
    refused(&mut store, &entry);
    fs::rename(aside, home.file()).unwrap();
    store.commit(&[entry]).unwrap();
    assert_eq!(Ground::of(home.dir()).unwrap(), *store.ground());
    store.close().unwrap();
}
