//! `while`: steps again and again while a condition holds, and never more often than it may.

use super::form::{Form, Lowered};
use crate::reactive::ROUNDS_MAX;
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;
use kernel::plan::{Expr, Node};

/// The rounds of a loop that does not say.
pub const ITERATIONS: u32 = 10;

/// What becomes of a loop whose rounds are used up: it is left, with a warning, or the run fails.
const AT_MOST: [(&str, bool); 2] = [("continue", true), ("fail", false)];

pub(super) const FORM: Form = Form {
    name: "while",
    shape: Shape {
        has_no: "a while step has no key",
        keys: &["id", "type", "description", "condition", "max_iterations", "on_max_iterations", "body"],
        elsewhere: &[
            ("steps", "did you mean `body`?"),
            ("do", "did you mean `body`?"),
            ("until", "write the opposite under `condition`: `\"{{ !done }}\"`"),
            ("limit", "did you mean `max_iterations`?"),
        ],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, _: u32) -> Lowered {
    let given = |key: &str| node.get(key).filter(|value| !value.is_null());
    let condition =
        reader.must(node, "condition", "say how long: `condition: \"{{ has_errors && tries < 5 }}\"`");
    let condition =
        condition.map_or(Expr::Const(false.into()), |condition| reader.condition(condition, "condition"));
    let most = given("max_iterations").and_then(|node| reader.count(node, "max_iterations", 1, ROUNDS_MAX));
    let leave = given("on_max_iterations").and_then(|word| reader.word(word, "on_max_iterations", &AT_MOST));
    let body = reader.at(|site| site.is_looped = true, |reader| reader.must_below(node, "body"));
    let (iterations_max, leave) = (most.unwrap_or(ITERATIONS), leave.unwrap_or(true));
    Lowered::flow(Node::While { condition, body, iterations_max, leave })
}
