//! The prompts, ready to be put before a model: help for one workflow, how to drive one step by step, and what a sub-agent is
//! told that carries out one item.

use super::problem::{Problem, said};
use super::runs::{self, Sight};
use super::slash;
use super::takes;
use super::visit::Visit;
use super::workflows;
use engine::dialects::reactive::view::prompts as standard;
use engine::dialects::steps::instructions::sub_agent;
use engine::kernel::Plan;
use engine::kernel::plan::{ITEM, Input};
use engine::library::{Definition, Order};
use engine::store::Reader;
use engine::view::Held;
use rmcp::ErrorData;
use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use std::sync::Arc;

/// The names of the prompts, and of what they take.
pub(super) const HELP: &str = "workflow_help";
pub(super) const STEPS: &str = "run_workflow_steps";
pub(super) const SUB_AGENT: &str = "workflow_sub_agent";
pub(super) const ORCHESTRATOR: &str = "workflow_orchestrator";
pub(super) const TASK: &str = "workflow_task";
pub(super) const SLASH: &str = "workflow";
const ALL: [&str; 6] = [HELP, STEPS, SUB_AGENT, ORCHESTRATOR, TASK, SLASH];
pub(super) const TASK_ID: &str = "task_id";
pub(super) const COMMAND: &str = "command";
pub(super) const WORKFLOW_NAME: &str = "workflow_name";
pub(super) const WORKFLOW_ID: &str = "workflow_id";

/// All prompts.
pub(super) fn list() -> Vec<Prompt> {
    let taking = |name: &str, about: &str| {
        Some(vec![PromptArgument::new(name).with_description(about).with_required(true)])
    };
    let workflow = || taking(WORKFLOW_NAME, "Name of the workflow");
    vec![
        Prompt::new(HELP, Some("What a workflow is for, what it takes, and how to run it"), workflow())
            .with_title("Help for a workflow"),
        Prompt::new(STEPS, Some("Drives a workflow step by step, together with the user"), workflow())
            .with_title("Work through a workflow"),
        Prompt::new(
            SUB_AGENT,
            Some(
                "The rules of a sub-agent that carries out one item of a workflow, with its id and its item",
            ),
            taking(WORKFLOW_ID, "The id of the child run"),
        )
        .with_title("Carry out one item"),
        Prompt::new(
            ORCHESTRATOR,
            Some("The duties of an agent that carries out a workflow of the dialect reactive"),
            workflow(),
        )
        .with_title("Lead a workflow"),
        Prompt::new(
            TASK,
            Some("The rules of a sub-agent that carries out one task of a workflow, with both ids"),
            Some(vec![
                PromptArgument::new(WORKFLOW_ID).with_description("The id of the run").with_required(true),
                PromptArgument::new(TASK_ID)
                    .with_description("The task, as the step names it")
                    .with_required(true),
            ]),
        )
        .with_title("Carry out one task"),
        Prompt::new(
            SLASH,
            Some("Lists, describes, starts and resumes workflows, and tells how a run stands"),
            taking(COMMAND, slash::USAGE),
        )
        .with_title("Workflow command"),
    ]
}

/// One prompt, filled in.
pub(super) async fn get(
    visit: &Arc<Visit>,
    request: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let takes = match request.name.as_str() {
        HELP | STEPS | ORCHESTRATOR => WORKFLOW_NAME,
        SUB_AGENT | TASK => WORKFLOW_ID,
        SLASH => COMMAND,
        other => {
            let told = format!("there is no prompt `{other}`; there are `{}`", ALL.join("`, `"));
            return Err(ErrorData::invalid_params(told, None));
        }
    };
    let given = request.arguments.unwrap_or_default();
    let needed = |takes: &str| {
        let word = given.get(takes).and_then(|word| word.as_str()).map(str::to_owned);
        word.ok_or_else(|| ErrorData::invalid_params(format!("`{}` needs `{takes}`", request.name), None))
    };
    let word = needed(takes)?;
    let task_id = if request.name == TASK { needed(TASK_ID)? } else { String::new() };
    let text = visit.look(move |visit, reader| match request.name.as_str() {
        HELP => about(visit, Order::Blocks, &word, help),
        STEPS => about(visit, Order::Steps, &word, steps),
        ORCHESTRATOR => about(visit, Order::Reactive, &word, |one, plan| {
            standard::orchestrator(&one.name) + &standard::own_lines(&plan.notes)
        }),
        TASK => task(visit, reader, &word, &task_id),
        SLASH => slash::text(visit, reader, &word),
        _ => child(visit, reader, &word),
    });
    match text.await.and_then(|text| text) {
        Ok(text) => Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])),
        Err(problem) => {
            let data = problem.into_json();
            Err(ErrorData::invalid_params(data["error"].as_str().unwrap_or_default().to_owned(), Some(data)))
        }
    }
}

