//! A view as one JSON document, the same for every door.

use super::{Line, State, Undecided, Values, View};
use crate::turn::LoadError;
use dialects::blocks;
use kernel::clock::iso;
use kernel::plan::Dialect;
use kernel::{Fields, Outcome};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// How much of each step a document holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// How it stands.
    Brief,
    /// What it was given and gave as well; what is large is named by its digest.
    Whole,
}

impl View {
    /// The document.
    pub fn to_json(&self, values: Values<'_>, detail: Detail) -> Result<Value, LoadError> {
        Ok(json!({
            "run": self.run,
            "workflow": self.plan.name,
            "dialect": self.plan.dialect.as_str(),
            "status": self.word(),
            "outputs": self.outputs(values)?.into_iter().collect::<Map<_, _>>(),
            "error": self.error(),
            "waiting_for": self.waiting_for(),
            "started_at": iso(self.since),
            "updated_at": iso(self.at),
            "duration_ms": self.at.saturating_sub(self.since),
            "workspace": self.workspace,
            "plan": self.plan.digest(),
            "steps": self.lines().iter().map(|line| self.step(line, detail)).collect::<Vec<_>>(),
        }))
    }

    /// What a tool that runs it answers, in the words of the dialect. What is large is named by its digest.
    pub fn response(&self) -> Value {
        let mut timeline = Cow::Borrowed(&self.timeline);
        if self.left || !self.asked.is_empty() || !self.below.is_empty() {
            let states: Vec<State> = self.lines().iter().map(|line| self.state(line)).collect();
            timeline.to_mut().lines.iter_mut().zip(states).for_each(|(line, state)| line.state = state);
        }
        let is_paused = self.left || self.waits_for_someone();
        let mut response = blocks::view::response(&self.plan, &timeline, &self.status, is_paused);
        response["metadata"]["workflow_id"] = self.run.as_str().into();
        response
    }

    /// Whether an output is stored apart, so that only the store has all of it.
    pub fn has_stored_outputs(&self) -> bool {
        let stored = |outputs: &Fields| outputs.values().any(|data| data.inline().is_none());
        matches!(self.outcome(), Some(Outcome::Succeeded { outputs }) if stored(outputs))
    }

    /// The outputs of a run that has succeeded, in the order they are written in.
    pub fn outputs(&self, values: Values<'_>) -> Result<Vec<(String, Value)>, LoadError> {
        let none = Fields::new();
        let outputs = match self.outcome() {
            Some(Outcome::Succeeded { outputs }) => outputs,
            _ => &none,
        };
        let written = self.plan.outputs.iter().filter_map(|(name, _)| outputs.get_key_value(name));
        written.map(|(name, data)| Ok((name.clone(), values.value(data)?))).collect()
    }
}

impl View {
    fn step(&self, line: &Line, detail: Detail) -> Value {
        let is_stepwise = matches!(self.plan.dialect, Dialect::Steps | Dialect::Reactive);
        let state = self.state(line);
        let below: Vec<String> = self.undecided_below(line).map(Undecided::told).collect();
        let reason = line.reason.clone().or_else(|| (!below.is_empty()).then(|| below.join(", ")));
        let mut value = json!({
            "id": line.id,
            "status": state.status(),
            "outcome": state.outcome(),
            "attempts": line.attempt,
            "started_at": line.started_at.map(iso),
            "duration_ms": line.duration_ms,
            "reason": reason,
        });
        if let Some(nested) = &line.nested {
            (value["workflow"], value["child_run"]) = (json!(nested.workflow), json!(nested.run));
        }
        if let Some(due) = line.due {
            value["next_attempt_at"] = iso(due).into();
        }
        if detail == Detail::Whole && is_stepwise && state.is_over() {
            // What a step gives is one value; what a change of the state gives is what it has changed.
            let mut outputs = blocks::view::block(line)["outputs"].take();
            let result = match outputs.as_object_mut() {
                Some(all) if all.is_empty() => Value::Null,
                Some(all) if all.contains_key("result") => all["result"].take(),
                _ => outputs,
            };
            value["success"] = matches!(state, State::Succeeded).into();
            (value["value"], value["error"]) = (result, json!(reason));
        } else if detail == Detail::Whole {
            let mut block = blocks::view::block(line);
            value["inputs"] = block["inputs"].take();
            value["outputs"] = block["outputs"].take();
        }
        value
    }
}
