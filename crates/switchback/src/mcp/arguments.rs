//! The arguments of a call: each known, of its type, and within its bounds. `null` means that nothing was given.

use super::problem::{Problem, said, said_value};
use super::tools::Tool;
use crate::settings::CALL_SECONDS_MAX;
use engine::adapters::exact;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The words that mean a workflow, the advertised one first.
pub(super) const WORKFLOW: [&str; 3] = ["workflow", "workflow_name", "name"];

/// The words that mean a run, the advertised one first.
pub(super) const RUN: [&str; 3] = ["workflow_id", "run_id", "run"];

/// Longest key by which a repeated call is recognised.
pub(super) const KEY_BYTES_MAX: usize = 200;

/// What a call was given.
pub(super) struct Arguments {
    tool: &'static str,
    given: JsonObject,
    /// What was said to be nothing.
    nulls: Vec<String>,
}

impl Arguments {
    /// The arguments of a tool; an unknown one is refused.
    pub(super) fn of(tool: &Tool, given: JsonObject) -> Result<Arguments, Problem> {
        let known: Vec<&str> = tool.properties();
        let synonyms = [WORKFLOW, RUN].into_iter().filter(|words| known.contains(&words[0])).flatten();
        let taken: Vec<&str> = known.iter().copied().chain(synonyms).collect();
        if let Some(unknown) = given.keys().find(|name| !taken.contains(&name.as_str())) {
            let error = format!("{} has no argument `{}`", tool.name, said(unknown));
            return Err(Problem::new("unknown-argument", error)
                .options(known)
                .near(unknown)
                .help(format!("Call {} again without it", tool.name)));
        }
        let (given, nulls): (JsonObject, JsonObject) =
            given.into_iter().partition(|(_, value)| !value.is_null());
        let nulls = nulls.into_iter().map(|(name, _)| name).collect();
        Ok(Arguments { tool: tool.name, given, nulls })
    }

    /// The workflow that is meant.
    pub(super) fn workflow(&self) -> Result<String, Problem> {
        let found = self.one_of(WORKFLOW)?;
        found.ok_or_else(|| {
            let error = format!("{} needs the argument `workflow`: the name of a workflow", self.tool);
            Problem::new("missing-argument", error)
                .help("Use list_workflows() to see all available workflows")
        })
    }

    /// The run that is meant, or a beginning of its id.
    pub(super) fn run(&self) -> Result<Option<String>, Problem> {
        self.one_of(RUN)
    }

    /// The one text among words that mean the same.
    fn one_of(&self, words: [&str; 3]) -> Result<Option<String>, Problem> {
        let mut found: Option<String> = None;
        for word in words {
            let Some(text) = self.text(word)?.map(str::trim).filter(|text| !text.is_empty()) else {
                continue;
            };
            if found.as_deref().is_some_and(|other| other != text) {
                let error = format!("{} mean the same, and were given differently", words.join(", "));
                return Err(self.wrong(words[0], error));
            }
            found = Some(text.to_owned());
        }
        Ok(found)
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        match self.given.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.mistyped(name, "a text", other)),
        }
    }

    /// Any value.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.given.get(name)
    }

    /// Whether nothing was given on purpose, where nothing is a value too.
    pub(super) fn is_null(&self, name: &str) -> bool {
        self.nulls.iter().any(|null| null == name)
    }

    /// The tool that is called.
    pub(super) const fn tool(&self) -> &'static str {
        self.tool
    }

    /// All that was given.
    pub(super) const fn as_given(&self) -> &JsonObject {
        &self.given
    }

    /// A number from one on.
    pub(super) fn number(&self, name: &str) -> Result<Option<u32>, Problem> {
        let Some(value) = self.given.get(name) else { return Ok(None) };
        let number =
            value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
        number.map(Some).ok_or_else(|| self.mistyped(name, "a whole number from 1 on", value))
    }

    /// A number from zero on.
    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, Problem> {
        let Some(value) = self.given.get(name) else { return Ok(None) };
        value.as_u64().map(Some).ok_or_else(|| self.mistyped(name, "a whole number from 0 on", value))
    }

    /// Yes or no.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.given.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.mistyped(name, "true or false", other)),
        }
    }

    /// One of some words.
    pub(super) fn choice(&self, name: &str, words: &[&'static str]) -> Result<Option<&'static str>, Problem> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => {
                let error = format!("`{name}` is one of {}, not `{}`", words.join(", "), said(text));
                Err(self.wrong(name, error).options(words.iter().copied()).near(text))
            }
        }
    }

    /// How many seconds the call may wait, if that was said.
    pub(super) fn wait_seconds(&self) -> Result<Option<u64>, Problem> {
        let Some(value) = self.given.get("wait_seconds") else { return Ok(None) };
        let whole = value.as_f64().filter(|number| number.fract() == 0.0);
        match whole.filter(|number| (0.0..=CALL_SECONDS_MAX as f64).contains(number)) {
            Some(number) => Ok(Some(number as u64)),
            None => {
                let kind = format!("a whole number from 0 to {CALL_SECONDS_MAX}");
                Err(self.mistyped("wait_seconds", &kind, value))
            }
        }
    }

    /// The inputs of a run. Some clients send objects as text.
    pub(super) fn inputs(&self) -> Result<JsonObject, Problem> {
        let read = |text: &str| serde_json::from_str::<JsonObject>(text).ok();
        match self.given.get("inputs") {
            None => Ok(JsonObject::new()),
            Some(Value::Object(inputs)) => Ok(inputs.clone()),
            Some(Value::String(text)) if let Some(inputs) = read(text) => match exact(text) {
                Ok(_) => Ok(inputs),
                Err(why) => {
                    let error = format!("`inputs` cannot be taken as they stand there: {why}");
                    Err(self.wrong("inputs", error))
                }
            },
            Some(other) => Err(self.mistyped("inputs", "an object with a value for each input", other)),
        }
    }

    /// The key by which a repeated call is recognised.
    pub(super) fn request_key(&self) -> Result<Option<&str>, Problem> {
        let key = self.text("request_key")?;
        match key {
            Some(key) if key.is_empty() || key.len() > KEY_BYTES_MAX => {
                let error = format!("`request_key` has 1 to {KEY_BYTES_MAX} bytes, not {}", key.len());
                Err(self.wrong("request_key", error))
            }
            key => Ok(key),
        }
    }

    fn mistyped(&self, name: &str, wanted: &str, got: &Value) -> Problem {
        self.wrong(name, format!("`{name}` must be {wanted}, not {}", said_value(got)))
    }

    fn wrong(&self, name: &str, error: String) -> Problem {
        Problem::new("wrong-argument", error)
            .with("argument", json!(name))
            .help(format!("Call {} again with a `{name}` of that form", self.tool))
    }
}
