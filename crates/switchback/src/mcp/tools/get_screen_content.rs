//! `get_screen_content`: looks at a session.

use super::{Hints, Later, Tool, schema};
use crate::mcp::terminals;
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "get_screen_content",
    title: "Look at a terminal",
    description: "Use this to see what a session shows, or what it has said; to wait for something use await_output. \
        `content_mode`: `screen` is what a person would see now; `since_input` is all output since the last input; `tail` is the \
        last `line_count` lines, those above the screen too; `history` is all lines that are kept, its beginning and its end if \
        it is long. It answers `screen_content` as clean text, `left_out` if something was left out, `process_running`, `ended` \
        (the exit code) and `cursor` (row and column from 1).",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Terminal),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "session_id": schema::session_id(),
                "content_mode": {
                    "type": "string",
                    "enum": ["screen", "since_input", "tail", "history"],
                    "default": "screen",
                    "description": "What is shown."
                },
                "line_count": {
                    "type": "integer",
                    "minimum": 1,
                    "default": 30,
                    "description": "With `tail`: how many lines."
                },
            }),
            &["session_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(terminals::carry_out(call)) },
};
