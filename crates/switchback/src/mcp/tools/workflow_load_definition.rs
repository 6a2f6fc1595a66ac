//! `workflow_load_definition`: a definition as it was read, with what it imports.

use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::workflows;
use crate::settings::Toolset;
use engine::dialects::reactive::view::definition::{resolved, tree};
use engine::library::Order;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "workflow_load_definition",
    title: "Read a workflow's definition",
    description: "Use this to read how a workflow is written, its imports put in; to start it workflow_get_info tells enough. Answers \
        `name`, `steps`, `state_schema` (raw and computed fields), `sub_agent_tasks`, `loaded_from` (the file), `source` (project \
        or global) and `resolved_imports` (the tree of imported files). One that is broken is answered with all its mistakes.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || schema::object(json!({ "workflow": schema::workflow() }), &["workflow"]),
    call: |call| -> Later<'_> { Box::pin(load(call)) },
};

async fn load(call: &Call) -> Answered {
    let name = call.arguments.workflow()?;
    let rest = uri::definition(&name);
    let value = call.visit.look(move |visit, _| -> Result<Value, Problem> {
        let library = visit.library_of(Order::Reactive)?;
        let definition = workflows::find_in(&library, Order::Reactive, &name)?;
        let plan = workflows::plan(definition)?;
        let reading = &definition.reading;
        let mut all = resolved(&reading.source, &reading.sources(), &reading.imported);
        all.remove("imports");
        let mut value = json!({
            "name": definition.name,
            "loaded_from": workflows::path(definition),
            "source": workflows::whose(definition, &visit.client.workspace),
            "dialect": plan.dialect.as_str(),
            "resolved_imports": tree(&reading.imported),
        });
        if let Value::Object(value) = &mut value {
            value.extend(all.into_iter().filter(|(key, _)| key != "name"));
        }
        let doubts = library.doubts(&name, reading);
        if !doubts.is_empty() {
            value["warnings"] = json!(doubts);
        }
        Ok(value)
    });
    Ok(Answer::new(value.await??).rest(rest))
}
