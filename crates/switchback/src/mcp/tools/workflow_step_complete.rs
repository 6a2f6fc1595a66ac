//! `workflow_step_complete`: says that the step which is due was carried out, or could not be.

use super::complete_step;
use super::reactive::{self, Whose};
use super::{Hints, Later, Tool, driven, hand_in, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::elicit::again;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::wait::{Patience, wait};
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_step_complete",
    title: "Mark a step complete",
    description: "Use this after the step that workflow_get_next_step gave was carried out, or could not be. Give `workflow_id`, \
        `step_id` and `status` (success, or failed with `error`), a sub-agent its `task_id` too. Where the step has a \
        `state_update`, give `result`, or write that path with workflow_state_update before; else it is refused with the path that \
        is missing. What is not due is refused with what is, and nothing moves; the same again is taken once. Answers `success`.",
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: true },
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "step_id": { "type": "string", "description": "The step, as `step.id` names it." },
                "status": {
                    "type": "string",
                    "enum": ["success", "failed"],
                    "default": "success",
                    "description": "Whether it was done."
                },
                "result": { "description": "What the step gave: what the tool answered, the output, what the user said." },
                "error": { "type": "string", "description": "Why it could not be done." },
                "task_id": reactive::task_schema(),
                "sub_agent_context": reactive::context_schema(),
                "attempt": hand_in::attempt_schema(),
                "wait_seconds": schema::wait_seconds("How long this call waits until the server has done what comes next."),
                "request_key": schema::request_key("Accepted and ignored: the same result of a step is taken once."),
            }),
            &["workflow_id", "step_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(complete(call)) },
};

async fn complete(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    call.arguments.request_key()?;
    let step_id = call.arguments.text("step_id")?.map(str::trim).filter(|id| !id.is_empty());
    let step_id = step_id.ok_or_else(|| {
        Problem::new("missing-argument", "workflow_step_complete needs the argument `step_id`: the step")
            .help("workflow_get_next_step(workflow_id) gives the step that is due")
    })?;
    let (mut watch, handed_in, whose) = match again(call).await? {
        Some(again) => {
            let mut watch = driven::goes_on(call, again).await?;
            let whose = Whose::of(call)?;
            whose.watches(&mut watch);
            (watch, None, whose)
        }
        None => {
            let (mut watch, whose) = reactive::watch(call, "workflow_step_complete").await?;
            let handed_in = complete_step::complete(call, &mut watch, &whose, step_id).await?;
            (watch, handed_in, whose)
        }
    };
    whose.moves_on(&mut watch);
    if let Some(asked) = &handed_in {
        hand_in::looked_at(call, &watch, asked, patience).await?;
    }
    if let Some(asks) = wait(call, &mut watch, patience).await? {
        return Ok(Answer::asks(asks));
    }
    let claims = call.arguments.text("status")? != Some("failed");
    let looked_at = handed_in.as_ref().filter(|_| claims);
    if let Some(problem) = looked_at.and_then(|asked| hand_in::unverified(&watch, asked)) {
        return Err(problem.next(reactive::next(&watch.view, &whose, &whose.due(&watch.view))));
    }
    let standing = reactive::standing(&watch.view, &whose);
    let next = match standing["step"].is_null() {
        true => standing["next"].clone(),
        false => {
            let (run, task) = (&watch.view.run, whose.argument());
            format!("workflow_get_next_step(workflow_id=\"{run}\"{task}) gives the next step.").into()
        }
    };
    let value = json!({
        "success": true,
        "workflow_id": watch.view.run,
        "step_id": step_id,
        "status": standing["status"],
        "next": next,
    });
    Ok(Answer::new(value).rest(uri::run(&watch.view.run)))
}
