//! Values of a definition to expressions: a whole reference keeps its type, text around it makes text.

use super::reader::{By, Piece, Reader};
use super::template;
use crate::constant::{VALUE_DEPTH_MAX, depth, list, object};
use crate::mistakes::Place;
use crate::shape;
use crate::text::{Kind, Node};
use kernel::language::{Part, Syntax, Template};
use kernel::plan::Expr;
use serde_json::Value;

impl<'n> Reader<'_, 'n> {
    /// Reads a value of any kind. What cannot be read is reported, and nothing stands in for it.
    pub(super) fn value(&mut self, node: &'n Node, by: By) -> Expr {
        if depth(node) <= VALUE_DEPTH_MAX {
            return self.part(node, by);
        }
        self.mistakes.error(|sheet| {
            let message = format!(
                "more than {VALUE_DEPTH_MAX} lists and mappings of this value stand inside each other"
            );
            sheet.error("too-deep", node.place(), message).hint("give it as text, e.g. as JSON")
        });
        Expr::Const(Value::Null)
    }

    fn part(&mut self, node: &'n Node, by: By) -> Expr {
        match &node.kind {
            Kind::Scalar(scalar) => match scalar.value() {
                Value::String(_) => self.text(node, by),
                other => Expr::Const(other),
            },
            Kind::List(items) => list(items.iter().map(|item| self.part(item, by)).collect()),
            Kind::Map(_) => {
                let fields = shape::unique(node)
                    .map(|(_, key, item)| (self.key(key).unwrap_or_default(), self.part(item, by)));
                object(fields.collect())
            }
        }
    }

    /// Reads the key of a value, which is written out: a reference in it is reported, and there is no key.
    pub(super) fn key(&mut self, key: &'n Node) -> Option<String> {
        let text = key.as_text().unwrap_or_default();
        if !text.contains("${") {
            return Some(text.to_owned());
        }
        let (pieces, errors) = template::split(text, Syntax::Dollar);
        let (mut written, mut references) = (String::new(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Text(text) => written.push_str(&text),
                Piece::Reference(_, range) => references.push(range),
            }
        }
        references.extend(errors.into_iter().map(|error| error.at));
        if let Some(range) = references.into_iter().min_by_key(|range| range.start) {
            let place = Place { node: key, range };
            self.mistakes.error(|sheet| {
                let message = "a key is written out, so no reference can stand in it";
                let diagnostic = sheet.error("misplaced-reference", sheet.locate(&place), message);
                diagnostic
                    .hint("write the key itself, and a value for it; two dollars, `$${`, write a plain `${`")
            });
            return None;
        }
        Some(written)
    }

    /// Reads a text with references.
    pub(super) fn text(&mut self, node: &'n Node, by: By) -> Expr {
        let pieces = self.pieces(node, by, Syntax::Dollar).unwrap_or_default();
        let parts = pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => Part::Text(text),
            Piece::Reference(path, _) => Part::Reference(path),
        });
        let template = Template { parts: parts.collect() };
        match template.constant() {
            Some(text) => Expr::Const(Value::String(text.to_owned())),
            None => Expr::Template(template),
        }
    }

    /// Checks the references in a value whose meaning is not known, and whose `${...}` may be another's.
    pub(super) fn survey(&mut self, node: &'n Node, by: By) {
        match &node.kind {
            Kind::Scalar(_) => {
                drop(self.pieces(node, by, Syntax::DollarAmong(&super::reference::NAMESPACES)))
            }
            Kind::List(items) => items.iter().for_each(|item| self.survey(item, by)),
            Kind::Map(entries) => entries.iter().for_each(|(_, item)| self.survey(item, by)),
        }
    }
}
