//! `get_workflow_schema`: the format of state machines, made from the tools that there are.

use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::tools::now;
use crate::settings::Toolset;
use engine::dialects::states::schema::{available_tools, documentation, example, json_schema};
use engine::kernel::Digest;
use engine::kernel::clock::iso;
use serde_json::{Value, json};
use std::sync::OnceLock;

pub(super) const TOOL: Tool = Tool {
    name: "get_workflow_schema",
    title: "The format of state machines",
    description: "Use this before create_workflow: it gives the format of a definition as it is checked. Answers `json_schema`, \
        `documentation` (the tools with their parameters, the transitions, the contract), `available_tools`, `example`, `schema_version` \
        (when it was made) and `schema_hash` (the same as long as the format is).",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Authoring),
    aliases: &[],
    schema: || schema::object(json!({}), &[]),
    call: |_| -> Later<'_> { Box::pin(async { answer() }) },
};

fn answer() -> Answered {
    static MADE: OnceLock<Value> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let (schema, at) = (json_schema(), iso(now()));
        json!({
            "schema_version": at,
            "schema_hash": Digest::of_json(&schema).to_string(),
            "json_schema": schema,
            "available_tools": available_tools(),
            "documentation": documentation(&at),
            "example": example(),
        })
    });
    Ok(Answer::new(made.clone()))
}
