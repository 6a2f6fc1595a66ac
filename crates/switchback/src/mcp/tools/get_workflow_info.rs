//! `get_workflow_info`: what a workflow is for, what it takes, and where it came from.

use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::workflows;
use crate::settings::Toolset;
use serde_json::{Value, json};

/// How long the inputs of a call may be that is told in words.
const INPUTS_BYTES_MAX: usize = 1_000;

pub(super) const TOOL: Tool = Tool {
    name: "get_workflow_info",
    title: "Describe a workflow",
    description: "Use this before execute_workflow, to see what one workflow takes and does; for the names of all of \
        them use list_workflows. Answers `description`, `inputs` (type, whether required, default and meaning of each), \
        `input_schema` (the same as JSON schema), `example` (a whole call that starts it), `outputs`, `waves` (which blocks may run at once, in order), `blocks` with what each does and waits for, and \
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
        value["next"] = next(&value["example"]).into();
        let doubts = library.doubts(&name, &definition.reading);
        if !doubts.is_empty() {
            value["warnings"] = json!(doubts);
        }
        Ok(value)
    });
    Ok(Answer::new(value.await??).rest(rest))
}

/// The call that runs it; one that is long stands in `example`.
fn next(example: &Value) -> String {
    let tool = example["tool"].as_str().unwrap_or_default();
    let (workflow, inputs) = (&example["arguments"]["workflow"], example["arguments"]["inputs"].to_string());
    match inputs.len() {
        0..=INPUTS_BYTES_MAX => {
            format!("{tool}(workflow={workflow}, inputs={inputs}) runs it, with values of yours.")
        }
        _ => format!(
            "{tool}(workflow={workflow}, inputs={{...}}) runs it; `example` has the inputs, with values of yours."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_is_long_is_not_told_twice() {
        let told = |bytes: usize| {
            next(
                &json!({"tool": "execute_workflow", "arguments": {"workflow": "w", "inputs": {"a": "x".repeat(bytes - 8)}}}),
            )
        };
        assert!(told(INPUTS_BYTES_MAX).contains(r#"inputs={"a":"xxx"#));
        let long = told(INPUTS_BYTES_MAX + 1);
        assert!(
            long.starts_with(r#"execute_workflow(workflow="w", inputs={...}) runs it; `example`"#),
            "{long}"
        );
    }
}
