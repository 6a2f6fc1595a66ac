//! `get_next_step`: the one step of a run that is due, on one level, with the call that hands its result in.

use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::Answered;
use crate::mcp::call::Call;
use crate::mcp::wait::Patience;
use crate::settings::Toolset;
use engine::kernel::Status;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "get_next_step",
    title: "Get the next step of a child run",
    description: "Use this as a sub-agent to get the step of your child run that is due; the agent that talks to the user is \
        given its steps by start_workflow and submit_result. Answers `step_id`, `attempt`, `type` and what it takes (`command`, \
        `tool` and `args`, `instructions`), rendered and ready; or `status` complete with `final_result`. Asking again gives \
        the same step. `requires_action` false means that the server has done it.",
    hints: Hints { read_only: false, destructive: false, idempotent: true, open_world: false },
    toolset: Some(Toolset::Steps),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the child run, as your instructions name it."),
                "wait_seconds": schema::wait_seconds("How long this call waits for a step."),
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(get(call)) },
};

async fn get(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    let mut watch = driven::watch(call, "get_next_step").await?;
    if matches!(watch.view.status, Status::Ended(_)) {
        watch = driven::driver(call, watch).await?;
    }
    driven::step(call, watch, patience, None).await
}
