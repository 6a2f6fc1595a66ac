//! The log as the first source has it: one entry for each state that was left, with the parameters that were really used and all
//! variables after it, and one for the state in which a run was when it broke off.

use super::answer::error_of;
use super::log::{Log, Visit};
use crate::states::plan::{INITIAL_VARIABLES, PARAMS, SESSION, TOOL};
use crate::states::tools::{RUN_WORKFLOW, SESSION_ID};
use kernel::clock::iso;
use kernel::plan::Flow;
use kernel::{Data, Fields, Plan};
use serde_json::{Map, Value, json};

/// What texts of one log may have together, in bytes; what comes after is shortened.
const LOG_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How long texts stay that are shortened, in bytes.
const SHORT_BYTES_MAX: usize = 256;

/// A run to be looked at.
pub struct Seen<'s> {
    /// Its plan.
    pub plan: &'s Plan,
    /// What it was given.
    pub inputs: &'s Fields,
    /// What happened in it.
    pub log: &'s Log,
    /// The values of data, those that are stored among them.
    pub value: &'s dyn Fn(&Data) -> Value,
}

impl Seen<'_> {
    /// The states of the definition that were entered.
    pub(super) fn visits(&self) -> impl Iterator<Item = &Visit> {
        self.log.visits.iter().filter(|visit| !self.is_own(visit))
    }

    /// Whether a state is the server's own.
    pub(super) fn is_own(&self, visit: &Visit) -> bool {
        let Flow::Machine(machine) = &self.plan.flow else { return false };
        machine.states.get(visit.step as usize).is_none_or(|state| state.own)
    }

    /// The name of a state.
    pub(super) fn name(&self, step: u32) -> &str {
        self.plan.steps.get(step as usize).map_or("", |step| step.id.as_str())
    }

    /// An object of named data.
    pub(super) fn object(&self, fields: &Fields) -> Map<String, Value> {
        fields.iter().map(|(name, data)| (name.clone(), (self.value)(data))).collect()
    }

    /// The tool of a state.
    pub(super) fn tool(&self, visit: &Visit) -> Value {
        match visit.inputs.get(TOOL) {
            Some(tool) => (self.value)(tool),
            None => {
                self.plan.steps.get(visit.step as usize).map_or(Value::Null, |step| step.kind.as_str().into())
            }
        }
    }

    /// The parameters that a tool was given.
    pub(super) fn params(&self, visit: &Visit) -> Value {
        let tool = self.tool(visit);
        if tool == RUN_WORKFLOW {
            let mut params = self.object(&visit.inputs);
            let written = self.plan.notes.get("nested").and_then(|all| all.get(self.name(visit.step)));
            match written {
                Some(written) => params.insert("workflow_definition".to_owned(), written.clone()),
                None => params.insert("workflow_name".to_owned(), json!(visit.workflow)),
            };
            return Value::Object(params);
        }
        let mut params = visit.inputs.get(PARAMS).map_or_else(|| json!({}), |params| (self.value)(params));
        let session = visit.inputs.get(SESSION).map_or(Value::Null, |session| (self.value)(session));
        if let (Value::Object(params), false) = (&mut params, session.is_null()) {
            params.entry(SESSION_ID).or_insert(session);
        }
        params
    }

    /// When a state was left, or the run was closed in it.
    pub(super) fn end_of(&self, visit: &Visit) -> Option<u64> {
        visit.ended.or(self.log.until)
    }

    /// What came of a state. Fields that begin with a line are nobody's business.
    pub(super) fn result(&self, visit: &Visit) -> Map<String, Value> {
        if visit.ended.is_none() {
            let why = error_of(self.log.outcome.as_ref());
            return Map::from_iter([("success".to_owned(), false.into()), ("error".to_owned(), json!(why))]);
        }
        let mut result = self.object(&visit.result);
        result.retain(|name, _| !name.starts_with('_'));
        result
    }

    /// The variables that were given at the start, as text.
    pub(super) fn first_variables(&self) -> Map<String, Value> {
        let given = self.inputs.get(INITIAL_VARIABLES).map(|given| (self.value)(given));
        let Some(Value::Object(given)) = given else { return Map::new() };
        let said = given.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| match value {
            Value::String(text) => (name, text.into()),
            other => (name, other.to_string().into()),
        });
        said.collect()
    }

    /// All variables at the end.
    pub fn final_variables(&self) -> Map<String, Value> {
        let mut variables = self.first_variables();
        let changed = self.log.variables();
        variables.extend(changed.into_iter().map(|(name, data)| (name.to_owned(), (self.value)(data))));
        variables
    }

    /// The log.
    pub fn entries(&self) -> Vec<Value> {
        let (mut variables, mut bytes) = (self.first_variables(), 0);
        let told = self.visits().filter(|visit| visit.ended.is_some() || self.log.until.is_some());
        told.map(|visit| {
            variables.extend(self.object(&visit.variables));
            let entry = self.entry(visit, variables.clone());
            bounded(entry, &mut bytes)
        })
        .collect()
    }

    fn entry(&self, visit: &Visit, variables: Map<String, Value>) -> Value {
        json!({
            "state": self.name(visit.step),
            "tool": self.tool(visit),
            "params": self.params(visit),
            "result": self.result(visit),
            "variables_after": variables,
            "elapsed_time": seconds(visit.began, self.end_of(visit)),
            "timestamp": iso(self.end_of(visit).unwrap_or(visit.began)),
        })
    }
}

/// How many seconds are between two times.
pub(super) fn seconds(from: u64, to: Option<u64>) -> f64 {
    to.unwrap_or(from).saturating_sub(from) as f64 / 1_000.0
}

/// An entry, with its long texts cut where the log is long already.
pub(super) fn bounded(mut entry: Value, bytes: &mut usize) -> Value {
    if *bytes > LOG_BYTES_MAX {
        shorten(&mut entry);
    }
    *bytes += entry.to_string().len();
    entry
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > SHORT_BYTES_MAX => {
            let cut = text.len() - text.floor_char_boundary(SHORT_BYTES_MAX);
            text.truncate(text.floor_char_boundary(SHORT_BYTES_MAX));
            text.push_str(&format!(" [cut: {cut} more bytes]"));
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}
