//! What the tools of `steps` share: the run that a call names, what is due in it, and the one step that comes next.

use super::{hand_in, status};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::elicit::Again;
use crate::mcp::next::{OVER, cut_off, next};
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::runs::{self, Sight};
use crate::mcp::wait::{Patience, wait};
use crate::mcp::watch::Watch;
use engine::asking::{self, Asked};
use engine::dialects::steps::due::{Action, Delegated};
use engine::dialects::steps::view;
use engine::dialects::view::asked::step as step_of;
use engine::kernel::Status;
use engine::store::RunRow;
use engine::view::{Values, View};
use serde_json::{Value, json};

/// The run that a call names.
pub(super) async fn find(call: &Call, tool: &str) -> Result<RunRow, Problem> {
    let word = call.arguments.run()?.ok_or_else(|| {
        let error = format!("{tool} needs the argument `workflow_id`: the id of a run");
        Problem::new("missing-argument", error)
            .help("get_workflow_status() without an id shows the runs of this folder")
    })?;
    let sight = Sight::of(&call.visit, false);
    call.visit.look(move |_, reader| runs::find(reader, &word, &sight)).await?
}

/// The run that a call names, to be watched.
pub(super) async fn watch(call: &Call, tool: &str) -> Result<Watch, Problem> {
    let row = find(call, tool).await?;
    match row.ended_at {
        Some(_) => status::over(call, &row.id).await,
        None => status::watch(call, &row.id).await,
    }
}

/// A run that goes on where a call left off which has brought an answer back.
pub(super) async fn goes_on(call: &Call, again: Again) -> Result<Watch, Problem> {
    let mut watch = status::watch(call, &again.run).await?;
    watch.goes_on(again);
    Ok(watch)
}

/// The run that whoever hands in for another one drives: the item of a sub-agent that it is part of, else the one above all.
pub(super) async fn driver(call: &Call, watch: Watch) -> Result<Watch, Problem> {
    let run = watch.view.run.clone();
    if watch.view.plan.agent.is_some() {
        return Ok(watch);
    }
    let found = call.visit.look(move |_, reader| asking::driver(reader, &run)).await?;
    let driver = found.map_err(runs::not_loaded)?;
    if driver == watch.view.run {
        return Ok(watch);
    }
    status::watch(call, &driver).await
}

/// Waits for a run, and answers what is due in it.
pub(super) async fn go_on(
    call: &Call,
    mut watch: Watch,
    patience: Patience,
    handed_in: Option<&Asked>,
) -> Answered {
    if let Some(asked) = handed_in {
        hand_in::looked_at(call, &watch, asked, patience).await?;
    }
    if let Some(asks) = wait(call, &mut watch, patience).await? {
        return Ok(Answer::asks(asks));
    }
    if let Some(problem) = handed_in.and_then(|asked| hand_in::held_not(call, &watch, asked)) {
        return Err(problem);
    }
    let Watch { view, word, .. } = watch;
    let (rest, doubts) = (uri::run(&view.run), call.visit.last_library()?.doubts_of(&view.plan));
    let stands = call.visit.look(move |_, reader| view.standing(reader, next(&view)));
    let mut value = stands.await?.map_err(runs::not_loaded)?;
    if let Some(word) = word {
        value["note"] = word.into();
    }
    if !doubts.is_empty() {
        value["warnings"] = json!(doubts);
    }
    Ok(Answer::new(value).rest(rest))
}

/// Waits for the next step of a run, and answers with it alone. What only the server does is done by being shown.
pub(super) async fn step(
    call: &Call,
    mut watch: Watch,
    patience: Patience,
    accepted: Option<&Asked>,
) -> Answered {
    // Whoever asks for the next step waits with the run for the clock.
    let mut asked = watch.view.asked.iter();
    if accepted.is_none() && !watch.view.asked.is_empty() && asked.all(|asked| asked.ends) {
        watch.stand_still();
    }
    if let Some(asks) = wait(call, &mut watch, patience).await? {
        return Ok(Answer::asks(asks));
    }
    if let Some(problem) = accepted.and_then(|asked| hand_in::held_not(call, &watch, asked)) {
        return Err(problem);
    }
    let rest = uri::run(&watch.view.run);
    let due = watch.view.due();
    let value = match due.all.first() {
        None if !due.delegated.is_empty() => with_items(&due.delegated[0], accepted),
        Some(action) => {
            if action.is_done() {
                hand_in::acknowledge(call, &watch, action).await?;
            }
            with_step(action, accepted)
        }
        None => without_step(call, watch, accepted).await?,
    };
    Ok(Answer::new(value).rest(rest))
}

fn with_items(items: &Delegated, accepted: Option<&Asked>) -> Value {
    framed(items.to_step(), accepted)
}

fn with_step(action: &Action, accepted: Option<&Asked>) -> Value {
    framed(action.to_step(), accepted)
}

/// A step, after what was handed in before it.
fn framed(mut step: Value, accepted: Option<&Asked>) -> Value {
    let Some(accepted) = accepted else { return step };
    let next = step["next"].take();
    if let Value::Object(step) = &mut step {
        step.remove("next");
    }
    json!({
        "accepted": step_of(&accepted.effect),
        "workflow_id": accepted.run,
        "status": "running",
        "next": next,
        "step": step,
    })
}

/// A run in which nothing is to be done by whoever asks.
async fn without_step(call: &Call, watch: Watch, accepted: Option<&Asked>) -> Result<Value, Problem> {
    let view = watch.view;
    let mut value = json!({ "workflow_id": view.run });
    if let Some(accepted) = accepted {
        value["accepted"] = step_of(&accepted.effect).into();
    }
    value["status"] = view::word(&view.status, view.waits_for_someone()).into();
    if matches!(view.status, Status::Ended(_)) {
        let (status, result) = (view.status.clone(), move |reader: &_| view.result(Values(reader)));
        let result = call.visit.look(move |_, reader| result(reader)).await?.map_err(runs::not_loaded)?;
        view::ended(&mut value, &status, result);
        value["next"] = OVER.into();
        return Ok(value);
    }
    value["waiting_for"] = view.waiting_for().into();
    if let Value::Object(value) = &mut value {
        value.extend(view.due().members(&view.run));
    }
    value["next"] = waits(&view).into();
    Ok(value)
}

/// What whoever asks does while nothing is due.
fn waits(view: &View) -> String {
    let run = &view.run;
    if let Some(cut) = cut_off(view) {
        let stop = "Tell whoever gave you this item, and end here.";
        return if view.plan.agent.is_some() { format!("{cut} {stop}") } else { cut };
    }
    let due = next(view).filter(|_| !view.due().is_empty() || view.left);
    due.unwrap_or_else(|| {
        format!("No step is due yet. get_next_step(workflow_id=\"{run}\", wait_seconds=45) waits for one.")
    })
}
