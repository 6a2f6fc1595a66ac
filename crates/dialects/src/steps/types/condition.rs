//! `condition`: the steps of `then` where `if` holds, else those of `else`.

use super::form::{Form, Lowered};
use crate::shape::Shape;
use crate::steps::reader::{At, Reader};
use kernel::plan::{Expr, Node};
use serde_json::Value;

const HINT: &str = "write `if: \"{{ state.approved }}\"`, and below `then:` the steps to do";

pub(super) const FORM: Form = Form {
    name: "condition",
    shape: Shape {
        has_no: "a condition step has no key",
        keys: &["id", "type", "description", "needs_state", "output_to", "when", "if", "then", "else"],
        elsewhere: &[
            ("condition", "did you mean `if`?"),
            ("steps", "did you mean `then`?"),
            ("elif", "put a condition into `else`"),
            ("timeout", "it belongs to the steps inside"),
        ],
    },
    has_bodies: true,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let holds = reader.must(at, "if", HINT);
    let holds = holds.map_or(Expr::Const(Value::Null), |holds| reader.condition(holds, "if", at));
    reader.must(at, "then", HINT);
    reader.no_output(at, "the steps inside write, each to its own `output_to`");
    let (then, otherwise) = (reader.body(at, "then", 0), reader.body(at, "else", 1));
    match then {
        Some(then) => Lowered::flow(Node::Branch { arms: vec![(holds, then)], otherwise }),
        None => Lowered::nothing(),
    }
}
