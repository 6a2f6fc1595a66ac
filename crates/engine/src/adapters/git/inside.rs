//! What the server itself reads and writes inside a repository: by handles, through no link, and of files only. Commands work there too,
//! and what one has put in its place leads the server nowhere, and keeps it waiting for nothing.

use super::trouble::Trouble;
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// How a folder is held: to look and to take away what is in it.
pub(super) const HOLD: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// How a folder on the way is held.
#[cfg(target_os = "linux")]
pub(super) const PASS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
pub(super) const PASS: OFlags = HOLD;

/// The longest text that is read.
const BYTES_MAX: u64 = 64 * 1024;

/// A folder that is held.
pub(super) struct Folder {
    /// How it was reached.
    pub(super) path: PathBuf,
    pub(super) dir: OwnedFd,
}

impl Folder {
    /// Opens the folder at a path that has no links; nothing if nothing is there.
    pub(super) fn open(path: &Path) -> Result<Option<Folder>, Trouble> {
        let walked = walk(path).map(|(_, _, dir)| Folder { path: path.to_owned(), dir });
        found(walked, path)
    }

    /// Opens a folder in it.
    pub(super) fn below(&self, name: &OsStr) -> Result<Option<Folder>, Trouble> {
        let path = self.path.join(name);
        let opened = below(&self.dir, name).map(|dir| Folder { path: path.clone(), dir });
        found(opened, &path)
    }

    /// Opens a folder in it, which is made if it is not there.
    pub(super) fn made_below(&self, name: &str) -> Result<Folder, Trouble> {
        let path = self.path.join(name);
        match mkdirat(&self.dir, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(not_written(&path, errno)),
        }
        self.below(OsStr::new(name))?.ok_or_else(|| not_written(&path, Errno::NOENT))
    }

    /// The text of a file in it; nothing where there is none that could be it.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        read(&self.dir, name)
    }

    /// Writes a file in it anew, whatever has its name.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), Trouble> {
        let fresh = format!("{name}.new");
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let written = absent(unlinkat(&self.dir, &fresh, AtFlags::empty()))
            .and_then(|()| openat(&self.dir, &fresh, flags, Mode::from_raw_mode(0o666)))
            .and_then(|file| {
                let written = File::from(file).write_all(text.as_bytes());
                written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
            })
            .and_then(|()| renameat(&self.dir, &fresh, &self.dir, name));
        written.map_err(|errno| not_written(&self.path.join(name), errno))
    }

    /// Takes a file in it away.
    pub(super) fn remove(&self, name: &OsStr) -> Result<(), Trouble> {
        let gone = absent(unlinkat(&self.dir, name, AtFlags::empty()));
        gone.map_err(|errno| not_written(&self.path.join(name), errno))
    }

    /// What has a name in it, which is followed nowhere.
    pub(super) fn stat(&self, name: &OsStr) -> Option<Stat> {
        stat(&self.dir, name)
    }

    /// The names in it.
    pub(super) fn names(&self) -> Result<Vec<OsString>, Trouble> {
        names(&self.dir).map_err(|errno| unreadable(&self.path, errno))
    }
}

/// The text of a file in a folder; nothing where there is none that could be it.
pub(super) fn read(dir: &OwnedFd, name: &str) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    // Nothing but a file is opened: to be opened moves something in a device.
    stat(dir, OsStr::new(name)).filter(is_file)?;
    let file = openat(dir, name, flags, Mode::empty()).ok()?;
    fstat(&file).ok().filter(is_file)?;
    let mut text = Vec::new();
    let read = File::from(file).take(BYTES_MAX + 1).read_to_end(&mut text);
    (read.is_ok() && text.len() as u64 <= BYTES_MAX).then_some(text)
}

fn stat(dir: &OwnedFd, name: &OsStr) -> Option<Stat> {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok()
}

