//! One place as it was when it was last looked at: its folders and files, and what came of reading them.
//!
//! ```text
//!  is everything seen still as it was? ── yes ── nothing is read
//!                                       └─ no ── list again; read what changed, keep the rest
//! ```

use super::definition::{Reading, read_of_file};
use super::file::{FileError, read_up_to};
use super::import::Importer;
use super::place::Surroundings;
use super::stamp::Stamp;
use dialects::text::{Source, limits};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// How deep folders inside a place are looked into, the place itself included.
pub(crate) const DEPTH_MAX: u32 = 4;

/// How many entries a place may have, all its folders together.
pub(crate) const ENTRIES_MAX: usize = 4096;

/// The file that lists kept state machines, and is none itself.
const INDEX: &str = "index.json";

/// A place at one moment.
#[derive(Debug, Default)]
pub(super) struct Walk {
    seen: Vec<Seen>,
    /// What could not be looked into, and why.
    pub(super) troubles: Vec<String>,
}

/// Something that was seen, and how it looked.
#[derive(Debug)]
struct Seen {
    path: PathBuf,
    stamp: Stamp,
    settled: bool,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A folder, or a link that leads nowhere yet: if it changes, everything is listed again.
    Folder,
    /// A definition.
    File(Arc<Reading>),
}

impl Seen {
    /// Whether it looks as it did, and so does all that it imports.
    fn is_current(&self) -> bool {
        let imports = match &self.what {
            What::File(reading) => reading.imports.is_current(),
            What::Folder => true,
        };
        self.settled && imports && Stamp::of(&self.path) == self.stamp
    }
}

impl Walk {
    /// Whether nothing has changed since. One that never looked is not current.
    pub(super) fn is_current(&self) -> bool {
        !self.seen.is_empty() && self.seen.iter().all(Seen::is_current)
    }

    /// Whether every stamp is settled.
    #[cfg(test)]
    pub(super) fn is_settled(&self) -> bool {
        !self.seen.is_empty() && self.seen.iter().all(|one| one.settled)
    }

    /// Looks again; what did not change is not read again.
    pub(super) fn again(&self, folder: &Path, around: &Surroundings) -> Self {
        let known = self.seen.iter().map(|one| (one.path.as_path(), one)).collect();
        let mut walker =
            Walker { around, place: folder, known, walk: Walk::default(), inside: Vec::new(), entries: 0 };
        walker.folder(folder, DEPTH_MAX);
        walker.walk
    }

    /// The files, in order, with what came of reading them.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Path, &Arc<Reading>)> {
        self.seen.iter().filter_map(|one| match &one.what {
            What::File(reading) => Some((one.path.as_path(), reading)),
            What::Folder => None,
        })
    }

    /// Whether the same files hold the same texts.
    pub(super) fn says_the_same(&self, other: &Walk) -> bool {
        let mut pair = (self.files(), other.files());
        let same = std::iter::from_fn(|| match (pair.0.next(), pair.1.next()) {
            (None, None) => None,
            (Some((a, one)), Some((b, two))) => Some(a == b && Arc::ptr_eq(one, two)),
            _ => Some(false),
        });
        self.troubles == other.troubles && same.into_iter().all(|same| same)
    }
}

/// Goes through a place.
struct Walker<'a> {
    around: &'a Surroundings,
    place: &'a Path,
    known: HashMap<&'a Path, &'a Seen>,
    walk: Walk,
    /// The folders around the one that is looked into, so that a link to one of them is not followed for ever.
    inside: Vec<(u64, u64)>,
    entries: usize,
}

