//! Texts with `{{ }}`: which parts are text, and which are JavaScript.
//!
//! JavaScript has braces of its own, so that the end of an expression cannot be told by looking for `}}`: it is the first
//! one up to which the text is an expression.

use super::parse::{Fault, Piped, Script, expression};
use std::ops::Range;

/// The ends that are tried for one expression.
const ENDS_MAX: usize = 32;

/// The expressions that one text may have.
const EXPRESSIONS_MAX: usize = 200;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Text as it is.
    Text(Range<usize>),
    /// An expression.
    Code {
        /// Where it stands with its braces.
        at: Range<usize>,
        /// Where the expression itself stands, without blanks around it.
        inside: Range<usize>,
        /// What it is; places in it are counted from where it begins.
        script: Script,
        /// The filter that it is given to.
        filter: Option<Filter>,
    },
}

/// The filters that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filter {
    /// Makes a key of a path.
    PathToKey,
}

/// Whether a text has something to evaluate.
pub(crate) fn is_code(text: &str) -> bool {
    text.contains("{{")
}

/// The one expression that is all of a text, blanks around it aside.
pub(crate) fn whole(parts: &[Part], text: &str) -> Option<usize> {
    let is_blank = |part: &Part| matches!(part, Part::Text(at) if text[at.clone()].trim().is_empty());
    let mut meant = parts.iter().enumerate().filter(|(_, part)| !is_blank(part));
    match (meant.next(), meant.next()) {
        (Some((index, Part::Code { .. })), None) => Some(index),
        _ => None,
    }
}

/// Takes a text apart; of what is wrong the first.
pub(crate) fn parts(text: &str) -> Result<Vec<Part>, Fault> {
    let (mut parts, mut from, mut count) = (Vec::new(), 0, 0);
    while let Some(open) = text[from..].find("{{").map(|at| from + at) {
        count += 1;
        if count > EXPRESSIONS_MAX {
            let message = format!("a text has at most {EXPRESSIONS_MAX} expressions");
            return Err(Fault { message, is_own: true, at: open..open + 2 });
        }
        if open > from {
            parts.push(Part::Text(from..open));
        }
        let part = code(text, open)?;
        if let Part::Code { at, .. } = &part {
            from = at.end;
        }
        parts.push(part);
    }
    if from < text.len() {
        parts.push(Part::Text(from..text.len()));
    }
    Ok(parts)
}

/// The expression whose braces open here.
fn code(text: &str, open: usize) -> Result<Part, Fault> {
    let start = open + 2;
    let mut first = None;
    for end in text[start..].match_indices('}').map(|(at, _)| start + at).take(ENDS_MAX * 4) {
        if !text[end..].starts_with("}}") {
            continue;
        }
        let inside = trimmed(text, start..end);
        match expression(&text[inside.clone()]) {
            Ok(mut script) => {
                let filter = filter(&mut script, &inside)?;
                return Ok(Part::Code { at: open..end + 2, inside, script, filter });
            }
            Err(fault) => first = first.or(Some((fault, inside))),
        }
    }
    Err(match first {
        None => Fault { message: "`{{` is never closed".to_owned(), is_own: true, at: open..start },
        Some((_, inside)) if inside.is_empty() => Fault {
            message: "there is nothing between `{{` and `}}`".to_owned(),
            is_own: true,
            at: open..start,
        },
        Some((fault, inside)) => {
            let at = |place: usize| (inside.start + place).min(inside.end);
            Fault { at: at(fault.at.start)..at(fault.at.end), ..fault }
        }
    })
}

fn trimmed(text: &str, at: Range<usize>) -> Range<usize> {
    let inside = &text[at.clone()];
    let start = at.start + inside.len() - inside.trim_start().len();
    start..start + inside.trim().len()
}

/// The filter that an expression is given to: its name is then no name from outside.
fn filter(script: &mut Script, inside: &Range<usize>) -> Result<Option<Filter>, Fault> {
    let Some(Piped { right, name, called, .. }) = script.piped.clone() else { return Ok(None) };
    if name == "path_to_key" && !called {
        script.names.retain(|name| name.at.start != right.start);
        return Ok(Some(Filter::PathToKey));
    }
    const FOREIGN: [&str; 24] = [
        "abs",
        "capitalize",
        "count",
        "default",
        "escape",
        "first",
        "int",
        "join",
        "json",
        "keys",
        "last",
        "length",
        "list",
        "lower",
        "map",
        "replace",
        "reverse",
        "round",
        "sort",
        "string",
        "tojson",
        "trim",
        "upper",
        "path_to_key",
    ];
    if !called && !FOREIGN.contains(&name.as_str()) {
        return Ok(None);
    }
    let message = format!(
        "no filter is called `{name}`: `path_to_key` is the only one, and takes nothing beside its value"
    );
    Err(Fault { message, is_own: true, at: inside.start + right.start..inside.start + right.end })
}
