//! Parses a piece of JavaScript: an expression or, where it is none, the body of a function.

use super::SOURCE_BYTES_MAX;
use super::names::{self, Name};
use oxc_allocator::Allocator;
use oxc_ast::ast::Expression;
use oxc_ast_visit::VisitJs;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType};
use std::ops::Range;

/// The stack that one byte of a text can need: a byte is at most one level, as in `!!!!x`.
const STACK_BYTES_PER_BYTE: usize = 8 * 1024;

/// The stack that any text needs.
const STACK_BYTES: usize = 128 * 1024;

/// What a piece of JavaScript is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// An expression.
    Expression,
    /// The body of a function, which returns something.
    Body,
}

/// A piece of JavaScript that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    /// What it is.
    pub(crate) form: Form,
    /// The names that it takes from outside, in the order written.
    pub(crate) names: Vec<Name>,
    /// Whether it asks for the time.
    pub(crate) clock: bool,
    /// Whether all of it is `left | right`: where `right` stands, and whether that is a bare name.
    pub(crate) piped: Option<Piped>,
}

/// What looks like a filter of another language: a value, a bar, and a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piped {
    /// Where the value stands.
    pub(crate) left: Range<usize>,
    /// Where the name stands.
    pub(crate) right: Range<usize>,
    /// The name.
    pub(crate) name: String,
    /// Whether something is given to it, as in `join(', ')`.
    pub(crate) called: bool,
}

/// Why a text is no JavaScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What is wrong, as the parser says it, or a sentence of our own.
    pub(crate) message: String,
    /// Whether it is a sentence of our own.
    pub(crate) is_own: bool,
    /// Where.
    pub(crate) at: Range<usize>,
}

/// Reads an expression, or else the body of a function.
pub(crate) fn script(text: &str) -> Result<Script, Fault> {
    let fault = match expression(text) {
        Ok(script) => return Ok(script),
        Err(fault) if text.len() > SOURCE_BYTES_MAX => return Err(fault),
        Err(fault) => fault,
    };
    // A semicolon at the end makes no statement of what gives a value.
    let inside = text.trim_end().trim_end_matches(';');
    if inside.len() < text.trim_end().len()
        && let Ok(script) = expression(inside)
    {
        return Ok(script);
    }
    match with_stack(text, || body(text)) {
        Ok(script) => Ok(script),
        Err(other) if looks_like_body(text) => Err(other),
        Err(_) => Err(fault),
    }
}

/// Reads an expression.
pub(crate) fn expression(text: &str) -> Result<Script, Fault> {
    if text.len() > SOURCE_BYTES_MAX {
        let message = format!("this expression has {} bytes, and {SOURCE_BYTES_MAX} are allowed", text.len());
        return Err(Fault { message, is_own: true, at: 0..text.len() });
    }
    with_stack(text, || {
        let allocator = Allocator::new();
        let parser = Parser::new(&allocator, text, SourceType::script()).with_options(options());
        let parsed = parser.parse_expression();
        let expression = parsed.map_err(|errors| fault(errors.iter().next(), text))?;
        let mut reader = names::Reader::default();
        reader.visit_expression(&expression);
        let (names, clock) = reader.finish();
        Ok(Script { form: Form::Expression, names, clock, piped: piped(&expression) })
    })
}

/// Runs something with as much stack as a text of this length can need.
fn with_stack<T>(text: &str, run: impl FnOnce() -> T) -> T {
    let bytes = STACK_BYTES + text.len() * STACK_BYTES_PER_BYTE;
    stacker::maybe_grow(bytes, bytes, run)
}

fn body(text: &str) -> Result<Script, Fault> {
    let allocator = Allocator::new();
    let parsed = Parser::new(&allocator, text, SourceType::script()).with_options(options()).parse();
    if let Some(error) = parsed.diagnostics.errors().next() {
        return Err(fault(Some(error), text));
    }
    let mut reader = names::Reader::default();
    reader.visit_program(&parsed.program);
    let (names, clock) = reader.finish();
    Ok(Script { form: Form::Body, names, clock, piped: None })
}

fn options() -> ParseOptions {
    ParseOptions {
        parse_regular_expression: true,
        allow_return_outside_function: true,
        ..ParseOptions::default()
    }
}

fn fault(error: Option<&oxc_diagnostics::OxcDiagnostic>, text: &str) -> Fault {
    let end = text.len();
    let Some(error) = error else {
        return Fault { message: "it cannot be read".to_owned(), is_own: false, at: 0..end };
    };
    let label = error.labels.iter().next();
    let at = label.map_or(0..end, |label| {
        let start = text.floor_char_boundary(label.offset() as usize);
        start..text.floor_char_boundary(start + label.len() as usize)
    });
    Fault { message: error.message.to_string(), is_own: false, at }
}

/// Whether whoever wrote a text probably meant the body of a function.
fn looks_like_body(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["return", "const", "let", "var", "if", "for", "while", "try", "throw", "switch", "do"];
    let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    let first = words.clone().find(|word| !word.is_empty()).unwrap_or_default();
    WORDS.contains(&first) || words.any(|word| word == "return") && text.contains(';')
}

fn piped(expression: &Expression<'_>) -> Option<Piped> {
    let Expression::BinaryExpression(pair) = expression else { return None };
    if pair.operator.as_str() != "|" {
        return None;
    }
    let (name, called) = match &pair.right {
        Expression::Identifier(name) => (name.name.to_string(), false),
        Expression::CallExpression(call) => match &call.callee {
            Expression::Identifier(name) => (name.name.to_string(), true),
            _ => return None,
        },
        _ => return None,
    };
    let range = |span: oxc_span::Span| span.start as usize..span.end as usize;
    Some(Piped { left: range(pair.left.span()), right: range(pair.right.span()), name, called })
}
