//! `workflow_complete`: closes a run and answers its final state.

use super::reactive::{self, Due, Whose};
use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::mcp::wait::{Patience, wait};
use crate::mcp::watch::{Wants, Watch};
use crate::settings::Toolset;
use engine::backend::Backend;
use engine::dialects::steps::view::word;
use engine::kernel::{Command, Outcome, Refusal, Status};
use serde_json::json;

/// Longest reason that is recorded.
const REASON_CHARS_MAX: usize = 2_000;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_complete",
    title: "Close a run",
    description: "Use this when workflow_get_next_step has no more steps, or to give a run up. With `status` success it is refused \
        while steps are due, with what is due; failed and cancelled close the run as it stands. Answers `success` and \
        `final_state`: all values in one object.",
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: false },
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "status": {
                    "type": "string",
                    "enum": ["success", "failed", "cancelled"],
                    "description": "How it ended."
                },
                "reason": { "type": "string", "description": "Why it failed or was cancelled; it is kept with the run." },
                "wait_seconds": schema::wait_seconds("How long this call waits until the run has ended."),
                "request_key": schema::request_key("Accepted and ignored: closing a run twice is harmless."),
            }),
            &["workflow_id", "status"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(complete(call)) },
};

async fn complete(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    call.arguments.request_key()?;
    let status = call.arguments.choice("status", &["success", "failed", "cancelled"])?;
    let status = status.ok_or_else(|| {
        let error = "workflow_complete needs the argument `status`: success, failed or cancelled";
        Problem::new("missing-argument", error).help("Nothing was changed. Say how it ended")
    })?;
    let reason = call.arguments.text("reason")?.map(str::trim).filter(|reason| !reason.is_empty());
    let mut watch = driven::watch(call, "workflow_complete").await?;
    if !matches!(watch.view.status, Status::Ended(_)) {
        match status {
            "success" => succeed(call, &mut watch, patience).await?,
            status => close(call, &mut watch, (status, reason), patience).await?,
        }
    }
    watch.reload(call).await?;
    let view = &watch.view;
    let ended = word(&view.status, view.waits_for_someone());
    let fits = match &view.status {
        Status::Ended(Outcome::Succeeded { .. }) => status == "success",
        Status::Ended(Outcome::Failed { .. }) => status == "failed",
        Status::Ended(Outcome::Cancelled { .. }) => status == "cancelled",
        _ => true,
    };
    let final_state = reactive::flat(call, &view.run).await?;
    if !fits {
        let error = format!("run {} is {ended} already, and not {status}", view.run);
        let problem = Problem::new("run-over", error).with("status", json!(ended));
        return Err(problem.with("final_state", final_state.into()).help("Nothing was changed"));
    }
    let value =
        json!({ "success": true, "workflow_id": view.run, "status": ended, "final_state": final_state });
    Ok(Answer::new(value).rest(uri::state(&view.run)))
}

/// Waits for the end of a run in which nothing is due.
async fn succeed(call: &Call, watch: &mut Watch, patience: Patience) -> Result<(), Problem> {
    watch.asks = false;
    Whose::Main.watches(watch);
    wait(call, watch, patience).await?;
    let view = &watch.view;
    if matches!(view.status, Status::Ended(_)) {
        return Ok(());
    }
    let due = Whose::Main.due(view);
    let what = match &due {
        Due::Step(step) => format!("`{}` is due", step.id),
        Due::Tasks(tasks) => format!("tasks of `{}` are open: {}", tasks.step_id, tasks.open().join(", ")),
        Due::Items(items) => format!("items of `{}` are open", items.step_id),
        _ => format!("it is {}", view.word()),
    };
    let error = format!("run {} is not complete: {what}", view.run);
    let problem = Problem::new("not-complete", error).with("workflow_id", view.run.as_str().into());
    Err(problem.help("Nothing was changed. failed and cancelled close it as it stands").next(reactive::next(
        view,
        &Whose::Main,
        &due,
    )))
}

/// Closes a run as it stands.
async fn close(
    call: &Call,
    watch: &mut Watch,
    (status, reason): (&str, Option<&str>),
    patience: Patience,
) -> Result<(), Problem> {
    let said: Option<String> = reason.map(|reason| reason.chars().take(REASON_CHARS_MAX).collect());
    let reason = said.unwrap_or_else(|| format!("closed as {status} by the agent"));
    let by = call.caller();
    let command = match status {
        "failed" => Command::GiveUp { reason, by },
        _ => Command::Cancel { reason, by },
    };
    let house = call.visit.house()?;
    match house.local.submit(&watch.view.run, command).await {
        Ok(accepted) => watch.since = accepted.seq,
        Err(engine::Error::Refused(Refusal::Over)) => watch.reload(call).await?,
        Err(error) => return Err(runs::refused(error)),
    }
    (watch.view.left, watch.asks) = (false, false);
    watch.wants = Some(Wants { due: Box::new(|_| false), strict: true });
    wait(call, watch, patience).await?;
    Ok(())
}
