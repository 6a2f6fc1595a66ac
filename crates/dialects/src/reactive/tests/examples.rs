//! The examples of this dialect are read, and nothing is doubtful about them.

use super::{Folder, good};
use crate::diagnostic::Look;
use crate::read::{ReadOptions, read_with};
use crate::text::Source;

macro_rules! example {
    ($path:literal) => {
        include_str!(concat!("../../../../../examples/reactive/", $path))
    };
}

#[test]
fn examples_are_clean() {
    for text in [
        example!("files/large.yaml"),
        example!("release/tasks.yaml"),
        example!("standards/fix.yaml"),
        example!("quality/check.yaml"),
    ] {
        let found = good(text).warnings;
        assert!(found.is_empty(), "{}", found.render(&[Source::new("good.yaml", text)], Look::default()));
    }
}

#[test]
fn the_example_with_an_import_is_clean() {
    let folder = Folder([("check.yaml", example!("quality/check.yaml"))].into());
    let source = Source::new("quality/gate.yaml", example!("quality/gate.yaml"));
    let read = read_with(&source, &folder, ReadOptions::default());
    let found = read.map_or_else(|found| found, |read| read.warnings);
    assert!(found.is_empty(), "{}", found.render(&[source], Look::default()));
}
