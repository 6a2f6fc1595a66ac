//! A worktree that is taken away, by handles: git would be given a path, and a folder on the way may become a link while git
//! looks and deletes. What was looked at is opened without following any link, must be what the repository's own entry
//! says, and is what is emptied, whatever its name leads to by then.

use super::inside::{self, Folder, PASS, absent, below, names};
use super::trouble::Trouble;
use crate::adapters::mounts::plain;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, openat, unlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where a repository lists its worktrees.
const LIST: &str = "worktrees";

/// The longest text of a worktree's `.git`.
const LINK_BYTES_MAX: u64 = 8 * 1024;

/// The folder of a worktree.
pub(super) struct Held {
    path: PathBuf,
    parent: OwnedFd,
    name: OsString,
    folder: OwnedFd,
}

impl Held {
    /// Opens the folder at a path that has no links; nothing if nothing is there.
    pub(super) fn open(path: &Path) -> Result<Option<Held>, Trouble> {
        match Held::walk(path) {
            Ok(held) => Ok(Some(held)),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => Err(elsewhere(path)),
            Err(errno) => Err(undeletable(path, errno)),
        }
    }

    fn walk(path: &Path) -> Result<Held, Errno> {
        let (parent, name, folder) = inside::walk(path)?;
        Ok(Held { path: path.to_owned(), parent, name, folder })
    }

    /// Makes sure that it is the worktree of an entry of the repository, and that its path still leads to it.
    pub(super) fn belongs_to(&self, entry: &Path) -> Result<(), Trouble> {
        let leads_here =
            Held::walk(&self.path).is_ok_and(|now| identity(&now.folder) == identity(&self.folder));
        let entry = openat(CWD, entry, PASS, Mode::empty());
        let is_meant = match (self.linked(), entry) {
            (Some(linked), Ok(entry)) => identity(&linked) == identity(&entry),
            _ => false,
        };
        if leads_here && is_meant { Ok(()) } else { Err(elsewhere(&self.path)) }
    }

    /// The entry of a repository that its `.git` names.
    fn linked(&self) -> Option<OwnedFd> {
        let link = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = std::fs::File::from(openat(&self.folder, ".git", link, Mode::empty()).ok()?);
        let mut text = Vec::new();
        file.take(LINK_BYTES_MAX).read_to_end(&mut text).ok()?;
        let named = text.strip_prefix(b"gitdir: ")?.trim_ascii_end();
        openat(&self.folder, OsStr::from_bytes(named), PASS, Mode::empty()).ok()
    }

    /// The folders below it that are repositories of their own.
    pub(super) fn repositories(&self) -> Result<Vec<PathBuf>, Trouble> {
        let mut found = Vec::new();
        let walked = repositories(&self.folder, Path::new(""), &mut found);
        walked.map_err(|errno| undeletable(&self.path, errno)).map(|()| found)
    }

    /// The files in it, by their paths, but for git's own.
    pub(super) fn files(&self) -> Result<Vec<String>, Trouble> {
        let mut found = Vec::new();
        let walked = files(&self.folder, Path::new(""), &mut found);
        walked.map_err(|errno| undeletable(&self.path, errno)).map(|()| found)
    }

    /// Deletes it with all that is in it.
    pub(super) fn delete(self) -> Result<(), Trouble> {
        let alone = if mount(&self.folder) == mount(&self.parent) { Ok(()) } else { Err(Errno::BUSY) };
        let emptied = alone.and_then(|()| empty(&self.folder));
        emptied.map_err(|errno| undeletable(&self.path, errno))?;
        let now = openat(&self.parent, &self.name, PASS | OFlags::NOFOLLOW, Mode::empty());
        match now {
            Ok(now) if identity(&now) == identity(&self.folder) => self.delete_empty(),
            // Somebody else has taken it away.
            Err(Errno::NOENT) if is_gone(&self.folder) => Ok(()),
            _ => Err(moved(&self.path)),
        }
    }

