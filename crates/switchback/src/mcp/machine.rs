//! State machines as their tools know them: what a call wants, where its definition comes from, and what is told when its run is
//! over. The run itself keeps its definition.

use super::arguments::Arguments;
use super::problem::Problem;
use super::runs;
use super::visit::Visit;
use engine::dialects::ReadOptions;
use engine::dialects::diagnostic::{Diagnostic, Severity};
use engine::dialects::states::view::Answer;
use engine::dialects::states::{
    EXECUTION_TIMEOUT, Entry, INITIAL_VARIABLES, KEEP_SESSIONS, MAX_STATES, SAVE_ON_SUCCESS, SECONDS, STATES,
    VARIABLE_BYTES_MAX, path, tools::SESSION_ID,
};
use engine::dialects::text::Source as Text;
use engine::kept::Kept;
use engine::kernel::plan::Dialect;
use engine::kernel::{Outcome, Plan, RunId};
use engine::library::{Order, Reading, read_text};
use engine::store::Reader;
use engine::view::Machine;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::sync::Arc;

const NEITHER: &str = "Either 'workflow_definition' or 'workflow_name' must be provided";
const BOTH: &str = "Provide either 'workflow_definition' OR 'workflow_name', not both";

/// What a call wants.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    definition: Option<Value>,
    name: Option<String>,
    session: Option<String>,
    saves: bool,
    given: JsonObject,
}

/// Where a definition comes from.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Its plan.
    pub(super) plan: Arc<Plan>,
    /// The plans of what it calls.
    pub(super) pinned: Vec<Arc<Plan>>,
    warnings: Vec<String>,
}

impl Wanted {
    /// Reads the arguments; an error is the sentence of the answer.
    pub(super) fn of(arguments: &Arguments) -> Result<Wanted, String> {
        let given = arguments.as_given();
        let definition = given.get("workflow_definition").cloned().map(from_text);
        let text = |name: &str| given.get(name).and_then(Value::as_str).map(str::to_owned);
        let name = text("workflow_name");
        match (&definition, &name) {
            (None, None) => return Err(NEITHER.to_owned()),
            (Some(_), Some(_)) => return Err(BOTH.to_owned()),
            (Some(definition), None) if !definition.is_object() => {
                return Err("'workflow_definition' must be an object".to_owned());
            }
            _ => {}
        }
        check(given)?;
        let saves = given.get(SAVE_ON_SUCCESS).and_then(Value::as_bool).unwrap_or(true);
        let given = given.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Wanted { definition, name, session: text(SESSION_ID), saves, given })
    }

    /// The name of the workflow.
    pub(super) fn name(&self) -> &str {
        let inline = || self.definition.as_ref()?.get("name")?.as_str();
        self.name.as_deref().or_else(inline).unwrap_or_default()
    }

    /// Whether the call brings its definition along.
    pub(super) fn is_brought(&self) -> bool {
        self.definition.is_some()
    }

    /// The word for a failure that has nothing to do with states.
    pub(super) fn broken(&self) -> &'static str {
        if self.session.is_some() { "execution_error" } else { "error" }
    }

    /// What the run is given. A workflow of another dialect takes the variables as its inputs.
    pub(super) fn inputs(&self, plan: &Plan) -> JsonObject {
        let mut variables =
            self.given.get(INITIAL_VARIABLES).and_then(Value::as_object).cloned().unwrap_or_default();
        if plan.dialect != Dialect::States {
            return variables;
        }
        if let Some(session) = &self.session {
            variables.entry(SESSION_ID).or_insert_with(|| session.clone().into());
        }
        let names = [MAX_STATES, EXECUTION_TIMEOUT, SESSION_ID, KEEP_SESSIONS];
        let said = names.iter().filter_map(|name| Some(((*name).to_owned(), self.given.get(*name)?.clone())));
        let saves =
            (self.saves && self.definition.is_some()).then(|| (SAVE_ON_SUCCESS.to_owned(), true.into()));
        said.chain(saves).chain([(INITIAL_VARIABLES.to_owned(), Value::Object(variables))]).collect()
    }
}

/// Some clients send objects as text.
pub(super) fn from_text(value: Value) -> Value {
    match value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()) {
        Some(read) if read.is_object() => read,
        _ => value,
    }
}

/// Whether bounds and variables are what they may be.
fn check(given: &JsonObject) -> Result<(), String> {
    let (states_min, states_max) = STATES;
    let (seconds_min, seconds_max) = SECONDS;
    let good = |name: &str, fits: &dyn Fn(&Value) -> bool| given.get(name).is_none_or(fits);
    if !good(MAX_STATES, &|value| {
        value.as_u64().is_some_and(|count| (states_min..=states_max).contains(&count))
    }) {
        return Err(format!("'{MAX_STATES}' must be a whole number from {states_min} to {states_max}"));
    }
    if !good(EXECUTION_TIMEOUT, &|value| {
        value.as_f64().is_some_and(|time| (seconds_min..=seconds_max).contains(&time))
    }) {
        return Err(format!(
            "'{EXECUTION_TIMEOUT}' must be a number of seconds from {seconds_min:?} to {seconds_max:?}"
        ));
    }
    for name in [SAVE_ON_SUCCESS, KEEP_SESSIONS] {
        if !good(name, &|value| value.is_boolean() || value.is_null()) {
            return Err(format!("'{name}' must be true or false"));
        }
    }
    let is_plain = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
    let is_map = |value: &Value| value.as_object().is_some_and(|map| map.values().all(is_plain));
    if !good(INITIAL_VARIABLES, &is_map) {
        return Err(format!(
            "'{INITIAL_VARIABLES}' must be an object whose values are texts, numbers or truth values"
        ));
    }
    let given = given.get(INITIAL_VARIABLES).and_then(Value::as_object);
    let mut sizes =
        given.into_iter().flatten().filter_map(|(name, value)| Some((name, value.as_str()?.len())));
    if let Some((name, bytes)) = sizes.find(|(_, bytes)| *bytes as u64 > VARIABLE_BYTES_MAX) {
        return Err(format!(
            "'{INITIAL_VARIABLES}.{}' has {bytes} bytes; at most {VARIABLE_BYTES_MAX} can be a variable: write it to a file and give its name",
            super::problem::said(name)
        ));
    }
    Ok(())
}

