//! Where a `.git` leads that is a link, or a file that names another folder (`gitdir: PATH`). A repository is known by what lies in
//! it; one that is not there yet, or not filled yet, is known by this only.

use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The longest text of a `.git`.
const BYTES_MAX: u64 = 8 * 1024;

/// Where the `.git` of a folder leads, if that is no repository yet.
pub(super) fn goal(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.symlink_metadata().ok()?.is_dir() {
        return None;
    }
    let goal = named(&git).map(|path| folder.join(path)).unwrap_or(git);
    goal.join("HEAD").symlink_metadata().is_err().then_some(goal)
}

/// The folder that a file names.
fn named(git: &Path) -> Option<PathBuf> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(git).ok()?;
    let mut text = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut text).ok()?;
    let path = text.strip_prefix(b"gitdir: ")?.trim_ascii_end();
    Some(OsStr::from_bytes(path).into())
}
