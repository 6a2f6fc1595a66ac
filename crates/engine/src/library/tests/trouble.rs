//! Folders and files that cannot be looked into: told, and never waited for.

use super::*;
use crate::library::walk::ENTRIES_MAX;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs;
use std::os::unix::fs::symlink;

fn error(shelf: &Shelf, name: &str) -> String {
    let found = shelf.find(Order::Plain, name).unwrap();
    found.reading.first_error().map(|error| error.message.clone()).unwrap_or_default()
}

#[test]
fn a_pipe_is_not_waited_for() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/good.yaml", "good");
    let pipe = root.path().join("work/workflows/pipe.yaml");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let shelf = Shelf::new(around(root.path()));
    assert_eq!(files(&shelf.library(Order::Plain)), ["workflows/good.yaml", "workflows/pipe.yaml"]);
    assert_eq!(error(&shelf, "pipe"), "failed to read workflows/pipe.yaml: it is not a file");
    fs::remove_file(&pipe).unwrap();
    write(root.path(), "work/workflows/pipe.yaml", "mended");
    assert!(shelf.find(Order::Plain, "mended").is_ok());
}

#[test]
fn a_link_that_leads_back_is_followed_once() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/deep/a.yaml", "a");
    let folder = root.path().join("work/workflows");
    symlink("..", folder.join("deep/back")).unwrap();
    symlink("round.yaml", folder.join("round.yaml")).unwrap();
    let shelf = Shelf::new(around(root.path()));
    let library = shelf.library(Order::Plain);
    assert_eq!(files(&library), ["workflows/deep/a.yaml", "workflows/round.yaml"]);
    assert_eq!(library.troubles, ["workflows/deep/back is not looked into: it leads back into itself"]);
    assert!(error(&shelf, "round").starts_with("failed to read workflows/round.yaml: "));
}

#[test]
fn what_is_no_folder_is_told_and_the_others_are_read() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "work/workflows", "not a folder");
    write(root.path(), "work/second/a.yaml", "a");
    let shelf = Shelf::new(around(root.path()));
    let library = shelf.library(Order::Plain);
    assert_eq!(files(&library), ["second/a.yaml"]);
    assert_eq!(library.troubles.len(), 1);
    assert!(library.troubles[0].starts_with("workflows is not looked into: "), "{:?}", library.troubles);
    fs::remove_file(root.path().join("work/workflows")).unwrap();
    assert!(shelf.library(Order::Plain).troubles.is_empty());
}

#[test]
fn a_file_has_as_many_bytes_as_a_definition_may() {
    let root = tempfile::tempdir().unwrap();
    let max = dialects::text::limits::FILE_BYTES_MAX;
    let padded = |name: &str, bytes: usize| {
        let text = text(name);
        format!("{text}#{}", "x".repeat(bytes - text.len() - 1))
    };
    put(root.path(), "work/workflows/most.yaml", &padded("most", max));
    put(root.path(), "work/workflows/more.yaml", &padded("more", max + 1));
    let shelf = Shelf::new(around(root.path()));
    assert_eq!(error(&shelf, "most"), "");
    assert_eq!(
        error(&shelf, "more"),
        "failed to read workflows/more.yaml: it is too large: 1048576 bytes are allowed"
    );
}

#[test]
fn what_is_no_text_or_hidden_or_too_deep() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("work/workflows")).unwrap();
    fs::write(root.path().join("work/workflows/raw.yaml"), b"name: t\nblocks: \xff\xfe").unwrap();
    write(root.path(), "work/workflows/.hidden.yaml", "hidden");
    write(root.path(), "work/workflows/.git/x.yaml", "hidden");
    write(root.path(), "work/workflows/1/2/3/deep.yaml", "deep");
    write(root.path(), "work/workflows/1/2/3/4/deeper.yaml", "deeper");
    let shelf = Shelf::new(around(root.path()));
    let library = shelf.library(Order::Plain);
    assert_eq!(files(&library), ["workflows/1/2/3/deep.yaml", "workflows/raw.yaml"]);
    assert_eq!(error(&shelf, "t"), "the file is not UTF-8 text: the byte 0xff cannot stand here");
    let reading = &library.find("t").unwrap().reading;
    let places = reading.diagnostics.to_json(std::slice::from_ref(&reading.source));
    assert!(places.to_string().contains("\"line\":2"), "{places}");
}

#[test]
fn a_place_has_a_bound() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("work/workflows");
    write(root.path(), "work/workflows/a.yaml", "a");
    for file in 1..ENTRIES_MAX {
        fs::File::create(folder.join(file.to_string())).unwrap();
    }
    let shelf = Shelf::new(around(root.path()));
    assert_eq!(files(&shelf.library(Order::Plain)), ["workflows/a.yaml"]);
    fs::File::create(folder.join("more")).unwrap();
    let library = shelf.library(Order::Plain);
    assert!(files(&library).is_empty());
    let said =
        "workflows is not looked into: a place of definitions may have 4096 entries, and this has more";
    assert_eq!(library.troubles, [said]);
}

#[test]
fn a_name_that_can_be_none_is_refused_before_anything_is_looked_at() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/a.yaml", "a");
    let shelf = Shelf::new(around(root.path()));
    let refused = shelf.find(Order::Plain, "../workflows/a").unwrap_err();
    assert!(refused.malformed && refused.places.is_empty());
    assert!(!shelf.has_looked());
    assert!(!shelf.find(Order::Plain, "b").unwrap_err().malformed && shelf.has_looked());
}

#[test]
fn a_file_that_is_far_too_large_is_refused_with_the_limit_that_holds() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("large.yaml");
    std::fs::File::create(&path).unwrap().set_len(20 << 30).unwrap();
    let error = crate::library::read_file(&path, "large.yaml", &Surroundings::default()).unwrap_err();
    assert_eq!(error.to_string(), "failed to read large.yaml: it is too large: 1048576 bytes are allowed");
}
