//! Finds definitions: all of them in order, or the one that a name means.

use super::definition::{Definition, Reading, read_file};
use super::place::{Place, Surroundings};
use dialects::diagnostic::{Diagnostic, Diagnostics};
use dialects::text::{Source, Span};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How deep folders inside a place are looked into.
const DEPTH_MAX: u32 = 4;

/// All definitions that were found, those with more right first.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The definitions.
    pub definitions: Vec<Definition>,
    /// The places that were looked into.
    pub places: Vec<Place>,
}

/// No definition has this name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no workflow is called `{name}`")]
pub struct NotFound {
    /// The name.
    pub name: String,
    /// Names that are near.
    pub near: Vec<String>,
    /// The places that were looked into.
    pub places: Vec<String>,
}

/// Whether a word on a command line means a file rather than a name.
pub fn looks_like_a_file(word: &str) -> bool {
    word.contains('/') || is_definition(Path::new(word))
}

impl Library {
    /// Reads all definitions in all places.
    pub fn scan(around: &Surroundings) -> Library {
        let places = around.places();
        let files = places.iter().flat_map(|place| files(&place.folder, DEPTH_MAX));
        let mut library = Library { definitions: Vec::new(), places: places.clone() };
        for path in files {
            let shown = around.shown(&path);
            let reading =
                read_file(&path, &shown).unwrap_or_else(|error| unreadable(&shown, &error.to_string()));
            library.definitions.push(definition(path, shown, reading));
        }
        library.hide();
        library
    }

    /// Of those that share a name the first can be run; it hides the others.
    fn hide(&mut self) {
        let mut first: HashMap<String, usize> = HashMap::new();
        for position in 0..self.definitions.len() {
            let definition = &self.definitions[position];
            if definition.reading.plan.is_none() {
                continue;
            }
            match first.get(&definition.name).copied() {
                None => drop(first.insert(definition.name.clone(), position)),
                Some(winner) => {
                    let hidden = definition.shown.clone();
                    self.definitions[position].hidden_by = Some(self.definitions[winner].shown.clone());
                    self.definitions[winner].hides.push(hidden);
                }
            }
        }
    }

    /// The definition that a name means: the first of that name that can run, else the first whose file has that
    /// name, else a broken one.
    pub fn find(&self, name: &str) -> Result<&Definition, NotFound> {
        let runs = |definition: &&Definition| definition.reading.plan.is_some();
        let named = || self.definitions.iter().filter(|definition| definition.name == name);
        let of_file = || {
            self.definitions
                .iter()
                .filter(|definition| definition.path.file_stem().is_some_and(|stem| stem == name))
        };
        let found = named().find(runs).or_else(|| of_file().find(runs)).or_else(|| named().next());
        found.ok_or_else(|| self.not_found(name))
    }

    fn not_found(&self, name: &str) -> NotFound {
        let names = self.definitions.iter().map(|definition| definition.name.as_str());
        NotFound {
            name: name.to_owned(),
            near: dialects::near::near(name, names).into_iter().map(str::to_owned).collect(),
            places: self.places.iter().map(|place| place.shown.clone()).collect(),
        }
    }
}

fn definition(path: PathBuf, shown: String, reading: Reading) -> Definition {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = reading.plan.as_ref().map_or(stem, |plan| plan.name.clone());
    Definition { name, path, shown, reading, hides: Vec::new(), hidden_by: None }
}

fn unreadable(shown: &str, reason: &str) -> Reading {
    let source = Source::new(shown, "");
    let diagnostic = Diagnostic::error("unreadable-file", &source, Span::default(), reason);
    Reading { plan: None, diagnostics: Diagnostics::from(vec![diagnostic]), source }
}

/// The definitions in a folder and the folders inside it, by name.
fn files(folder: &Path, depth: u32) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if path.is_dir() && depth > 1 && !hidden {
            found.extend(files(&path, depth - 1));
        } else if path.is_file() && is_definition(&path) {
            found.push(path);
        }
    }
    found
}

fn is_definition(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["yaml", "yml", "json"].iter().any(|known| ending == *known))
}
