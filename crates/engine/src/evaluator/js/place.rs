//! Places: what the engine says, counted back to the source, and from there to the file it was written in.

use super::compile::NAME;
use kernel::plan::Origin;

/// A line and a column in what was compiled, the column in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    line: usize,
    column: usize,
}

/// The first place in the source that a stack names: `at f (expression:3:7)`, or `at expression:3:7`.
pub(super) fn first(stack: &str) -> Option<Place> {
    stack.lines().find_map(|frame| {
        let place = frame.trim_end().trim_end_matches(')').rsplit(['(', ' ']).next()?;
        let (line, column) = place.strip_prefix(NAME)?.strip_prefix(':')?.split_once(':')?;
        Some(Place { line: line.parse().ok()?, column: column.parse().ok()? })
    })
}

/// A place as people are told it: in the file where that is known, else in the source.
pub(super) fn told(place: Option<Place>, source: &str, origin: Option<Origin>) -> String {
    let (line, column) = in_source(place, source);
    let (line, column) = match origin {
        None => (line, column),
        Some(origin) => in_file(line, column, origin, source),
    };
    format!("(line {line}, column {column})")
}

/// The line and the column in characters. What stands before the source or behind it is its beginning or its end.
fn in_source(place: Option<Place>, source: &str) -> (usize, usize) {
    let Some(Place { line, column }) = place.filter(|place| place.line > 1) else { return (1, 1) };
    let lines: Vec<&str> = source.trim_end().split('\n').collect();
    let Some(text) = lines.get(line - 2) else {
        let last = lines.last().copied().unwrap_or_default();
        return (lines.len(), last.trim_end_matches('\r').chars().count() + 1);
    };
    let before = &text[..text.floor_char_boundary(column.saturating_sub(1).min(text.len()))];
    (line - 1, before.chars().count() + 1)
}

/// Where that is in the file. Text with expressions in it was put together, so that only its beginning is known.
fn in_file(line: usize, column: usize, origin: Origin, source: &str) -> (usize, usize) {
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let beginning = (number(origin.line), number(origin.column));
    match (line, origin.indent) {
        (_, None) if source.starts_with('`') => beginning,
        (1, _) => (beginning.0, beginning.1 + column - 1),
        (_, None) => beginning,
        (_, Some(indent)) => (beginning.0 + line - 1, number(indent) + column - 1),
    }
}
