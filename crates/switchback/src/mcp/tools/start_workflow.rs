//! `start_workflow`: starts a run whose steps the agent carries out, and gives the first of them.

use super::begin::begin;
use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::Answered;
use crate::mcp::call::Call;
use crate::mcp::elicit::again;
use crate::mcp::wait::Patience;
use crate::settings::Toolset;
use engine::library::Order;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "start_workflow",
    title: "Start a workflow step by step",
    description: "Use this to start a workflow whose steps you carry out yourself, one at a time; to have the server run one \
        from beginning to end use execute_workflow. Give `workflow` and `inputs`. Answers `workflow_id`, `status` (waiting, \
        running, complete, failed, cancelled) and `action`: the one step that is due, rendered and ready, with `type` (shell, \
        mcp_call, prompt, wait, delegate, foreach), `parameters`, `step_id` and `attempt`. Do exactly that, then hand the \
        result in with submit_result, which answers with the next one. `next` names the exact call. Where several are due, \
        `actions` has them all. At the end: `final_result` and `state`, or `error`.",
    hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
    toolset: Some(Toolset::Steps),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow": schema::workflow(),
                "inputs": schema::inputs(),
                "wait_seconds": schema::wait_seconds("How long this call waits for the first action."),
                "request_key": schema::request_key("The same key with the same arguments gives the same run."),
            }),
            &["workflow"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(start(call)) },
};

async fn start(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    let watch = match again(call).await? {
        Some(again) => driven::goes_on(call, again).await?,
        None => begin(call, Order::Steps).await?,
    };
    driven::go_on(call, watch, patience, None).await
}