/// Whether it is a file.
pub(super) fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// Walks to a folder through no link: the folder it lies in, its name there, and itself.
pub(super) fn walk(path: &Path) -> Result<(OwnedFd, OsString, OwnedFd), Errno> {
    let mut names: Vec<&OsStr> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    let name = names.pop().ok_or(Errno::NOTDIR)?;
    let mut parent = openat(CWD, "/", PASS, Mode::empty())?;
    for name in names {
        parent = openat(&parent, name, PASS | OFlags::NOFOLLOW, Mode::empty())?;
    }
    let folder = below(&parent, name)?;
    Ok((parent, name.to_owned(), folder))
}

/// Opens a folder in another, and no link.
pub(super) fn below(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(dir, name, HOLD | OFlags::NOFOLLOW, Mode::empty())
}

/// The names in a folder.
pub(super) fn names(dir: &OwnedFd) -> Result<Vec<OsString>, Errno> {
    let entries =
        Dir::read_from(dir)?.map(|entry| Ok(OsString::from_vec(entry?.file_name().to_bytes().to_vec())));
    let entries: Result<Vec<OsString>, Errno> = entries.collect();
    Ok(entries?.into_iter().filter(|name| name != "." && name != "..").collect())
}

/// What is gone already is well.
pub(super) fn absent(done: Result<(), Errno>) -> Result<(), Errno> {
    if done == Err(Errno::NOENT) { Ok(()) } else { done }
}

fn found(opened: Result<Folder, Errno>, path: &Path) -> Result<Option<Folder>, Trouble> {
    match opened {
        Ok(folder) => Ok(Some(folder)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(unreadable(path, errno)),
    }
}

fn unreadable(path: &Path, errno: Errno) -> Trouble {
    let shown = path.display();
    Trouble::Crashed(match errno {
        Errno::LOOP | Errno::NOTDIR => format!(
            "{shown} is a link or no folder, and what git keeps is looked at through no link: put the folder itself there"
        ),
        errno => format!("{shown} cannot be read: {}", std::io::Error::from(errno)),
    })
}

fn not_written(file: &Path, errno: Errno) -> Trouble {
    Trouble::Crashed(format!("{} cannot be written: {}", file.display(), std::io::Error::from(errno)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_was_put_in_its_place_leads_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        let (inside, outside) = (real.join("inside"), real.join("outside"));
        fs::create_dir_all(inside.join("kept")).unwrap();
        fs::write(&outside, "theirs").unwrap();
        symlink(&outside, inside.join("note")).unwrap();
        symlink(&real, inside.join("away")).unwrap();
        let folder = Folder::open(&inside).unwrap().unwrap();
        assert_eq!(folder.read("note"), None);
        folder.write("note", "ours").unwrap();
        assert_eq!(folder.read("note").as_deref(), Some(b"ours".as_slice()));
        assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
        for opened in [folder.below(OsStr::new("away")), Folder::open(&inside.join("away"))] {
            assert!(matches!(opened, Err(Trouble::Crashed(words)) if words.contains("through no link")));
        }
        assert!(folder.made_below("away").is_err() && folder.made_below("kept").is_ok());
        assert!(folder.below(OsStr::new("absent")).unwrap().is_none());
        folder.remove(OsStr::new("away")).unwrap();
        folder.remove(OsStr::new("away")).unwrap();
        assert!(real.join("inside").exists(), "the link went, and what it led to stays");
    }

    #[test]
    fn nothing_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        rustix::fs::mkfifoat(CWD, real.join("pipe"), Mode::from_raw_mode(0o600)).unwrap();
        let folder = Folder::open(&real).unwrap().unwrap();
        assert_eq!(folder.read("pipe"), None);
        folder.write("pipe", "ours").unwrap();
        assert_eq!(folder.read("pipe").as_deref(), Some(b"ours".as_slice()));
        fs::write(real.join("long"), vec![b'x'; 64 * 1024 + 1]).unwrap();
        assert_eq!(folder.read("long"), None);
        fs::write(real.join("long"), vec![b'x'; 64 * 1024]).unwrap();
        assert_eq!(folder.read("long").unwrap().len(), 64 * 1024);
    }
}