    /// Deletes it if nothing is in it.
    pub(super) fn delete_empty(self) -> Result<(), Trouble> {
        let gone = absent(unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR));
        gone.map_err(|errno| undeletable(&self.path, errno))
    }

    /// The name of something in a folder below it, if a path leads to one through no link.
    pub(super) fn first_in(&self, path: &Path) -> Option<OsString> {
        let mut names_on = path.iter();
        let first = below(&self.folder, names_on.next()?).ok()?;
        let folder = names_on.try_fold(first, |folder, name| below(&folder, name)).ok()?;
        names(&folder).ok()?.into_iter().next()
    }
}

/// The entry by which a repository knows the worktree at a path.
pub(super) fn entry_of(common: &Path, path: &Path) -> Result<Option<PathBuf>, Trouble> {
    let is_meant = |entry: &Folder| is_entry_of(&entry.path, &entry.dir, path);
    Ok(entries(common)?.into_iter().find(is_meant).map(|entry| entry.path))
}

/// The same, to be taken away.
fn entry(common: &Path, path: &Path) -> Result<Option<Held>, Trouble> {
    let held = entry_of(common, path)?.map_or(Ok(None), |entry| Held::open(&entry))?;
    Ok(held.filter(|entry| is_entry_of(&entry.path, &entry.folder, path)))
}

fn is_entry_of(entry: &Path, dir: &OwnedFd, path: &Path) -> bool {
    let named = inside::read(dir, "gitdir").unwrap_or_default();
    let named = Path::new(OsStr::from_bytes(named.trim_ascii_end()));
    // It may be written as seen from the entry.
    plain(&entry.join(named)).parent() == Some(path)
}

/// The entries of all worktrees that a repository knows.
pub(super) fn entries(common: &Path) -> Result<Vec<Folder>, Trouble> {
    let Some(list) = Folder::open(&common.join(LIST))? else { return Ok(Vec::new()) };
    // What is no folder is none of git's.
    Ok(list.names()?.iter().filter_map(|name| list.below(name).ok().flatten()).collect())
}

/// Takes the entry of a worktree away, as git does, and before it the worktree's folder, if there is one. What the entry is was looked
/// at before anything goes.
pub(super) fn clear(common: &Path, path: &Path, folder: Option<Held>) -> Result<(), Trouble> {
    let entry = entry(common, path)?.ok_or_else(|| unlisted(path))?;
    folder.map_or(Ok(()), Held::delete)?;
    let list = entry.path.parent().map(Held::walk);
    entry.delete()?;
    // The last one takes the list with it; one that is not empty stays.
    if let Some(Ok(list)) = list {
        let _ = unlinkat(&list.parent, &list.name, AtFlags::REMOVEDIR);
    }
    Ok(())
}

fn elsewhere(path: &Path) -> Trouble {
    Trouble::Crashed(format!(
        "{} led elsewhere while the worktree was looked at, because a folder on the way became a link or was replaced: \
         nothing was removed",
        path.display()
    ))
}

fn unlisted(path: &Path) -> Trouble {
    Trouble::Crashed(format!(
        "what git keeps of the worktree {} was moved or replaced while it was looked at: nothing was removed; see what moves it",
        path.display()
    ))
}

fn moved(path: &Path) -> Trouble {
    Trouble::Crashed(format!(
        "{} was moved or replaced while it was removed: its files are deleted, and its folder, empty, is where it was moved \
         to; see what moves it, and remove the worktree again",
        path.display()
    ))
}

fn undeletable(path: &Path, errno: Errno) -> Trouble {
    if errno == Errno::BUSY {
        let shown = path.display();
        return Trouble::Refused(format!(
            "{shown} cannot be deleted: something was mounted in it meanwhile, which stays; unmount that, and remove it again"
        ));
    }
    Trouble::Refused(format!("{} cannot be deleted: {}", path.display(), std::io::Error::from(errno)))
}

fn identity(dir: &OwnedFd) -> Option<(u64, u64)> {
    #[allow(clippy::useless_conversion, reason = "the width of a device number is another on each system")]
    fstat(dir).ok().map(|stat| (u64::try_from(stat.st_dev).unwrap_or_default(), stat.st_ino))
}

