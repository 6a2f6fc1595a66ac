//! `shell_command`: the server runs a command, and keeps what it printed in the form that is asked for.

use super::form::{Form, Lowered};
use crate::reactive::failure::Failing;
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;
use kernel::plan::{Adapter, Deadline, Expr, Node, Work};

/// How long a command or a tool may take where the definition does not say.
pub const TIMEOUT_MS: u64 = 300_000;

/// The forms of what a command prints.
const FORMATS: [(&str, &str); 4] =
    [("lines", "lines"), ("json", "json"), ("text", "text"), ("key_value", "key_value")];

pub(super) const FORM: Form = Form {
    name: "shell_command",
    shape: Shape {
        has_no: "a shell_command step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "command",
            "output_format",
            "state_update",
            "on_error",
            "retry_count",
            "retry_delay",
            "fallback_value",
            "error_state_update",
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
            ("format", "did you mean `output_format`?"),
            ("fallback", "did you mean `fallback_value`?"),
            ("reason", "it belongs to an `agent_shell_command`: the server runs this one"),
            ("verify", "the server runs this command itself: what must hold is a step of its own"),
            ("on_overdue", "nobody is waited for: `timeout` says how long the command may take"),
        ],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    if reader.hand_out.shell_command {
        return super::agent_shell_command::handed_out(reader, node, step);
    }
    let given = |key: &str| node.get(key).filter(|value| !value.is_null());
    let command = reader.must(node, "command", "say what to run: `command: git diff --name-only`");
    let mut inputs = command.map_or_else(Vec::new, |command| reader.command(command, false));
    inputs.extend(given("working_dir").and_then(|folder| reader.working_dir(folder)));
    let (variables, secrets) = given("env").map_or_else(Default::default, |env| reader.env(env));
    inputs.extend(variables);
    inputs.push(("output_format".to_owned(), Expr::Const(reader.format(node).into())));
    let update = reader.own_update(node);
    let Failing { retry, on_failure, otherwise } = reader.failing(node, update.as_ref());
    let writes = update.map(|update| update.write).into_iter().collect();
    let made = Node::Do { step, writes, on_failure, otherwise };
    let work = Work::Server { adapter: Adapter::Process, inputs, secrets };
    Lowered { work, node: made, timeout: Deadline::After(TIMEOUT_MS), retry }
}

impl<'n> Reader<'_, 'n> {
    /// The form of what a command prints: text, where it does not say.
    pub(super) fn format(&mut self, node: &'n Text) -> &'static str {
        let word = node.get("output_format").filter(|word| !word.is_null());
        word.and_then(|word| self.word(word, "output_format", &FORMATS)).unwrap_or("text")
    }
}
