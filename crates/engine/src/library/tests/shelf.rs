//! What changes is seen by the next call, and what does not change is not read again.

use super::*;
use std::fs::{self, File};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Calls until every stamp is settled: the tick of the file system in which the files were written is over.
fn settled(shelf: &Shelf) -> Arc<Library> {
    let until = Instant::now() + Duration::from_secs(10);
    while !shelf.is_settled() && Instant::now() < until {
        shelf.library(Order::Plain);
    }
    shelf.library(Order::Plain)
}

fn names(shelf: &Shelf) -> Vec<String> {
    let library = shelf.library(Order::Plain);
    let own = library.definitions.iter().filter(|one| one.origin.kind != PlaceKind::BuiltIn);
    own.map(|one| one.name.clone()).collect()
}

#[test]
fn while_nothing_changes_it_is_the_same_library() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/a.yaml", "a");
    let shelf = Shelf::new(around(root.path()));
    let first = shelf.library(Order::Plain);
    assert!(Arc::ptr_eq(&first, &shelf.library(Order::Plain)), "an unsettled file that says the same");
    assert!(Arc::ptr_eq(&first, &settled(&shelf)), "a settled one");
    assert!(Arc::ptr_eq(&shelf.library(Order::Blocks), &shelf.library(Order::Blocks)));
}

#[test]
fn new_changed_renamed_and_deleted_files_are_seen() {
    let root = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(around(root.path()));
    assert!(names(&shelf).is_empty());
    for settle in [false, true] {
        let next = || drop(settle.then(|| settled(&shelf)));
        let folder = root.path().join("work/workflows/deep");
        let a = write(root.path(), "work/workflows/deep/a.yaml", "a1");
        assert_eq!(names(&shelf), ["a1"]);
        next();
        fs::write(&a, text("a2")).unwrap();
        assert_eq!(names(&shelf), ["a2"], "the same size");
        next();
        fs::rename(&a, folder.join("b.yaml")).unwrap();
        assert_eq!(files(&shelf.library(Order::Steps)), ["workflows/deep/b.yaml"]);
        next();
        write(root.path(), "work/workflows/deep/new", "a3");
        assert_eq!(names(&shelf), ["a2"], "not yet the name of a definition");
        fs::rename(folder.join("new"), folder.join("b.yaml")).unwrap();
        assert_eq!(names(&shelf), ["a3"], "put in its place at once");
        next();
        fs::write(folder.join("b.yaml"), "").unwrap();
        assert_eq!(names(&shelf), ["b"], "broken: by the name of its file");
        next();
        fs::remove_dir_all(folder).unwrap();
        assert!(names(&shelf).is_empty());
        next();
    }
}

#[test]
fn a_time_that_was_set_back_hides_no_change() {
    let root = tempfile::tempdir().unwrap();
    let path = write(root.path(), "work/workflows/a.yaml", "a1");
    let shelf = Shelf::new(around(root.path()));
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    settled(&shelf);
    fs::write(&path, text("a2")).unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(before).unwrap();
    assert_eq!(names(&shelf), ["a2"]);
}

#[test]
fn a_change_keeps_what_came_of_reading_the_others() {
    let root = tempfile::tempdir().unwrap();
    let a = write(root.path(), "work/workflows/a.yaml", "a");
    write(root.path(), "work/workflows/b.yaml", "b");
    let shelf = Shelf::new(around(root.path()));
    let before = settled(&shelf);
    fs::write(&a, text("changed")).unwrap();
    let after = shelf.library(Order::Plain);
    let same = |name| {
        let reading = |library: &Library| library.find(name).map(|one| Arc::clone(&one.reading)).ok();
        reading(&before).zip(reading(&after)).is_some_and(|(one, two)| Arc::ptr_eq(&one, &two))
    };
    assert!(same("b") && after.find("changed").is_ok() && before.find("a").is_ok());
    assert!(same("hello"));
}

#[test]
fn links_are_followed_and_seen_to_change() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("work/workflows");
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("../elsewhere", folder.join("there")).unwrap();
    std::os::unix::fs::symlink("../one.yaml", folder.join("one.yaml")).unwrap();
    let shelf = Shelf::new(around(root.path()));
    let library = settled(&shelf);
    let broken = library.find("one").unwrap();
    assert_eq!(broken.reading.first_error().unwrap().message, "this link leads nowhere");
    write(root.path(), "work/elsewhere/x.yaml", "x");
    write(root.path(), "work/one.yaml", "y");
    assert_eq!(names(&shelf), ["y", "x"]);
}

#[test]
fn many_callers_at_once_each_see_what_is_there() {
    let root = tempfile::tempdir().unwrap();
    let shelf = Shelf::new(around(root.path()));
    std::thread::scope(|scope| {
        for caller in 0..4 {
            let (shelf, root) = (&shelf, root.path());
            scope.spawn(move || {
                for turn in 0..20 {
                    let name = format!("caller-{caller}-{turn}");
                    write(root, &format!("work/workflows/{caller}.yaml"), &name);
                    assert!(shelf.find(Order::ALL[caller], &name).is_ok(), "{name}");
                }
            });
        }
    });
    assert_eq!(names(&shelf).len(), 4);
}

#[test]
#[ignore = "prints times"]
fn a_look_at_fifty_files() {
    let root = tempfile::tempdir().unwrap();
    for file in 0..50 {
        write(root.path(), &format!("work/workflows/{file}.yaml"), &format!("flow-{file}"));
    }
    let shelf = Shelf::new(around(root.path()));
    let took = |what: &str, times: u32| {
        let since = Instant::now();
        (0..times).for_each(|_| drop(shelf.library(Order::Blocks)));
        println!("{what}: {:?}", since.elapsed() / times);
    };
    took("cold, all is read", 1);
    took("all is read again and says the same", 10);
    settled(&shelf);
    took("warm", 1000);
    write(root.path(), "work/workflows/7.yaml", "changed");
    took("one of them changed", 1);
}
