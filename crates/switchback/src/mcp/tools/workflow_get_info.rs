//! `workflow_get_info`: what a workflow is for and what it takes.

use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::{takes, workflows};
use crate::settings::Toolset;
use engine::library::Order;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "workflow_get_info",
    title: "Describe a workflow before it is started",
    description: "Use this before workflow_start, to see which inputs a workflow takes; to see its steps and computed fields use \
        workflow_load_definition. Answers `name`, `description`, `inputs` (for each its type, default, whether it is required and \
        what it is for), `version` and `found_at`: the file.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || schema::object(json!({ "workflow": schema::workflow() }), &["workflow"]),
    call: |call| -> Later<'_> { Box::pin(info(call)) },
};

async fn info(call: &Call) -> Answered {
    let name = call.arguments.workflow()?;
    let rest = uri::definition(&name);
    let value = call.visit.look(move |visit, _| -> Result<Value, Problem> {
        let library = visit.library_of(Order::Reactive)?;
        let definition = workflows::find_in(&library, Order::Reactive, &name)?;
        let plan = workflows::plan(definition)?;
        let example = takes::example(&definition.name, plan)["arguments"]["inputs"].take();
        let mut value = json!({
            "name": definition.name,
            "description": plan.description,
            "inputs": takes::inputs(plan),
            "version": plan.version,
            "found_at": workflows::path(definition),
            "source": workflows::whose(definition, &visit.client.workspace),
            "dialect": plan.dialect.as_str(),
            "next": format!(
                "workflow_start(workflow=\"{}\", inputs={example}) starts it, with values of yours.", definition.name
            ),
        });
        for name in ["orchestrator_behavior", "on_high_context_usage"] {
            if let Some(note) = plan.notes.get(name) {
                value[name] = note.clone();
            }
        }
        let doubts = library.doubts(&name, &definition.reading);
        if !doubts.is_empty() {
            value["warnings"] = json!(doubts);
        }
        Ok(value)
    });
    Ok(Answer::new(value.await??).rest(rest))
}
