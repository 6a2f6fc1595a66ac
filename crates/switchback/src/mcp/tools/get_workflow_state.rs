//! `get_workflow_state`: what a run was given and what it holds, for whoever looks for a mistake.

use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::next::next;
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::settings::Toolset;
use engine::dialects::steps::view::word;
use engine::view::Held;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "get_workflow_state",
    title: "Look at the state of a run",
    description: "Use this to look for a mistake in a workflow: it shows all that a run holds; to go on with a run use \
        get_workflow_status. Answers `inputs`, `state` and its size in bytes.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Debug),
    aliases: &[],
    schema: || {
        schema::object(
            json!({ "workflow_id": schema::workflow_id("The id of a run, or any unique beginning of it.") }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(look(call)) },
};

async fn look(call: &Call) -> Answered {
    let row = driven::find(call, "get_workflow_state").await?;
    let id = row.id.clone();
    let (view, held) = call
        .visit
        .look(move |visit, reader| {
            let view = runs::view_of(visit, reader, &id)?;
            Ok((view, Held::load(reader, &id).map_err(runs::not_loaded)?))
        })
        .await??;
    let (inputs, state) = held.map(|held| (held.inputs, held.state)).unwrap_or_default();
    let state = Value::Object(state);
    let mut value = json!({
        "workflow_id": row.id,
        "workflow": row.workflow,
        "status": word(&view.status, view.waits_for_someone()),
        "inputs": inputs,
        "state_bytes": engine::kernel::data::weight(&state),
        "state": state,
    });
    if let Some(next) = next(&view) {
        value["next"] = next.into();
    }
    Ok(Answer::new(value).rest(uri::run(&row.id)))
}
