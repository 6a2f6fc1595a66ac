//! What is written into the repository, so that an attempt that was cut off is known to the next one.
//!
//! | file | says |
//! |---|---|
//! | `worktrees/NAME/switchback` | for whom this worktree was made; git deletes it with the worktree |
//! | `switchback/removing-PATH` | this worktree is being removed, or was, and perhaps its branch with it |
//!
//! A note on a removal stays after it, because its report may be lost; it goes with the next worktree at that place, or
//! when it is a week old.

use super::trouble::Trouble;
use kernel::Digest;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the mark in a worktree's own folder of the repository.
const MADE: &str = "switchback";

/// How long a note on a removal is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Writes down for whom a worktree was made.
pub(super) fn made(admin: &Path, by: &str) -> Result<(), Trouble> {
    write(&admin.join(MADE), by)
}

/// Whether a worktree was made for this one.
pub(super) fn is_made_by(admin: &Path, by: &str) -> bool {
    fs::read_to_string(admin.join(MADE)).is_ok_and(|text| text == by)
}

/// A worktree that is being removed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Removing {
    /// Its folder.
    pub(super) path: PathBuf,
    /// The branch it was on.
    pub(super) branch: Option<String>,
    /// Whether the branch goes too.
    pub(super) delete_branch: bool,
    /// Who asked for it.
    pub(super) by: String,
    /// It is over, and this says whether the branch is gone.
    pub(super) over: Option<bool>,
}

impl Removing {
    /// The note on a worktree, if there is one.
    pub(super) fn read(common: &Path, target: &Path) -> Option<Removing> {
        let text = fs::read_to_string(file(common, target)).ok()?;
        serde_json::from_str::<Removing>(&text).ok().filter(|removing| removing.path == target)
    }

    /// Writes the note.
    pub(super) fn write(&self, common: &Path) -> Result<(), Trouble> {
        let file = file(common, &self.path);
        let text = serde_json::to_string(self).map_err(|error| Trouble::Crashed(error.to_string()))?;
        let folder = file.parent().unwrap_or(common);
        fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
        tidy(folder);
        write(&file, &text)
    }

    /// Takes the note away.
    pub(super) fn forget(common: &Path, target: &Path) -> Result<(), Trouble> {
        let file = file(common, target);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(not_written(&file, &error)),
            _ => Ok(()),
        }
    }
}

fn file(common: &Path, target: &Path) -> PathBuf {
    let digest = Digest::of(target.as_os_str().as_encoded_bytes()).to_string();
    common.join("switchback").join(format!("removing-{}", &digest[..digest.len().min(24)]))
}

/// Takes old notes away. One that cannot be taken away does no harm.
fn tidy(folder: &Path) {
    let notes = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_old = |note: &fs::DirEntry| {
        let age =
            note.metadata().and_then(|data| data.modified()).map(|time| time.elapsed().unwrap_or_default());
        age.is_ok_and(|age| age > KEPT)
    };
    notes.filter(is_old).for_each(|note| drop(fs::remove_file(note.path())));
}

fn write(file: &Path, text: &str) -> Result<(), Trouble> {
    fs::write(file, text).map_err(|error| not_written(file, &error))
}

fn not_written(file: &Path, error: &std::io::Error) -> Trouble {
    Trouble::Crashed(format!("{} cannot be written: {error}", file.display()))
}
