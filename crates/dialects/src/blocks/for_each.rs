//! `for_each`: the list that a block is done for, item by item.
//!
//! | written | done |
//! |---|---|
//! | `for_each: [a, b]`, `for_each: "${inputs.names}"` | one after the other |
//! | `for_each: {items: ..., parallel: 4}` | four at once |
//! | `for_each: {items: ..., parallel: true}` | as many at once as the run may do |

use super::reader::{By, Piece, Reader};
use crate::mistakes::Place;
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::language::{Part, Path, Syntax, Template};
use kernel::plan::{Each, Expr, InputKind};
use serde_json::Value;

/// The items a block may be done for.
pub const ITEMS_MAX: usize = 10_000;

/// The items that may be asked to be done at once.
pub const PARALLEL_MAX: u32 = 1_000;

const EACH: Shape = Shape {
    has_no: "`for_each` has no key",
    keys: &["items", "parallel"],
    elsewhere: &[
        ("timeout", "it belongs beside `for_each`, and counts for each item"),
        ("retry", "it belongs beside `for_each`, and counts for each item"),
        ("condition", "it belongs beside `for_each`, and is evaluated once"),
    ],
};

const LIST: &str = "write a list, or one reference that gives one: `for_each: \"${inputs.names}\"`";

impl<'n> Reader<'_, 'n> {
    /// Reads the items that a block is done for, if it is done for items.
    pub(super) fn for_each(&mut self, block: usize) -> Option<Each> {
        let node = self.world.blocks[block].node.get("for_each")?;
        if node.as_map().is_none() {
            return Some(Each { items: self.items(node, block), width_max: Some(1) });
        }
        let meant = shape::check_keys(&mut self.mistakes, node, &EACH);
        let width_max = node.get("parallel").map_or(Some(1), |parallel| self.parallel(parallel));
        let items = match node.get("items") {
            Some(items) => self.items(items, block),
            None => {
                if !meant.contains("items") {
                    let hint = "say for what: `for_each: {items: \"${inputs.names}\", parallel: 4}`";
                    shape::missing(&mut self.mistakes, node.place(), "`for_each`", "items", hint);
                }
                Expr::Const(Value::Null)
            }
        };
        Some(Each { items, width_max })
    }

    fn items(&mut self, node: &'n Node, block: usize) -> Expr {
        let by = By::Items(block);
        if let Some(list) = node.as_list() {
            self.few_enough(node, list.len());
            return self.value(node, by);
        }
        if node.as_string().is_none() {
            shape::wrong_kind(&mut self.mistakes, node, "what a block is done for", "a list", LIST);
            return Expr::Const(Value::Null);
        }
        let Some(pieces) = self.pieces(node, by, Syntax::Dollar) else { return Expr::Const(Value::Null) };
        let [Piece::Reference(path, range)] = pieces.as_slice() else {
            shape::wrong_kind(&mut self.mistakes, node, "what a block is done for", "a list", LIST);
            return Expr::Const(Value::Null);
        };
        self.gives_a_list(Place { node, range: range.clone() }, path);
        Expr::Template(Template { parts: vec![Part::Reference(path.clone())] })
    }

    fn few_enough(&mut self, node: &Node, count: usize) {
        if count > ITEMS_MAX {
            let message = format!("`for_each` has {count} items, and {ITEMS_MAX} are allowed");
            self.mistakes.error(|sheet| {
                let hint = "split the list over several blocks, or give each item a part of the work";
                sheet.error("too-many-items", node.place(), message).hint(hint)
            });
        }
    }

    /// Reports a reference to what can never be a list.
    fn gives_a_list(&mut self, place: Place<'n>, path: &Path) {
        let Some(kind) = self.kind_of(path) else { return };
        self.mistakes.error(|sheet| {
            let message = format!("`{path}` is {kind}, and `for_each` needs a list");
            let hint = match kind {
                "text" => "text is not split: give a list, e.g. by an input of `type: list`",
                _ => LIST,
            };
            sheet.error("wrong-type", sheet.locate(&place), message).hint(hint)
        });
    }

    /// What a path leads to, where that is known and no list.
    fn kind_of(&self, path: &Path) -> Option<&'static str> {
        match (path.root.as_str(), path.segments.len()) {
            ("inputs", 1) => {
                let position = *self.world.input_names.get(path.key(0)?)?;
                match self.world.inputs.as_ref()?.get(position)?.kind {
                    InputKind::String => Some("text"),
                    InputKind::Integer | InputKind::Number => Some("a number"),
                    InputKind::Boolean => Some("true or false"),
                    InputKind::Object => Some("an object"),
                    InputKind::List | InputKind::Any => None,
                }
            }
            ("inputs", 0) => Some("an object"),
            ("metadata", _) => Some("text"),
            ("blocks", 2) => Some("an object"),
            ("blocks", 3) if path.key(1) == Some("metadata") => Some("one value"),
            ("blocks", 3) if path.key(1) == Some("outputs") => {
                let block = &self.world.blocks[*self.world.names.get(path.key(0)?)?];
                match path.key(2)? {
                    "count" | "failed_count" if block.has_items() => Some("a number"),
                    _ if block.has_items() => None,
                    name => {
                        let (_, kind) = block.kind?.outputs().iter().find(|(output, _)| *output == name)?;
                        ["text", "a number", "true or false"].into_iter().find(|known| known == kind)
                    }
                }
            }
            _ => None,
        }
    }

    fn parallel(&mut self, node: &Node) -> Option<u32> {
        if let Some(truth) = node.as_bool() {
            return if truth { None } else { Some(1) };
        }
        let number = node.as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| (1..=PARALLEL_MAX).contains(number));
        if number.is_none() {
            let message = format!("`parallel` is `true`, `false` or a whole number from 1 to {PARALLEL_MAX}");
            let hint = "it says how many items are done at once; `true` is as many as the run may do";
            let hint = node.number_in_text().unwrap_or_else(|| hint.to_owned());
            self.mistakes.error(|sheet| sheet.error("bad-value", node.place(), message).hint(hint));
        }
        number
    }
}
