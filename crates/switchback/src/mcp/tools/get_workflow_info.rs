//! `get_workflow_info`: what a workflow is for, what it takes, and where it came from.

use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::workflows;
use crate::settings::Toolset;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "get_workflow_info",
    title: "Describe a workflow",
    description: "Use this before execute_workflow, to see what one workflow takes and does; for the names of all of \
        them use list_workflows. Answers `description`, `inputs` (type, whether required, default and meaning of each), \
        `input_schema` (the same as JSON schema), `example` (a whole call of execute_workflow), `outputs`, `waves` (which blocks may run at once, in order), `blocks` with what each does and waits for, and \
        `source`: the file it came from and other files of the same name that it hides. The text of the definition is \
        the resource named in `definition`.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Blocks),
    aliases: &["get_workflow_source"],
    schema: || schema::object(json!({ "workflow": schema::workflow() }), &["workflow"]),
    call: |call| -> Later<'_> { Box::pin(info(call)) },
};

async fn info(call: &Call) -> Answered {
    let name = call.arguments.workflow()?;
    let rest = uri::definition(&name);
    let value = call.visit.look(move |visit, _| -> Result<Value, Problem> {
        let library = visit.library()?;
        let definition = workflows::find(&library, &name)?;
        let mut value = workflows::about(definition, workflows::plan(definition)?);
        let example = &value["example"]["arguments"];
        let (workflow, inputs) = (&example["workflow"], &example["inputs"]);
        value["next"] =
            format!("execute_workflow(workflow={workflow}, inputs={inputs}) runs it, with values of yours.")
                .into();
        let doubts = library.doubts(&name, &definition.reading);
        if !doubts.is_empty() {
            value["warnings"] = json!(doubts);
        }
        Ok(value)
    });
    Ok(Answer::new(value.await??).rest(rest))
}
