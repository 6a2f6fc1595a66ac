//! `workflow_resume`: takes a run up again in a new conversation, with its state and the last point that was noted.

use super::reactive::{self, Whose};
use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::mcp::submit::{Taken, submit};
use crate::mcp::wait::{Patience, wait};
use crate::mcp::watch::Watch;
use crate::settings::Toolset;
use engine::kernel::clock::iso;
use engine::kernel::event::Claim;
use engine::kernel::{Command, Data, Fields, Outcome, Status};
use engine::view::{History, Mark, View};
use serde_json::{Map, Value, json};

/// What a definition says of how it is taken up again.
const NOTES: [&str; 3] = ["on_resume", "orchestrator_behavior", "on_high_context_usage"];

pub(super) const TOOL: Tool = Tool {
    name: "workflow_resume",
    title: "Take a run up again",
    description: "Use this to go on with a run in a new conversation; nothing of it was lost, and runs go on without it. Where the \
        definition says `retry_failed_steps`, a run that is held after a failure tries what failed again. Answers \
        `state` (all values in one object, computed ones too), `last_checkpoint` (its step and time, or null), `pending_tasks` of \
        sub-agents, `due`, what the definition says about resuming, and `next`.",
    hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "wait_seconds": schema::wait_seconds("How long this call waits until something is due."),
                "request_key": schema::request_key("Accepted and ignored: a run may be taken up as often as one likes."),
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(resume(call)) },
};

/// A run that has failed is its own last point: the step that failed.
fn failed(view: &View, history: &History) -> Option<Mark> {
    let Status::Ended(Outcome::Failed { failure }) = &view.status else { return None };
    let end = history.ends.iter().rev().find(|end| end.status == "failed")?;
    Some(Mark { seq: view.seq(), at: end.at, step: Some(end.step.clone()), reason: failure.message.clone() })
}

/// Lets a run go on that is held after a failure. Says whether it was.
async fn try_again(call: &Call, watch: &mut Watch) -> Result<bool, Problem> {
    let Some(asked) = reactive::held(&watch.view).cloned() else { return Ok(false) };
    let result = Fields::from([("result".to_owned(), Data::Inline(Value::Null))]);
    let (effect, by, claim) = (asked.effect.clone(), call.caller(), Claim::default());
    let seq = submit(call, &asked, Command::Submit { effect, result, by, claim }).await;
    let seq = seq.map_err(runs::refused)?;
    watch.taken(call, &asked, Taken::Recorded(seq)).await?;
    Whose::Main.watches(watch);
    Ok(true)
}

async fn resume(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    call.arguments.request_key()?;
    let mut watch = driven::watch(call, "workflow_resume").await?;
    // Nobody is asked before the agent knows what it is about.
    watch.asks = false;
    Whose::Main.watches(&mut watch);
    wait(call, &mut watch, patience).await?;
    if try_again(call, &mut watch).await? {
        wait(call, &mut watch, patience).await?;
    }
    let (view, run) = (&watch.view, watch.view.run.clone());
    let history = reactive::history(call, &run).await?;
    let last = failed(view, &history).or_else(|| history.marks.last().cloned()).map(|mark| {
        json!({
            "checkpoint_id": format!("{run}@{}", mark.seq),
            "step_id": mark.step,
            "timestamp": iso(mark.at),
            "reason": mark.reason,
        })
    });
    let standing = reactive::standing(view, &Whose::Main);
    let pending: Vec<Value> = view
        .parallel
        .iter()
        .flat_map(|one| one.tasks.iter().filter(|task| task.state.is_open()))
        .map(|task| json!({ "task_id": task.id, "status": task.state.as_str(), "context": task.context }))
        .collect();
    let notes: Map<String, Value> = NOTES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), view.plan.notes.get(*name)?.clone())))
        .collect();
    let mut value = json!({
        "workflow_id": run,
        "workflow": view.plan.name,
        "status": standing["status"],
        "next": standing["next"],
        "last_checkpoint": last,
        "due": standing["step"]["id"],
        "state": reactive::flat(call, &run).await?,
        "pending_tasks": pending,
    });
    if !standing["step"].is_null() {
        value["next"] =
            format!("workflow_get_next_step(workflow_id=\"{run}\") gives the step that is due.").into();
    }
    if let (Value::Object(value), false) = (&mut value, notes.is_empty()) {
        value.extend(notes);
    }
    Ok(Answer::new(value).rest(uri::state(&run)))
}
