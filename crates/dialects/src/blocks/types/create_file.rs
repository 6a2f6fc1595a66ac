//! CreateFile writes a file, whole or not at all.

use super::file::{BESIDE, Given, draft};
use super::form::{Draft, Form, Outputs};
use crate::blocks::reader::Reader;
use crate::shape::Shape;

/// Writes a file.
pub(in crate::blocks) const FORM: Form = Form {
    name: "CreateFile",
    outputs: Outputs::Named(&[("path", "text"), ("size_bytes", "a number"), ("created", "true or false")]),
    readable: &["path", "content"],
    named_values: None,
    lower,
};

const INPUTS: Shape = Shape {
    has_no: "CreateFile has no input",
    keys: &["path", "content", "encoding", "permissions", "overwrite", "create_parents"],
    elsewhere: &[
        ("depends_on", BESIDE),
        ("condition", BESIDE),
        ("retry", BESIDE),
        ("on_interrupt", BESIDE),
        ("timeout", BESIDE),
        ("mode", "it is called `permissions`"),
        ("text", "it is called `content`"),
    ],
};

fn lower(reader: &mut Reader<'_, '_>, block: usize) -> Draft {
    let hint = "write `inputs: {path: notes.txt, content: \"Hello\"}`";
    let Some(mut given) = Given::new(reader, block, "CreateFile", &INPUTS, hint) else {
        return draft("create", Vec::new());
    };
    given.written_path("path");
    given.written_value("content", "say what to write: `content: \"Hello\"`");
    given.choice("encoding", &["utf-8", "base64"]);
    given.permissions();
    given.flag("overwrite");
    given.flag("create_parents");
    draft("create", given.lowered)
}
