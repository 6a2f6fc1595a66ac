//! `workflow_get_next_step`: the one step that is due, ready to be carried out.

use super::reactive::{self};
use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::elicit::again;
use crate::mcp::resources::uri;
use crate::mcp::wait::{Patience, wait};
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_get_next_step",
    title: "Get the next step",
    description: "Use this to get the one step of a run that is due; workflow_state_read only shows values. The server evaluates \
        conditions and loops and carries out what it can itself. Answers `step`: its `id`, `type` (agent_shell_command, mcp_call, \
        parallel_tasks, user_message, user_input, state_update, shell_command), `instructions` and `definition`, every value put \
        in; or null when nothing is left. Asking again gives the same step until workflow_step_complete. A sub-agent gives its \
        `task_id` as well. `status` waiting with a null step means that it is not this task's turn yet.",
    hints: Hints { read_only: false, destructive: false, idempotent: true, open_world: false },
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "task_id": reactive::task_schema(),
                "sub_agent_context": reactive::context_schema(),
                "wait_seconds": schema::wait_seconds("How long this call waits for a step."),
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(get(call)) },
};

async fn get(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    let (mut watch, whose) = match again(call).await? {
        Some(again) => {
            let mut watch = driven::goes_on(call, again).await?;
            let whose = reactive::Whose::of(call)?;
            whose.watches(&mut watch);
            (watch, whose)
        }
        None => reactive::watch(call, "workflow_get_next_step").await?,
    };
    if let Some(asks) = wait(call, &mut watch, patience).await? {
        return Ok(Answer::asks(asks));
    }
    let mut value = reactive::standing(&watch.view, &whose);
    if let Some(word) = watch.word.take() {
        value["note"] = word.into();
    }
    Ok(Answer::new(value).rest(uri::run(&watch.view.run)))
}
