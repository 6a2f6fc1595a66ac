//! Opening and closing: settings, refusals, damage, and what a crash leaves.

use super::{Home, Journal, create, id, plan, store_with};
use crate::store::{Fault, Kind, OpenError, Reader, Store, VERSION, connect};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn setting(store: &Store, name: &str) -> String {
    let value = |row: &rusqlite::Row<'_>| row.get::<_, rusqlite::types::Value>(0);
    match store.reader.db.pragma_query_value(None, name, value).unwrap() {
        rusqlite::types::Value::Integer(number) => number.to_string(),
        rusqlite::types::Value::Text(text) => text,
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn the_settings_are_the_durable_ones() {
    let home = Home::new();
    let store = home.open();
    assert_eq!(setting(&store, "journal_mode"), "wal");
    assert_eq!(setting(&store, "synchronous"), "2");
    assert_eq!(setting(&store, "fullfsync"), "1");
    assert_eq!(setting(&store, "checkpoint_fullfsync"), "1");
    assert_eq!(setting(&store, "foreign_keys"), "1");
    assert_eq!(setting(&store, "user_version"), VERSION.to_string());
    assert_eq!(setting(&store, "application_id"), 0x5377_426b.to_string());
}

#[test]
fn a_second_owner_learns_who_is_the_first() {
    let home = Home::new();
    let store = home.open();
    let error = Store::open(home.dir()).unwrap_err();
    let ours = std::process::id();
    assert!(matches!(error, OpenError::Held { pid: Some(pid), .. } if pid == ours));
    assert_eq!(
        error.to_string(),
        format!("{} is in use by process {ours}; `switchback stop` ends a daemon", home.dir().display())
    );
    drop(store);
    home.open();
}

#[test]
fn each_owner_has_a_higher_epoch() {
    let home = Home::new();
    let epochs = [(); 3].map(|()| home.open().epoch());
    assert_eq!(epochs, [1, 2, 3]);
}

#[test]
fn a_newer_store_is_refused_untouched() {
    let home = Home::new();
    store_with(&home, "a", 1).0.close().unwrap();
    let raw = home.raw();
    raw.pragma_update(None, "user_version", 99).unwrap();
    // While a connection is open, the version is still in the WAL.
    let files = || ["", "-wal"].map(|end| fs::read(format!("{}{end}", home.file().display())).unwrap());
    let before = files();
    for error in [Store::open(home.dir()).unwrap_err(), Reader::open(home.dir()).unwrap_err()] {
        assert!(matches!(error, OpenError::Newer { found: 99, known: VERSION }), "{error}");
        assert_eq!(error.kind(), Kind::Final);
    }
    assert_eq!(files(), before);
    drop(raw);
    let before = fs::read(home.file()).unwrap();
    assert!(matches!(Store::open(home.dir()), Err(OpenError::Newer { .. })));
    assert_eq!(fs::read(home.file()).unwrap(), before);
}

#[test]
fn a_database_of_another_program_is_refused_untouched() {
    let home = Home::new();
    home.raw().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = fs::read(home.file()).unwrap();
    assert!(matches!(Store::open(home.dir()), Err(OpenError::Foreign(_))));
    assert!(matches!(Reader::open(home.dir()), Err(OpenError::Foreign(_))));
    assert_eq!(fs::read(home.file()).unwrap(), before);
}

#[test]
fn what_is_no_database_is_corrupt() {
    let home = Home::new();
    fs::write(home.file(), "no database at all, but long enough to be looked at".repeat(100)).unwrap();
    let error = Store::open(home.dir()).unwrap_err();
    assert!(matches!(error, OpenError::Fault(Fault::Corrupt(_))), "{error}");
    assert_eq!(error.kind(), Kind::Corrupt);
}

#[test]
fn a_damaged_page_is_found_at_opening() {
    let home = Home::new();
    store_with(&home, "a", 200).0.close().unwrap();
    let sound = fs::read(home.file()).unwrap();
    let (page, mut found) = (4096, 0);
    for index in (page..sound.len()).step_by(page) {
        let mut damaged = sound.clone();
        damaged[index..index + 16].fill(0xa5);
        fs::write(home.file(), damaged).unwrap();
        let error = Store::open(home.dir()).expect_err("a damaged page was not found");
        assert_eq!(error.kind(), Kind::Corrupt, "page at {index}: {error}");
        found += 1;
    }
    assert!(found > 10, "the store has only {found} pages to damage");
    fs::write(home.file(), sound).unwrap();
    home.open();
}

#[test]
fn a_clean_close_leaves_one_whole_file() {
    let home = Home::new();
    store_with(&home, "a", 3).0.close().unwrap();
    assert!(!home.dir().join("switchback.db-wal").exists());
    let alone = Home::new();
    fs::copy(home.file(), alone.file()).unwrap();
    assert_eq!(alone.open().reader().verify(&id("a")).unwrap().head.seq, 3);
}

#[test]
fn a_reader_in_the_way_does_not_keep_the_owner_from_closing() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 1);
    let reader = Reader::open(home.dir()).unwrap();
    let looking = reader.db.unchecked_transaction().unwrap();
    assert_eq!(reader.run(&id("a")).unwrap().unwrap().head.seq, 1);
    store.commit(&[journal.append("{}")]).unwrap();
    store.close().unwrap();
    drop(looking);
    assert_eq!(reader.run(&id("a")).unwrap().unwrap().head.seq, 2);
}

