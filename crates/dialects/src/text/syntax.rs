//! What is said when a text cannot be read: the parser's errors in our words, with what to do next.
//!
//! The mistake people make most is an expression without quotes, `if: {{ x }}`. YAML reads the braces as two
//! mappings, so it shows up here in three forms: a mapping as a key, a missing comma, a stray character.

use super::tree::too_deep;
use super::{Kind, Node, Source, Span};
use crate::diagnostic::Diagnostic;
use granit_parser::{ErrorKind, ScanError};
use std::borrow::Cow;

/// Turns a parser's error into a diagnostic.
pub(crate) fn diagnose(source: &Source, error: &ScanError) -> Diagnostic {
    let offset = error.marker().byte_offset().unwrap_or(source.text.len());
    let span = visible(&source.text, offset);
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => return too_deep(source, span),
        ErrorKind::UnknownAnchor => return unknown_anchor(source, offset),
        _ => {}
    }
    if let Some(expression) = bare_expression(&source.text, offset) {
        return unquoted(source, expression);
    }
    let (message, hint) = match error.kind() {
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => colon(&source.text, offset),
        ErrorKind::UnexpectedCharacter { character } if is_control(*character) => control(*character),
        kind => words(kind),
    };
    let diagnostic = Diagnostic::error("bad-yaml", source, span, message);
    match hint {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// What is said of a key that is a list or a mapping; `map` is the mapping that has the key.
pub(crate) fn key_not_text(source: &Source, map: Span, key: &Node) -> Diagnostic {
    if matches!(key.kind, Kind::Map(_)) && source.text[map.start..].starts_with("{{") {
        let line = rest_of_line(&source.text, map.start);
        return unquoted(source, Span::new(map.start, map.start + expression_length(line)));
    }
    let message = format!("a key must be text, and this one is {}", key.kind_name());
    Diagnostic::error("key-not-text", source, key.place(), message)
}

fn unquoted(source: &Source, span: Span) -> Diagnostic {
    let text = source.slice(span);
    let quote = if text.contains('"') { '\'' } else { '"' };
    let message = "an expression that begins with a brace needs quotes".to_owned();
    Diagnostic::error("unquoted-expression", source, span, message)
        .label("YAML reads this as a mapping")
        .hint(format!("quote the expression: {quote}{text}{quote}"))
}

fn unknown_anchor(source: &Source, offset: usize) -> Diagnostic {
    let line = rest_of_line(&source.text, offset);
    let length = line.find([' ', '\t', ',', ']', '}']).unwrap_or(line.len());
    let span = Span::new(offset, offset + length);
    let message = format!("no anchor stands before `{}`", source.slice(span));
    Diagnostic::error("unknown-anchor", source, span, message)
        .hint("a value that begins with `*` repeats an anchor; quote it if it is text")
}

/// Finds an expression without quotes on the line of an error or on the line before it.
fn bare_expression(text: &str, offset: usize) -> Option<Span> {
    let offset = text.floor_char_boundary(offset);
    let line = line_start(text, offset);
    let previous = line_start(text, line.saturating_sub(1));
    [line, previous].into_iter().find_map(|start| {
        let content = rest_of_line(text, start);
        let begin = value_start(content);
        let value = &content[begin..];
        let is_bare = value.starts_with("{{") || value.starts_with("{%");
        is_bare.then(|| Span::new(start + begin, start + begin + expression_length(value)))
    })
}

/// Where the value of a line begins: after the indent, dashes and a key with its colon.
fn value_start(line: &str) -> usize {
    let dashes = line.len() - line.trim_start_matches([' ', '-']).len();
    match line[dashes..].find(": ") {
        Some(colon) => {
            let after = dashes + colon + 1;
            after + (line.len() - after - line[after..].trim_start().len())
        }
        None => dashes,
    }
}

/// How much of a line that begins with an expression belongs to the value: all but a comment.
fn expression_length(line: &str) -> usize {
    let end = line.find(" #").unwrap_or(line.len());
    line[..end].trim_end().len()
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

fn rest_of_line(text: &str, start: usize) -> &str {
    text[start..].lines().next().unwrap_or_default()
}

/// The character at an offset, or, where a line ends, the last one that can be seen before it.
fn visible(text: &str, offset: usize) -> Span {
    let offset = text.floor_char_boundary(offset);
    let at = Span::character(text, offset);
    if text[..offset].ends_with('\t') {
        return Span::new(offset - 1, offset);
    }
    if text[at.start..at.end].trim().is_empty() {
        let before = text[..offset].trim_end();
        if let Some(last) = before.chars().next_back() {
            return Span::new(before.len() - last.len_utf8(), before.len());
        }
    }
    at
}

/// A colon is wrong on its own line, or because of what the line before left open.
fn colon(text: &str, offset: usize) -> (String, Option<Cow<'static, str>>) {
    let offset = text.floor_char_boundary(offset);
    if text[line_start(text, offset)..offset].contains(": ") {
        (
            "a second `: ` cannot stand here".to_owned(),
            Some("quote the value if the colon belongs to it".into()),
        )
    } else {
        let hint = "look at the line before: a colon is missing, or a quote, bracket or brace is not closed";
        ("this key cannot stand here".to_owned(), Some(hint.into()))
    }
}

/// Whether YAML has this character only as an escape.
fn is_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}')
}

fn control(character: char) -> (String, Option<Cow<'static, str>>) {
    let code = character as u32;
    let escape = if code < 0x100 { format!("\\x{code:02x}") } else { format!("\\u{code:04x}") };
    let message = format!("the character U+{code:04X} cannot stand here as it is, not even in quotes");
    (message, Some(format!("take it away, or write it in double quotes as `{escape}`").into()))
}

fn words(kind: &ErrorKind) -> (String, Option<Cow<'static, str>>) {
    use ErrorKind as E;
    match kind {
        E::TabNotAllowed | E::TabInBlockIndentation | E::TabInIndentation | E::TabInPlainScalar => {
            ("a tab cannot indent".to_owned(), Some("indent with spaces".into()))
        }
        E::UnexpectedCharacter { character } => (
            format!("a value cannot begin with `{character}`"),
            Some("quote the value if the character belongs to it".into()),
        ),
        E::UnclosedQuotedScalar | E::InvalidQuotedScalarIndent => {
            ("a quote is opened and not closed".to_owned(), Some("close the quote".into()))
        }
        E::ExpectedBlockMappingKey | E::InvalidIndentation => (
            "a key was expected here".to_owned(),
            Some("check the indentation of this line and of the one before".into()),
        ),
        E::SimpleKeyExpected | E::InvalidSimpleKey => {
            ("a key without its colon".to_owned(), Some("write `key: value` on one line".into()))
        }
        other => (format!("this is not valid YAML: {other}"), None),
    }
}
