//! `exit_terminal`: ends a session.

use super::{Hints, Later, Tool, schema};
use crate::mcp::terminals;
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "exit_terminal",
    title: "End a terminal",
    description: "Use this when a session is not needed any more. Every process in it is ended, background jobs and what has left \
        the terminal as well: first asked, after two seconds killed. It answers `message`. The recording is kept. To end only \
        the program that runs in a shell, type into it instead: send_input with \\u0003 (Ctrl-C) or `exit`.",
    hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
    toolset: Some(Toolset::Terminal),
    aliases: &[],
    schema: || schema::object(json!({ "session_id": schema::session_id() }), &["session_id"]),
    call: |call| -> Later<'_> { Box::pin(terminals::carry_out(call)) },
};
