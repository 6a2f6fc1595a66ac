//! Holds one answer against what a step expects of it.

use regex::Regex;
use serde_json::Value;

use crate::case::{Check, Source};
use crate::matching::{Mismatch, differences};
use crate::names::Names;
use crate::pattern::Pattern;
use crate::process::Answer;
use crate::workspace::Workspace;

/// What is not as expected, and the content of the files it concerns.
#[derive(Default)]
pub(crate) struct Finding {
    pub(crate) mismatches: Vec<Mismatch>,
    pub(crate) files: Vec<(String, String)>,
}

/// Compares everything a step names. Without an expected exit code it must be `exit`.
pub(crate) fn answer(
    check: &Check,
    answer: &Answer,
    exit: Value,
    names: &Names,
    workspace: &Workspace,
) -> Result<Finding, String> {
    let mut found = Finding::default();
    let mut hold = |at: &str, expected: &Value, got: Option<&Value>| -> Result<bool, String> {
        let new = differences(at, &Pattern::read(expected, names)?, got);
        let differs = !new.is_empty();
        found.mismatches.extend(new);
        Ok(differs)
    };
    hold("exit", check.exit.as_ref().unwrap_or(&exit), Some(&answer.end.to_json()))?;
    if let Some(expected) = &check.stdout {
        hold("stdout", expected, Some(&answer.stdout.as_str().into()))?;
    }
    if let Some(expected) = &check.stderr {
        hold("stderr", expected, Some(&answer.stderr.as_str().into()))?;
    }
    for (path, expected) in &check.files {
        let content = workspace.read(path).map_err(|error| error.to_string())?;
        let value = content.clone().map(Value::String);
        if hold(&format!("file {path}"), expected, value.as_ref())? {
            found.files.extend(content.map(|content| (path.clone(), content)));
        }
    }
    match (&check.json, serde_json::from_str::<Value>(&answer.stdout)) {
        (None, _) => {}
        (Some(expected), Ok(document)) => {
            hold("json", expected, Some(&document))?;
        }
        (Some(_), Err(error)) => found.mismatches.push(Mismatch {
            at: "json".to_owned(),
            expected: "one JSON document on stdout".to_owned(),
            got: error.to_string(),
        }),
    }
    Ok(found)
}

/// Returns the value to remember, or nothing if the answer does not have it.
pub(crate) fn remembered(source: &Source, answer: &Answer) -> Option<Value> {
    match source {
        Source::Json(pointer) => {
            let document: Value = serde_json::from_str(&answer.stdout).ok()?;
            document.pointer(pointer).cloned()
        }
        Source::Stdout(regex) => group(regex, &answer.stdout),
        Source::Stderr(regex) => group(regex, &answer.stderr),
    }
}

/// Returns the first group, or the whole match of an expression without groups.
fn group(regex: &str, text: &str) -> Option<Value> {
    let found = Regex::new(regex).ok()?.captures(text)?;
    let part = found.get(1).or_else(|| found.get(0))?;
    Some(part.as_str().into())
}
