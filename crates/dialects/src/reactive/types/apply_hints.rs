//! `apply_hints`: the agent applies hints to a file, and says how many.

use super::form::{Form, Lowered};
use super::shell_command::TIMEOUT_MS;
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;

pub(super) const FORM: Form = Form {
    name: "apply_hints",
    shape: Shape {
        has_no: "an apply_hints step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "file",
            "hints",
            "state_update",
            "on_error",
            "retry_count",
            "retry_delay",
            "fallback_value",
            "error_state_update",
            "timeout",
            "retry",
            "on_overdue",
            "verify",
        ],
        elsewhere: &[("path", "did you mean `file`?"), ("file_path", "did you mean `file`?")],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    let file = reader.must(node, "file", "say which file: `file: \"{{ item }}\"`");
    let mut shown = Vec::new();
    reader.told(file, "file", &mut shown);
    if let Some(hints) =
        reader.must(node, "hints", "say which hints: `hints: \"{{ file_results[item].hints }}\"`")
    {
        shown.push(("hints".to_owned(), reader.value(hints)));
    }
    reader.action(node, step, shown, None).within(TIMEOUT_MS)
}
