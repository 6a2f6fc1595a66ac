//! Reads what a step expects of an answer and what it keeps of it.

use std::time::Duration;

use regex::Regex;

use crate::answer::Part;
use crate::case::{Check, LIMIT_DEFAULT, Source};
use crate::fields::{Fields, number, text};
use crate::names::Names;
use crate::pattern::{Pattern, not_a_regex};
use crate::yaml::{Flaw, Kind, Node};

/// What is asked, as far as the parts of its answer go.
#[derive(Clone, Copy)]
pub(crate) enum Asked {
    Command,
    Request,
    /// Something in the background, which may be either.
    Either,
}

impl Asked {
    fn parts(self) -> &'static [Part] {
        match self {
            Self::Command => &Part::OF_COMMANDS,
            Self::Request => &Part::OF_REQUESTS,
            Self::Either => &Part::ALL,
        }
    }
}

/// Reads how long an answer may take.
pub(crate) fn limit(fields: &mut Fields) -> Result<Duration, Flaw> {
    match fields.take("limit_s") {
        None => Ok(LIMIT_DEFAULT),
        Some(node) => Ok(Duration::from_secs(number(&node, "`limit_s`")?)),
    }
}

/// Reads `expect` and `remember`.
pub(crate) fn check(fields: &mut Fields, asked: Asked) -> Result<Check, Flaw> {
    let mut check = Check::default();
    if let Some(node) = fields.take("expect") {
        let mut expect = Fields::open(node, "`expect`")?;
        for part in asked.parts() {
            if let Some(node) = expect.take(part.word()) {
                check.parts.push((*part, pattern(node)?));
            }
        }
        if let Some(Node { line, kind }) = expect.take("files") {
            let Kind::Map(files) = kind else {
                return Err(Flaw::new(line, "`files` must be a map"));
            };
            for (path, node) in files {
                check.files.push((path.text, pattern(node)?));
            }
        }
        expect.close()?;
    }
    if let Some(node) = fields.take("remember") {
        check.remember = remember(node, asked)?;
    }
    Ok(check)
}

/// Keeps an expectation as data, once it is known to be one.
fn pattern(node: Node) -> Result<serde_json::Value, Flaw> {
    let value = node.to_json();
    match Pattern::read(&value, &Names::unknown()) {
        Ok(_) => Ok(value),
        Err(message) => Err(Flaw::new(node.line, message)),
    }
}

fn remember(node: Node, asked: Asked) -> Result<Vec<(String, Source)>, Flaw> {
    let Kind::Map(names) = node.kind else {
        return Err(Flaw::new(node.line, "`remember` must be a map"));
    };
    names.into_iter().map(|(name, node)| Ok((name.text, source(node, asked)?))).collect()
}

fn source(node: Node, asked: Asked) -> Result<Source, Flaw> {
    let mut fields = Fields::open(node, "what is remembered")?;
    let line = fields.line();
    let kept =
        |part: &&Part| matches!(part, Part::Json | Part::Content | Part::Stdout | Part::Stderr | Part::Text);
    let known: Vec<Part> = asked.parts().iter().filter(kept).copied().collect();
    let found: Vec<(Part, Node)> =
        known.iter().filter_map(|part| Some((*part, fields.take(part.word())?))).collect();
    fields.close()?;
    match found.as_slice() {
        [(part @ (Part::Json | Part::Content), node)] => {
            Ok(Source::Pointer(*part, text(node, "a JSON pointer")?))
        }
        [(part, node)] => Ok(Source::Regex(*part, regex(node)?)),
        _ => {
            let words: Vec<String> = known.iter().map(|part| format!("`{part}`")).collect();
            Err(Flaw::new(line, format!("say one of {}", words.join(", "))))
        }
    }
}

fn regex(node: &Node) -> Result<String, Flaw> {
    let text = text(node, "a regular expression")?;
    match Regex::new(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Flaw::new(node.line, not_a_regex(&text, &error))),
    }
}