/// The files of a living owner are what a crash leaves, except that a crash leaves no locks.
#[test]
fn a_crash_loses_nothing_that_was_committed() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 0);
    for number in 1..=20 {
        store.commit(&[journal.append("{}")]).unwrap();
        let left = Home::new();
        for file in ["switchback.db", "switchback.db-wal"] {
            fs::copy(home.dir().join(file), left.dir().join(file)).unwrap();
        }
        assert_eq!(left.open().reader().verify(&id("a")).unwrap().head.seq, number);
    }
}

/// A WAL that was cut anywhere gives some earlier commit, whole.
#[test]
fn a_torn_wal_gives_a_whole_earlier_state() {
    let home = Home::new();
    store_with(&home, "a", 0).0.close().unwrap();
    let (mut store, mut journal) = (home.open(), Journal::of("a"));
    for _ in 0..5 {
        store.commit(&[journal.append("{\"a\":1}"), journal.append("{\"b\":2}")]).unwrap();
    }
    let wal = fs::read(home.dir().join("switchback.db-wal")).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for length in (0..=wal.len()).rev().step_by(2741) {
        let left = Home::new();
        fs::copy(home.file(), left.file()).unwrap();
        fs::write(left.dir().join("switchback.db-wal"), &wal[..length]).unwrap();
        seen.insert(left.open().reader().verify(&id("a")).unwrap().head.seq);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10]);
}

#[test]
fn a_reader_needs_a_store_but_no_owner() {
    let home = Home::new();
    assert!(matches!(Reader::open(home.dir()), Err(OpenError::Absent(_))));
    fs::write(home.file(), "").unwrap();
    assert!(matches!(Reader::open(home.dir()), Err(OpenError::Absent(_))));
    store_with(&home, "a", 2).0.close().unwrap();
    let before = fs::read(home.file()).unwrap();
    let reader = Reader::open(home.dir()).unwrap();
    assert_eq!(reader.run(&id("a")).unwrap().unwrap().head.seq, 2);
    drop(reader);
    assert_eq!(fs::read(home.file()).unwrap(), before);
}

#[test]
fn a_reader_sees_what_a_living_owner_commits() {
    let home = Home::new();
    let mut store = home.open();
    let reader = Reader::open(home.dir()).unwrap();
    assert_eq!(reader.run(&id("a")).unwrap(), None);
    store.commit(&[plan(), create("a"), Journal::of("a").append("{}")]).unwrap();
    assert_eq!(reader.run(&id("a")).unwrap().unwrap().head.seq, 1);
    assert!(reader.db.execute("DELETE FROM run", ()).is_err());
}

#[test]
fn what_cannot_be_looked_at_is_not_absent() {
    let home = Home::new();
    let dir = home.dir().join("file");
    fs::write(&dir, "").unwrap();
    for error in [Reader::open(&dir).unwrap_err(), Store::open(&dir).unwrap_err()] {
        assert!(matches!(&error, OpenError::Directory { path, .. } if path.starts_with(&dir)), "{error}");
    }
}

#[test]
fn what_may_not_be_opened_is_no_failing_disk() {
    let home = Home::new();
    let error = connect::reader(&home.file()).unwrap_err();
    assert!(matches!(error, OpenError::Fault(Fault::Denied(_))), "{error}");
    fs::create_dir(home.file()).unwrap();
    let error = Reader::open(home.dir()).unwrap_err();
    assert!(error.to_string().ends_with("switchback.db: it is no regular file"), "{error}");
}

/// A directory that was there before may be open to others; the store in it is not.
#[test]
fn the_files_of_a_store_are_for_its_owner_alone() {
    for is_there in [false, true] {
        let home = Home::new();
        fs::set_permissions(home.dir(), fs::Permissions::from_mode(0o755)).unwrap();
        if is_there {
            fs::write(home.file(), "").unwrap();
            fs::set_permissions(home.file(), fs::Permissions::from_mode(0o644)).unwrap();
        }
        let _store = store_with(&home, "a", 1);
        let files: Vec<_> = fs::read_dir(home.dir()).unwrap().map(Result::unwrap).collect();
        // The store, its WAL and index, the lock, and what keeps git away.
        assert_eq!(files.len(), 5);
        for file in files {
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{:?}", file.file_name());
        }
    }
}
