//! `workflow_checkpoint`: notes a point of a run to come back to.

use super::reactive::{self, Due, Whose};
use super::{Hints, Later, Tool, driven, schema};
use crate::house::House;
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::{Problem, said};
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::settings::Toolset;
use engine::backend::Backend;
use engine::dialects::near::near;
use engine::dialects::reactive::view::atomic;
use engine::dialects::view::asked::label;
use engine::kernel::plan::Language;
use engine::kernel::{Answer as Told, Command, Data, Question, Status};
use engine::view::View;
use serde_json::{Map, Value, json};

/// Longest reason that is recorded.
const REASON_CHARS_MAX: usize = 2_000;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_checkpoint",
    title: "Note a point to come back to",
    description: "Use this before your context runs full, or wherever someone should be able to come back to: runs are recorded anyway, \
        and this notes the point with its reason. Answers `checkpoint_id` and `state_path`: the resource that holds the state as it \
        was then. workflow_resume goes on from where the run is.",
    hints: Hints { read_only: false, destructive: false, idempotent: false, open_world: false },
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "step_id": { "type": "string", "description": "The step it belongs to. Without it: the one that is due." },
                "reason": { "type": "string", "description": "Why; it is kept with the run." },
                "request_key": schema::request_key("Accepted and ignored: a point may be noted twice."),
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(note(call)) },
};

async fn note(call: &Call) -> Answered {
    call.arguments.request_key()?;
    let named = call.arguments.text("step_id")?.map(str::trim).filter(|id| !id.is_empty());
    let reason = call.arguments.text("reason")?.map(str::trim).filter(|reason| !reason.is_empty());
    let reason: String = reason.unwrap_or("a checkpoint").chars().take(REASON_CHARS_MAX).collect();
    let watch = driven::watch(call, "workflow_checkpoint").await?;
    let view = &watch.view;
    if matches!(view.status, Status::Ended(_)) {
        let error = format!("run {} is over: there is nothing to come back to", view.run);
        return Err(Problem::new("over", error).help("Nothing was changed"));
    }
    let step = match named {
        Some(named) => Some(known(view, named)?),
        None => current(view),
    };
    let command = Command::Mark { step: step.clone(), reason, by: call.caller() };
    let accepted = call.visit.house()?.local.submit(&view.run, command).await.map_err(runs::refused)?;
    let run = &view.run;
    let mut value = json!({
        "checkpoint_id": format!("{run}@{}", accepted.seq),
        "state_path": uri::state_at(run, accepted.seq),
        "workflow_id": run,
        "step_id": step,
        "next": format!("workflow_resume(workflow_id=\"{run}\"), or /workflow resume {run}, goes on from here, in any conversation."),
    });
    let messages = messages(call, view).await?;
    if !messages.is_empty() {
        value["messages"] = json!(messages);
        value["show"] = json!("Show the user `messages`, as the workflow asks for when a context runs full.");
    }
    Ok(Answer::new(value))
}

/// What the definition has said to the user when a context runs full, with the values put in.
async fn messages(call: &Call, view: &View) -> Result<Vec<String>, Problem> {
    let Some(section) = view.plan.notes.get("on_high_context_usage") else { return Ok(Vec::new()) };
    let steps = section["steps"].as_array().cloned().unwrap_or_default();
    let texts = steps
        .iter()
        .filter(|step| step["type"] == "user_message")
        .filter_map(|step| step["message"].as_str());
    let (house, mut scope) = (call.visit.house()?, reactive::flat(call, &view.run).await?);
    scope.insert("workflow_id".to_owned(), json!(view.run));
    let mut told = Vec::new();
    for text in texts {
        told.push(filled(&house, text, &scope).await);
    }
    Ok(told)
}

/// A text with the values of its expressions; one that cannot be had stays as it is written.
async fn filled(house: &House, text: &str, scope: &Map<String, Value>) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some((before, inside)) = rest.split_once("{{") {
        let Some((expression, after)) = inside.split_once("}}") else { break };
        made.push_str(before);
        let question = Question::Evaluate {
            language: Language::JavaScript,
            expressions: vec![expression.trim().to_owned()],
            scope: scope.iter().map(|(name, value)| (name.clone(), Data::Inline(value.clone()))).collect(),
            origins: Vec::new(),
        };
        let told = house.ask(question).await;
        match &told {
            Told::Evaluated(all) if let [Ok(Data::Inline(value))] = all.as_slice() => {
                made.push_str(&label(value));
            }
            _ => made.push_str(&format!("{{{{{expression}}}}}")),
        }
        rest = after;
    }
    made + rest
}

/// The step that is due.
pub(super) fn current(view: &View) -> Option<String> {
    match Whose::Main.due(view) {
        Due::Step(step) => Some(step.id),
        Due::Tasks(tasks) => Some(tasks.step_id.clone()),
        Due::Items(items) => Some(items.step_id.clone()),
        _ => view.asked.first().map(atomic::id),
    }
}

/// The step that a caller names.
fn known(view: &View, named: &str) -> Result<String, Problem> {
    let is_due = view.asked.iter().find(|asked| atomic::is_meant(asked, named, &view.plan)).map(atomic::id);
    let steps = || view.plan.steps.iter();
    let typed = || steps().find(|step| named == step.id || named == format!("{}.{}", step.id, step.kind));
    is_due.or_else(|| typed().map(|step| step.id.clone())).ok_or_else(|| {
        let error = format!("`{}` has no step `{}`", view.plan.name, said(named));
        let near = near(named, steps().map(|step| step.id.as_str()));
        let problem = Problem::new("wrong-step", error)
            .help("Nothing was changed. Leave `step_id` out for the one that is due");
        if near.is_empty() { problem } else { problem.with("did_you_mean", json!(near)) }
    })
}
