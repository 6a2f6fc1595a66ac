//! `agent_shell_command`: the agent runs a command, because the server cannot.

use super::form::{Form, Lowered};
use super::shell_command::TIMEOUT_MS;
use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;
use kernel::plan::Expr;

pub(super) const FORM: Form = Form {
    name: "agent_shell_command",
    shape: Shape {
        has_no: "an agent_shell_command step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "command",
            "reason",
            "output_format",
            "state_update",
            "on_error",
            "retry_count",
            "retry_delay",
            "fallback_value",
            "error_state_update",
            "timeout",
            "retry",
            "on_overdue",
            "verify",
        ],
        elsewhere: &[
            ("cmd", "did you mean `command`?"),
            ("run", "did you mean `command`?"),
            ("format", "did you mean `output_format`?"),
            ("working_dir", "write `cd folder && ...`: the agent runs the command where it is"),
            ("env", "set variables in the command: the agent runs it where it is"),
            ("on_interrupt", "it belongs to commands that the server runs: `shell_command`"),
        ],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    let command = reader.must(node, "command", "say what to run: `command: ./deploy.sh`");
    let reason = node.get("reason").filter(|reason| !reason.is_null());
    let mut shown = Vec::new();
    reader.told(command, "command", &mut shown);
    reader.told(reason, "reason", &mut shown);
    shown.push(("output_format".to_owned(), Expr::Const(reader.format(node).into())));
    if let Some(ms) = node.get("timeout").filter(|time| time.as_u64().is_some()) {
        shown.push(("timeout".to_owned(), Expr::Const(ms.to_value())));
    }
    shown.extend(reader.replacements(command));
    reader.action(node, step, shown, None).within(TIMEOUT_MS)
}

/// A `shell_command` that is handed out: the agent runs it in place of the server, and no value in it is code there either.
pub(super) fn handed_out<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    if let Some((key, _)) = ["env", "working_dir"].iter().find_map(|key| node.entry(key)) {
        let word = key.as_text().unwrap_or_default().to_owned();
        reader.sheet().error(|sheet| {
            let message =
                format!("`{word}` is for commands that the server runs, and here they are handed out");
            let diagnostic = sheet.error("bad-value", key.place(), message);
            diagnostic.hint("take it away, or take `shell_command` out of the setting `hand_out`")
        });
    }
    let command = reader.must(node, "command", "say what to run: `command: git diff --name-only`");
    let mut shown = Vec::new();
    shown.extend(command.map(|command| ("command".to_owned(), reader.quoted(command))));
    shown.push(("output_format".to_owned(), Expr::Const(reader.format(node).into())));
    if let Some(ms) = node.get("timeout").filter(|time| time.as_u64().is_some()) {
        shown.push(("timeout".to_owned(), Expr::Const(ms.to_value())));
    }
    shown.extend(reader.replacements(command));
    reader.action(node, step, shown, None).within(TIMEOUT_MS)
}