/// By which mount a folder is held. One that is held already stays that one, whatever is mounted over it.
#[cfg(target_os = "linux")]
fn mount(dir: &OwnedFd) -> Option<u64> {
    use rustix::fs::{StatxFlags, statx};
    let stat = statx(dir, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    (stat.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(stat.stx_mnt_id)
}

/// Where folders are not mounted twice, its disk says it.
#[cfg(not(target_os = "linux"))]
fn mount(dir: &OwnedFd) -> Option<u64> {
    identity(dir).map(|(disk, _)| disk)
}

/// Whether a folder that is held has no name any more.
fn is_gone(folder: &OwnedFd) -> bool {
    fstat(folder).is_ok_and(|stat| stat.st_nlink == 0)
}

fn empty(dir: &OwnedFd) -> Result<(), Errno> {
    for name in names(dir)? {
        match unlinkat(dir, &name, AtFlags::empty()) {
            // Systems have one or the other for a folder.
            Err(refused @ (Errno::ISDIR | Errno::PERM)) => {
                let Ok(folder) = below(dir, &name) else { return Err(refused) };
                // What came to be mounted there lies elsewhere.
                if mount(&folder) != mount(dir) {
                    return Err(Errno::BUSY);
                }
                empty(&folder)?;
                absent(unlinkat(dir, &name, AtFlags::REMOVEDIR))?;
            }
            done => absent(done)?,
        }
    }
    Ok(())
}

fn files(dir: &OwnedFd, path: &Path, found: &mut Vec<String>) -> Result<(), Errno> {
    for name in names(dir)?.into_iter().filter(|name| !(name == ".git" && path.as_os_str().is_empty())) {
        let path = path.join(&name);
        match below(dir, &name) {
            Ok(folder) => files(&folder, &path, found)?,
            Err(_) => found.push(path.display().to_string()),
        }
    }
    Ok(())
}

fn repositories(dir: &OwnedFd, path: &Path, found: &mut Vec<PathBuf>) -> Result<(), Errno> {
    for name in names(dir)? {
        if name == ".git" {
            found.extend((!path.as_os_str().is_empty()).then(|| path.to_owned()));
            continue;
        }
        match below(dir, &name) {
            Ok(folder) => repositories(&folder, &path.join(name), found)?,
            Err(Errno::NOTDIR | Errno::LOOP | Errno::NOENT | Errno::ACCESS | Errno::NXIO) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::git::inside::HOLD;
    use std::fs;

    #[test]
    fn a_folder_that_is_moved_while_it_is_emptied_is_not_told_as_removed() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        let (here, there) = (real.join("here"), real.join("there"));
        let held = || {
            fs::create_dir(&here).unwrap();
            fs::write(here.join("file"), "").unwrap();
            Held::open(&here).unwrap().unwrap()
        };
        for comes in [false, true] {
            let moved = held();
            fs::rename(&here, &there).unwrap();
            if comes {
                fs::create_dir(&here).unwrap();
            }
            let told = moved.delete();
            assert!(matches!(&told, Err(Trouble::Crashed(words)) if words.contains("was moved")), "{told:?}");
            fs::remove_dir(&there).unwrap();
        }
        fs::remove_dir(&here).unwrap();
        let gone = held();
        fs::remove_dir_all(&here).unwrap();
        assert_eq!(gone.delete(), Ok(()));
        assert_eq!(held().delete(), Ok(()));
        assert!(!here.exists());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_on_which_something_is_mounted_is_of_another_mount() {
        let top = openat(CWD, "/", HOLD, Mode::empty()).unwrap();
        let mounted = below(&top, OsStr::new("proc")).unwrap();
        let inside = below(&mounted, OsStr::new("self")).err();
        assert_eq!(inside, Some(Errno::NOTDIR), "a link is not followed");
        assert!(mount(&top).is_some() && mount(&mounted).is_some());
        assert_ne!(mount(&top), mount(&mounted));
        assert_eq!(mount(&mounted), mount(&below(&mounted, OsStr::new("sys")).unwrap()));
    }
}
