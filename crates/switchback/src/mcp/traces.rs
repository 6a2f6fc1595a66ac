//! What a run computed, made to fit: the newest first of all, because whoever looks wants to know what a field is now.

use super::fit::{fill, size};
use super::problem::Problem;
use super::resources::uri;
use super::runs;
use super::tools::unknown_field;
use super::visit::Visit;
use engine::dialects::reactive::view::dependencies::full;
use engine::kernel::RunId;
use engine::store::Reader;
use engine::view::{History, Values};
use serde_json::{Value, json};

/// What part of all one computation may take.
const PART: usize = 8;

/// What is kept free for the word on what was left out.
const WORD_BYTES: usize = 400;

/// The last computations of a run, in order.
pub(super) struct Traces {
    field: Option<String>,
    all: Vec<Value>,
    earlier: u64,
}

impl Traces {
    /// So many of the last ones, of one field where one is named.
    pub(super) fn of(
        visit: &Visit,
        reader: &Reader,
        run: &RunId,
        field: Option<&str>,
        kept_max: usize,
    ) -> Result<Traces, Problem> {
        let plan = runs::view_of(visit, reader, run)?.plan;
        let is_computed = |name: &String| plan.state.computed.iter().any(|one| one.name == *name);
        let named = field
            .map(|field| full(&plan, field).filter(is_computed).ok_or_else(|| unknown_field(&plan, field)));
        let field = named.transpose()?;
        let history = History::of_field(reader, run, field.as_deref(), kept_max);
        let history = history.map_err(runs::not_loaded)?.unwrap_or_default();
        let all = history.traces(Values(reader), true).map_err(runs::not_loaded)?;
        Ok(Traces { field, all, earlier: history.left_out() })
    }

    /// As they are answered: as many of the newest as fit.
    pub(super) fn to_json(&self, run: &RunId, timed: bool, bytes_max: usize) -> Value {
        let (mut shown, mut room) = (Vec::new(), bytes_max.saturating_sub(WORD_BYTES));
        let mut cut = false;
        for trace in self.all.iter().rev() {
            let mut trace = trace.clone();
            if let (false, Value::Object(members)) = (timed, &mut trace) {
                members.remove("duration_ms");
            }
            if let Some(shorter) = fill(&trace, bytes_max / PART, 0) {
                (trace, cut) = (shorter, true);
            }
            match room.checked_sub(size(&trace) + 1) {
                Some(left) => room = left,
                None => break,
            }
            shown.push(trace);
        }
        shown.reverse();
        let earlier = self.earlier + (self.all.len() - shown.len()) as u64;
        let mut value = json!({ "workflow_id": run, "traces": shown });
        if earlier > 0 || cut {
            let all_of_it = uri::traces(run, self.field.as_deref());
            value["left_out"] = json!({ "earlier": earlier, "all_of_it": all_of_it });
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_and_the_rest_is_named() {
        let all =
            (1..=200).map(|n| json!({ "output": n, "duration_ms": 1, "input": "x".repeat(200) })).collect();
        let traces = Traces { field: None, all, earlier: 51 };
        let value = traces.to_json(&RunId::new("r"), false, 18_000);
        let shown = value["traces"].as_array().unwrap();
        assert_eq!(shown.last().unwrap()["output"], 200);
        assert!(shown.len() < 200 && shown.len() > 50, "{}", shown.len());
        assert!(shown.iter().all(|one| one.get("duration_ms").is_none()));
        assert_eq!(value["left_out"]["earlier"], 251 - shown.len() as u64);
        assert_eq!(value["left_out"]["all_of_it"], "switchback://run/r/transformations");
        assert!(size(&value) <= 18_000);
    }

    #[test]
    fn a_long_output_leaves_room_for_others() {
        let all = vec![json!({ "output": "y" }), json!({ "output": "x".repeat(100_000) })];
        let value = Traces { field: Some("computed.a".into()), all, earlier: 0 }.to_json(
            &RunId::new("r"),
            true,
            18_000,
        );
        assert_eq!(value["traces"].as_array().unwrap().len(), 2);
        assert_eq!(value["left_out"]["all_of_it"], "switchback://run/r/transformations/computed.a");
    }
}
