//! `workflow_debug_info`: where a run stands, what it has done, how large its state is and what computing it took.

use super::workflow_checkpoint::current;
use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::next::next_with;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::settings::Toolset;
use engine::kernel::clock::iso;
use engine::kernel::data::weight;
use engine::view::{End, Held, History, ms};
use serde_json::{Value, json};

/// How many of the slowest fields are named.
const SLOWEST_MAX: usize = 10;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_debug_info",
    title: "Look inside a run",
    description: "Use this to see what a run has done and what it costs; for its values use workflow_state_read. Answers `current_step`, \
        `step_history` (the last 200 steps with times and status), `state_size` in bytes, `performance` of computed fields, \
        `checkpoints` and `warnings`.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Debug),
    aliases: &[],
    schema: || {
        schema::object(json!({ "workflow_id": schema::workflow_id("The id of the run.") }), &["workflow_id"])
    },
    call: |call| -> Later<'_> { Box::pin(look(call)) },
};

async fn look(call: &Call) -> Answered {
    let row = driven::find(call, "workflow_debug_info").await?;
    let run = row.id.clone();
    let value = call.visit.look(move |visit, reader| -> Result<Value, Problem> {
        let view = runs::view_of(visit, reader, &run)?;
        let history = History::load(reader, &run).map_err(runs::not_loaded)?.unwrap_or_default();
        let held = Held::load(reader, &run).map_err(runs::not_loaded)?;
        let bytes = |layer: &str| held.as_ref().map_or(0, |held| weight(&Value::Object(held.layer(layer))));
        let mut value = json!({
            "workflow_id": run,
            "workflow": view.plan.name,
            "status": view.word(),
            "current_step": current(&view),
            "step_history": history.ends.iter().map(end).collect::<Vec<_>>(),
            "state_size": {
                "raw_bytes": bytes("raw"),
                "computed_bytes": bytes("computed"),
                "state_bytes": bytes("state"),
                "total_transformations": history.costs.values().map(|cost| cost.0).sum::<u64>(),
                "version": history.version,
            },
            "performance": performance(&history),
            "checkpoints": history.marks.iter().map(|mark| json!({
                "checkpoint_id": format!("{run}@{}", mark.seq),
                "step_id": mark.step,
                "timestamp": iso(mark.at),
                "reason": mark.reason,
            })).collect::<Vec<_>>(),
        });
        let left = history.ends_count - history.ends.len() as u64;
        if left > 0 {
            value["left_out"] = json!({ "step_history": left });
        }
        if !history.warnings.is_empty() {
            let told: Vec<String> = history.warnings.iter().map(ToString::to_string).collect();
            value["warnings"] = told.into();
        }
        if let Some(error) = view.error() {
            value["error"] = json!(error);
        }
        if let Some(next) = next_with(&view, &visit.settings().toolsets) {
            value["next"] = json!(next);
        }
        Ok(value)
    });
    Ok(Answer::new(value.await??).rest(uri::run(&row.id)))
}

fn end(end: &End) -> Value {
    let mut value = json!({
        "step_id": end.step,
        "started_at": end.since.map(iso),
        "completed_at": iso(end.at),
        "status": end.status,
    });
    if let Some(reason) = &end.reason {
        value["reason"] = json!(reason);
    }
    value
}

#[expect(clippy::cast_precision_loss, reason = "nobody computes a field so often")]
fn performance(history: &History) -> Value {
    let (count, us) = history.costs.values().fold((0, 0), |all, cost| (all.0 + cost.0, all.1 + cost.1));
    let average = |count: u64, us: u64| if count == 0 { 0.0 } else { ms(us) / count as f64 };
    let mut slowest: Vec<(&String, f64)> =
        history.costs.iter().map(|(field, cost)| (field, average(cost.0, cost.1))).collect();
    slowest.sort_by(|one, other| other.1.total_cmp(&one.1));
    let slowest: Vec<Value> =
        slowest.iter().take(SLOWEST_MAX).map(|(field, ms)| json!({ "field": field, "avg_ms": ms })).collect();
    json!({ "avg_transformation_time": average(count, us), "slowest_transformations": slowest })
}
