//! Where a path to a folder leads, for those who hand it to another program: folders that are not there yet are taken as they are
//! written, and nothing is made.

use super::Walk;
use crate::adapters::file::Trouble;
use crate::adapters::file::guard::makes_repository;
use crate::adapters::file::roots::{Identity, Roots, enter};
use crate::adapters::file::trouble::shown;
use crate::adapters::file::walk::{Aim, readable};
use crate::turn::Home;
use kernel::Failure;
use rustix::fd::OwnedFd;
use rustix::fs::{Dir, DirEntry};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The folder that a path of a run names, without links, inside the folders that the run may use.
pub(crate) fn folder(home: &Home, data: &Path, given: &str, aim: Aim) -> Result<PathBuf, Failure> {
    let find = || {
        let roots = Roots::open(home, data)?;
        Walk::new(&roots, given, aim)?.arrive_at_folder()
    };
    find().map_err(Trouble::into_failure)
}

impl Walk<'_> {
    fn arrive_at_folder(mut self) -> Result<PathBuf, Trouble> {
        let mut beyond: Vec<OsString> = Vec::new();
        while let Some(name) = self.ahead.pop_front() {
            match name.as_bytes() {
                b"" | b"." => {}
                b".." if beyond.pop().is_some() => {}
                b".." => self.back()?,
                _ if !beyond.is_empty() || self.is_missing(&name) => beyond.push(name),
                _ => self.enter(name)?,
            }
        }
        if self.roots.are_data(self.ids()) {
            return Err(self.roots.private(self.given));
        }
        if !self.roots.hold(self.ids()) {
            return Err(self.roots.outside(self.given));
        }
        self.check_writable(&beyond.iter().map(OsString::as_os_str).collect::<Vec<_>>())?;
        // What is there already is filled by nobody.
        if self.aim == Aim::Worktree && (!beyond.is_empty() || is_empty(&self.here)) {
            let chain: Vec<(&OsStr, Identity)> =
                self.chain.iter().map(|level| (level.name.as_os_str(), level.id)).collect();
            let beyond: Vec<&OsStr> = beyond.iter().map(OsString::as_os_str).collect();
            self.roots.guard.check_inside(&chain, &beyond, self.given)?;
        }
        // Another program makes it, and nobody can hold the folder meanwhile.
        if self.aim == Aim::Worktree
            && let Some(name) = beyond.iter().find(|name| makes_repository(name))
        {
            let (given, name) = (shown(self.given), shown(&name.to_string_lossy()));
            let message =
                format!("{given} is not made: {name} is a name by which git knows a repository; use another");
            return Err(Trouble::cannot(message));
        }
        let names = self.chain.iter().skip(1).map(|level| level.name.as_os_str());
        let parts = names.chain(beyond.iter().map(OsString::as_os_str)).map(OsStr::as_bytes);
        let path: Vec<&[u8]> = std::iter::once(&b""[..]).chain(parts).collect();
        let path = PathBuf::from(OsString::from_vec(path.join(&b'/')));
        // The run's own folder is told of by whoever removes.
        if self.aim == Aim::Removal && !self.roots.folder.starts_with(&path) {
            self.roots.guard.check_removed(&path, self.given)?;
        }
        Ok(path)
    }

    /// Whether there is nothing of that name; a link that leads nowhere is something.
    fn is_missing(&self, name: &OsStr) -> bool {
        self.is_inside() && enter(&self.here, name).err() == Some(Errno::NOENT)
    }
}

/// Whether nothing lies in a directory. One that cannot be looked into may be empty.
fn is_empty(dir: &OwnedFd) -> bool {
    let dots = |entry: DirEntry| matches!(entry.file_name().to_bytes(), b"." | b"..");
    let entries = readable(dir).and_then(Dir::new);
    entries.map_or(true, |mut entries| entries.all(|entry| entry.map_or(true, dots)))
}
