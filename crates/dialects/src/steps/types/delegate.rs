//! `delegate`: one task for a sub-agent, in words.

use super::form::{Form, Lowered};
use crate::shape::Shape;
use crate::steps::reader::{At, Reader};
use kernel::plan::{Audience, Deadline, Expr};

/// How long it may take where the definition does not say.
pub const TIMEOUT_MS: u64 = 300_000;

pub(super) const FORM: Form = Form {
    name: "delegate",
    shape: Shape {
        has_no: "a delegate step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "needs_state",
            "output_to",
            "when",
            "instructions",
            "agent",
            "timeout",
            "retry",
            "on_overdue",
            "verify",
        ],
        elsewhere: &[
            ("prompt", "did you mean `instructions`?"),
            ("instruction", "did you mean `instructions`?"),
            ("message", "did you mean `instructions`?"),
            ("task", "a task is run for each item by a step of type `foreach`; here are `instructions`"),
        ],
    },
    has_bodies: false,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let hint = "say what is to be done: `instructions: Summarize {{ state.report }}`";
    let instructions = reader.must(at, "instructions", hint);
    let instructions = instructions.and_then(|words| reader.words(words, "instructions", at));
    let agent = reader.agent(reader.node(at));
    let shown = instructions.map(|words| ("instructions", words)).into_iter();
    let shown = shown.chain([("agent", Expr::Const(agent.into()))]).collect();
    let lowered = reader.action(at, Audience::Agent, shown, None);
    Lowered { timeout: Deadline::After(TIMEOUT_MS), ..lowered }
}
