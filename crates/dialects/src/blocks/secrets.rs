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
use crate::mistakes::Place;
pub(super) use crate::secrets::ROOT;
use crate::secrets::Secrets;
use crate::text::Node;
use kernel::language::{Path, Syntax};

/// Notes that one is used, or says that there is none of this name.
fn take(secrets: &Secrets<'_>, name: &str) -> Result<(), Option<Box<Wrong>>> {
    if secrets.take(name) {
        return Ok(());
    }
    if secrets.is_broken() {
        return Err(None);
    }
    let mut wrong = Wrong::new(1, format!("no secret is called `{name}`"));
    wrong.code = "unknown-secret";
    let declare = format!("declare it: `secrets: [{name}]`");
    Err(Some(match secrets.names().next() {
        None => wrong.hint(declare),
        Some(_) => wrong.among(name, secrets.names(), "declared are"),
    }))
}

impl World<'_> {
    /// What to say of a reference to a secret that stands where no secret may.
    pub(super) fn misplaced_secret(&self, path: &Path) -> Box<Wrong> {
        let name = path.key(0).unwrap_or("NAME");
        // Said once: whoever put it in the wrong place meant to use it.
        self.secrets.take(name);
        misplaced(name, "a secret cannot stand here: it would be recorded")
    }
}

/// A secret in the wrong place, and how to pass it instead.
pub(super) fn misplaced(name: &str, message: &str) -> Box<Wrong> {
    let mut wrong = Wrong::new(0, message.to_owned());
    wrong.code = "secret-misplaced";
    wrong.hint(format!("give it to a command as a variable, {}, and let the command read it", snippet(name)))
}

/// How a secret is given to a command.
pub(super) fn snippet(name: &str) -> String {
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
            Ok(Some(name)) => no_parts(&path, 1, "a secret").and_then(|()| take(&self.world.secrets, name)),
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
