//! `exit`: the run ends as it stands.

use super::form::{Form, Lowered};
use crate::reactive::head::start_of;
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;
use kernel::plan::Node;

pub(super) const FORM: Form = Form {
    name: "exit",
    shape: Shape {
        has_no: "an exit step has no key",
        keys: &["id", "type", "description"],
        elsewhere: &[
            ("condition", "put it into a `conditional`: `then: [{type: exit}]`"),
            ("status", "a run that exits has succeeded; one that fails does so by a step that fails"),
        ],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, _: u32) -> Lowered {
    if reader.site.task.is_none() {
        return Lowered::flow(Node::Exit);
    }
    let place = node.get("type").map_or(start_of(node), Text::place);
    reader.sheet().error(|sheet| {
        let diagnostic = sheet.error("misplaced-exit", place, "a task of sub-agents cannot end the run");
        diagnostic.hint("let the task write what happened into the state, and the main flow `exit`")
    });
    Lowered::nothing()
}
