//! Walks a path by directory handles: every name is opened in the directory before it and is never a link, and every link is
//! read and walked in its place.
//!
//! | the next part | what happens |
//! |---|---|
//! | `.` or nothing | nothing |
//! | `..` | back to the directory before, by its name, if it still is the same one; not to what `..` is by now |
//! | a directory | it joins the chain, and its handle takes the place of the one before: a walk holds two at most |
//! | a link | its parts take its place; one that begins with `/` starts again at the top |
//! | nothing there | made, if that is wanted, the chain is inside and the path ends with a name |
//! | the last part | the place, if the chain is inside and may be written where that is wanted |
//!
//! Outside of the allowed folders nothing is told of what is there: what cannot be walked there leads outside.

mod folder;

pub(crate) use folder::folder;

use super::guard::{Belongs, belongs, governed, is_of_git};
use super::lock::Lock;
use super::note::is_temporary;
use super::roots::{Identity, Roots, enter, identity, top, widened};
use super::trouble::{is_folder, leads_back, loops, moved, names_folder, no_folder, shown};
use super::{Gate, Trouble};
use dialects::blocks::file::governing;
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawMode, Stat, fchmod, fsync, mkdirat, openat, readlinkat, statat,
};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The links that one path may lead through.
pub(super) const LINKS_MAX: usize = 40;

/// The longest path, as most systems have it.
pub(super) const PATH_BYTES_MAX: usize = 4096;

/// Where a path leads: a name in a directory.
#[derive(Debug)]
pub(super) struct Place<'r> {
    roots: &'r Roots,
    /// The directory.
    pub(super) dir: OwnedFd,
    /// The name in it.
    pub(super) name: OsString,
    /// What is there; nothing, if nothing is. It is no link.
    pub(super) found: Option<Stat>,
    /// The whole path without links.
    pub(super) path: String,
    /// The path as it was given.
    pub(super) given: String,
}

/// What a path is walked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// To read what is there.
    Read,
    /// To write there.
    Write,
    /// To have a worktree made there.
    Worktree,
    /// To have the worktree that is there taken away.
    Removal,
    /// To write there; folders that are not there are made.
    Make,
}

/// How folders are made on the way.
#[derive(Clone, Copy)]
pub(super) struct Making<'g> {
    /// The rights that they do not get.
    pub(super) umask: Option<u32>,
    /// Who may stop it.
    pub(super) gate: &'g Gate,
}

impl Aim {
    /// Whether what it leads to is a worktree, which may lie in a repository.
    fn is_worktree(self) -> bool {
        matches!(self, Aim::Worktree | Aim::Removal)
    }
}

struct Level {
    name: OsString,
    id: Identity,
    /// What it belongs to that is not written, where its name does not tell.
    belongs: Option<Belongs>,
}

struct Walk<'r> {
    roots: &'r Roots,
    given: &'r str,
    aim: Aim,
    /// The directory at the end of the chain.
    here: OwnedFd,
    chain: Vec<Level>,
    ahead: VecDeque<OsString>,
    links: usize,
    making: Option<Making<'r>>,
}

/// Walks a path of a run to its end.
pub(super) fn walk<'r>(roots: &'r Roots, given: &'r str, aim: Aim) -> Result<Place<'r>, Trouble> {
    Walk::new(roots, given, aim)?.arrive()
}

/// The same to write there, where folders that are not there are made.
pub(super) fn walk_making<'r>(
    roots: &'r Roots,
    given: &'r str,
    making: Making<'r>,
) -> Result<Place<'r>, Trouble> {
    Walk { making: Some(making), ..Walk::new(roots, given, Aim::Make)? }.arrive()
}

fn is_dots(name: &OsStr) -> bool {
    matches!(name.as_bytes(), b"" | b"." | b"..")
}

/// What no path can be.
fn check(given: &str) -> Result<(), Trouble> {
    if given.is_empty() {
        return Err(Trouble::cannot("the path is empty: name a file"));
    }
    if given.contains('\0') {
        return Err(Trouble::cannot(format!(
            "{} contains a NUL byte, which no path can have: remove it",
            shown(given)
        )));
    }
    if given.len() > PATH_BYTES_MAX {
        return Err(Trouble::system("used", given, Errno::NAMETOOLONG));
    }
    Ok(())
}

/// The top of all.
fn start() -> Result<(OwnedFd, Level), Trouble> {
    let failed = |errno| Trouble::system("walked", "/", errno);
    let here = top().map_err(failed)?;
    let id = identity(&here).map_err(failed)?;
    Ok((here, Level { name: OsString::new(), id, belongs: None }))
}