fn about(
    visit: &Visit,
    order: Order,
    name: &str,
    text: fn(&Definition, &Plan) -> String,
) -> Result<String, Problem> {
    let library = visit.library_of(order)?;
    let definition = workflows::find_in(&library, order, name)?;
    Ok(text(definition, workflows::plan(definition)?))
}

/// What the agent is told that talks to the user.
fn steps(definition: &Definition, plan: &Plan) -> String {
    let name = &definition.name;
    let mut text = format!("Work through the workflow `{name}` with me.\n");
    if !plan.description.is_empty() {
        text.push_str(&format!("\nWhat it is for: {}\n", plan.description));
    }
    plan.inputs.iter().for_each(|input| text.push_str(&line(input)));
    let call = takes::example(name, plan)["arguments"].take();
    text.push_str(&format!(
        "\n1. Begin with start_workflow({call}). Ask me for inputs that are required and not known.\n\
         2. Each answer has the `action` that is due (`actions` where there are several). Do exactly what it says and nothing \
         else, then hand the result in with submit_result(workflow_id, step_id, attempt, result), as `next` writes it out.\n\
         3. A prompt is for me: show me its message, wait for what I say, and relay that. Never answer for me.\n\
         4. `foreach` is for sub-agents: give each item to one, with the prompt that comes with it.\n\
         5. Go on until nothing is due any more (`status` complete, succeeded, failed or cancelled), then tell me what came of it.\n\
         \nIf the conversation is lost, get_workflow_status() finds the run again.\n"
    ));
    text
}

/// What a sub-agent is told that carries out one task.
fn task(visit: &Visit, reader: &Reader, word: &str, task_id: &str) -> Result<String, Problem> {
    let row = runs::find(reader, word, &Sight::of(visit, false))?;
    let view = runs::view_of(visit, reader, &row.id)?;
    if let Some(told) = view.parallel.iter().find_map(|one| one.prompt_of(task_id)) {
        return Ok(told);
    }
    let known = view.parallel.iter().flat_map(|one| one.tasks.iter().map(|task| task.id.as_str()));
    let error = format!("run {} has no open task `{}`", row.id, said(task_id));
    Err(Problem::new("unknown-task", error)
        .options(known.collect::<Vec<_>>())
        .near(task_id)
        .help("Name one of its tasks"))
}

/// What a sub-agent is told.
fn child(visit: &Visit, reader: &Reader, word: &str) -> Result<String, Problem> {
    let row = runs::find(reader, word, &Sight::of(visit, false))?;
    let item = Held::item(reader, &row.id).map_err(runs::not_loaded)?;
    let Some(item) = item else {
        let error = format!("run {} is not one item of a list: it has no sub-agent", row.id);
        return Err(Problem::new("no-item", error).help(format!(
            "`{STEPS}` drives a workflow; the items of one are named by its action of type foreach ({ITEM})"
        )));
    };
    // An item may come from anywhere: as JSON on one line it neither ends the rules nor adds to them.
    let item = item.to_string().replace('<', "\\u003c");
    Ok(sub_agent(row.id.as_str(), &row.workflow, &item))
}

fn help(definition: &Definition, plan: &Plan) -> String {
    let Definition { name, origin, .. } = definition;
    let tool = takes::starts(plan);
    let mut text = format!("Run the workflow `{name}` ({}) with the tool {tool}.\n", origin.shown);
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
    text.push_str(&format!("\nA call looks like this: {tool}({call})\n"));
    text.push_str("\nAsk for inputs that are required and not known. Then follow `next` in each answer.\n");
    text
}

/// An input in one line.
pub(super) fn line(input: &Input) -> String {
    let need = match &input.default {
        Some(default) => format!("default {default}"),
        None if input.required => "required".to_owned(),
        None => "optional".to_owned(),
    };
    let about = if input.description.is_empty() { String::new() } else { format!(": {}", input.description) };
    format!("- {} ({}, {need}){about}\n", input.name, input.kind.as_str())
}
