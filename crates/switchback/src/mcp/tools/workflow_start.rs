//! `workflow_start`: starts a run and answers its state as it begins.

use super::begin::begin;
use super::reactive::{self, Whose};
use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::elicit::again;
use crate::mcp::resources::uri;
use crate::mcp::wait::{Patience, wait};
use crate::settings::Toolset;
use engine::library::Order;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_start",
    title: "Start a workflow over reactive state",
    description: "Use this to start a workflow that you carry out step by step over a state in which computed fields follow by \
        themselves; workflow_get_info tells its inputs. Answers `workflow_id`, `state` (all values in one object), `status` and \
        `next`. Then workflow_get_next_step gives one step after the other.",
    hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow": schema::workflow(),
                "inputs": schema::inputs(),
                "wait_seconds": schema::wait_seconds("How long this call waits until the server has done what comes before the first step."),
                "request_key": schema::request_key("The same key with the same arguments gives the same run."),
            }),
            &["workflow"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(start(call)) },
};

async fn start(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    let mut watch = match again(call).await? {
        Some(again) => driven::goes_on(call, again).await?,
        None => begin(call, Order::Reactive).await?,
    };
    Whose::Main.watches(&mut watch);
    if let Some(asks) = wait(call, &mut watch, patience).await? {
        return Ok(Answer::asks(asks));
    }
    let run = watch.view.run.clone();
    let state = reactive::flat(call, &run).await?;
    let standing = reactive::standing(&watch.view, &Whose::Main);
    let has_step = !standing["step"].is_null();
    let next = match has_step {
        true => format!("workflow_get_next_step(workflow_id=\"{run}\") gives the first step.").into(),
        false => standing["next"].clone(),
    };
    let mut value = json!({ "workflow_id": run, "status": standing["status"], "next": next, "state": state });
    if let Some(error) = standing.get("error") {
        value["error"] = error.clone();
    }
    let doubts = call.visit.last_library()?.doubts_of(&watch.view.plan);
    if !doubts.is_empty() {
        value["warnings"] = json!(doubts);
    }
    Ok(Answer::new(value).rest(uri::state(&run)))
}
