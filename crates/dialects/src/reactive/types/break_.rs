//! `break`: the innermost loop is left.

use super::form::{Form, Lowered};
use crate::reactive::head::start_of;
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;
use kernel::plan::Node;

pub(super) const FORM: Form = Form {
    name: "break",
    shape: Shape {
        has_no: "a break step has no key",
        keys: &["id", "type", "description"],
        elsewhere: &[("condition", "put it into a `conditional`: `then: [{type: break}]`")],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, _: u32) -> Lowered {
    if reader.site.is_looped {
        return Lowered::flow(Node::Break);
    }
    let place = node.get("type").map_or(start_of(node), Text::place);
    reader.sheet().error(|sheet| {
        let diagnostic = sheet.error("no-loop", place, "`break` leaves a loop, and stands in none");
        diagnostic.hint(
            "it belongs into the `body` of a `while` or the `steps` of a `foreach`; `exit` ends the run",
        )
    });
    Lowered::nothing()
}
