//! Where a `.git` leads that is a link, or a file that names another folder (`gitdir: PATH`), and what links there are in it. A repository is
//! known by what lies in it; one that is not there yet, or not filled yet, is known by this only, and so is a file to which `.git` is a link.

use super::linked::TooMany;
use crate::library::ENTRIES_MAX;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::{OpenOptions, read_dir};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The longest text of a `.git`.
const BYTES_MAX: u64 = 8 * 1024;

/// Where the `.git` of a folder leads, if that is no repository yet: a link that stands in its place, its own folder, and the one that it
/// shares with others.
pub(super) fn goals(folder: &Path) -> Vec<PathBuf> {
    let git = folder.join(".git");
    let link = git.symlink_metadata().is_ok_and(|found| found.is_symlink()) && !git.is_dir();
    let link = link.then(|| git.clone());
    let own = named(&git).map_or(git, |path| folder.join(path));
    let is_not_yet = |git: &PathBuf| git.join("HEAD").symlink_metadata().is_err();
    let common = common(&own).filter(is_not_yet);
    // A folder of that name is known by it.
    let leads = folder.join(".git").symlink_metadata().is_ok_and(|git| !git.is_dir());
    Some(own).filter(|own| leads && is_not_yet(own)).into_iter().chain(common).chain(link).collect()
}

/// Folders in which git looks for settings and for what it runs, inside a repository.
const LOOKED_INTO: [&str; 3] = ["", "hooks", "info"];

/// The links in the repository of a folder: people keep hooks and settings among the files of a project and link to them.
pub(super) fn links(folder: &Path) -> Result<Vec<PathBuf>, TooMany> {
    let git = folder.join(".git");
    let own = if git.is_dir() { Some(git) } else { named(&git).map(|path| folder.join(path)) };
    // That of a worktree has its settings and hooks in another one.
    let common = own.as_deref().and_then(common);
    let (mut links, mut count) = (Vec::new(), 0);
    for folder in common.into_iter().chain(own).flat_map(|git| LOOKED_INTO.map(|inside| git.join(inside))) {
        for entry in read_dir(folder).into_iter().flatten().flatten() {
            count += 1;
            if count > ENTRIES_MAX {
                return Err(TooMany);
            }
            links.extend(entry.file_type().is_ok_and(|kind| kind.is_symlink()).then(|| entry.path()));
        }
    }
    Ok(links)
}

/// The folder that a repository shares with others, as it names it.
fn common(own: &Path) -> Option<PathBuf> {
    Some(own.join(text(&own.join("commondir"), b"")?))
}

/// The folder that a file names.
fn named(git: &Path) -> Option<PathBuf> {
    text(git, b"gitdir: ")
}

/// The path that stands in a file behind some words.
fn text(file: &Path, words: &[u8]) -> Option<PathBuf> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(file).ok()?;
    let mut text = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut text).ok()?;
    let path = text.strip_prefix(words)?.trim_ascii_end();
    Some(OsStr::from_bytes(path).into())
}
