//! What the files of a client looked like when they were read: a few looks at the disk tell whether one has changed since.

use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The files, in their order, and what each looked like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen(Vec<(PathBuf, Look)>);

/// A file, and what a link in its place leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Look {
    itself: Result<Mark, ErrorKind>,
    target: Option<Result<Mark, ErrorKind>>,
}

/// What changes whenever a file is written, replaced, or made readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    file: (u64, u64),
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Seen {
    /// Looks at files. It waits for the disk.
    pub(super) fn of(paths: impl Iterator<Item = PathBuf>) -> Seen {
        let seen = |path: PathBuf| (look(&path), path);
        Seen(paths.map(seen).map(|(look, path)| (path, look)).collect())
    }

    /// Whether they look as they did. It waits for the disk.
    pub(super) fn is_current(&self) -> bool {
        self.0.iter().all(|(path, seen)| look(path) == *seen)
    }
}

fn look(path: &Path) -> Look {
    let itself = path.symlink_metadata();
    let is_link = itself.as_ref().is_ok_and(|meta| meta.file_type().is_symlink());
    Look { itself: mark(itself), target: is_link.then(|| mark(path.metadata())) }
}

fn mark(looked: std::io::Result<Metadata>) -> Result<Mark, ErrorKind> {
    let meta = looked.map_err(|error| error.kind())?;
    Ok(Mark {
        file: (meta.dev(), meta.ino()),
        size: meta.size(),
        written: (meta.mtime(), meta.mtime_nsec()),
        changed: (meta.ctime(), meta.ctime_nsec()),
    })
}