impl<'r> Walk<'r> {
    /// Stands at the top, with all of the path ahead.
    fn new(roots: &'r Roots, given: &'r str, aim: Aim) -> Result<Self, Trouble> {
        check(given)?;
        let (here, level) = start()?;
        let (chain, ahead) = (vec![level], VecDeque::new());
        let mut walk = Walk { roots, given, aim, here, chain, ahead, links: 0, making: None };
        walk.lies_ahead(roots.folder.join(given).as_os_str());
        Ok(walk)
    }
}

impl<'r> Walk<'r> {
    fn arrive(mut self) -> Result<Place<'r>, Trouble> {
        while let Some(name) = self.ahead.pop_front() {
            match name.as_bytes() {
                b"" | b"." => {}
                b".." => self.back()?,
                _ if self.ahead.is_empty() => {
                    if let Some(found) = self.last(&name)? {
                        return self.arrived(name, found);
                    }
                }
                _ => self.enter(name)?,
            }
        }
        // It ends with a slash or a dot.
        Err(if self.is_inside() { is_folder(self.given) } else { self.roots.outside(self.given) })
    }

    fn restart(&mut self) -> Result<(), Trouble> {
        let (here, level) = start()?;
        (self.here, self.chain) = (here, vec![level]);
        Ok(())
    }

    fn ids(&self) -> impl Iterator<Item = Identity> {
        self.chain.iter().map(|level| level.id)
    }

    fn is_inside(&self) -> bool {
        self.roots.hold(self.ids()) && !self.roots.are_data(self.ids())
    }

    /// Refuses to write what decides over the server or git.
    fn check_writable(&self, beyond: &[&OsStr]) -> Result<(), Trouble> {
        if self.aim == Aim::Read {
            return Ok(());
        }
        let chain: Vec<(&OsStr, Identity)> =
            self.chain.iter().map(|level| (level.name.as_os_str(), level.id)).collect();
        let inside = self.roots.begin(self.ids()).unwrap_or_default();
        self.roots.guard.check(&chain, beyond, inside, self.given)?;
        let next = beyond.first().and_then(|name| belongs(&self.here, name, self.aim.is_worktree()));
        match self.chain.iter().find_map(|level| level.belongs.as_ref()).or(next.as_ref()) {
            Some((what, decides)) => Err(governed(self.given, what, decides)),
            None => Ok(()),
        }
    }

    fn back(&mut self) -> Result<(), Trouble> {
        if self.chain.len() == 1 {
            return Ok(());
        }
        self.chain.pop();
        let again = || {
            let mut dir = top()?;
            for level in &self.chain[1..] {
                dir = enter(&dir, &level.name)?;
            }
            let is_same = Some(identity(&dir)?) == self.ids().last();
            if is_same { Ok(dir) } else { Err(Errno::STALE) }
        };
        self.here = again().map_err(|errno| self.said(errno))?;
        Ok(())
    }

    fn lies_ahead(&mut self, path: &OsStr) {
        for part in path.as_bytes().split(|byte| *byte == b'/').rev() {
            self.ahead.push_front(OsString::from_vec(part.to_vec()));
        }
    }

    /// What the system said, unless it was said of something outside.
    fn said(&self, errno: Errno) -> Trouble {
        if self.roots.are_data(self.ids()) {
            return self.roots.private(self.given);
        }
        if !self.is_inside() {
            return self.roots.outside(self.given);
        }
        Trouble::system("reached", self.given, errno)
    }

    /// Goes into a directory, or through a link.
    fn enter(&mut self, name: OsString) -> Result<(), Trouble> {
        let dir = match enter(&self.here, &name) {
            Ok(dir) => dir,
            Err(Errno::NOENT) => match self.aim {
                Aim::Make | Aim::Write
                    if self.is_inside() && self.ahead.back().is_some_and(|name| is_dots(name)) =>
                {
                    return Err(names_folder(self.given));
                }
                // Nothing is made only to be left again.
                Aim::Make if self.is_inside() && self.ahead.iter().any(|name| name == "..") => {
                    return Err(leads_back(self.given, &name));
                }
                Aim::Make if self.is_inside() => self.make(&name)?,
                Aim::Write if self.is_inside() => return Err(no_folder(self.given)),
                _ => return Err(self.said(Errno::NOENT)),
            },
            // A link is told as either.
            Err(errno @ (Errno::NOTDIR | Errno::LOOP)) => return self.follow(&name, errno),
            Err(errno) => return Err(self.said(errno)),
        };
        let id = identity(&dir).map_err(|errno| self.said(errno))?;
        let belongs =
            if self.aim == Aim::Read { None } else { belongs(&self.here, &name, self.aim.is_worktree()) };
        self.chain.push(Level { name, id, belongs });
        self.here = dir;
        Ok(())
    }

    /// Puts the parts of a link in its place.
    fn follow(&mut self, name: &OsStr, otherwise: Errno) -> Result<(), Trouble> {
        let target = match readlinkat(&self.here, name, Vec::new()) {
            Ok(target) => OsString::from_vec(target.into_bytes()),
            Err(Errno::INVAL) => return Err(self.said(otherwise)),
            Err(errno) => return Err(self.said(errno)),
        };
        self.check_link(name)?;
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(if self.is_inside() { loops(self.given) } else { self.roots.outside(self.given) });
        }
        if target.as_bytes().starts_with(b"/") {
            self.restart()?;
        }
        self.lies_ahead(&target);
        Ok(())
    }

    /// What is written through a link is as good as written to its name.
    fn check_link(&self, name: &OsStr) -> Result<(), Trouble> {
        if self.aim == Aim::Read {
            return Ok(());
        }
        let found = governing(&name.to_string_lossy(), self.ahead.is_empty());
        match found.filter(|one| one.is_everywhere || self.is_inside()) {
            Some(one) => Err(governed(self.given, &shown(one.name), one.decides)),
            None => Ok(()),
        }
    }

    fn make(&self, name: &OsStr) -> Result<OwnedFd, Trouble> {
        let Making { umask, gate } = self.making.expect("BUG: nobody says how folders are made");
        let failed = |errno| Trouble::system("made", self.given, errno);
        gate.check()?;
        let alone = is_of_git(name).then(|| Lock::on(&self.here, gate, failed)).transpose()?;
        // What is still ahead counts too: no folder is made for what is refused in the end.
        let ahead = self.ahead.iter().map(OsString::as_os_str);
        let ahead: Vec<&OsStr> = std::iter::once(name).chain(ahead.filter(|name| !is_dots(name))).collect();
        self.check_writable(&ahead)?;
        let made = match mkdirat(&self.here, name, Mode::from_raw_mode(0o777)) {
            Ok(()) => true,
            // Someone else was faster.
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(failed(errno)),
        };
        drop(alone);
        let dir = enter(&self.here, name).map_err(failed)?;
        if let (true, Some(mask)) = (made, umask) {
            let rights = rights(0o777 & !mask);
            readable(&dir).and_then(|dir| fchmod(dir, rights)).map_err(failed)?;
        }
        readable(&dir).and_then(|made| flush(&self.here, &made)).map_err(failed)?;
        Ok(dir)
    }

    /// What is at the last part; nothing, if that is a link, whose parts are walked next.
    fn last(&mut self, name: &OsStr) -> Result<Option<Option<Stat>>, Trouble> {
        match statat(&self.here, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                // Gone by now, or replaced: then it is looked at once more.
                match self.follow(name, Errno::INVAL) {
                    Ok(()) => Ok(None),
                    Err(trouble) => Err(trouble),
                }
            }
            Ok(stat) => Ok(Some(Some(stat))),
            Err(Errno::NOENT) => Ok(Some(None)),
            Err(errno) => Err(self.said(errno)),
        }
    }

    fn arrived(self, name: OsString, found: Option<Stat>) -> Result<Place<'r>, Trouble> {
        if self.roots.are_data(self.ids()) {
            return Err(self.roots.private(self.given));
        }
        if !self.roots.hold(self.ids()) {
            // An allowed folder itself lies in one that is not.
            let itself = found.as_ref().map(|stat| (widened(stat.st_dev), stat.st_ino));
            let is_allowed = itself.is_some_and(|itself| self.roots.hold(std::iter::once(itself)));
            return Err(if is_allowed { is_folder(self.given) } else { self.roots.outside(self.given) });
        }
        if found.as_ref().is_some_and(|stat| self.roots.is_of_data(stat)) {
            return Err(self.roots.private(self.given));
        }
        self.check_writable(&[&name])?;
        if self.aim != Aim::Read && is_temporary(&name) {
            return Err(Trouble::cannot(format!(
                "{} is a name that blocks give to files that are not whole yet: use another one",
                shown(self.given)
            )));
        }
        let names = self.chain.iter().skip(1).map(|level| level.name.as_os_str()).chain([name.as_os_str()]);
        let path: Vec<&[u8]> = std::iter::once(&b""[..]).chain(names.map(OsStr::as_bytes)).collect();
        let path = String::from_utf8(path.join(&b'/')).map_err(|_| {
            Trouble::no(format!("{} leads to a name that is not UTF-8: rename it", shown(self.given)))
        })?;
        let given = self.given.to_owned();
        Ok(Place { roots: self.roots, dir: self.here, name, found, path, given })
    }
}

