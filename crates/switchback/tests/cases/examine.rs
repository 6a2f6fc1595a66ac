//! Holds one answer against what a step expects of it.

use regex::Regex;
use serde_json::Value;

use crate::case::{Check, Source};
use crate::matching::{Mismatch, differences};
use crate::names::Names;
use crate::pattern::Pattern;
use crate::process::Answer;
use crate::workspace::Workspace;

/// Compares answers with expectations and gathers what differs.
pub(crate) struct Examiner<'a> {
    names: &'a Names,
    workspace: &'a Workspace,
    pub(crate) mismatches: Vec<Mismatch>,
    /// The content of the files that differ.
    pub(crate) files: Vec<(String, String)>,
}

impl<'a> Examiner<'a> {
    pub(crate) fn new(names: &'a Names, workspace: &'a Workspace) -> Self {
        Self { names, workspace, mismatches: Vec::new(), files: Vec::new() }
    }

    /// Compares everything a step names. Without an expected exit code it must be `exit`.
    pub(crate) fn answer(&mut self, check: &Check, answer: &Answer, exit: &Value) -> Result<(), String> {
        self.hold("exit", check.exit.as_ref().unwrap_or(exit), Some(&answer.end.to_json()))?;
        if let Some(expected) = &check.stdout {
            self.hold("stdout", expected, Some(&answer.stdout.as_str().into()))?;
        }
        if let Some(expected) = &check.stderr {
            self.hold("stderr", expected, Some(&answer.stderr.as_str().into()))?;
        }
        if let Some(expected) = &check.json {
            self.document(expected, &answer.stdout)?;
        }
        check.files.iter().try_for_each(|(path, expected)| self.file(path, expected))
    }

    fn document(&mut self, expected: &Value, stdout: &str) -> Result<(), String> {
        match serde_json::from_str(stdout) {
            Ok(document) => self.hold("json", expected, Some(&document)).map(drop),
            Err(error) => {
                let expected = "one JSON document on stdout".to_owned();
                self.mismatches.push(Mismatch { at: "json".to_owned(), expected, got: error.to_string() });
                Ok(())
            }
        }
    }

    fn file(&mut self, path: &str, expected: &Value) -> Result<(), String> {
        let content = self.workspace.read(path).map_err(|error| error.to_string())?;
        let value = content.clone().map(Value::String);
        if !self.hold(&format!("file {path}"), expected, value.as_ref())? {
            self.files.extend(content.map(|content| (path.to_owned(), content)));
        }
        Ok(())
    }

    /// Returns whether the expectation holds. The error says that it is none.
    fn hold(&mut self, at: &str, expected: &Value, got: Option<&Value>) -> Result<bool, String> {
        let new = differences(at, &Pattern::read(expected, self.names)?, got);
        let holds = new.is_empty();
        self.mismatches.extend(new);
        Ok(holds)
    }
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
