//! `state_update`: the state changes, all of the updates or none.

use super::form::{Form, Lowered};
use crate::reactive::LAYERS;
use crate::reactive::reader::Reader;
use crate::reactive::update::{Update, operation};
use crate::shape::{self, Shape};
use crate::text::Node as Text;
use kernel::language::Path;
use kernel::plan::{Audience, Deadline, Expr, Node, OnFailure, Work};
use std::collections::BTreeSet;

const HINT: &str = "say what changes: `path: raw.count`, and `value` or `operation: increment`";

pub(super) const FORM: Form = Form {
    name: "state_update",
    shape: Shape {
        has_no: "a state_update step has no key",
        keys: &["id", "type", "description", "path", "operation", "value", "updates"],
        elsewhere: &[
            ("field", "did you mean `path`?"),
            ("state_update", "here `path`, `operation` and `value` stand in the step itself"),
            ("op", "did you mean `operation`?"),
        ],
    },
    lower,
};

const UPDATE: Shape =
    Shape { has_no: "an update has no key", keys: &["path", "operation", "value"], elsewhere: &[] };

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    let updates = reader.updates(node);
    if reader.hand_out.state_update && !updates.is_empty() && reader.are_independent(&updates) {
        return handed_out(updates, step);
    }
    Lowered::flow(Node::Set { writes: updates.into_iter().map(|update| update.write).collect() })
}

impl<'n> Reader<'_, 'n> {
    fn updates(&mut self, node: &'n Text) -> Vec<Update> {
        let Some((key, list)) = node.entry("updates").filter(|(_, list)| !list.is_null()) else {
            let path = self.must(node, "path", HINT);
            return path.and_then(|path| self.one_update(node, path)).into_iter().collect();
        };
        if let Some((other, _)) = ["path", "value", "operation"].iter().find_map(|key| node.entry(key)) {
            let again = other.place();
            self.sheet().error(|sheet| {
                let message = "what changes is said twice, under `updates` and beside it";
                sheet.error("duplicate-key", key.place(), message).related(again, "it is here as well")
            });
        }
        if list.items().is_empty() {
            shape::wrong_kind(
                self.sheet(),
                list,
                "`updates`",
                "a list of updates",
                "write `updates: [{path: raw.a, value: 1}]`",
            );
        }
        let mut updates = Vec::new();
        for item in list.items() {
            if item.as_map().is_none() {
                shape::wrong_kind(
                    self.sheet(),
                    item,
                    "an update",
                    "a mapping",
                    "write `{path: raw.a, value: 1}`",
                );
                continue;
            }
            shape::check_keys(self.sheet(), item, &UPDATE);
            match item.get("path").filter(|path| !path.is_null()) {
                Some(path) => updates.extend(self.one_update(item, path)),
                None => shape::missing(self.sheet(), item.place(), "an update", "path", HINT),
            }
        }
        updates
    }

    /// Whether no update reads what one before it has changed: only then all values are known when they are handed out.
    fn are_independent(&self, updates: &[Update]) -> bool {
        let mut written: BTreeSet<&str> = BTreeSet::new();
        for Update { write, .. } in updates {
            let reads = write.exprs().flat_map(reads);
            let is_old = |path: &Path| {
                let name = path.key(0).filter(|_| LAYERS.contains(&path.root.as_str())).unwrap_or(&path.root);
                written.is_empty() || !written.contains(name) && !self.world.has("computed", name)
            };
            if !reads.into_iter().all(is_old) {
                return false;
            }
            written.extend(write.path.first().and_then(|field| field.split_once('.')).map(|(_, name)| name));
        }
        true
    }

    fn one_update(&mut self, node: &'n Text, path: &'n Text) -> Option<Update> {
        let grows = node.get("operation").and_then(Text::as_text) == Some("increment");
        if node.get("value").is_none() && !grows && !self.meant.contains("value") {
            let hint = "say what it becomes: `value: \"{{ files.length }}\"`, or `value: null`";
            shape::missing(self.sheet(), path.place(), "a state update", "value", hint);
        }
        self.change(node, path, "1")
    }
}

/// What an expression reads.
fn reads(expr: &Expr) -> Vec<&Path> {
    match expr {
        Expr::Foreign(foreign) => foreign.reads.iter().collect(),
        Expr::List(items) => items.iter().flat_map(reads).collect(),
        Expr::Object(fields) => fields.iter().flat_map(|(_, value)| reads(value)).collect(),
        _ => Vec::new(),
    }
}

/// The agent is shown the updates with their values, and the server makes them when it says that it is done.
fn handed_out(updates: Vec<Update>, step: u32) -> Lowered {
    let shown = |update: &Update| {
        Expr::Object(vec![
            ("path".to_owned(), update.path.clone()),
            ("operation".to_owned(), Expr::Const(operation(update.write.kind).into())),
            ("value".to_owned(), update.write.value.clone()),
        ])
    };
    let mut inputs = vec![("updates".to_owned(), Expr::List(updates.iter().map(shown).collect()))];
    inputs.extend(updates.iter().find_map(Update::original));
    let writes = updates.into_iter().map(|update| update.write).collect();
    let node = Node::Do { step, writes, on_failure: OnFailure::Fail, otherwise: Vec::new() };
    let work = Work::Action { audience: Audience::Agent, inputs, gate: None, ends: None };
    Lowered { work, node, timeout: Deadline::Never, retry: None }
}
