//! The table of block types: each is found by its name, says what it gives, and takes nothing it does not know.

use super::{bad, blocks, codes};
use crate::blocks::types::{ALL, Outputs, named};
use std::collections::BTreeSet;

// covers: D-78
#[test]
fn each_type_is_found_by_its_name_with_what_it_takes_and_gives() {
    let names: BTreeSet<&str> = ALL.iter().map(|form| form.name).collect();
    assert_eq!(names.len(), ALL.len());
    for form in ALL {
        assert_eq!(named(form.name).map(|found| found.name), Some(form.name));
        if let Outputs::Named(outputs) = form.outputs {
            let given: BTreeSet<&str> = outputs.iter().map(|(name, _)| *name).collect();
            assert!(!given.is_empty() && given.len() == outputs.len(), "{form:?} gives {outputs:?}");
        }
        let text = blocks(&[&format!("id: a, type: {}, inputs: {{no_such_input: 1}}", form.name)]);
        let found = bad(&text);
        let told =
            found.iter().any(|one| one.message == format!("{} has no input `no_such_input`", form.name));
        assert!(told, "{form:?}: {found:?}");
    }
}

#[test]
fn a_type_that_is_not_there_is_told() {
    assert_eq!(codes(&blocks(&["id: a, type: Shel, inputs: {command: x}"])), ["unknown-type"]);
}
