//! The folders that a run's file blocks may use: its own, and those that the settings add. Their paths were without links when the
//! run began. Each is opened once an operation, through no link, and known from then on by what it is, not by its name.

use super::Trouble;
use super::guard::Guard;
use super::trouble::shown;
use crate::turn::Home;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// A directory, whatever its name.
pub(super) type Identity = (u64, u64);

/// How a directory is held: as a place to start from.
#[cfg(target_os = "linux")]
const HOLD: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const HOLD: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// Where a run's paths start, and where they may end.
#[derive(Debug)]
pub(super) struct Roots {
    /// The folder of the run.
    pub(super) folder: PathBuf,
    allowed: Vec<Identity>,
    /// The data of the server, which is nobody's business.
    data: Option<Identity>,
    /// Where that is, for what has a second name elsewhere.
    data_path: PathBuf,
    /// Where the server keeps secrets, which may be elsewhere by a link.
    secrets: Option<Identity>,
    names: Vec<String>,
    /// Folders of the settings that cannot be used, and why.
    absent: Vec<String>,
    /// What is not written in them.
    pub(super) guard: Guard,
}

impl Roots {
    /// Opens the folders of a run.
    pub(super) fn open(home: &Home, data: &Path) -> Result<Roots, Trouble> {
        let folder = identity_of_real(&home.folder).map_err(|errno| {
            let (folder, why) = (name(&home.folder), unusable(errno));
            Trouble::cannot(format!("the folder of the run, {folder}, {why}"))
        })?;
        let (mut allowed, mut names, mut absent) = (vec![folder], vec![name(&home.folder)], Vec::new());
        for root in &home.roots {
            match identity_of_real(root) {
                Ok(identity) => {
                    allowed.push(identity);
                    names.push(name(root));
                }
                // One that is not there holds no file either.
                Err(errno) => absent.push(format!("{} {}", name(root), unusable(errno))),
            }
        }
        Ok(Roots {
            folder: home.folder.clone(),
            allowed,
            data: identity_of(data).ok(),
            data_path: data.to_owned(),
            secrets: std::fs::metadata(data.join("secrets.toml")).ok().map(|data| (data.dev(), data.ino())),
            names,
            absent,
            guard: Guard::new(home),
        })
    }

    /// Whether a chain of directories leads into an allowed one.
    pub(super) fn hold(&self, mut chain: impl Iterator<Item = Identity>) -> bool {
        chain.any(|one| self.allowed.contains(&one))
    }

    /// Where a chain of directories comes into an allowed one.
    pub(super) fn begin(&self, mut chain: impl Iterator<Item = Identity>) -> Option<usize> {
        chain.position(|one| self.allowed.contains(&one))
    }

    /// Whether a file is that of the secrets, or another of the server's own under a second name.
    pub(super) fn is_of_data(&self, file: &Stat) -> bool {
        let identity = (widened(file.st_dev), file.st_ino);
        self.secrets == Some(identity)
            || (file.st_nlink > 1
                && FileType::from_raw_mode(file.st_mode) == FileType::RegularFile
                && lies_in(&self.data_path, identity))
    }

    /// Whether a chain of directories leads into the server's own data.
    pub(super) fn are_data(&self, mut chain: impl Iterator<Item = Identity>) -> bool {
        chain.any(|one| Some(one) == self.data)
    }

    /// That a path leads out of all of them.
    pub(super) fn outside(&self, path: &str) -> Trouble {
        let (folders, they) = match self.names.as_slice() {
            [one] => (format!("the allowed folder {one}"), "it"),
            many => (format!("the allowed folders {}", many.join(", ")), "them"),
        };
        let named = match self.absent.as_slice() {
            [] => String::new(),
            absent => format!("; of those that are named there, {}", absent.join(", ")),
        };
        Trouble::cannot(format!(
            "{} leads out of {folders}: use a path inside {they}, or add its folder to `roots` under [files] in \
             switchback.toml{named}",
            shown(path)
        ))
    }

    /// That a path leads into the server's own data.
    pub(super) fn private(&self, path: &str) -> Trouble {
        Trouble::cannot(format!(
            "{} leads into the data directory of Switchback, which is not for workflows: use another path",
            shown(path)
        ))
    }
}

/// Whether a file has a name in a folder or below it.
fn lies_in(folder: &Path, file: Identity) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let is_it = |found: std::fs::Metadata| (found.dev(), found.ino()) == file;
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => lies_in(&entry.path(), file),
            _ => entry.metadata().is_ok_and(is_it),
        }
    })
}

/// Why a folder that is named cannot be used.
fn unusable(errno: Errno) -> String {
    match errno {
        Errno::NOENT => "is not there".to_owned(),
        Errno::NOTDIR => "is no folder".to_owned(),
        Errno::LOOP => "has become a link, or a folder above it has, since the run began".to_owned(),
        errno => format!("cannot be opened: {}", std::io::Error::from(errno)),
    }
}

fn name(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

pub(super) fn identity_of(path: &Path) -> Result<Identity, Errno> {
    identity(&openat(CWD, path, HOLD, Mode::empty())?)
}

/// What the directory at the end of a whole path is, if nothing on the way is a link.
fn identity_of_real(path: &Path) -> Result<Identity, Errno> {
    let mut dir = top()?;
    for part in path.components().filter(|part| *part != Component::RootDir) {
        let name = part.as_os_str();
        dir = enter(&dir, name).map_err(|errno| if is_link(&dir, name) { Errno::LOOP } else { errno })?;
    }
    identity(&dir)
}

fn is_link(dir: &OwnedFd, name: &OsStr) -> bool {
    let found = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink())
}

/// Opens a directory inside another, and never a link.
pub(super) fn enter(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(dir, name, HOLD | OFlags::NOFOLLOW, Mode::empty())
}

/// Opens the directory at the top of all.
pub(super) fn top() -> Result<OwnedFd, Errno> {
    openat(CWD, "/", HOLD, Mode::empty())
}

/// What a directory is.
pub(super) fn identity(dir: &OwnedFd) -> Result<Identity, Errno> {
    let stat = fstat(dir)?;
    Ok((widened(stat.st_dev), stat.st_ino))
}

/// The number of a device, whose type is not the same on every system.
#[allow(clippy::unnecessary_cast, reason = "the type differs between systems")]
pub(super) fn widened(device: rustix::fs::Dev) -> u64 {
    device as u64
}
