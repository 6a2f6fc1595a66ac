//! `workflow_trace_transformations`: the record of what was computed.

use super::{Hints, Later, Tool, driven, schema, workflow_state_dependencies};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::settings::Toolset;
use engine::dialects::reactive::view::dependencies::full;
use engine::view::{History, KEPT_MAX, Values};
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "workflow_trace_transformations",
    title: "Trace computed fields",
    description: "Use this to find out why a computed field has its value: every computation in order, with what triggered it, a digest \
        of its input, its output, how long it took, and the error if there was one; what it is made of is told by \
        workflow_state_dependencies. Answers `traces`, the last 200, and how many were `left_out`.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Debug),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "field": { "type": "string", "description": "Only this computed field." },
                "include_timing": {
                    "type": "boolean",
                    "default": true,
                    "description": "Whether `duration_ms` is told."
                },
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(trace(call)) },
};

async fn trace(call: &Call) -> Answered {
    let field =
        call.arguments.text("field")?.map(str::trim).filter(|field| !field.is_empty()).map(str::to_owned);
    let timed = call.arguments.value("include_timing").is_none() || call.arguments.flag("include_timing")?;
    let row = driven::find(call, "workflow_trace_transformations").await?;
    let run = row.id.clone();
    let value = call.visit.look(move |visit, reader| -> Result<Value, Problem> {
        let view = runs::view_of(visit, reader, &run)?;
        let plan = &view.plan;
        let is_computed = |name: &String| plan.state.computed.iter().any(|one| one.name == *name);
        let named = match &field {
            Some(field) => {
                let found = full(plan, field).filter(is_computed);
                Some(found.ok_or_else(|| workflow_state_dependencies::unknown(plan, field))?)
            }
            None => None,
        };
        let history =
            History::of_field(reader, &run, named.as_deref()).map_err(runs::not_loaded)?.unwrap_or_default();
        let traces = history.traces(Values(reader), timed).map_err(runs::not_loaded)?;
        let mut value = json!({ "workflow_id": run, "traces": traces });
        if history.left_out() > 0 {
            value["left_out"] = json!({ "earlier": history.left_out(), "kept": KEPT_MAX });
        }
        Ok(value)
    });
    Ok(Answer::new(value.await??).rest(uri::run(&row.id)))
}
