//! Files that a definition imports: where they may lie, what was found there, and whether it is still so.
//!
//! ```text
//!  path ── the workflows folder, then the folder of the file that imports ── links and `..` followed ── inside? ── text
//!                                                                                                  └─ outside: refused
//! ```
//! What was found is kept with what came of reading: whoever reads the definition again, to link it, sees the same files.

use super::file::{FileError, read_up_to};
use super::order::Order;
use super::place::Surroundings;
use super::stamp::Stamp;
use super::walk::is_definition;
use dialects::known::Import;
use dialects::near::near;
use dialects::text::{Source, limits};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// What was found for the imports of one definition, and how it looked.
#[derive(Clone, Debug, Default)]
pub(super) struct Imports {
    /// By the file that imports, and by the path as written.
    found: BTreeMap<(Option<String>, String), Import>,
    /// Every path that was looked at, how it looked, and whether a change of it will show.
    looked: Vec<(PathBuf, Stamp, bool)>,
}

impl Imports {
    /// What was found, if someone looked for it.
    pub(super) fn get(&self, from: Option<&str>, path: &str) -> Import {
        self.found.get(&(from.map(str::to_owned), path.to_owned())).cloned().unwrap_or_default()
    }

    /// Whether every path looks as it did.
    pub(super) fn is_current(&self) -> bool {
        self.looked.iter().all(|(path, stamp, settled)| *settled && Stamp::of(path) == *stamp)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.looked.is_empty()
    }

    /// The texts that were found.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.found.values().filter_map(|import| match import {
            Import::Found { source, .. } => Some(source),
            _ => None,
        })
    }
}

/// Looks for the imports of one definition.
pub(super) struct Importer<'a> {
    around: &'a Surroundings,
    /// The workflows folder, and the file itself.
    folder: PathBuf,
    file: PathBuf,
    imports: RefCell<Imports>,
}

impl<'a> Importer<'a> {
    /// For a file of a workflows folder.
    pub(super) fn new(around: &'a Surroundings, folder: &Path, file: &Path) -> Self {
        let (folder, file) = (folder.to_owned(), file.to_owned());
        Importer { around, folder, file, imports: RefCell::default() }
    }

    /// For a file that was named by its path: its workflows folder is the place it lies in, or its own folder.
    pub(super) fn of_file(around: &'a Surroundings, file: &Path) -> Self {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let places = around.places(Order::Plain).into_iter().filter_map(|place| place.folder);
        let own = places.into_iter().find(|folder| file.starts_with(folder));
        let folder = own.or_else(|| file.parent().map(Path::to_owned)).unwrap_or_default();
        Importer::new(around, &folder, &file)
    }

    /// What was found.
    pub(super) fn into_imports(self) -> Imports {
        self.imports.into_inner()
    }

    /// What a path means to the file that imports it.
    pub(super) fn import(&self, from: Option<&str>, path: &str) -> Import {
        let key = (from.map(str::to_owned), path.to_owned());
        if let Some(known) = self.imports.borrow().found.get(&key) {
            return known.clone();
        }
        let found = self.look(from, path);
        self.imports.borrow_mut().found.insert(key, found.clone());
        found
    }

    fn look(&self, from: Option<&str>, path: &str) -> Import {
        if !is_definition(Path::new(path)) {
            return refused("does not end in `.yaml`, `.yml` or `.json`");
        }
        let beside = from.map_or(self.file.as_path(), Path::new).parent().unwrap_or(Path::new(""));
        let mut bases = vec![self.folder.as_path()];
        if beside != self.folder {
            bases.push(beside);
        }
        for base in &bases {
            let candidate = base.join(path);
            let (stamp, now) = (Stamp::of(&candidate), SystemTime::now());
            let settled = stamp.is_settled(now);
            self.imports.borrow_mut().looked.push((candidate.clone(), stamp, settled));
            if stamp.id().is_some() && is_written_so(base, Path::new(path)) {
                return self.read(&candidate);
            }
        }
        let looked = bases.iter().map(|base| self.around.shown(&base.join(path))).collect();
        Import::Absent { looked, near: self.near(&bases, path) }
    }

    fn read(&self, path: &Path) -> Import {
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) => return refused(format!("cannot be read: {error}")),
        };
        let mut roots = std::iter::once(&self.folder).chain(&self.around.roots);
        if !roots.any(|root| root.canonicalize().is_ok_and(|root| real.starts_with(root))) {
            let folder = self.around.shown(&self.folder);
            return refused(format!("lies outside of {folder} and of the `roots` of the settings"));
        }
        let shown = self.around.shown(path);
        match read_up_to(&real, &shown, limits::FILE_BYTES_MAX as u64) {
            Ok(text) => Import::Found { id: real.display().to_string(), source: Source::new(shown, text) },
            Err(FileError::NotText { .. }) => refused("is not UTF-8 text"),
            Err(FileError::Io { error, .. }) => refused(format!("cannot be read: {error}")),
            Err(FileError::Absent(_)) => refused("is gone while it was read"),
        }
    }

    /// Files beside where it was looked for whose names are near, as they would be written.
    fn near(&self, bases: &[&Path], path: &str) -> Vec<String> {
        let written = Path::new(path).parent().unwrap_or(Path::new(""));
        let names = bases.iter().filter_map(|base| std::fs::read_dir(base.join(written)).ok()).flatten();
        let names = names.flatten().map(|entry| written.join(entry.file_name()));
        let names: Vec<String> =
            names.filter(|path| is_definition(path)).map(|path| path.display().to_string()).collect();
        near(path, names.iter().map(String::as_str)).into_iter().map(str::to_owned).collect()
    }
}

fn refused(why: impl Into<String>) -> Import {
    Import::Refused { why: why.into() }
}

/// Whether every name on a way is on the disk as it is written, also where the disk takes letters of any case.
fn is_written_so(base: &Path, path: &Path) -> bool {
    let mut folder = base.to_owned();
    path.components().all(|part| {
        let is_so = match part {
            Component::Normal(name) => has(&folder, name),
            _ => true,
        };
        folder.push(part);
        is_so
    })
}

fn has(folder: &Path, name: &OsStr) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name() == name))
}
