//! `goto`: the flow goes on at another step, so many times at most.

use super::form::{Form, Lowered};
use crate::shape::Shape;
use crate::steps::reader::{At, Reader};
use kernel::plan::Node;

/// Most jumps where the definition does not say.
const ITERATIONS: u32 = 3;

/// Most jumps that can be written.
pub const ITERATIONS_MAX: u32 = 1_000;

pub(super) const FORM: Form = Form {
    name: "goto",
    shape: Shape {
        has_no: "a goto step has no key",
        keys: &["id", "type", "description", "needs_state", "output_to", "when", "target", "max_iterations"],
        elsewhere: &[("step", "did you mean `target`?"), ("to", "did you mean `target`?")],
    },
    has_bodies: false,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let node = reader.node(at);
    reader.no_output(at, "a goto gives nothing");
    let iterations_max =
        node.get("max_iterations").filter(|node| !node.is_null()).map_or(ITERATIONS, |node| {
            let count = node.as_u64().and_then(|count| u32::try_from(count).ok());
            let count = count.filter(|count| (1..=ITERATIONS_MAX).contains(count));
            if count.is_none() {
                let message = format!("`max_iterations` is a whole number from 1 to {ITERATIONS_MAX}");
                reader.mistakes.error(|sheet| {
                    let diagnostic = sheet.error("bad-value", node.place(), message);
                    diagnostic.hint("it counts the jumps; one more fails the run")
                });
            }
            count.unwrap_or(ITERATIONS)
        });
    let hint = "name the step to go on with: `target: improve-quality`";
    let Some(target) = reader.must(at, "target", hint) else { return Lowered::nothing() };
    match reader.target(at, target) {
        Some(to) => Lowered::flow(Node::Goto { to, iterations_max }),
        None => Lowered::nothing(),
    }
}
