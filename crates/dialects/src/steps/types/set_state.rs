//! `set_state`: fields of the state become values, all or none, each able to use those that are set before it.

use super::form::{Form, Lowered};
use crate::shape::{self, Shape};
use crate::steps::output::{set, whole};
use crate::steps::reader::{At, Reader};
use crate::steps::world::check_field;
use kernel::language::Path;
use kernel::plan::{Expr, Node, Write};

const HINT: &str = "name each field: `updates: {total: \"{{ state.items | length }}\"}`";

/// Names that mean something else where a value is read.
const TAKEN: [&str; 9] = ["state", "inputs", "item", "now", "result", "metadata", "blocks", "each", "loop"];

pub(super) const FORM: Form = Form {
    name: "set_state",
    shape: Shape {
        has_no: "a set_state step has no key",
        keys: &["id", "type", "description", "needs_state", "output_to", "when", "updates"],
        elsewhere: &[
            ("state", "did you mean `updates`?"),
            ("values", "did you mean `updates`?"),
            ("set", "did you mean `updates`?"),
        ],
    },
    has_bodies: false,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let Some(updates) = reader.must(at, "updates", HINT) else { return Lowered::nothing() };
    if !shape::is_map(&mut reader.mistakes, updates, "`updates`", HINT) {
        return Lowered::nothing();
    }
    let mut writes: Vec<Write> = Vec::new();
    for (field, key, value) in shape::unique(updates) {
        check_field(&mut reader.mistakes, field, key);
        let value = reader.value(value, at);
        writes.push(set(field, value));
        if !TAKEN.contains(&field) {
            reader.earlier.insert(field);
        }
    }
    if writes.is_empty() {
        reader.mistakes.error(|sheet| {
            sheet.error("bad-value", updates.place(), "`updates` has nothing in it").hint(HINT)
        });
    }
    if let Some(output) = reader.output_to(at) {
        let all = writes.iter().map(|write| write.path[0].clone()).collect::<Vec<_>>();
        if let Some(taken) = all.iter().find(|field| TAKEN.contains(&field.as_str())) {
            reader.mistakes.error(|sheet| {
                let message = format!("beside `output_to` no field can be called `{taken}`");
                sheet
                    .error("bad-name", updates.place(), message)
                    .hint("take `output_to` away, or name the field otherwise")
            });
        }
        let changes = all.into_iter().map(|field| (field.clone(), whole(Path::of(&field, &[])))).collect();
        writes.push(set(output, Expr::Object(changes)));
    }
    Lowered::flow(Node::Set { writes })
}
