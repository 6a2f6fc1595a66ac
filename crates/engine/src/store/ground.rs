//! What a store stands on: the file that lay under its name when it was opened. Somebody may remove or replace it under an
//! owner (a reset by hand, a cleaner of old files); the owner's descriptor goes on to work, and what it writes is found by
//! nobody. So the name is looked at before anything is recorded, which takes about a microsecond.
//!
//! Invariant: as long as the store is open, its file keeps its number, so that no other file can be taken for it.

use super::FILE;
use super::error::Lost;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file of a store, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    path: PathBuf,
    /// The device and the number of the file.
    file: (u64, u64),
}

impl Ground {
    /// What lies in a data directory now.
    pub fn of(dir: &Path) -> io::Result<Ground> {
        let path = dir.join(FILE);
        let file = identity(&path)?;
        Ok(Ground { path, file })
    }

    /// Whether it is still there. Where that cannot be seen, it counts as there: the descriptor works on.
    pub fn holds(&self) -> Result<(), Lost> {
        match identity(&self.path) {
            Ok(file) if file != self.file => Err(Lost::Replaced(self.path.clone())),
            Err(error) if is_absent(&error) => Err(Lost::Removed(self.path.clone())),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
