//! `open_terminal`: a program in a terminal of its own, which outlives the call and the client.

use super::{Hints, Later, Tool, schema};
use crate::mcp::terminals;
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "open_terminal",
    title: "Open a terminal",
    description: "Use this to drive a program by hand that is interactive or goes on for long: a shell, a REPL, a debugger, a \
        pager, an editor, a password prompt, a server. For work that is written down as a workflow use execute_workflow. It \
        starts the program in a terminal of its own and answers `session_id` (a short name such as t3), `shell`, \
        `screen_content` and `recording` (a file that replays it) at its first output. The session belongs to the server and \
        to this project folder: it goes on when this call, this conversation or the client ends, and \
        list_terminal_sessions() finds it again. Type with send_input, wait with await_output, look with \
        get_screen_content, end it with exit_terminal.",
    hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: true },
    toolset: Some(Toolset::Terminal),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "shell": {
                    "type": "string",
                    "default": "bash",
                    "description": "The program: bash, sh, zsh, fish, python3, or any other by name or path. It may be a command \
                        line with arguments (`python3 -i tool.py`), split at blanks as a shell does; nothing else in it is \
                        expanded."
                },
                "arguments": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "The arguments one by one; `shell` is then the program alone."
                },
                "working_directory": {
                    "type": "string",
                    "description": "The folder it starts in, from the project folder. Default: the project folder."
                },
                "environment": {
                    "type": "object",
                    "additionalProperties": { "type": "string" },
                    "description": "Variables beside those that the server passes on."
                },
                "columns": { "type": "integer", "minimum": 2, "maximum": 500, "default": 120, "description": "The width." },
                "rows": { "type": "integer", "minimum": 1, "maximum": 200, "default": 40, "description": "The height." },
                "settle_ms": schema::settle_ms(),
            }),
            &[],
        )
    },
    call: |call| -> Later<'_> { Box::pin(terminals::carry_out(call)) },
};
