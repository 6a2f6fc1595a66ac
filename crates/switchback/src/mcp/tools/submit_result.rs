//! `submit_result`: hands in what became of the step that is due, and gives the next one.

use super::{Hints, Later, Tool, driven, hand_in, schema};
use crate::mcp::answer::Answered;
use crate::mcp::call::Call;
use crate::mcp::elicit::again;
use crate::mcp::wait::Patience;
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "submit_result",
    title: "Hand in the result of a step",
    description: "Use this to hand in the result of the `action` that a run waits for; a sub-agent that works on one item \
        hands its results in with submit_step_result. Give `workflow_id`, `step_id` and `attempt` as `action` has them, and \
        `result`: {stdout, stderr, exit_code} of a command, all that a tool answered, {response} of delegated work, or what the \
        user said. Where the step could not be done give `error` (why) instead. What does not fit, or is not due, is refused \
        with what is due, and nothing moves; the same result again is taken once. Answers like start_workflow. Never make up \
        what a person would say.",
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: true },
    toolset: Some(Toolset::Steps),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run, or of the run that `action` names."),
                "result": hand_in::result_schema(),
                "step_id": {
                    "type": "string",
                    "description": "The step, as `action` names it. Without it: the one that has been due longest."
                },
                "attempt": hand_in::attempt_schema(),
                "error": hand_in::error_schema(),
                "wait_seconds": schema::wait_seconds("How long this call waits for the next action."),
                "request_key": schema::request_key("Accepted and ignored: the same result of a step is taken once."),
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(submit(call)) },
};

async fn submit(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    call.arguments.request_key()?;
    if let Some(again) = again(call).await? {
        let watch = driven::goes_on(call, again).await?;
        return driven::go_on(call, watch, patience, None).await;
    }
    let mut watch = driven::watch(call, "submit_result").await?;
    let step_id = call.arguments.text("step_id")?.map(str::trim).filter(|id| !id.is_empty());
    let asked = hand_in::hand_in(call, &mut watch, step_id).await?;
    let watch = driven::driver(call, watch).await?;
    match watch.view.plan.agent.is_some() {
        true => driven::step(call, watch, patience, Some(&asked)).await,
        false => driven::go_on(call, watch, patience, Some(&asked)).await,
    }
}
