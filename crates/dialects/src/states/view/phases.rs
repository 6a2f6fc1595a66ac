//! The log as the second source has it: phases. The contract is checked, states are executed and left, the contract is checked
//! again.

use super::entries::{Seen, bounded};
use super::log::Visit;
use kernel::Outcome;
use kernel::clock::iso;
use kernel::news::Way;
use serde_json::{Value, json};

/// What is said where a run ends because nothing leads on.
const NO_WAY: &str = "No matching transition condition";

/// The fields of a check.
const CHECKED: [&str; 4] = ["valid", "missing_vars", "validation_log", "validation_type"];

impl Seen<'_> {
    /// The log in phases.
    pub fn phases(&self) -> Vec<Value> {
        let mut phases = Vec::new();
        for visit in &self.log.visits {
            match (self.is_own(visit), visit.ended) {
                (true, Some(_)) => phases.extend(self.checked(visit)),
                (false, Some(_)) => phases.extend([self.executed(visit), self.transition(visit)]),
                // The run broke off in it.
                (false, None) if self.log.until.is_some() => phases.push(self.executed(visit)),
                (_, None) => {}
            }
        }
        if let (Some(Outcome::Failed { failure }), Some(at)) = (&self.log.outcome, self.log.until) {
            let is_checked = phases.last().is_some_and(|last| last["validation_result"]["valid"] == false);
            if !is_checked {
                phases.push(error(&failure.message, at));
            }
        }
        let mut bytes = 0;
        phases.into_iter().map(|phase| bounded(phase, &mut bytes)).collect()
    }

    /// A check of the contract, if it came to one.
    fn checked(&self, visit: &Visit) -> Option<Value> {
        let result = self.object(&visit.result);
        result.get("valid")?;
        let checked: serde_json::Map<String, Value> =
            result.into_iter().filter(|(name, _)| CHECKED.contains(&name.as_str())).collect();
        let phase = if self.name(visit.step) == "@arguments" { "pre" } else { "post" };
        Some(json!({
            "phase": format!("{phase}_execution_validation"),
            "validation_result": checked,
            "timestamp": self.at(visit),
        }))
    }

    fn executed(&self, visit: &Visit) -> Value {
        let result = self.result(visit);
        let success = result.get("success").cloned().unwrap_or(Value::Null);
        json!({
            "phase": "execution",
            "state": self.name(visit.step),
            "tool": self.tool(visit),
            "params": self.params(visit),
            "result": result,
            "tool_success": success,
            "timestamp": self.at(visit),
        })
    }

    fn transition(&self, visit: &Visit) -> Value {
        let from = self.name(visit.step);
        // What leads to a check of the server's own is no way of the definition.
        let way = visit.way.filter(|(_, to)| !self.name(*to).starts_with('@'));
        let condition = way.map_or(Value::Null, |(way, _)| self.condition(from, way));
        let message = match (way, &condition) {
            (None, _) => NO_WAY.to_owned(),
            (Some((Way::TimedOut | Way::Failed, _)), _) => {
                "The state did not come to its end in time".to_owned()
            }
            (Some(_), Value::Object(map)) if map.keys().all(|key| key == "description") => {
                "Taken because the tool succeeded: a description is for the agent and is not evaluated"
                    .to_owned()
            }
            (Some(_), _) => "Condition met".to_owned(),
        };
        json!({
            "phase": "transition",
            "from_state": from,
            "to_state": way.map(|(_, to)| self.name(to)),
            "condition_met": condition,
            "message": message,
            "timestamp": self.at(visit),
        })
    }

    fn at(&self, visit: &Visit) -> String {
        iso(self.end_of(visit).unwrap_or(visit.began))
    }

    /// The condition by which a state was left, as it was written.
    fn condition(&self, from: &str, way: Way) -> Value {
        match way {
            Way::Transition(position) => {
                let written = self.plan.notes.get("conditions").and_then(|all| all.get(from));
                written.and_then(|all| all.get(position as usize)).cloned().unwrap_or(Value::Null)
            }
            Way::TimedOut | Way::Failed => "on_timeout".into(),
        }
    }
}

/// An error as a phase.
pub(super) fn error(message: &str, at: u64) -> Value {
    json!({ "phase": "error", "error": message, "timestamp": iso(at) })
}
