//! `workflow_state_dependencies`: what a computed field is made of, and what is made of it.

use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::{Problem, said};
use crate::mcp::runs;
use crate::settings::Toolset;
use engine::dialects::reactive::view::dependencies::{Dependencies, fields};
use engine::kernel::Plan;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_state_dependencies",
    title: "Explain a computed field",
    description: "Use this to see why a computed field is what it is: what it is made of and what is made of it; its values over time \
        are told by workflow_trace_transformations. Answers `direct_deps`, `all_deps` (through other computed fields too) and \
        `dependents`.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "field": { "type": "string", "description": "The field: `total`, `computed.total` or `raw.files`." },
            }),
            &["workflow_id", "field"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(explain(call)) },
};

async fn explain(call: &Call) -> Answered {
    let field = named(call, "workflow_state_dependencies")?;
    let row = driven::find(call, "workflow_state_dependencies").await?;
    let view = call.visit.look(move |visit, reader| runs::view_of(visit, reader, &row.id)).await??;
    let found = Dependencies::of(&view.plan, &field).ok_or_else(|| unknown(&view.plan, &field))?;
    let mut value = found.to_json();
    value["field"] = json!(field);
    Ok(Answer::new(value))
}

/// The field that a call names.
fn named(call: &Call, tool: &str) -> Result<String, Problem> {
    let field = call.arguments.text("field")?.map(str::trim).filter(|field| !field.is_empty());
    field.map(str::to_owned).ok_or_else(|| {
        let error = format!("{tool} needs the argument `field`: a field of the state");
        Problem::new("missing-argument", error).help("workflow_state_read(workflow_id) shows all fields")
    })
}

/// That there is no such field, and which there are.
pub(in crate::mcp) fn unknown(plan: &Plan, field: &str) -> Problem {
    let error = format!("`{}` has no field `{}`", plan.name, said(field));
    Problem::new("unknown-field", error)
        .options(fields(plan))
        .near(field)
        .help("Call again with one of these")
}
