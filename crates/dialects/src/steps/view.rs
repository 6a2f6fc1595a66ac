//! How a run stands, in the words of the tools of this dialect.
//!
//! | a run is | they say |
//! |---|---|
//! | ended, all well | `complete` |
//! | ended, not well | `failed`, `cancelled` |
//! | at work | `running` |
//! | in need of someone | `waiting` |

use super::due::Due;
use crate::view::{Line, State};
use kernel::{Outcome, RunId, Status};
use serde_json::{Map, Value, json};

/// How a run stands.
pub struct Standing<'s> {
    /// The run.
    pub run: &'s RunId,
    /// Its status, and whether someone is to do something.
    pub status: &'s Status,
    /// Whether all that is left waits for someone.
    pub is_waiting: bool,
    /// What is due.
    pub due: &'s Due,
    /// What it gave, once it is complete.
    pub result: Option<Value>,
    /// Its state, once it has ended.
    pub state: Option<Map<String, Value>>,
    /// What to do next.
    pub next: Option<String>,
}

/// The word for how a run stands.
pub fn word(status: &Status, is_waiting: bool) -> &'static str {
    match status {
        Status::Ended(Outcome::Succeeded { .. }) => "complete",
        Status::Ended(Outcome::Failed { .. }) => "failed",
        Status::Ended(Outcome::Cancelled { .. }) => "cancelled",
        _ if is_waiting => "waiting",
        _ => "running",
    }
}

/// How a run stands, as whoever drives it is answered.
pub fn standing(standing: Standing<'_>) -> Value {
    let Standing { run, status, is_waiting, due, result, state, next } = standing;
    let mut value = json!({ "workflow_id": run, "status": word(status, is_waiting) });
    if let Some(next) = next {
        value["next"] = next.into();
    }
    if let (Value::Object(value), false) = (&mut value, matches!(status, Status::Ended(_))) {
        value.extend(due.members(run));
    }
    ended(&mut value, status, result);
    if let Some(state) = state {
        value["state"] = state.into();
    }
    value
}

/// What came of a run that has ended.
pub fn ended(value: &mut Value, status: &Status, result: Option<Value>) {
    match status {
        Status::Ended(Outcome::Succeeded { .. }) => value["final_result"] = result.unwrap_or_default(),
        Status::Ended(Outcome::Failed { failure }) => value["error"] = failure.message.as_str().into(),
        Status::Ended(Outcome::Cancelled { reason }) => value["error"] = reason.as_str().into(),
        _ => {}
    }
}

/// How far a run is, in one line: `6 of 9 steps; last: review; research: 2 of 5 items`.
pub fn progress(lines: &[Line], due: &Due) -> String {
    let over = lines.iter().filter(|line| line.state.is_over()).count();
    let mut told = format!("{over} of {} steps", lines.len());
    let began = lines.iter().filter(|line| line.state.is_over() && line.state != State::Skipped);
    if let Some(last) = began.max_by_key(|line| line.started_at.unwrap_or(0) + line.duration_ms.unwrap_or(0))
    {
        told.push_str(&format!("; last: {}", last.id));
    }
    for one in &due.delegated {
        told.push_str(&format!("; {}: {} of {} items", one.step_id, one.done, one.count));
    }
    told
}