impl Walker<'_> {
    fn folder(&mut self, path: &Path, depth: u32) {
        let stamp = self.see(path, What::Folder);
        let Some(id) = stamp.id() else {
            return match stamp {
                Stamp::Not(libc::ENOENT) => {}
                Stamp::Not(code) => self.trouble(path, &io::Error::from_raw_os_error(code).to_string()),
                Stamp::There { .. } => {}
            };
        };
        if self.inside.contains(&id) {
            return self.trouble(path, "it leads back into itself");
        }
        match self.entries_of(path) {
            Ok(entries) => {
                self.inside.push(id);
                entries.into_iter().for_each(|entry| self.entry(entry, depth));
                self.inside.pop();
            }
            Err(error) => self.trouble(path, &error.to_string()),
        }
    }

    /// What lies in a folder, by name; hidden things are not looked at.
    fn entries_of(&mut self, folder: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            self.entries += 1;
            if self.entries > ENTRIES_MAX {
                let reason =
                    format!("a place of definitions may have {ENTRIES_MAX} entries, and this has more");
                return Err(io::Error::other(reason));
            }
            let is_index = entry.file_name() == INDEX && folder.ends_with(crate::kept::FOLDER);
            if is_index || entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let kind = entry.file_type()?;
            if is_definition(&entry.path()) || kind.is_dir() || kind.is_symlink() {
                entries.push((entry.path(), kind.is_file()));
            }
        }
        entries.sort_unstable();
        Ok(entries)
    }

    fn entry(&mut self, (path, is_file): (PathBuf, bool), depth: u32) {
        let stamp = if is_file { None } else { Some(Stamp::of(&path)) };
        if stamp.is_some_and(|stamp| stamp.is_folder()) {
            if depth > 1 {
                self.folder(&path, depth - 1);
            }
        } else if is_definition(&path) {
            self.file(&path);
        } else if matches!(stamp, Some(Stamp::Not(_))) {
            self.see(&path, What::Folder);
        }
    }

    fn file(&mut self, path: &Path) {
        // The stamp comes first: what is written after it was taken shows the next time.
        let (stamp, now) = (Stamp::of(path), SystemTime::now());
        let known = self.known.get(path).and_then(|seen| match &seen.what {
            What::File(reading) => Some((*seen, reading)),
            What::Folder => None,
        });
        let reading = match known {
            Some((seen, reading)) if seen.stamp == stamp && seen.settled && reading.imports.is_current() => {
                Arc::clone(reading)
            }
            known => match self.read(path, known.map(|(_, reading)| reading)) {
                Some(reading) => reading,
                None => return,
            },
        };
        let (path, settled) = (path.to_owned(), stamp.is_settled(now));
        self.walk.seen.push(Seen { path, stamp, settled, what: What::File(reading) });
    }

    /// Reads a file; what says the same as before keeps what came of it. One that is gone meanwhile is none.
    fn read(&self, path: &Path, before: Option<&Arc<Reading>>) -> Option<Arc<Reading>> {
        let shown = self.around.shown(path);
        let text = match read_up_to(path, &shown, limits::FILE_BYTES_MAX as u64) {
            Ok(text) => Ok(text),
            Err(FileError::Absent(_)) if std::fs::symlink_metadata(path).is_err() => return None,
            Err(FileError::Absent(_)) => Err("this link leads nowhere".to_owned()),
            Err(FileError::NotText { text, at, byte }) => {
                return Some(Arc::new(Reading::not_text(text, at, byte)));
            }
            Err(error) => Err(error.to_string()),
        };
        let same = before.filter(|before| match &text {
            Ok(text) => !before.is_unreadable() && before.source.text == *text && before.imports.is_empty(),
            Err(reason) => {
                before.is_unreadable() && before.first_error().is_some_and(|one| one.message == *reason)
            }
        });
        Some(same.cloned().unwrap_or_else(|| match text {
            Ok(text) => {
                let importer = Importer::new(self.around, self.place, path);
                Arc::new(read_of_file(Source::new(shown, text), self.around.reading, importer))
            }
            Err(reason) => Arc::new(Reading::unreadable(&shown, &reason)),
        }))
    }

    fn see(&mut self, path: &Path, what: What) -> Stamp {
        let (stamp, now) = (Stamp::of(path), SystemTime::now());
        self.walk.seen.push(Seen { path: path.to_owned(), stamp, settled: stamp.is_settled(now), what });
        stamp
    }

    fn trouble(&mut self, path: &Path, reason: &str) {
        self.walk.troubles.push(format!("{} is not looked into: {reason}", self.around.shown(path)));
    }
}

/// Whether a file has the name of a definition.
pub(crate) fn is_definition(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["yaml", "yml", "json"].iter().any(|known| ending == *known))
}