/// What is kept in the folder of a client.
pub(super) fn kept(visit: &Visit) -> Kept {
    Kept::of(&visit.client.workspace)
}

/// The definition that a call wants, or the word and the sentence of the answer.
pub(super) fn find(visit: &Visit, wanted: &Wanted) -> Result<Source, (&'static str, String)> {
    let source = match &wanted.definition {
        Some(definition) => inline(definition).map_err(|why| ("error", why))?,
        None => named(visit, wanted)?,
    };
    let has_contract = source.plan.notes.contains_key("contract");
    if has_contract && wanted.session.is_none() {
        let name = &source.plan.name;
        return Err((
            "error",
            format!("Workflow '{name}' has a contract: the parameter 'session_id' must be provided"),
        ));
    }
    Ok(source)
}

fn inline(definition: &Value) -> Result<Source, String> {
    let text = serde_json::to_string_pretty(definition).map_err(|error| error.to_string())?;
    let options = ReadOptions { states: Entry::Inline, ..ReadOptions::default() };
    let reading = read_text(Text::new("workflow_definition", text), options);
    let warnings = doubts(&reading);
    match reading.plan {
        Some(plan) => Ok(Source { plan, pinned: reading.pinned, warnings }),
        None => Err(wrong(&reading)),
    }
}

fn named(visit: &Visit, wanted: &Wanted) -> Result<Source, (&'static str, String)> {
    let name = wanted.name();
    let in_session = wanted.session.is_some();
    let library =
        visit.library_of(Order::States).map_err(|problem| (wanted.broken(), problem.to_string()))?;
    let Ok(found) = library.find(name) else {
        let (names, shown) = (kept(visit).names().join(", "), super::problem::said(name));
        return Err(match in_session {
            true => {
                ("workflow_not_found", format!("Workflow '{shown}' not found. Available workflows: {names}"))
            }
            false => ("error", format!("Workflow '{shown}' not found. Available: {names}")),
        });
    };
    let warnings = doubts(&found.reading);
    match &found.reading.plan {
        Some(plan) => Ok(Source { plan: Arc::clone(plan), pinned: found.reading.pinned.clone(), warnings }),
        None => {
            let why = wrong(&found.reading);
            let word = if in_session { "definition_invalid" } else { "error" };
            Err((word, format!("Workflow definition validation failed: {why}")))
        }
    }
}

/// Mistakes that are told by their own sentence alone: it names the place already.
const SENTENCES: [&str; 7] =
    ["unknown-state", "both-ways", "bad-variable", "unknown-tool", "bad-name", "neither-given", "both-given"];

/// Whether a mistake is told by its own sentence alone.
pub(super) fn is_a_sentence(mistake: &Diagnostic) -> bool {
    SENTENCES.contains(&mistake.code)
}

/// What is said of a mistake in the form of a definition: what, what may be meant, and where.
pub(super) fn of_form(source: &Text, mistake: &Diagnostic) -> String {
    let what = format!("{} at path: {}", mistake.message, path(source, mistake));
    let told = [Some(&what), mistake.label.as_ref(), mistake.hint.as_ref()];
    told.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("; ")
}

/// What is wrong with a definition, in one line.
fn wrong(reading: &Reading) -> String {
    let errors = reading.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let told = errors.map(|one| match is_a_sentence(one) {
        true => one.message.clone(),
        false => of_form(&reading.source, one),
    });
    told.collect::<Vec<_>>().join("; ")
}

/// What is doubtful in a definition.
fn doubts(reading: &Reading) -> Vec<String> {
    let some = reading.diagnostics.iter().filter(|one| one.severity == Severity::Warning);
    some.map(|one| one.message.clone()).collect()
}

/// Tells what came of a run.
pub(super) fn tell(
    visit: &Visit,
    reader: &Reader,
    run: &RunId,
    wanted: &Wanted,
    source: &Source,
) -> Result<Value, Problem> {
    let machine = Machine::load(reader, run).map_err(runs::not_loaded)?;
    let machine = machine.ok_or_else(|| Problem::new("unknown-run", format!("there is no run {run}")))?;
    let (in_session, warnings) = (wanted.session.is_some(), source.warnings.clone());
    let mut told = machine.answer(reader, Answer { in_session, available: kept(visit).names(), warnings });
    if machine.plan.dialect != Dialect::States {
        told["outputs"] = match &machine.log.outcome {
            Some(Outcome::Succeeded { outputs }) => json!(outputs),
            _ => Value::Null,
        };
    }
    Ok(told)
}
