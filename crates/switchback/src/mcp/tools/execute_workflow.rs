//! `execute_workflow`: starts a run and waits for it.

use super::begin::begin;
use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::elicit::again;
use crate::mcp::next::next;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::mcp::stored;
use crate::mcp::wait::{Patience, wait};
use crate::mcp::watch::Watch;
use crate::settings::Toolset;
use engine::kernel::Status;
use engine::library::Order;
use engine::store::Reader;
use engine::view::{Values, View};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) const TOOL: Tool = Tool {
    name: "execute_workflow",
    title: "Run a workflow",
    description: "Use this to run a workflow from beginning to end; to look at a run that was started before use \
        get_workflow_status. Give `workflow` (a name from list_workflows) and `inputs` (see get_workflow_info). The run \
        belongs to the server and is recorded step by step: it survives the end of this call, of this conversation and \
        of the server. The call waits until the run has ended or waits for someone, at most 45 seconds unless progress \
        is listened to; then the answer says that the run goes on and which call waits again. Cancelling the call does \
        not cancel the run. Answers `status` (success, failure, cancelled, paused, running), `workflow_id`, `outputs`, \
        `blocks` with inputs, outputs and metadata of each, `metadata`, `error`, `questions` where someone must answer, \
        and `next`: what to call next, if something is left to do.",
    hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
    toolset: Some(Toolset::Blocks),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow": schema::workflow(),
                "inputs": schema::inputs(),
                "wait_seconds": schema::wait_seconds(
                    "How long this call waits for the run; 0 starts it and answers at once. Without it: as long as a call may take."
                ),
                "request_key": schema::request_key(
                    "Any text of yours. The same key with the same arguments gives the same run instead of a second one, so that a call can be repeated safely."
                ),
            }),
            &["workflow"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(execute(call)) },
};

async fn execute(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    if let Some(again) = again(call).await? {
        let mut watch = super::status::watch(call, &again.run).await?;
        watch.goes_on(again);
        return go_on(call, watch, patience).await;
    }
    let watch = begin(call, Order::Blocks).await?;
    go_on(call, watch, patience).await
}

/// Waits for a run and answers how it stands.
pub(super) async fn go_on(call: &Call, mut watch: Watch, patience: Patience) -> Answered {
    if let Some(asks) = wait(call, &mut watch, patience).await? {
        return Ok(Answer::asks(asks));
    }
    answer(call, watch).await
}

async fn answer(call: &Call, watch: Watch) -> Answered {
    let Watch { view, word, .. } = watch;
    let mut response = view.response();
    let view = Arc::new(view);
    if stored::is_named(&view) {
        let seen = Arc::clone(&view);
        response = call.visit.look(move |_, reader| completed(&seen, reader, response)).await??;
    }
    let mut value = json!({ "status": response["status"].take(), "workflow_id": view.run });
    let doubts = call.visit.last_library()?.doubts_of(&view.plan);
    if !doubts.is_empty() {
        value["warnings"] = json!(doubts);
    }
    if let Some(next) = next(&view) {
        value["next"] = next.into();
    }
    if let Value::Object(value) = &mut value {
        value.extend(super::status::said(&view.asked, word, true));
        if !view.delegated.is_empty() {
            value.extend(view.due().members(&view.run));
        }
    }
    for key in ["error", "outputs", "metadata", "blocks"] {
        value[key] = response[key].take();
    }
    if !matches!(view.status, Status::Ended(_)) {
        value["waiting_for"] = view.waiting_for().into();
    }
    Ok(Answer::new(value).rest(uri::run(&view.run)))
}

/// The response with what is stored apart.
fn completed(view: &View, reader: &Reader, mut response: Value) -> Result<Value, Problem> {
    let outputs = view.outputs(Values(reader)).map_err(runs::not_loaded)?;
    response["outputs"] = outputs.into_iter().collect::<Map<_, _>>().into();
    stored::load(view, reader, &mut response, |response, _, line| &mut response["blocks"][&line.id])?;
    Ok(response)
}
