//! A text in parts: what stands there as it is, and what is evaluated. For texts whose values must not become part of them.

use super::token::{Piece, Scanner};
use std::ops::Range;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Text, as it is.
    Text(Range<usize>),
    /// `{{ ... }}`: all of it, and what stands between the braces.
    Value { at: Range<usize>, inside: Range<usize> },
    /// `{% ... %}`: text that depends on something, or is repeated.
    Statement(Range<usize>),
}

/// Takes a text apart. Comments are left out, and so is the space that `{{-` and `-}}` take away. What is never closed ends the
/// text: it is told elsewhere.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for piece in Scanner::new(text) {
        let (at, part) = match piece {
            Piece::Open(..) => return parts,
            Piece::Passed { at, is_raw: false } => (at, None),
            Piece::Passed { at, is_raw: true } => (at.clone(), Some(Part::Statement(at))),
            Piece::Tag(tag) if tag.is_statement => (tag.at.clone(), Some(Part::Statement(tag.at))),
            Piece::Tag(tag) => (tag.at.clone(), Some(Part::Value { at: tag.at, inside: tag.inside })),
        };
        let before = &text[from..at.start];
        let trims = text[at.start + 2..].starts_with('-');
        push(&mut parts, from..from + if trims { before.trim_end().len() } else { before.len() });
        parts.extend(part);
        from = at.end;
        if text[..at.end - 2].ends_with('-') {
            from += text[from..].len() - text[from..].trim_start().len();
        }
    }
    push(&mut parts, from..text.len());
    parts
}

fn push(parts: &mut Vec<Part>, text: Range<usize>) {
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let told = |part| match part {
            Part::Text(at) => format!("text {}", &text[at]),
            Part::Value { at, inside } => format!("value {} of {}", text[inside].trim(), &text[at]),
            Part::Statement(at) => format!("statement {}", &text[at]),
        };
        parts(text).into_iter().map(told).collect()
    }

    #[test]
    fn a_text_is_taken_apart() {
        assert_eq!(told("echo hello"), ["text echo hello"]);
        assert_eq!(
            told("a {{ x }}b{{ '}}' }}"),
            ["text a ", "value x of {{ x }}", "text b", "value '}}' of {{ '}}' }}"]
        );
        assert_eq!(told("a {# {{ no }} #}b"), ["text a ", "text b"]);
        assert_eq!(
            told("{% if x %}a{% endif %}"),
            ["statement {% if x %}", "text a", "statement {% endif %}"]
        );
        assert_eq!(
            told("a{% raw %}{{ b }}{% endraw %}"),
            ["text a", "statement {% raw %}{{ b }}{% endraw %}"]
        );
    }

    #[test]
    fn space_is_taken_away_where_it_says_so() {
        assert_eq!(told("a  {{- x -}}  b"), ["text a", "value x of {{- x -}}", "text b"]);
        assert_eq!(told("a {#- no -#} b"), ["text a", "text b"]);
        assert_eq!(told(" {{- x }}"), ["value x of {{- x }}"]);
        assert_eq!(
            told("{{ -x }} {{ 1 - 2 }}"),
            ["value -x of {{ -x }}", "text  ", "value 1 - 2 of {{ 1 - 2 }}"]
        );
    }

    #[test]
    fn what_is_never_closed_ends_it() {
        assert_eq!(told("a {{ x }} {{ b"), ["text a ", "value x of {{ x }}"]);
    }
}
