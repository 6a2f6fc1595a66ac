//! `get_workflow_status`: how a run stands, or which runs there are; waits for one if asked to.

use super::{Hints, Later, Tool, schema, status};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::elicit::again;
use crate::mcp::resources::uri;
use crate::mcp::runs::{self, Sight};
use crate::mcp::wait::{Patience, wait};
use engine::view::Detail;
use serde_json::json;
use std::time::Duration;

pub(super) const TOOL: Tool = Tool {
    name: "get_workflow_status",
    title: "Look at a run, or wait for it",
    description: "Use this to see how a run stands that was started before, to wait for it, or to find runs of this \
        project again; to start one use execute_workflow. With `workflow_id` (the id, or any unique beginning of it) it \
        answers `status` (queued, running, waiting, closing, succeeded, failed, cancelled, interrupted), `outputs`, \
        `error`, `waiting_for`, `questions` that someone must answer, every step with its status, and `next`: what to call \
        next. Without an id it lists the \
        runs of this project that are open or ended last, which is the way back into work after a lost conversation. \
        `wait_seconds` waits until the run has ended or waits for someone, and where only a human can go on, until they have; \
        repeat the call to wait longer.",
    hints: Hints::LOOKS,
    toolset: None,
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id(
                    "The id of a run, or any unique beginning of it. Without it the runs of this project are listed."
                ),
                "wait_seconds": schema::wait_seconds(
                    "How long this call waits until the run has ended or waits for someone, or, where only a human can go on, until \
                     they have. Default 0: answer at once."
                ),
                "since": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "As `next` gave it: with wait_seconds it is waited only until more has happened than you know."
                },
                "detail": {
                    "type": "string",
                    "enum": ["brief", "whole"],
                    "default": "brief",
                    "description": "brief: how each step stands. whole: also what each step was given and gave."
                },
                "all": {
                    "type": "boolean",
                    "default": false,
                    "description": "Also runs of other project folders."
                },
            }),
            &[],
        )
    },
    call: |call| -> Later<'_> { Box::pin(look(call)) },
};

async fn look(call: &Call) -> Answered {
    let (seconds, all) = (call.arguments.wait_seconds()?.unwrap_or(0), call.arguments.flag("all")?);
    let detail = match call.arguments.choice("detail", &["brief", "whole"])? {
        Some("whole") => Detail::Whole,
        _ => Detail::Brief,
    };
    let sight = Sight::of(&call.visit, all);
    let Some(word) = call.arguments.run()? else { return list(call, sight).await };
    let row = call.visit.look(move |_, reader| runs::find(reader, &word, &sight)).await??;
    // Whoever may change nothing asks nobody: an answer changes a run.
    let settings = call.visit.settings();
    let may_ask = settings.read_only.is_none() && settings.broken.is_empty();
    let again = if may_ask { again(call).await? } else { None };
    if seconds == 0 || row.ended_at.is_some() {
        return status::answer(call, status::over(call, &row.id).await?, detail).await;
    }
    let mut watch = status::watch(call, &row.id).await?;
    // Only whoever belongs to its folder is asked what a run asks.
    watch.asks = may_ask && watch.view.workspace == call.visit.workspace();
    // A call that is made again has its answer already, or asked before the run came to stand as it does.
    watch.known = call.arguments.count("since")?;
    let is_known = watch.known.is_none_or(|since| watch.view.seq() <= since);
    if is_known && again.is_none() && call.made_before().is_none() {
        watch.wait_through(&call.visit.workspace());
    }
    if let Some(again) = again {
        watch.goes_on(again);
    }
    let seconds = seconds.min(call.visit.settings().call_seconds);
    if let Some(asks) = wait(call, &mut watch, Patience::For(Duration::from_secs(seconds))).await? {
        return Ok(Answer::asks(asks));
    }
    status::answer(call, watch, detail).await
}

async fn list(call: &Call, sight: Sight) -> Answered {
    let is_all = matches!(sight, Sight::All);
    let runs = call.visit.look(move |visit, reader| runs::list(visit, reader, &sight)).await??;
    let next = match (runs.is_empty(), is_all) {
        (true, _) => "Nothing has run here yet. list_workflows() shows what can be run.",
        (false, false) => "get_workflow_status(workflow_id) shows one of them; wait_seconds waits for it.",
        (false, true) => {
            "get_workflow_status(workflow_id, all=true) shows one of them; wait_seconds waits for it. Only those of \
             this folder can be cancelled or run again from here."
        }
    };
    Ok(Answer::new(json!({ "next": next, "runs": runs })).rest(uri::RUNS))
}
