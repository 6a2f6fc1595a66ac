//! Conditions: parsed by the kernel into the plan, with every path in the kernel's form.

use super::reader::{By, Reader};
use crate::mistakes::Place;
use crate::text::Node;
use kernel::language::{Condition, ParseError, Path, closing, parse_condition};
use kernel::plan::Expr;
use serde_json::Value;
use std::ops::Range;

impl<'n> Reader<'_, 'n> {
    /// Reads the condition of a block.
    pub(super) fn condition(&mut self, node: &'n Node, block: usize) -> Option<Expr> {
        if let Some(truth) = node.as_bool() {
            return Some(Expr::Const(Value::Bool(truth)));
        }
        let Some(text) = node.as_string() else {
            self.no_condition(node, block);
            return None;
        };
        // The line break at the end of a block of text is no place to point at.
        match parse_condition(text.trim_end()) {
            Ok(mut condition) => {
                let mut places = places(text).into_iter();
                each_path(&mut condition, &mut |path| {
                    let range = places.next().unwrap_or_default();
                    *path = self.reference(path.clone(), Place { node, range }, By::Condition(block));
                });
                Some(Expr::Condition(condition))
            }
            Err(error) => {
                self.bad_condition(node, block, &error);
                None
            }
        }
    }

    fn no_condition(&mut self, node: &Node, block: usize) {
        let name = &self.world.blocks[block].name;
        self.mistakes.error(|sheet| {
            let message = format!("the condition of {name} is {}", node.kind_name());
            sheet
                .error("bad-condition", node.place(), message)
                .hint("write a comparison, `${inputs.stage} == 'test'`, or `true` or `false`")
        });
    }

    /// The references of a condition that cannot be parsed are checked all the same, if its quotes end.
    fn bad_condition(&mut self, node: &'n Node, block: usize, error: &ParseError) {
        let text = node.as_text().unwrap_or_default();
        let name = &self.world.blocks[block].name;
        self.mistakes.error(|sheet| {
            let span = sheet.locate(&Place { node, range: error.at.clone() });
            let diagnostic =
                sheet.error("bad-condition", span, format!("the condition of {name} cannot be read"));
            let label = if text.trim().is_empty() { "it is empty" } else { &error.message };
            match instead(&error.message) {
                Some(hint) => diagnostic.label(label).hint(hint),
                None => diagnostic.label(label),
            }
        });
        for range in places(text) {
            if let Ok(path) = Path::parse(&text[range.clone()], 0) {
                self.reference(path, Place { node, range }, By::Condition(block));
            }
        }
    }
}

/// What to write in place of a sign of another language.
fn instead(message: &str) -> Option<&'static str> {
    match message.strip_suffix(" has no meaning here")? {
        "`=`" => Some("two values are compared with `==`"),
        "`&`" => Some("both must hold: `and`"),
        "`|`" => Some("one must hold: `or`"),
        "`!`" => Some("the opposite is written `not`"),
        _ => None,
    }
}

/// The places of the paths in a condition, in order. Signs inside quotes are text; quotes that do not end
/// leave nothing to be sure of.
fn places(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(['\'', '"', '$']) {
        at += offset;
        let rest = &text[at..];
        if let Some(inside) = rest.strip_prefix("${") {
            let Some(length) = closing(inside) else { break };
            let inside = &inside[..length];
            let start = at + 2 + inside.len() - inside.trim_start().len();
            found.push(start..start + inside.trim().len());
            at += 2 + length + 1;
        } else if rest.starts_with('$') {
            at += 1;
        } else {
            let Some(length) = quoted(rest) else { return Vec::new() };
            at += length;
        }
    }
    found
}

/// The length of a text in quotes.
fn quoted(rest: &str) -> Option<usize> {
    let quote = rest.chars().next()?;
    let mut letters = rest.char_indices().skip(1);
    while let Some((offset, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            letter if letter == quote => return Some(offset + quote.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Visits the paths of a condition in order.
fn each_path(condition: &mut Condition, visit: &mut dyn FnMut(&mut Path)) {
    match condition {
        Condition::Literal(_) => {}
        Condition::Reference(path) => visit(path),
        Condition::Not(inner) => each_path(inner, visit),
        Condition::List(items) | Condition::All(items) | Condition::Any(items) => {
            items.iter_mut().for_each(|item| each_path(item, visit));
        }
        Condition::Compare(_, left, right) => {
            each_path(left, visit);
            each_path(right, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_paths() {
        let text = r#"${a.b} == '{no} \' {no}' and "é{no}" != ${ c } or not (${d} in [${e}, '$', 1])"#;
        let paths: Vec<String> =
            parse_condition(text).unwrap().paths().iter().map(|p| p.to_string()).collect();
        let found: Vec<&str> = places(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, paths);
        assert_eq!(found, ["a.b", "c", "d", "e"]);
    }

    #[test]
    fn nothing_is_found_in_quotes_that_do_not_end() {
        assert!(places("${a} == 'x and ${b}").is_empty());
        assert_eq!(places("$ ${a} ${b").len(), 1);
    }
}
