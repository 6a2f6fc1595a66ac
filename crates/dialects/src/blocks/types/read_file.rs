//! ReadFile reads a file whole, as text or as base64.

use super::file::{BESIDE, Given, draft};
use super::form::{Draft, Form, Outputs};
use crate::blocks::file::READ_BYTES_MAX;
use crate::blocks::reader::Reader;
use crate::shape::Shape;

/// Reads a file.
pub(in crate::blocks) const FORM: Form = Form {
    name: "ReadFile",
    outputs: Outputs::Named(&[
        ("content", "text"),
        ("encoding", "text"),
        ("size_bytes", "a number"),
        ("path", "text"),
    ]),
    readable: &["path"],
    named_values: None,
    lower,
};

const INPUTS: Shape = Shape {
    has_no: "ReadFile has no input",
    keys: &["path", "encoding", "max_bytes"],
    elsewhere: &[
        ("depends_on", BESIDE),
        ("condition", BESIDE),
        ("retry", BESIDE),
        ("on_interrupt", BESIDE),
        ("timeout", BESIDE),
    ],
};

fn lower(reader: &mut Reader<'_, '_>, block: usize) -> Draft {
    let hint = "write `inputs: {path: notes.txt}`";
    let Some(mut given) = Given::new(reader, block, "ReadFile", &INPUTS, hint) else {
        return draft("read", Vec::new());
    };
    given.path("path");
    given.choice("encoding", &["auto", "utf-8", "base64"]);
    given.number("max_bytes", READ_BYTES_MAX);
    draft("read", given.lowered)
}
