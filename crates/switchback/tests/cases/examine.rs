//! Holds one answer against what a step expects of it.

use regex::Regex;
use serde_json::Value;

use crate::answer::{Answer, Part};
use crate::case::{Check, Source};
use crate::matching::{Mismatch, differences};
use crate::names::Names;
use crate::pattern::Pattern;
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

    /// Compares everything a step names, but what `is_held` leaves out, and what must hold although it does not name
    /// it. `exit` is how a command must end; nothing if it may end in any way.
    pub(crate) fn answer(
        &mut self,
        check: &Check,
        answer: &Answer,
        exit: Option<&Value>,
        is_held: &dyn Fn(Part) -> bool,
    ) -> Result<(), String> {
        let said: Vec<Part> = check.parts.iter().map(|(part, _)| *part).collect();
        for (part, expected) in answer.unsaid(&said, exit).iter().chain(&check.parts) {
            if is_held(*part) {
                self.part(*part, expected, answer)?;
            }
        }
        check.files.iter().try_for_each(|(path, expected)| self.file(path, expected))
    }

    fn part(&mut self, part: Part, expected: &Value, answer: &Answer) -> Result<(), String> {
        match answer.part(part) {
            Ok(got) => self.hold(part.word(), expected, got.as_ref()).map(drop),
            Err(error) => {
                let expected = "one JSON document on stdout".to_owned();
                self.mismatches.push(Mismatch { at: part.to_string(), expected, got: error });
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
        Source::Pointer(part, pointer) => answer.part(*part).ok()??.pointer(pointer).cloned(),
        Source::Regex(part, regex) => group(regex, answer.part(*part).ok()??.as_str()?),
    }
}

/// Returns the first group, or the whole match of an expression without groups.
fn group(regex: &str, text: &str) -> Option<Value> {
    let found = Regex::new(regex).ok()?.captures(text)?;
    let part = found.get(1).or_else(|| found.get(0))?;
    Some(part.as_str().into())
}
