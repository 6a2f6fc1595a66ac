//! What the types of file blocks share: paths, flags and choices among their inputs, and the step they become.

use super::form::Draft;
use super::shell::needed;
use crate::blocks::file::{BadPath, FILE_TIMEOUT_MS, GOVERNED_HINT, governed, look_at, permissions};
use crate::blocks::reader::{By, Reader};
use crate::near::nearest;
use crate::numbers::as_written;
use crate::shape::{self, Shape, did_you_mean, hinted, listed};
use crate::text::Node;
use kernel::plan::{Adapter, Deadline, Expr, OnInterrupt, Work};
use serde_json::Value;
use std::collections::BTreeMap;

/// The words for keys that stand beside the inputs.
pub(super) const BESIDE: &str = "it belongs beside `inputs`";

/// The inputs of the adapter, in order.
pub(super) type Inputs = Vec<(String, Expr)>;

/// The step of a file operation. What is done to files is done whole or not at all, and doing it again gives the same: after an
/// interruption it is done again.
pub(super) fn draft(operation: &str, inputs: Inputs) -> Draft {
    let operation = ("operation".to_owned(), Expr::Const(operation.into()));
    let inputs = std::iter::once(operation).chain(inputs).collect();
    let work = Work::Server { adapter: Adapter::File, inputs, secrets: BTreeMap::new() };
    Draft { timeout: Deadline::After(FILE_TIMEOUT_MS), on_interrupt: OnInterrupt::Retry, ..Draft::new(work) }
}

/// The inputs of a file block while they are read.
pub(super) struct Given<'r, 's, 'n> {
    pub(super) reader: &'r mut Reader<'s, 'n>,
    pub(super) inputs: Option<&'n Node>,
    block: usize,
    owner: String,
    /// Keys that were probably meant by others.
    meant: std::collections::BTreeSet<&'static str>,
    pub(super) lowered: Inputs,
}

impl<'r, 's, 'n> Given<'r, 's, 'n> {
    /// Checks the keys. Of inputs that are no mapping nothing is read.
    pub(super) fn new(
        reader: &'r mut Reader<'s, 'n>,
        block: usize,
        kind: &str,
        shape: &Shape,
        hint: &str,
    ) -> Option<Self> {
        let node = reader.world.blocks[block].node;
        let inputs = node.get("inputs");
        let mut meant = Default::default();
        if let Some(inputs) = inputs {
            if !shape::is_map(&mut reader.mistakes, inputs, "`inputs`", hint) {
                return None;
            }
            meant = shape::check_keys(&mut reader.mistakes, inputs, shape);
        }
        let owner = reader.world.blocks[block].called(kind);
        Some(Given { reader, inputs, block, owner, meant, lowered: Vec::new() })
    }

