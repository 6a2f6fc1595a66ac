//! `workflow_trace_transformations`: the record of what was computed.

use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::traces::Traces;
use crate::settings::Toolset;
use engine::view::KEPT_MAX;
use serde_json::{Value, json};

/// What the traces of an answer may take; the rest is for what is said beside them.
const BYTES_MAX: usize = 18_000;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_trace_transformations",
    title: "Trace computed fields",
    description: "Use this to find out why a computed field has its value: the computations in order, each with what triggered it, \
        its `input` where that is small and can still be told, a digest of it, its `output`, how long it took, and the `error` if \
        there was one; what it is made of is told by workflow_state_dependencies. Answers `traces`, the last 200 as far as they fit, \
        the newest in any case; `left_out` counts the `earlier` ones and names the resource that has them.",
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
        let traces = Traces::of(visit, reader, &run, field.as_deref(), KEPT_MAX)?;
        Ok(traces.to_json(&run, timed, BYTES_MAX))
    });
    Ok(Answer::new(value.await??))
}
