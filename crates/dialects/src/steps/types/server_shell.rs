//! `shell` where the workflow says `shell: server`: the server runs the command.
//!
//! It gives what an agent would hand in: `{stdout, stderr, exit_code, duration}`. A command that fails has been done, and what
//! that means the flow decides; one that takes too long, or cannot be started, has not.

use super::form::{Form, Lowered};
use super::shell::TIMEOUT_MS;
use crate::shape::Shape;
use crate::steps::output::{RESULT, set};
use crate::steps::reader::{At, Reader};
use kernel::language::Path;
use kernel::plan::{Adapter, Deadline, Expr, Node, OnFailure, Work};

/// What such a step gives.
const GIVES: [&str; 4] = ["stdout", "stderr", "exit_code", "duration"];

pub(super) const FORM: Form = Form {
    name: "shell",
    shape: Shape {
        has_no: "a shell step that the server runs has no key",
        keys: &[
            "id",
            "type",
            "description",
            "needs_state",
            "output_to",
            "when",
            "command",
            "working_dir",
            "env",
            "timeout",
            "retry",
            "on_interrupt",
        ],
        elsewhere: &[
            ("cmd", "did you mean `command`?"),
            ("run", "did you mean `command`?"),
            ("cwd", "did you mean `working_dir`?"),
            ("verify", "the server runs this command itself: what must hold is a step of its own"),
            ("on_overdue", "nobody is waited for: `timeout` says how long the command may take"),
        ],
    },
    has_bodies: false,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let node = reader.node(at);
    let given = |key: &str| node.get(key).filter(|value| !value.is_null());
    let command = reader.must(at, "command", "say what to run: `command: npm test`");
    let mut inputs = command.map_or_else(Vec::new, |command| reader.script(command, at));
    inputs.extend(given("working_dir").and_then(|folder| reader.working_dir(folder, at)));
    let (variables, secrets) = given("env").map_or_else(Default::default, |env| reader.env(env, at));
    inputs.extend(variables);
    // Of a command that was cut off, and of which somebody says that it was done, nobody knows what it said.
    let gave = GIVES.map(|name| (name.to_owned(), Expr::Optional(Path::of(RESULT, &[name]))));
    // A part of a text that ends in nothing but empty lines may be short enough for the state.
    let left_out = |name: &str| (name.to_owned(), Path::of(RESULT, &[&format!("{name}_left_out_bytes")]));
    let gave = Expr::Whole {
        texts: ["stdout", "stderr"].map(left_out).into(),
        value: Box::new(Expr::Object(gave.into())),
    };
    let writes = reader.output_to(at).map(|field| set(field, gave)).into_iter().collect();
    let node = Node::Do { step: at.step(), writes, on_failure: OnFailure::Take, otherwise: Vec::new() };
    let work = Work::Server { adapter: Adapter::Process, inputs, secrets };
    Lowered { work, node, timeout: Deadline::After(TIMEOUT_MS) }
}
