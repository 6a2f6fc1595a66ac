//! `conditional`: one of two lists of steps.

use super::form::{Form, Lowered};
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;
use kernel::plan::{Expr, Node};

pub(super) const FORM: Form = Form {
    name: "conditional",
    shape: Shape {
        has_no: "a conditional step has no key",
        keys: &["id", "type", "description", "condition", "then", "else"],
        elsewhere: &[
            ("if", "did you mean `condition`?"),
            ("when", "did you mean `condition`?"),
            ("steps", "did you mean `then`?"),
            ("otherwise", "did you mean `else`?"),
        ],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, _: u32) -> Lowered {
    let condition = reader.must(node, "condition", "say when: `condition: \"{{ has_errors }}\"`");
    let condition =
        condition.map_or(Expr::Const(false.into()), |condition| reader.condition(condition, "condition"));
    if node.get("then").is_none_or(Text::is_null) {
        reader.must(node, "then", "write `then:` and the steps below it, each with a `-`");
    }
    let then = reader.below(node, "then").unwrap_or_else(|| reader.open_body());
    let otherwise = reader.below(node, "else");
    Lowered::flow(Node::Branch { arms: vec![(condition, then)], otherwise })
}
