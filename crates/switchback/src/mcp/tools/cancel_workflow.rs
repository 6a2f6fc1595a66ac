//! `cancel_workflow`: asks a run to end, and waits until it has.

use super::{Hints, Later, Tool, schema, status};
use crate::mcp::answer::Answered;
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::runs::{self, Sight};
use crate::mcp::wait::{Patience, wait};
use crate::mcp::watch::Watch;
use engine::backend::Backend;
use engine::kernel::{Outcome, Refusal, Status};
use engine::view::Detail;
use serde_json::json;

/// The reason where none is given.
const REASON: &str = "cancelled by the agent";

/// Longest reason that is recorded.
const REASON_CHARS_MAX: usize = 2_000;

pub(super) const TOOL: Tool = Tool {
    name: "cancel_workflow",
    title: "Cancel a run",
    description: "Use this to end a run that is no longer wanted; a call that only waits for a run can simply be \
        dropped, and the run goes on. What works is stopped, clean-up steps run, and the run ends as cancelled with \
        `reason` on record. What the run has done already is not undone. Answers like get_workflow_status. Cancelling a \
        run twice is harmless; one that has ended otherwise is left as it is and the answer says so.",
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: false },
    toolset: None,
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run, or any unique beginning of it."),
                "reason": { "type": "string", "description": "Why; it is kept with the run." },
                "wait_seconds": schema::wait_seconds(
                    "How long this call waits until the run has ended. Without it: as long as a call may take."
                ),
                "request_key": schema::request_key(
                    "Accepted and ignored: a key belongs to execute_workflow, and cancelling twice is harmless without one."
                ),
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(cancel(call)) },
};

async fn cancel(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    call.arguments.request_key()?;
    let reason = call.arguments.text("reason")?.map(str::trim).filter(|reason| !reason.is_empty());
    let reason: String = reason.unwrap_or(REASON).chars().take(REASON_CHARS_MAX).collect();
    let word = call.arguments.run()?.ok_or_else(|| {
        Problem::new("missing-argument", "cancel_workflow needs the argument `workflow_id`: the id of a run")
            .help("get_workflow_status() without an id shows the runs of this folder")
    })?;
    let sight = Sight::of(&call.visit, false);
    let row = call.visit.look(move |_, reader| runs::find(reader, &word, &sight)).await??;
    if row.ended_at.is_some() {
        return over(call, status::over(call, &row.id).await?).await;
    }
    let mut watch = status::watch(call, &row.id).await?;
    match call.visit.house()?.local.cancel(&row.id, &reason, call.caller()).await {
        Ok(accepted) => watch.since = accepted.seq,
        // It closes already, or has ended meanwhile: then it is only waited for.
        Err(engine::Error::Refused(Refusal::Over)) => watch.view = status::look(call, &row.id).await?,
        Err(error) => return Err(runs::refused(error)),
    }
    // Whoever carries it now is this process, and nobody is asked for what is to end.
    (watch.view.left, watch.asks) = (false, false);
    wait(call, &mut watch, patience).await?;
    over(call, watch).await
}

/// A run that was to be cancelled, as it stands.
async fn over(call: &Call, watch: Watch) -> Answered {
    let view = &watch.view;
    match &view.status {
        Status::Ended(Outcome::Succeeded { .. } | Outcome::Failed { .. }) => {
            let (run, word) = (&view.run, view.word());
            Err(Problem::new("run-over", format!("run {run} has {word} already"))
                .with("status", json!(word))
                .help("Nothing was changed. get_workflow_status(workflow_id) shows what came of it"))
        }
        _ => status::answer(call, watch, Detail::Brief).await,
    }
}