    /// What is given under a key.
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.inputs.and_then(|inputs| inputs.get(key))
    }

    fn add(&mut self, key: &str, value: Expr) {
        self.lowered.push((key.to_owned(), value));
    }

    /// What must be given; it is told if it is not.
    pub(super) fn must(&mut self, key: &'static str, hint: &str) -> Option<&'n Node> {
        let found = self.get(key);
        if found.is_none() && !self.meant.contains(key) {
            let node = self.reader.world.blocks[self.block].node;
            let place = node
                .entry("inputs")
                .map_or(self.reader.world.blocks[self.block].place, |(key, _)| key.place());
            shape::missing(&mut self.reader.mistakes, place, &self.owner, key, hint);
        }
        found
    }

    /// The path of a file that is read, looked at as far as it is known.
    pub(super) fn path(&mut self, key: &'static str) {
        let hint = format!("name a file: `{key}: out/report.md`");
        if let Some(node) = self.must(key, &hint) {
            self.path_at(key, node);
        }
    }

    /// The path of a file that is written.
    pub(super) fn written_path(&mut self, key: &'static str) {
        self.path(key);
        if let Some(node) = self.get(key) {
            self.reader.not_governing(node);
        }
    }

    /// A path that is given.
    pub(super) fn path_at(&mut self, key: &str, node: &'n Node) {
        let what = format!("`{key}`");
        if shape::text(&mut self.reader.mistakes, node, &what).is_none() {
            return;
        }
        let path = needed(self.reader.text(node, By::Inputs(self.block)));
        self.reader.known_path(node, &path);
        self.add(key, path);
    }

    /// A value of any kind, which must be there when the block runs.
    pub(super) fn value(&mut self, key: &'static str, hint: &str) -> Option<&'n Node> {
        let node = self.must(key, hint)?;
        if !shape::has_value(&mut self.reader.mistakes, node, &format!("`{key}`"), hint) {
            return None;
        }
        let value = needed(self.reader.value(node, By::Inputs(self.block)));
        self.add(key, value);
        Some(node)
    }

    /// A value of any kind that is written as it stands there, a number too: `1.10`.
    pub(super) fn written_value(&mut self, key: &'static str, hint: &str) {
        let written = self.get(key).and_then(as_written);
        match written {
            Some(text) => self.add(key, Expr::Const(text.into())),
            None => drop(self.value(key, hint)),
        }
    }

    /// A mapping, or a reference to one.
    pub(super) fn object(&mut self, key: &'static str, hint: &str) {
        let Some(node) = self.value(key, hint) else { return };
        if node.as_map().is_none() && !is_reference(node) {
            shape::wrong_kind(&mut self.reader.mistakes, node, &format!("`{key}`"), "a mapping", hint);
        }
    }

    /// True or false, or a reference to it.
    pub(super) fn flag(&mut self, key: &'static str) {
        let Some(node) = self.get(key) else { return };
        if node.as_bool().is_none() && !is_reference(node) {
            let hint = "write `true` or `false`";
            return shape::wrong_kind(
                &mut self.reader.mistakes,
                node,
                &format!("`{key}`"),
                "true or false",
                hint,
            );
        }
        let value = self.reader.value(node, By::Inputs(self.block));
        self.add(key, value);
    }

    /// One of some words, or a reference to one.
    pub(super) fn choice(&mut self, key: &'static str, words: &[&'static str]) {
        let Some(node) = self.get(key) else { return };
        let Some(text) = shape::text(&mut self.reader.mistakes, node, &format!("`{key}`")) else { return };
        if !words.contains(&text) && !is_reference(node) {
            self.reader.mistakes.error(|sheet| {
                let message = format!("there is no {key} `{text}`");
                let diagnostic = sheet.error("bad-value", node.place(), message);
                match nearest(text, words.iter().copied()) {
                    Some(near) => diagnostic.label(did_you_mean(near)),
                    None => diagnostic.hint(format!("there are {}", listed(words.iter().copied()))),
                }
            });
        }
        let value = self.reader.text(node, By::Inputs(self.block));
        self.add(key, value);
    }

    /// Permissions in octal digits, or a reference to them.
    pub(super) fn permissions(&mut self) {
        let Some(node) = self.get("permissions") else { return };
        let Some(text) = node.as_text() else {
            let hint = "write octal digits: \"0644\"";
            return shape::wrong_kind(&mut self.reader.mistakes, node, "`permissions`", "text", hint);
        };
        // As it is written: what YAML makes of `0644` or `0o644` does not matter.
        let value = match permissions(text) {
            Ok(bits) => Expr::Const(format!("{bits:04o}").into()),
            Err(_) if is_reference(node) => self.reader.text(node, By::Inputs(self.block)),
            Err(hint) => {
                let message = format!("`{text}` are no permissions of a file");
                return self
                    .reader
                    .mistakes
                    .error(|sheet| sheet.error("bad-value", node.place(), message).hint(hint));
            }
        };
        self.add("permissions", value);
    }

    /// A whole number in a range, or a reference to one.
    pub(super) fn number(&mut self, key: &'static str, max: u64) {
        let Some(node) = self.get(key) else { return };
        let fits = node.as_u64().is_some_and(|number| (1..=max).contains(&number));
        if !fits && !is_reference(node) {
            let message = format!("`{key}` is a whole number from 1 to {max}");
            let hint = node.number_in_text().unwrap_or_default();
            return self
                .reader
                .mistakes
                .error(|sheet| hinted(sheet.error("bad-value", node.place(), message), &hint));
        }
        let value = self.reader.value(node, By::Inputs(self.block));
        self.add(key, value);
    }
}

impl<'n> Reader<'_, 'n> {
    /// Tells of a path that no block may write.
    pub(super) fn not_governing(&mut self, node: &'n Node) {
        let text = node.as_string().filter(|_| !is_reference(node));
        let Some(one) = text.and_then(governed) else { return };
        self.mistakes.error(|sheet| {
            let message = format!("blocks do not write `{}`, because it decides {}", one.name, one.decides);
            sheet.error("bad-path", node.place(), message).hint(GOVERNED_HINT)
        });
    }

    /// Looks at a path as far as it is known.
    pub(super) fn known_path(&mut self, node: &'n Node, path: &Expr) {
        let Expr::Const(Value::String(text)) = path else { return self.no_nul(node, "a path") };
        let Some(bad) = look_at(text) else { return };
        match bad {
            BadPath::Impossible(message, hint) => {
                self.mistakes.error(|sheet| sheet.error("bad-path", node.place(), message).hint(hint));
            }
            BadPath::Outside(how) => self.mistakes.warn(|sheet| {
                let message = format!("{how} may lead out of the folder of the run");
                sheet.warning("outside-folder", node.place(), message).hint(
                    "use a path inside the folder; others need `roots` under [files] in switchback.toml",
                )
            }),
        }
    }
}

/// Whether a value is known only when the block runs.
fn is_reference(node: &Node) -> bool {
    node.as_string().is_some_and(|text| text.contains("${"))
}
