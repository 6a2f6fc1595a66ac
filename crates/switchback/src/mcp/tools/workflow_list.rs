//! `workflow_list`: the workflows that the tools of `reactive` find, with their files.

use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::workflows::{self, listed};
use crate::settings::Toolset;
use engine::library::{Definition, Library, Order};
use serde_json::{Value, json};
use std::path::Path;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_list",
    title: "List workflows with their files",
    description: "Use this to see which workflows workflow_start can start here and in which files they are; list_workflows tells more \
        of each, of the workflows of all dialects alike. Answers `workflows`: for each its `name`, `path`, `description`, \
        `source` (project, or global for what is not of this project) and dialect; those that are broken have `error`.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "include_global": {
                    "type": "boolean",
                    "default": true,
                    "description": "Also workflows that are not of this project: those of the user, and built-in ones."
                },
            }),
            &[],
        )
    },
    call: |call| -> Later<'_> { Box::pin(list(call)) },
};

async fn list(call: &Call) -> Answered {
    let all = call.arguments.value("include_global").is_none() || call.arguments.flag("include_global")?;
    let value = call.visit.look(move |visit, _| {
        let library = visit.library_of(Order::Reactive)?;
        Ok::<_, Problem>(document(&library, &visit.client.workspace, all))
    });
    Ok(Answer::new(value.await??).rest(uri::WORKFLOWS))
}

fn document(library: &Library, workspace: &Path, all: bool) -> Value {
    let row = |one: &Definition| {
        let plan = one.reading.plan.as_ref();
        let mut row = json!({
            "name": one.name,
            "path": workflows::path(one),
            "description": plan.map_or("", |plan| plan.description.as_str()),
            "source": workflows::whose(one, workspace),
            "dialect": plan.map(|plan| plan.dialect.as_str()),
        });
        if let Some(error) = one.reading.first_error().filter(|_| !one.runs()) {
            row["error"] = json!(error.message);
        }
        row
    };
    let mut rows: Vec<Value> =
        listed(library).map(row).filter(|row| all || row["source"] == "project").collect();
    rows.sort_by_key(|row| row["name"].as_str().map(str::to_owned));
    let next =
        "workflow_get_info(workflow) shows the inputs of one; workflow_start(workflow, inputs) starts it.";
    let mut value = json!({ "next": next, "workflows": rows });
    if !library.troubles.is_empty() {
        value["troubles"] = json!(library.troubles);
    }
    value
}