impl Place<'_> {
    /// What is there, which must be a file: anything else is never opened.
    pub(super) fn file(&self) -> Result<Option<&Stat>, Trouble> {
        let Some(stat) = &self.found else { return Ok(None) };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(Some(stat)),
            FileType::Directory => Err(is_folder(&self.given)),
            other => {
                let what = match other {
                    FileType::Fifo => "a FIFO",
                    FileType::Socket => "a socket",
                    FileType::CharacterDevice | FileType::BlockDevice => "a device",
                    _ => "no file",
                };
                Err(Trouble::no(format!("{} is {what}, and a file is needed", shown(&self.given))))
            }
        }
    }

    /// Makes sure that what was opened here is none of the server's own files, by whatever name.
    pub(super) fn is_nobodys(&self, opened: &Stat) -> Result<(), Trouble> {
        if self.roots.is_of_data(opened) { Err(self.roots.private(&self.given)) } else { Ok(()) }
    }

    /// The same place, to write there, looked at once more.
    pub(super) fn again(mut self) -> Result<Self, Trouble> {
        self.found = match statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(self.said("reached", errno)),
        };
        match belongs(&self.dir, &self.name, false) {
            Some((what, decides)) => Err(governed(&self.given, &what, decides)),
            None => Ok(self),
        }
    }

    /// Makes sure, before something gets its name here, that the path still leads to this directory: somebody may have moved
    /// it out meanwhile.
    pub(super) fn leads_here(&self) -> Result<(), Trouble> {
        let again = || -> Result<Vec<Identity>, Errno> {
            let mut dir = top()?;
            let mut chain = vec![identity(&dir)?];
            let folder = Path::new(&self.path).parent().unwrap_or(Path::new("/"));
            for name in folder.iter().skip(1) {
                dir = enter(&dir, name)?;
                chain.push(identity(&dir)?);
            }
            Ok(chain)
        };
        let leads_here = again().and_then(|chain| {
            let is_same = chain.last() == Some(&identity(&self.dir)?);
            Ok(is_same && self.is_allowed(&chain))
        });
        if leads_here == Ok(true) { Ok(()) } else { Err(moved(&self.given)) }
    }

    /// Makes sure, after something was read here, that this directory still lies in an allowed one, wherever it is by now.
    pub(super) fn lies_inside(&self) -> Result<(), Trouble> {
        let up = || -> Result<Vec<Identity>, Errno> {
            let mut chain = vec![identity(&self.dir)?];
            let mut above = enter(&self.dir, OsStr::new(".."))?;
            // The top lies in itself.
            while chain.last() != Some(&identity(&above)?) {
                chain.push(identity(&above)?);
                above = enter(&above, OsStr::new(".."))?;
            }
            Ok(chain)
        };
        let is_inside = up().is_ok_and(|chain| self.is_allowed(&chain));
        if is_inside { Ok(()) } else { Err(moved(&self.given)) }
    }

    fn is_allowed(&self, chain: &[Identity]) -> bool {
        self.roots.hold(chain.iter().copied()) && !self.roots.are_data(chain.iter().copied())
    }

    /// What the system said of it.
    pub(super) fn said(&self, what: &str, errno: Errno) -> Trouble {
        Trouble::system(what, &self.given, errno)
    }
}

/// Makes what happened in a directory outlast a power cut. One that may be written and not read is flushed with all of its file
/// system, by what was made in it.
pub(super) fn flush(dir: &OwnedFd, made: &OwnedFd) -> Result<(), Errno> {
    match readable(dir) {
        Ok(dir) => fsync(dir),
        #[cfg(target_os = "linux")]
        Err(Errno::ACCESS) => rustix::fs::syncfs(made),
        Err(errno) => Err(errno),
    }
}

/// The directory itself, as something to flush and to lock.
pub(super) fn readable(dir: &OwnedFd) -> Result<OwnedFd, Errno> {
    openat(dir, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Rights, whose type is not the same on every system.
pub(super) fn rights(bits: u32) -> Mode {
    Mode::from_raw_mode((bits & 0o777) as RawMode)
}
