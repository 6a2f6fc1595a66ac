//! `submit_step_result`: a sub-agent hands in what became of a step of its child run, and gets the next one.

use super::{Hints, Later, Tool, driven, hand_in, schema};
use crate::mcp::answer::Answered;
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::wait::Patience;
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "submit_step_result",
    title: "Hand in a step of a sub-agent",
    description: "Use this as a sub-agent to hand in the result of the step that get_next_step gave; the agent that talks to \
        the user uses submit_result. Give `workflow_id`, `step_id`, `attempt` and `result`, or `error` where it could not be \
        done. Answers `accepted` and `step`: the next one; or `status` complete with `final_result`.",
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: true },
    toolset: Some(Toolset::Steps),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the child run."),
                "step_id": { "type": "string", "description": "The step, as get_next_step names it." },
                "result": hand_in::result_schema(),
                "attempt": hand_in::attempt_schema(),
                "error": hand_in::error_schema(),
                "wait_seconds": schema::wait_seconds("How long this call waits for the next step."),
            }),
            &["workflow_id", "step_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(submit(call)) },
};

async fn submit(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    let step_id = call.arguments.text("step_id")?.map(str::trim).filter(|id| !id.is_empty());
    let step_id = step_id.ok_or_else(|| {
        Problem::new("missing-argument", "submit_step_result needs the argument `step_id`: the step")
            .help("get_next_step(workflow_id) gives the step that is due")
    })?;
    let mut watch = driven::watch(call, "submit_step_result").await?;
    let asked = hand_in::hand_in(call, &mut watch, Some(step_id)).await?;
    let watch = driven::driver(call, watch).await?;
    driven::step(call, watch, patience, Some(&asked)).await
}
