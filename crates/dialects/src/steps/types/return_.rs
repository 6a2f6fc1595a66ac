//! `return`: the workflow or the task ends with a value.

use super::form::{Form, Lowered};
use crate::shape::Shape;
use crate::steps::reader::{At, Reader};
use kernel::plan::{Expr, Node};
use serde_json::Value;

pub(super) const FORM: Form = Form {
    name: "return",
    shape: Shape {
        has_no: "a return step has no key",
        keys: &["id", "type", "description", "needs_state", "value"],
        elsewhere: &[
            ("when", "put it into a condition: `{type: condition, if: ..., then: [...]}`"),
            ("output_to", "the value is what the workflow or the task gives"),
            ("result", "did you mean `value`?"),
        ],
    },
    has_bodies: false,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let hint = "say what is given: `value: \"{{ state.summary }}\"`, or `value: null`";
    let value = match reader.node(at).get("value") {
        Some(value) => reader.value(value, at),
        None => {
            reader.must(at, "value", hint);
            Expr::Const(Value::Null)
        }
    };
    Lowered::flow(Node::Return { value })
}
