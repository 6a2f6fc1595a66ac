//! The `secrets` of a workflow: names whose values no plan, run or journal ever holds.
//!
//! ```text
//! secrets: [TOKEN]                     declared here
//! env: {GH_TOKEN: "${secrets.TOKEN}"}  used in the `env` of a command, as one whole reference
//! ```
//! Anywhere else a reference to one is a mistake: it would make the value part of a text, and texts are recorded.

use super::reader::{By, Piece, Reader};
use super::reference::{Wrong, name_at, no_parts};
use super::template;
use super::world::World;
use crate::mistakes::{Mistakes, Place};
use crate::shape::{self, Shape};
use crate::text::{Node, Span};
use kernel::language::{Path, Syntax};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The first word of a reference to a secret.
pub(super) const ROOT: &str = "secrets";

/// The secrets that a workflow may declare.
pub(super) const SECRETS_MAX: usize = 64;

const DECLARATION: Shape = Shape { has_no: "a secret has no key", keys: &["description"], elsewhere: &[] };

const HINT: &str = "name each: `secrets: [TOKEN]`; values are set by `switchback secret set TOKEN`";

/// The secrets that a workflow declares.
#[derive(Debug, Default)]
pub(super) struct Secrets<'n> {
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
    pub(super) fn read(mistakes: &mut Mistakes<'_>, workflow: &'n Node) -> Self {
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
            super::inputs::description(mistakes, about);
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

    /// Warns of those that nothing uses.
    pub(super) fn report_unused(&self, mistakes: &mut Mistakes<'_>) {
        for (name, declared) in self.declared.iter().filter(|(_, declared)| !declared.used.get()) {
            mistakes.warn(|sheet| {
                sheet
                    .warning("unused-secret", declared.place, format!("nothing uses the secret `{name}`"))
                    .hint(format!("take it away, or give it to a command: {}", snippet(name)))
            });
        }
    }

    /// Notes that one is used, or says that there is none of this name.
    fn take(&self, name: &str) -> Result<(), Option<Box<Wrong>>> {
        if let Some(declared) = self.declared.get(name) {
            declared.used.set(true);
            return Ok(());
        }
        if self.is_broken {
            return Err(None);
        }
        let mut wrong = Wrong::new(1, format!("no secret is called `{name}`"));
        wrong.code = "unknown-secret";
        let declare = format!("declare it: `secrets: [{name}]`");
        Err(Some(match self.declared.is_empty() {
            true => wrong.hint(declare),
            false => wrong.among(name, self.declared.keys().copied(), "declared are"),
        }))
    }
}

impl World<'_> {
    /// What to say of a reference to a secret that stands where no secret may.
    pub(super) fn misplaced_secret(&self, path: &Path) -> Box<Wrong> {
        let name = path.key(0).unwrap_or("NAME");
        // Said once: whoever put it in the wrong place meant to use it.
        if let Some(declared) = self.secrets.declared.get(name) {
            declared.used.set(true);
        }
        misplaced(name, "a secret cannot stand here: it would be recorded")
    }
}

/// A secret in the wrong place, and how to pass it instead.
pub(super) fn misplaced(name: &str, message: &str) -> Box<Wrong> {
    let mut wrong = Wrong::new(0, message.to_owned());
    wrong.code = "secret-misplaced";
    wrong.hint(format!("give it to a command as a variable, {}, and let the command read it", snippet(name)))
}

fn snippet(name: &str) -> String {
    let variable = name.replace('-', "_");
    format!("`env: {{{variable}: \"${{secrets.{name}}}\"}}`")
}

/// Whether a value is one whole reference to a secret.
pub(super) fn is_secret(node: &Node) -> bool {
    whole(node).is_some()
}

fn whole(node: &Node) -> Option<(Path, std::ops::Range<usize>)> {
    let (pieces, errors) = template::split(node.as_string()?, Syntax::Dollar);
    match <[Piece; 1]>::try_from(pieces) {
        Ok([Piece::Reference(path, range)]) if errors.is_empty() && path.root == ROOT => Some((path, range)),
        _ => None,
    }
}

impl<'n> Reader<'_, 'n> {
    /// Reads the value of a variable that is a secret and nothing else; gives the secret's name. One that cannot be had is
    /// reported and gives an empty name.
    pub(super) fn secret(&mut self, node: &'n Node, by: By) -> Option<String> {
        debug_assert!(matches!(by, By::Inputs(_)), "BUG: only what a command is given can be a secret");
        let (path, range) = whole(node)?;
        let named = match name_at(&path, 0) {
            Ok(Some(name)) => no_parts(&path, 1, "a secret").and_then(|()| self.world.secrets.take(name)),
            Ok(None) => Err(Some(misplaced("NAME", "one secret must be named"))),
            Err(wrong) => Err(wrong),
        };
        if let Err(wrong) = named {
            let place = Place { node, range };
            wrong.into_iter().for_each(|wrong| self.unresolved(*wrong, &place));
            return Some(String::new());
        }
        path.key(0).map(str::to_owned)
    }
}
