//! `shell`: the agent runs a command.

use super::form::{Form, Lowered};
use crate::shape::Shape;
use crate::steps::reader::{At, Reader};
use kernel::plan::{Audience, Deadline};

/// How long a command or a tool may take where the definition does not say.
pub const TIMEOUT_MS: u64 = 30_000;

pub(super) const FORM: Form = Form {
    name: "shell",
    shape: Shape {
        has_no: "a shell step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "needs_state",
            "output_to",
            "when",
            "command",
            "timeout",
            "retry",
            "on_overdue",
            "verify",
        ],
        elsewhere: &[
            ("cmd", "did you mean `command`?"),
            ("run", "did you mean `command`?"),
            ("working_dir", "write `cd folder && ...`: the agent runs the command where it is"),
            ("env", "set variables in the command: the agent runs it where it is"),
            ("on_interrupt", "it belongs to commands that the server runs: `shell: server` beside `steps`"),
        ],
    },
    has_bodies: false,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let command = reader.must(at, "command", "say what to run: `command: npm test`");
    let command = command.and_then(|command| reader.words(command, "command", at));
    let shown = command.map(|command| ("command", command)).into_iter().collect();
    let lowered = reader.action(at, Audience::Agent, shown, None);
    Lowered { timeout: Deadline::After(TIMEOUT_MS), ..lowered }
}
