//! `await_output`: waits for a pattern in what a session says.

use super::{Hints, Later, Tool, schema};
use crate::mcp::terminals;
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "await_output",
    title: "Wait for output of a terminal",
    description: "Use this after send_input to wait until a program says something: a prompt, a result, an error. `pattern` is a \
        regular expression as in Python; `^` and `$` mean lines. Only what came after the last input counts, and never the \
        echo of what was typed. It answers the moment it matches: `match_text`, `groups`, `named_groups`, `elapsed_time` in \
        seconds and `screen_content`. If nothing matches within `timeout` seconds, `match_text` is null and `timed_out` is true: \
        that is an answer and no error, the program goes on, and the same call waits on without missing anything. If the \
        program ends first, `process_running` is false. Match several outcomes at once, as in `(\\d+) passed|error|\\$ $`.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Terminal),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "session_id": schema::session_id(),
                "pattern": { "type": "string", "description": "A regular expression; look-around is understood." },
                "timeout": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 3600,
                    "default": 10,
                    "description": "For how many seconds, as 0.5 or 30. Without progress a call waits at most 45; repeat it then."
                },
            }),
            &["session_id", "pattern"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(terminals::carry_out(call)) },
};
