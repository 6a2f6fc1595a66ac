//! ReadJSONState, WriteJSONState and MergeJSONState: an object in a JSON file, which blocks and runs share.

use super::file::{BESIDE, Given, draft};
use super::form::{Draft, Form, OBJECT, Outputs};
use crate::blocks::reader::Reader;
use crate::shape::Shape;

/// Reads a state.
pub(in crate::blocks) const READ: Form = Form {
    name: "ReadJSONState",
    outputs: Outputs::Named(&[("state", OBJECT), ("path", "text"), ("exists", "true or false")]),
    readable: &["path"],
    named_values: None,
    lower: |reader, block| {
        let hint = "write `inputs: {path: state.json}`";
        lower(reader, block, ("ReadJSONState", "read_state", &READ_INPUTS, hint), |given| {
            given.flag("required")
        })
    },
};

/// Replaces a state.
pub(in crate::blocks) const WRITE: Form = Form {
    name: "WriteJSONState",
    outputs: WRITTEN,
    readable: &["path"],
    named_values: None,
    lower: |reader, block| {
        let hint = "write `inputs: {path: state.json, state: {step: 1}}`";
        lower(reader, block, ("WriteJSONState", "write_state", &WRITE_INPUTS, hint), |given| {
            given.object("state", "say what to keep: `state: {step: 1}`");
        })
    },
};

/// Merges updates into a state.
pub(in crate::blocks) const MERGE: Form = Form {
    name: "MergeJSONState",
    outputs: WRITTEN,
    readable: &["path"],
    named_values: None,
    lower: |reader, block| {
        let hint = "write `inputs: {path: state.json, updates: {step: 2}}`";
        lower(reader, block, ("MergeJSONState", "merge_state", &MERGE_INPUTS, hint), |given| {
            given.object("updates", "say what changes: `updates: {step: 2}`");
        })
    },
};

const WRITTEN: Outputs = Outputs::Named(&[("state", OBJECT), ("path", "text"), ("size_bytes", "a number")]);

const ELSEWHERE: &[(&str, &str)] = &[
    ("depends_on", BESIDE),
    ("condition", BESIDE),
    ("retry", BESIDE),
    ("on_interrupt", BESIDE),
    ("timeout", BESIDE),
];

const READ_INPUTS: Shape =
    Shape { has_no: "ReadJSONState has no input", keys: &["path", "required"], elsewhere: ELSEWHERE };
const WRITE_INPUTS: Shape =
    Shape { has_no: "WriteJSONState has no input", keys: &["path", "state"], elsewhere: ELSEWHERE };
const MERGE_INPUTS: Shape =
    Shape { has_no: "MergeJSONState has no input", keys: &["path", "updates"], elsewhere: ELSEWHERE };

fn lower(
    reader: &mut Reader<'_, '_>,
    block: usize,
    (name, operation, shape, hint): (&str, &str, &Shape, &str),
    rest: impl FnOnce(&mut Given<'_, '_, '_>),
) -> Draft {
    let Some(mut given) = Given::new(reader, block, name, shape, hint) else {
        return draft(operation, Vec::new());
    };
    match operation {
        "read_state" => given.path("path"),
        _ => given.written_path("path"),
    }
    rest(&mut given);
    draft(operation, given.lowered)
}
