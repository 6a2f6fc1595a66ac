//! `user_message`: the agent shows a text to the user.

use super::form::{Form, Lowered};
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;

pub(super) const FORM: Form = Form {
    name: "user_message",
    shape: Shape {
        has_no: "a user_message step has no key",
        keys: &["id", "type", "description", "message", "timeout", "on_overdue"],
        elsewhere: &[
            ("text", "did you mean `message`?"),
            ("prompt", "did you mean `message`? a question is a `user_input`"),
            (
                "state_update",
                "nothing comes of a message: a question is a `user_input`, a change a `state_update` step",
            ),
        ],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    let message = reader.must(node, "message", "say what is shown: `message: \"Done: {{ summary }}\"`");
    let mut shown = Vec::new();
    reader.told(message, "message", &mut shown);
    shown.extend(reader.replacements(message));
    reader.action(node, step, shown, None)
}
