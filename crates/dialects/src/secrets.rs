//! The `secrets` that a workflow declares: names whose values no plan, run or journal ever holds.
//!
//! ```text
//! secrets: [TOKEN]                          declared here
//! secrets: {TOKEN: {description: ...}}      or here
//! ```
//! How one is given to a command is the affair of the dialect.

use crate::mistakes::Mistakes;
use crate::shape::{self, Shape};
use crate::text::{Node, Span};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The key, and the first word of what names one.
pub(crate) const ROOT: &str = "secrets";

/// The secrets that a workflow may declare.
pub(crate) const SECRETS_MAX: usize = 64;

const DECLARATION: Shape = Shape { has_no: "a secret has no key", keys: &["description"], elsewhere: &[] };

const HINT: &str = "name each: `secrets: [TOKEN]`; values are set by `switchback secret set TOKEN`";

/// The secrets that a workflow declares.
#[derive(Debug, Default)]
pub(crate) struct Secrets<'n> {
    declared: BTreeMap<&'n str, Declared>,
    /// Whether some could not be read, so that a name that is not there may be one of them.
    is_broken: bool,
}

#[derive(Debug)]
struct Declared {
    place: Span,
    used: Cell<bool>,
}

impl<'n> Secrets<'n> {
    /// Reads them.
    pub(crate) fn read(mistakes: &mut Mistakes<'_>, workflow: &'n Node) -> Self {
        let mut secrets = Secrets::default();
        let Some((key, node)) = workflow.entry(ROOT) else { return secrets };
        let named: Vec<(&Node, Option<&Node>)> = match (node.as_list(), node.as_map()) {
            (Some(items), _) => items.iter().map(|item| (item, None)).collect(),
            (_, Some(entries)) => entries.iter().map(|(name, about)| (name, Some(about))).collect(),
            (None, None) => {
                if !node.is_null() {
                    shape::wrong_kind(mistakes, node, "`secrets`", "a list of names", HINT);
                    secrets.is_broken = true;
                }
                return secrets;
            }
        };
        if named.len() > SECRETS_MAX {
            let message =
                format!("the workflow declares {} secrets, and {SECRETS_MAX} are allowed", named.len());
            mistakes.error(|sheet| sheet.error("too-many-secrets", key.place(), message));
        }
        for (name, about) in named.into_iter().take(SECRETS_MAX) {
            secrets.declare(mistakes, name, about);
        }
        secrets
    }

    fn declare(&mut self, mistakes: &mut Mistakes<'_>, node: &'n Node, about: Option<&Node>) {
        let Some(name) = shape::text(mistakes, node, "the name of a secret") else {
            self.is_broken = true;
            return;
        };
        shape::check_name(mistakes, name, node, "the name of a secret");
        let is_told = !shape::is_name(name);
        let what = format!("the secret `{name}`");
        let hint = format!("write `{name}: {{description: what it opens}}`, and nothing of its value");
        if let Some(about) = about
            && shape::is_map(mistakes, about, &what, &hint)
        {
            shape::check_keys(mistakes, about, &DECLARATION);
            if let Some(text) = about.get("description").filter(|text| !text.is_null()) {
                shape::text(mistakes, text, "`description`");
            }
        }
        let declared = Declared { place: node.place(), used: Cell::new(is_told) };
        // A name that is written twice in a mapping is told where keys are looked at.
        if let Some(first) = self.declared.get(name).filter(|_| about.is_none()) {
            mistakes.error(|sheet| {
                sheet
                    .error("duplicate-secret", node.place(), format!("`{name}` is declared twice"))
                    .label("declared again")
                    .related(first.place, "first declared here")
            });
        }
        self.declared.entry(name).or_insert(declared);
    }

    /// Warns of those that nothing uses; `snippet` shows how one is used.
    pub(crate) fn report_unused(&self, mistakes: &mut Mistakes<'_>, snippet: fn(&str) -> String) {
        for (name, declared) in self.declared.iter().filter(|(_, declared)| !declared.used.get()) {
            mistakes.warn(|sheet| {
                sheet
                    .warning("unused-secret", declared.place, format!("nothing uses the secret `{name}`"))
                    .hint(format!("take it away, or give it to a command: {}", snippet(name)))
            });
        }
    }

    /// Notes that one is used; whether there is one of this name.
    pub(crate) fn take(&self, name: &str) -> bool {
        let declared = self.declared.get(name);
        declared.inspect(|declared| declared.used.set(true)).is_some()
    }

    /// Whether a name that is not there may be one that could not be read.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// The names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'n str> + Clone {
        self.declared.keys().copied()
    }
}
