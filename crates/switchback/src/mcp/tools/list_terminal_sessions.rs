//! `list_terminal_sessions`: which sessions there are.

use super::{Hints, Later, Tool, schema};
use crate::mcp::terminals;
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "list_terminal_sessions",
    title: "List terminals",
    description: "Use this to find the sessions of this project folder again, after a lost conversation for example. It answers \
        `total_sessions` (those whose program runs) and `sessions`: of each its `session_id`, `status` (running, ended, or lost \
        when the server died or was stopped), `shell`, `foreground` (the program that reads the keyboard now), `idle_seconds`, \
        who opened it, who holds it, and where it is recorded.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Terminal),
    aliases: &[],
    schema: || schema::object(json!({}), &[]),
    call: |call| -> Later<'_> { Box::pin(terminals::carry_out(call)) },
};
