//! Where the links in a place of definitions lead. What lies there is a definition as much as what lies in the place itself, so
//! blocks do not write it either.
//!
//! A place is looked through as far as the library does it: the same depth, the same number of entries, nothing hidden. What
//! the library does not look at decides nothing. A place with more entries than that is not known, and then nothing is
//! written at all.

use crate::library::{DEPTH_MAX, ENTRIES_MAX, is_definition};
use std::fs::{metadata, read_dir};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A place has more entries than anyone looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

struct Search {
    links: Vec<PathBuf>,
    entries: usize,
    /// The folders around the one that is looked into: a link to one of them leads in a circle.
    inside: Vec<(u64, u64)>,
}

/// The links below a place that lead to definitions or may come to.
pub(super) fn links(place: &Path) -> Result<Vec<PathBuf>, TooMany> {
    let mut search = Search { links: Vec::new(), entries: 0, inside: Vec::new() };
    search.folder(place, DEPTH_MAX)?;
    Ok(search.links)
}

impl Search {
    fn folder(&mut self, folder: &Path, depth: u32) -> Result<(), TooMany> {
        let Ok(found) = metadata(folder) else { return Ok(()) };
        let id = (found.dev(), found.ino());
        let Ok(entries) = read_dir(folder) else { return Ok(()) };
        if self.inside.contains(&id) {
            return Ok(());
        }
        self.inside.push(id);
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > ENTRIES_MAX {
                return Err(TooMany);
            }
            let Ok(kind) = entry.file_type() else { continue };
            if !entry.file_name().as_encoded_bytes().starts_with(b".") && !kind.is_file() {
                self.entry(entry.path(), kind.is_symlink(), depth)?;
            }
        }
        self.inside.pop();
        Ok(())
    }

    fn entry(&mut self, path: PathBuf, is_link: bool, depth: u32) -> Result<(), TooMany> {
        let found = metadata(&path);
        let is_folder = found.as_ref().is_ok_and(|found| found.is_dir());
        // One that leads nowhere yet may lead to a folder later.
        let leads_on = depth > 1 && (is_folder || found.is_err());
        if is_link && (is_definition(&path) || leads_on) {
            self.links.push(path.clone());
        }
        if is_folder && depth > 1 { self.folder(&path, depth - 1) } else { Ok(()) }
    }
}
