//! The answer to whoever ran a state machine: every field of both sources, whatever came of it.

use super::entries::{Seen, seconds};
use super::phases::error;
use crate::states::tools::SESSION_ID;
use kernel::Outcome;
use kernel::plan::Work;
use serde_json::{Map, Value, json};

/// Whether the definition was kept, and under which name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Saved {
    /// The name; nothing where it was not kept.
    name: Option<String>,
    /// Why it could not be kept.
    error: Option<String>,
    /// Why it need not be.
    warning: Option<String>,
}

/// What is said beside the run itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Whether the run has a contract or was given a session: then the words of the second source hold.
    pub in_session: bool,
    /// The names of all that are kept.
    pub available: Vec<String>,
    /// What is doubtful.
    pub warnings: Vec<String>,
}

impl Seen<'_> {
    /// The whole answer.
    pub fn answer(&self, with: Answer) -> Value {
        let variables = self.final_variables();
        let outcome = self.log.outcome.as_ref();
        let log = if with.in_session { self.phases() } else { self.entries() };
        let (last, saved) = (self.last_state(), self.saved());
        let warnings: Vec<String> = with.warnings.into_iter().chain(saved.warning).collect();
        let mut document = json!({
            "success": matches!(outcome, Some(Outcome::Succeeded { .. })),
            "workflow_name": self.plan.name,
            "final_state": self.final_state(with.in_session, last),
            "last_state": last,
            "states_executed": self.visits().count(),
            "total_elapsed_time": self.log.since.map_or(0.0, |since| seconds(since, self.log.until)),
            "session_id": self.session(&variables),
            "workflow_saved": saved.name.is_some(),
            "saved_workflow_name": saved.name,
            "recursion_depth": self.depth(),
            "workflow_signature": signature(self.plan.notes.get("contract"), &self.plan.description),
            "error": error_of(outcome).or(saved.error.map(Value::from)),
            "execution_log": log,
            "final_variables": variables,
            "available_workflows": with.available,
        });
        if !warnings.is_empty() {
            document["warnings"] = warnings.into();
        }
        document
    }

    /// What came of keeping the definition, where the run came to that.
    fn saved(&self) -> Saved {
        let own = self.log.visits.iter().rev().filter(|visit| visit.ended.is_some() && self.is_own(visit));
        let Some(visit) = own.into_iter().find(|visit| self.name(visit.step) == "@keep") else {
            return Saved::default();
        };
        let result = self.object(&visit.result);
        let text = |name: &str| result.get(name).and_then(Value::as_str).map(str::to_owned);
        // One that could not even be carried out says why itself.
        let broken = text("error").map(|why| format!("Workflow succeeded but saving failed: {why}"));
        Saved {
            name: text("saved_workflow_name"),
            error: text("saving_error").or(broken),
            warning: text("warning"),
        }
    }

    fn last_state(&self) -> Option<&str> {
        self.visits().last().map(|visit| self.name(visit.step))
    }

    /// The state in which it ended; in a session, a word for how.
    fn final_state(&self, in_session: bool, last: Option<&str>) -> String {
        if !in_session {
            let word = if self.log.outcome.is_none() { "running" } else { "error" };
            return last.unwrap_or(word).to_owned();
        }
        let checked = self.log.visits.iter().rev().find(|visit| visit.ended.is_some() && self.is_own(visit));
        let missing = checked.filter(|visit| visit.result.contains_key("missing_vars"));
        let word = match (&self.log.outcome, missing.map(|visit| self.name(visit.step))) {
            (None, _) => "running",
            (Some(Outcome::Succeeded { .. }), _) => "completed",
            (_, Some("@arguments")) if last.is_none() => "validation_failed",
            (_, Some("@return_values")) => "return_validation_failed",
            _ => "error",
        };
        word.to_owned()
    }

    fn session(&self, variables: &Map<String, Value>) -> Value {
        let given =
            self.inputs.get(SESSION_ID).map(|given| (self.value)(given)).filter(|given| !given.is_null());
        given.or_else(|| variables.get(SESSION_ID).cloned()).unwrap_or(Value::Null)
    }

    /// How deep runs below this one have called each other.
    fn depth(&self) -> u64 {
        let nested = self.visits().filter(|visit| {
            let step = self.plan.steps.get(visit.step as usize);
            visit.workflow.is_some() && step.is_some_and(|step| matches!(step.work, Work::Child { .. }))
        });
        let below = nested.map(|visit| {
            let depth = visit.result.get("recursion_depth").map(|depth| (self.value)(depth));
            1 + depth.and_then(|depth| depth.as_u64()).unwrap_or_default()
        });
        below.max().unwrap_or_default()
    }
}

/// Why a run did not succeed.
pub(super) fn error_of(outcome: Option<&Outcome>) -> Option<Value> {
    match outcome? {
        Outcome::Succeeded { .. } => None,
        Outcome::Failed { failure } => Some(failure.message.clone().into()),
        Outcome::Cancelled { reason } => Some(format!("cancelled: {reason}").into()),
    }
}

/// The contract as it is told.
pub fn signature(contract: Option<&Value>, description: &str) -> Value {
    contract
        .cloned()
        .unwrap_or_else(|| json!({"arguments": {}, "return_values": {}, "description": description}))
}

/// The answer where nothing could be run: the same fields, all of them empty.
pub fn failed(name: &str, final_state: &str, message: &str, available: Vec<String>, at: u64) -> Value {
    let in_session = matches!(final_state, "workflow_not_found" | "definition_invalid" | "execution_error");
    let log = if in_session { vec![error(message, at)] } else { Vec::new() };
    json!({
        "success": false,
        "workflow_name": name,
        "final_state": final_state,
        "last_state": null,
        "states_executed": 0,
        "total_elapsed_time": 0.0,
        "session_id": null,
        "workflow_saved": false,
        "saved_workflow_name": null,
        "recursion_depth": 0,
        "workflow_signature": {},
        "error": message,
        "execution_log": log,
        "final_variables": {},
        "available_workflows": available,
    })
}
