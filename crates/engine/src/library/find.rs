//! Finds definitions: all of them in order, or the one that a name means.

use super::definition::Definition;
use super::link::Links;
use super::name::{NotFound, check_name};
use super::order::Order;
use super::place::{Place, Surroundings};
use super::shelf::Shelf;
use super::walk::{Walk, is_definition};
use kernel::plan::Dialect;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// All definitions that were found, those with more right first.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The definitions, each read by itself.
    pub(super) definitions: Vec<Definition>,
    /// The same, linked to what they call, as far as someone wanted them.
    pub(super) linked: Vec<OnceLock<Definition>>,
    /// Links them.
    pub(super) links: Option<Arc<Links>>,
    /// The places that were looked into.
    pub places: Vec<Place>,
    /// Folders that could not be looked into, and why, one sentence each.
    pub troubles: Vec<String>,
}

/// Whether a word on a command line means a file rather than a name.
pub fn looks_like_a_file(word: &str) -> bool {
    word.contains('/') || is_definition(Path::new(word))
}

impl Library {
    /// Reads all definitions in all places, once.
    pub fn scan(around: &Surroundings) -> Library {
        Arc::unwrap_or_clone(Shelf::new(around.clone()).library(Order::Plain))
    }

    /// Adds what lies in a place; a file that an earlier place has already is not listed twice.
    pub(super) fn add(&mut self, place: &Place, walk: &Walk) {
        let known: HashSet<&Path> =
            self.definitions.iter().filter_map(|one| one.origin.path.as_deref()).collect();
        let new: Vec<Definition> = walk
            .files()
            .filter(|(path, _)| !known.contains(path))
            .map(|(path, reading)| {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                Definition::new(place, Some(path.to_owned()), &stem, Arc::clone(reading))
            })
            .collect();
        self.definitions.extend(new);
        for trouble in &walk.troubles {
            if !self.troubles.contains(trouble) {
                self.troubles.push(trouble.clone());
            }
        }
    }

    /// Of those that share a name one can be run and hides the others: the first of the tool's own dialect, or else
    /// the first.
    pub(super) fn hide(&mut self, own: Option<Dialect>) {
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (position, definition) in self.definitions.iter().enumerate().filter(|(_, one)| one.runs()) {
            named.entry(&definition.name).or_default().push(position);
        }
        let groups: Vec<Vec<usize>> = named.into_values().filter(|group| group.len() > 1).collect();
        for group in groups {
            let is_own = |position: &&usize| own.is_some() && self.dialect(**position) == own;
            let winner = group.iter().find(is_own).copied().unwrap_or(group[0]);
            self.definitions[winner].note = (winner != group[0]).then(|| self.note(winner, group[0]));
            let shown = self.definitions[winner].origin.shown.clone();
            for hidden in group.into_iter().filter(|position| *position != winner) {
                let file = self.definitions[hidden].origin.shown.clone();
                self.definitions[winner].hides.push(file);
                self.definitions[hidden].hidden_by = Some(shown.clone());
            }
        }
    }

    fn dialect(&self, position: usize) -> Option<Dialect> {
        self.definitions[position].reading.plan.as_ref().map(|plan| plan.dialect)
    }

    fn note(&self, winner: usize, first: usize) -> String {
        let word = |position| self.dialect(position).map_or("", Dialect::as_str);
        let (earlier, dialect) = (&self.definitions[first].origin.shown, word(first));
        format!("taken before {earlier} ({dialect}), because this tool is of the dialect {}", word(winner))
    }

    /// The definition that a name means: the one of that name that can run, else the first whose file has that
    /// name, else a broken one.
    pub fn find(&self, name: &str) -> Result<&Definition, NotFound> {
        check_name(name)?;
        self.position(name).map(|position| self.linked(position)).ok_or_else(|| self.not_found(name))
    }

    /// All definitions, linked to what they call.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        (0..self.definitions.len()).map(|position| self.linked(position))
    }

    /// A definition, linked to what it calls. Whether it can be linked does not decide what its name means.
    fn linked(&self, position: usize) -> &Definition {
        let found = &self.definitions[position];
        let Some(links) = self.links.as_ref().filter(|_| !found.reading.calls.is_empty()) else {
            return found;
        };
        let link = || Definition { reading: links.link(&found.reading), ..found.clone() };
        self.linked[position].get_or_init(link)
    }

    /// All that a name could mean: by the name that they give themselves, or by that of their file.
    pub fn named<'l>(&'l self, name: &'l str) -> impl Iterator<Item = &'l Definition> {
        self.definitions.iter().filter(move |one| one.name == name || one.is_file_of(name))
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let first = |wanted: &dyn Fn(&Definition) -> bool| self.definitions.iter().position(wanted);
        first(&|one| one.name == name && one.runs() && one.hidden_by.is_none())
            .or_else(|| first(&|one| one.runs() && one.is_file_of(name)))
            .or_else(|| first(&|one| one.name == name))
            .or_else(|| first(&|one| one.is_file_of(name)))
    }

    pub(super) fn not_found(&self, name: &str) -> NotFound {
        let names = self.definitions.iter().map(|definition| definition.name.as_str());
        NotFound {
            name: name.to_owned(),
            malformed: false,
            near: dialects::near::near(name, names).into_iter().map(str::to_owned).collect(),
            places: self.places.iter().map(|place| place.shown.clone()).collect(),
        }
    }
}
