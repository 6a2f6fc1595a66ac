//! What is written into the repository, so that an attempt that was cut off is known to the next one.
//!
//! | file | says |
//! |---|---|
//! | `worktrees/NAME/switchback` | for whom this worktree was made; git deletes it with the worktree |
//! | `switchback/removing-PATH` | this worktree is being removed, or was, and perhaps its branch with it |
//!
//! A note on a removal stays after it, because its report may be lost; it goes with the next worktree at that place, or
//! when it is a week old.

use super::inside::{Folder, is_file};
use super::trouble::Trouble;
use kernel::Digest;
use rustix::fs::Stat;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The name of the mark in a worktree's own folder of the repository.
const MADE: &str = "switchback";

/// The folder of the notes on removals, inside the repository.
const FOLDER: &str = "switchback";

/// How the name of such a note begins.
const NOTE: &str = "removing-";

/// How long a note on a removal is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Writes down for whom a worktree was made.
pub(super) fn made(admin: &Path, by: &str) -> Result<(), Trouble> {
    let entry = Folder::open(admin)?;
    let gone = || Trouble::Crashed(format!("{} is gone: somebody took it away", admin.display()));
    entry.ok_or_else(gone)?.write(MADE, by)
}

/// Whether a worktree was made for this one.
pub(super) fn is_made_by(admin: &Path, by: &str) -> Result<bool, Trouble> {
    let entry = Folder::open(admin)?;
    Ok(entry.and_then(|entry| entry.read(MADE)).is_some_and(|text| text == by.as_bytes()))
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
    pub(super) fn read(common: &Path, target: &Path) -> Result<Option<Removing>, Trouble> {
        let text = notes(common)?.and_then(|notes| notes.read(&name(target)));
        let note = text.and_then(|text| serde_json::from_slice::<Removing>(&text).ok());
        Ok(note.filter(|removing| removing.path == target))
    }

    /// Writes the note.
    pub(super) fn write(&self, common: &Path) -> Result<(), Trouble> {
        let text = serde_json::to_string(self).map_err(|error| Trouble::Crashed(error.to_string()))?;
        let gone = || Trouble::Crashed(format!("the repository {} is gone", common.display()));
        let notes = Folder::open(common)?.ok_or_else(gone)?.made_below(FOLDER)?;
        tidy(&notes)?;
        notes.write(&name(&self.path), &text)
    }

    /// Takes the note away.
    pub(super) fn forget(common: &Path, target: &Path) -> Result<(), Trouble> {
        notes(common)?.map_or(Ok(()), |notes| notes.remove(OsStr::new(&name(target))))
    }
}

/// Where the notes lie, if there are any.
fn notes(common: &Path) -> Result<Option<Folder>, Trouble> {
    Folder::open(&common.join(FOLDER))
}

fn name(target: &Path) -> String {
    let digest = Digest::of(target.as_os_str().as_encoded_bytes()).to_string();
    format!("{NOTE}{}", &digest[..digest.len().min(24)])
}

/// Takes old notes away. One that cannot be taken away does no harm.
fn tidy(notes: &Folder) -> Result<(), Trouble> {
    let kept_since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(KEPT);
    let is_old = |name: &&OsString| {
        let is_note = name.as_encoded_bytes().starts_with(NOTE.as_bytes());
        let changed = |stat: Stat| u64::try_from(stat.st_mtime).unwrap_or_default();
        let stat = notes.stat(name).filter(is_file).filter(|_| is_note);
        stat.is_some_and(|stat| changed(stat) < kept_since.as_secs())
    };
    notes.names()?.iter().filter(is_old).for_each(|name| drop(notes.remove(name)));
    Ok(())
}
