//! JavaScript in a definition becomes expressions of the plan: `source` is pure JavaScript, and says what it reads.

use super::names::{APPLIED, Taken};
use super::origin::origin;
use super::reader::Reader;
use crate::js::{self, Fault, Filter, Part, SOURCE_BYTES_MAX, Script};
use crate::mistakes::Place;
use crate::text::Node;
use kernel::plan::{Expr, Foreign, Language, Origin};
use serde_json::Value;
use std::ops::Range;

/// The bytes that a text with expressions may have.
const TEXT_BYTES_MAX: usize = 64 * 1024;

/// What becomes of the value of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum As {
    /// It stays what it is.
    Value,
    /// It becomes text.
    Text,
    /// It becomes true or false.
    Truth,
}

/// A text that was taken apart.
pub(super) struct Apart<'n> {
    /// Where it stands.
    pub(super) node: &'n Node,
    /// The text.
    pub(super) text: &'n str,
    /// Its parts.
    pub(super) parts: Vec<Part>,
}

/// One expression: its source, and what it takes.
pub(super) struct Piece {
    source: String,
    taken: Taken,
    origin: Option<Origin>,
}

impl<'n> Reader<'_, 'n> {
    /// Takes a text apart. What cannot be read is reported.
    pub(super) fn apart(&mut self, node: &'n Node) -> Option<Apart<'n>> {
        let text = node.as_text().unwrap_or_default();
        if js::is_code(text) && text.len() > TEXT_BYTES_MAX {
            self.sheet().error(|sheet| {
                let message = format!(
                    "this text has {} bytes, and {TEXT_BYTES_MAX} are allowed where something is evaluated",
                    text.len()
                );
                let diagnostic = sheet.error("too-large", node.place(), message);
                diagnostic.hint("put its long parts into the state, and let it name them")
            });
            return None;
        }
        if self.sheet().is_full() {
            return None;
        }
        match js::parts(text) {
            Ok(parts) => Some(Apart { node, text, parts }),
            Err(fault) => {
                self.fault(node, 0, &fault);
                None
            }
        }
    }

    /// Reports what is no JavaScript.
    pub(super) fn fault(&mut self, node: &'n Node, from: usize, fault: &Fault) {
        let text = node.as_text().unwrap_or_default();
        // At the end of a text there is nothing to point at but the character before.
        let (mut start, end) = (from + fault.at.start, from + fault.at.end);
        if start >= end.min(text.len()) {
            start =
                text[..start.min(text.len())].trim_end().char_indices().next_back().map_or(0, |(at, _)| at);
        }
        let place = Place { node, range: start..end.max(start + 1).min(text.len()) };
        let message = match fault.is_own {
            true => fault.message.clone(),
            false => format!("this is no JavaScript: {}", lowered(&fault.message)),
        };
        self.sheet().error(|sheet| sheet.error("bad-expression", sheet.locate(&place), message));
    }

    /// Reads a text: a constant, a value that keeps its type where all of it is one expression, or else text.
    pub(super) fn text(&mut self, node: &'n Node, wanted: As) -> Expr {
        let text = node.as_text().unwrap_or_default();
        if !js::is_code(text) {
            return Expr::Const(text.into());
        }
        let Some(apart) = self.apart(node) else { return Expr::Const(Value::Null) };
        self.joined(&apart, 0..apart.parts.len(), wanted)
    }

    /// The expression of some parts of a text.
    pub(super) fn joined(&mut self, apart: &Apart<'n>, range: Range<usize>, wanted: As) -> Expr {
        let parts = &apart.parts[range];
        if let Some(at) = js::whole(parts, apart.text)
            && let Part::Code { inside, script, filter, .. } = &parts[at]
        {
            return self.code(apart.node, inside.clone(), script, *filter, wanted);
        }
        let (mut source, mut taken, mut first) = (String::from("`"), Taken::default(), None);
        for part in parts {
            match part {
                Part::Text(at) => source.push_str(&escaped(&apart.text[at.clone()])),
                Part::Code { inside, script, filter, .. } => {
                    first.get_or_insert(inside.clone());
                    let piece = self.piece(apart.node, inside.clone(), script, *filter, As::Text);
                    source.push_str(&format!("${{{}}}", piece.source));
                    taken.join(piece.taken);
                }
            }
        }
        source.push('`');
        let Some(first) = first else {
            let texts = parts.iter().map(|part| match part {
                Part::Text(at) | Part::Code { at, .. } => &apart.text[at.clone()],
            });
            return Expr::Const(texts.collect::<String>().into());
        };
        // Of text around expressions only the line is told.
        let origin = self.origin(apart.node, first, 0).map(|origin| Origin { indent: None, ..origin });
        let (reads, given) = (taken.reads, taken.given);
        Expr::Foreign(Foreign { language: Language::JavaScript, source, reads, given, origin })
    }

    /// The expression of one piece of JavaScript.
    pub(super) fn code(
        &mut self,
        node: &'n Node,
        inside: Range<usize>,
        script: &Script,
        filter: Option<Filter>,
        wanted: As,
    ) -> Expr {
        let text = &node.as_text().unwrap_or_default()[inside.clone()];
        if let Some(given) = self.only_result(text).filter(|_| wanted == As::Value && filter.is_none()) {
            return given;
        }
        let Piece { source, taken, origin } = self.piece(node, inside, script, filter, wanted);
        let (reads, given) = (taken.reads, taken.given);
        Expr::Foreign(Foreign { language: Language::JavaScript, source, reads, given, origin })
    }

    /// What a step gave, where that is all that is asked for.
    fn only_result(&self, text: &str) -> Option<Expr> {
        use super::names::{RESULT, result};
        use super::reader::Gives;
        match self.site.gives {
            Gives::Result if text == RESULT => Some(result(&[RESULT])),
            Gives::Outputs if text == RESULT => Some(result(&[])),
            _ => None,
        }
    }

    fn piece(
        &mut self,
        node: &'n Node,
        inside: Range<usize>,
        script: &Script,
        filter: Option<Filter>,
        wanted: As,
    ) -> Piece {
        let written = &node.as_text().unwrap_or_default()[inside.clone()];
        let taken = self.taken(node, inside.start, script);
        let mut source = written.to_owned();
        let mut shift = 0;
        if let (Some(Filter::PathToKey), Some(piped)) = (filter, &script.piped) {
            source = format!("path_to_key({})", &source[piped.left.clone()]);
            shift += 12;
        }
        let counts = script.names.iter().any(|name| name.root == APPLIED);
        let is_counted = counts && taken.given.iter().any(|(name, _)| name == super::names::RESULT);
        if is_counted {
            // An agent says how many as a number, or in an object that names it.
            source = format!(
                "(({APPLIED}) => ({source}\n))(result !== null && typeof result === 'object' ? result.{APPLIED} : result)"
            );
        }
        let origin = if is_counted { None } else { Some(()) };
        let (source, more) = match wanted {
            As::Value => (source, 0),
            As::Text => (format!("text({source}{})", ended(written)), 5),
            As::Truth => (format!("!!({source}{})", ended(written)), 3),
        };
        let origin = origin.and_then(|()| self.origin(node, inside, shift + more));
        Piece { source, taken, origin }
    }

    /// Where a piece of the text of a node stands in its file.
    pub(super) fn origin(&self, node: &Node, part: Range<usize>, shift: u32) -> Option<Origin> {
        origin(&self.files[self.file].source, &self.lines[self.file], node, part, shift)
    }

    /// Reads whether something holds.
    pub(super) fn condition(&mut self, node: &'n Node, key: &str) -> Expr {
        if let Some(truth) = node.as_bool() {
            return Expr::Const(truth.into());
        }
        let hint = format!("write one expression: `{key}: \"{{{{ count > 3 && is_ready }}}}\"`");
        let Some(text) = node.as_string().filter(|text| !text.trim().is_empty()) else {
            crate::shape::wrong_kind(self.sheet(), node, &format!("`{key}`"), "an expression", &hint);
            return Expr::Const(false.into());
        };
        if !js::is_code(text) {
            return self.bare(node, text, As::Truth);
        }
        let Some(apart) = self.apart(node) else { return Expr::Const(false.into()) };
        if js::whole(&apart.parts, text).is_none() {
            let message = format!("`{key}` is text around expressions, and such a text always holds");
            self.sheet().error(|sheet| sheet.error("bad-condition", node.place(), message).hint(hint));
        }
        self.joined(&apart, 0..apart.parts.len(), As::Truth)
    }

    /// Reads an expression without braces.
    fn bare(&mut self, node: &'n Node, text: &str, wanted: As) -> Expr {
        let start = text.len() - text.trim_start().len();
        let inside = start..start + text.trim().len();
        match js::expression(&text[inside.clone()]) {
            Ok(script) => self.code(node, inside, &script, None, wanted),
            Err(fault) => {
                self.fault(node, inside.start, &fault);
                Expr::Const(Value::Null)
            }
        }
    }

    /// Reads an expression that must be the whole of a value, such as a list of items; a constant will do.
    pub(super) fn whole(&mut self, node: &'n Node, key: &str, kind: &str, hint: &str) -> Expr {
        let Some(text) = node.as_string() else { return self.value(node) };
        if !js::is_code(text) {
            return self.bare(node, text, As::Value);
        }
        let Some(apart) = self.apart(node) else { return Expr::Const(Value::Null) };
        if js::whole(&apart.parts, text).is_none() {
            let message = format!("`{key}` is {kind}, and text around an expression makes a text");
            self.sheet().error(|sheet| sheet.error("wrong-type", node.place(), message).hint(hint));
        }
        self.joined(&apart, 0..apart.parts.len(), As::Value)
    }

    /// Reads a piece of JavaScript that stands without braces: an expression or the body of a function.
    pub(super) fn script(
        &mut self,
        node: &'n Node,
        key: &str,
        hint: &str,
    ) -> Option<(String, Taken, Option<Origin>)> {
        let text = crate::shape::text(self.sheet(), node, &format!("`{key}`"))?;
        let start = text.len() - text.trim_start().len();
        let inside = start..start + text.trim().len();
        let source = &text[inside.clone()];
        if source.is_empty() || source.len() > SOURCE_BYTES_MAX {
            let message = match source.len() {
                0 => format!("`{key}` is empty"),
                bytes => format!("`{key}` has {bytes} bytes, and {SOURCE_BYTES_MAX} are allowed"),
            };
            self.sheet().error(|sheet| sheet.error("bad-value", node.place(), message).hint(hint));
            return None;
        }
        if js::is_code(source) && source.starts_with("{{") && source.ends_with("}}") {
            self.sheet().error(|sheet| {
                let message = format!("`{key}` is JavaScript already, and needs no `{{{{ }}}}` around it");
                sheet.error("bad-expression", node.place(), message).hint(hint)
            });
            return None;
        }
        match js::script(source) {
            Ok(script) => {
                let taken = self.taken(node, inside.start, &script);
                self.returns(node, key, &script, source);
                Some((source.to_owned(), taken, self.origin(node, inside, 0)))
            }
            Err(fault) => {
                self.fault(node, inside.start, &fault);
                None
            }
        }
    }

    /// Warns of a body that never returns anything.
    fn returns(&mut self, node: &'n Node, key: &str, script: &Script, source: &str) {
        let mut words = source.split(|letter: char| !letter.is_alphanumeric());
        if script.form == js::Form::Body && !words.any(|word| word == "return") {
            let message = format!("`{key}` is the body of a function that returns nothing");
            self.sheet().warn(|sheet| {
                let diagnostic = sheet.warning("no-return", node.place(), message);
                diagnostic.hint("write one expression, or `return` its value")
            });
        }
    }
}

/// What ends the last line of a source, where that may be a comment.
fn ended(source: &str) -> &'static str {
    if source.contains("//") { "\n" } else { "" }
}

/// Text inside of a template literal.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${")
}

/// A sentence of the parser as the rest of ours.
fn lowered(message: &str) -> String {
    let mut letters = message.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    first + letters.as_str()
}
