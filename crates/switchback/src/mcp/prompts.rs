//! The prompt: help for one workflow, ready to be put before a model.

use super::problem::Problem;
use super::takes;
use super::visit::Visit;
use super::workflows;
use engine::kernel::Plan;
use engine::kernel::plan::Input;
use engine::library::Definition;
use rmcp::ErrorData;
use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use std::sync::Arc;

/// The name of the prompt, and of what it takes.
pub(super) const HELP: &str = "workflow_help";
pub(super) const WORKFLOW_NAME: &str = "workflow_name";

/// All prompts.
pub(super) fn list() -> Vec<Prompt> {
    let workflow =
        PromptArgument::new(WORKFLOW_NAME).with_description("Name of the workflow").with_required(true);
    let about = "What a workflow is for, what it takes, and how to run it";
    vec![Prompt::new(HELP, Some(about), Some(vec![workflow])).with_title("Help for a workflow")]
}

/// One prompt, filled in.
pub(super) async fn get(
    visit: &Arc<Visit>,
    request: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    if request.name != HELP {
        return Err(ErrorData::invalid_params(
            format!("there is no prompt `{}`; there is `{HELP}`", request.name),
            None,
        ));
    }
    let given = request.arguments.unwrap_or_default();
    let name = given.get(WORKFLOW_NAME).and_then(|name| name.as_str()).map(str::to_owned);
    let name =
        name.ok_or_else(|| ErrorData::invalid_params(format!("`{HELP}` needs `{WORKFLOW_NAME}`"), None))?;
    let text = visit.look(move |visit, _| -> Result<String, Problem> {
        let library = visit.library()?;
        let definition = workflows::find(&library, &name)?;
        Ok(help(definition, workflows::plan(definition)?))
    });
    match text.await.and_then(|text| text) {
        Ok(text) => Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])),
        Err(problem) => {
            let data = problem.into_json();
            Err(ErrorData::invalid_params(data["error"].as_str().unwrap_or_default().to_owned(), Some(data)))
        }
    }
}

fn help(definition: &Definition, plan: &Plan) -> String {
    let Definition { name, origin, .. } = definition;
    let mut text = format!("Run the workflow `{name}` ({}) with the tool execute_workflow.\n", origin.shown);
    if !plan.description.is_empty() {
        text.push_str(&format!("\nWhat it is for: {}\n", plan.description));
    }
    match plan.inputs.is_empty() {
        true => text.push_str("\nIt takes no inputs.\n"),
        false => text.push_str("\nInputs:\n"),
    }
    plan.inputs.iter().for_each(|input| text.push_str(&line(input)));
    if !plan.outputs.is_empty() {
        let outputs: Vec<&str> = plan.outputs.iter().map(|(name, _)| name.as_str()).collect();
        text.push_str(&format!("\nOutputs: {}\n", outputs.join(", ")));
    }
    let call = takes::example(name, plan)["arguments"].take();
    text.push_str(&format!("\nA call looks like this: execute_workflow({call})\n"));
    text.push_str("\nAsk for inputs that are required and not known. Then follow `next` in each answer.\n");
    text
}

fn line(input: &Input) -> String {
    let need = match &input.default {
        Some(default) => format!("default {default}"),
        None if input.required => "required".to_owned(),
        None => "optional".to_owned(),
    };
    let about = if input.description.is_empty() { String::new() } else { format!(": {}", input.description) };
    format!("- {} ({}, {need}){about}\n", input.name, input.kind.as_str())
}
