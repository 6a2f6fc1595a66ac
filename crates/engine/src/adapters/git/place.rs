//! Where a worktree may lie: inside the run's folder, links and `..` resolved first.

use crate::turn::Home;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The place a path names, or why it is none.
pub(super) fn inside(home: &Home, path: &str) -> Result<PathBuf, String> {
    if path.contains('\0') {
        return Err("`path` contains a NUL byte, which no file can have in its name: remove it".to_owned());
    }
    let unreadable = |error: io::Error| format!("`{path}` cannot be looked at: {error}");
    let root = home.folder.canonicalize().map_err(unreadable)?;
    let place = resolved(&root.join(path)).map_err(unreadable)?;
    if !place.starts_with(&root) {
        let (place, root) = (place.display(), root.display());
        return Err(format!("`{path}` leads to {place}, which is outside of {root}: name a place inside"));
    }
    Ok(place)
}

/// A path without links and `..`; what does not exist yet stays as it is written.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(real.pop()),
            Component::CurDir => {}
            component => {
                real.push(component);
                if real.symlink_metadata().is_ok() {
                    real = real.canonicalize()?;
                }
            }
        }
    }
    Ok(real)
}
