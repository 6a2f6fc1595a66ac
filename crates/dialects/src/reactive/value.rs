//! Reads values of any kind: texts with code become expressions, all else is a constant.

use super::code::As;
use super::reader::Reader;
use crate::constant::{VALUE_DEPTH_MAX, depth, list, object};
use crate::js;
use crate::shape;
use crate::text::{Kind, Node};
use kernel::plan::Expr;
use serde_json::Value;

impl<'n> Reader<'_, 'n> {
    /// Reads a value. What cannot be read is reported, and nothing stands in for it.
    pub(super) fn value(&mut self, node: &'n Node) -> Expr {
        if depth(node) <= VALUE_DEPTH_MAX {
            return self.part(node);
        }
        self.sheet().error(|sheet| {
            let message = format!(
                "more than {VALUE_DEPTH_MAX} lists and mappings of this value stand inside each other"
            );
            sheet.error("too-deep", node.place(), message).hint("give it as text, e.g. as JSON")
        });
        Expr::Const(Value::Null)
    }

    fn part(&mut self, node: &'n Node) -> Expr {
        match &node.kind {
            Kind::Scalar(scalar) => match scalar.value() {
                Value::String(_) => self.text(node, As::Value),
                other => Expr::Const(other),
            },
            Kind::List(items) => list(items.iter().map(|item| self.part(item)).collect()),
            Kind::Map(_) => {
                let mut fields = Vec::new();
                for (name, key, item) in shape::unique(node) {
                    self.written_out(name, key);
                    fields.push((name.to_owned(), self.part(item)));
                }
                object(fields)
            }
        }
    }

    /// Reports code in a key.
    pub(super) fn written_out(&mut self, name: &str, key: &'n Node) {
        if js::is_code(name) {
            self.sheet().error(|sheet| {
                let message = "a key is written out, so no expression can stand in it";
                let diagnostic = sheet.error("misplaced-expression", key.place(), message);
                diagnostic.hint("make the whole value by one expression: `\"{{ {[name]: value} }}\"`")
            });
        }
    }

    /// Reads a text that says something, whatever its expressions give.
    pub(super) fn words(&mut self, node: &'n Node, key: &str) -> Option<Expr> {
        let text = shape::text(self.sheet(), node, &format!("`{key}`"))?;
        if text.trim().is_empty() {
            self.sheet().error(|sheet| sheet.error("bad-value", node.place(), format!("`{key}` is empty")));
        }
        Some(self.text(node, As::Text))
    }

    /// Reads a truth value.
    pub(super) fn flag(&mut self, node: &Node, key: &str) -> bool {
        let said = node.as_bool();
        if said.is_none() {
            shape::wrong_kind(self.sheet(), node, &format!("`{key}`"), "true or false", "");
        }
        said.unwrap_or_default()
    }

    /// Reads one of some words.
    pub(super) fn word<T: Copy>(&mut self, node: &Node, key: &str, words: &[(&'static str, T)]) -> Option<T> {
        let said = node.as_text().unwrap_or_default();
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == said) {
            return Some(*meaning);
        }
        let all = || words.iter().map(|(word, _)| *word);
        let near = crate::near::nearest(said, all());
        self.sheet().error(|sheet| {
            let message = format!("`{key}` is one of {}", shape::listed(all()));
            let diagnostic = sheet.error("bad-value", node.place(), message);
            match near {
                Some(near) => diagnostic.label(shape::did_you_mean(near)),
                None => diagnostic,
            }
        });
        None
    }

    /// Reads a whole number within bounds.
    pub(super) fn count(&mut self, node: &Node, key: &str, least: u32, most: u32) -> Option<u32> {
        let count = node.as_u64().and_then(|count| u32::try_from(count).ok());
        let count = count.filter(|count| (least..=most).contains(count));
        if count.is_none() {
            let message = format!("`{key}` is a whole number from {least} to {most}");
            let hint = node.number_in_text().unwrap_or_default();
            self.sheet().error(|sheet| shape::hinted(sheet.error("bad-value", node.place(), message), &hint));
        }
        count
    }

    /// Tells whether a value has no expression in it, and reports it if it has.
    pub(super) fn is_fixed(&mut self, node: &'n Node, what: &str) -> bool {
        let Some(code) = code_in(node) else { return true };
        let message = format!("{what} is fixed when the file is read, so no expression can stand in it");
        self.sheet().error(|sheet| sheet.error("misplaced-expression", code.place(), message));
        false
    }
}

/// The first text in a value that has an expression in it.
fn code_in(node: &Node) -> Option<&Node> {
    match &node.kind {
        Kind::Scalar(_) => Some(node).filter(|node| node.as_string().is_some_and(js::is_code)),
        Kind::List(items) => items.iter().find_map(code_in),
        Kind::Map(entries) => entries.iter().find_map(|(_, value)| code_in(value)),
    }
}
