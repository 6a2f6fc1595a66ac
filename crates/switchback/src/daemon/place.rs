//! Where the daemon of a data directory is found: its socket, and the files beside it that only people read.

use engine::adapters::socket_folder;
use engine::kernel::Digest;
use engine::store::make_directory;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The longest path that every system takes for a socket, with its closing zero.
const SOCKET_BYTES_MAX: usize = 103;

/// The files of a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The data directory.
    pub(crate) dir: PathBuf,
    /// Where it listens.
    pub(crate) socket: PathBuf,
    /// Who it is, for people.
    pub(crate) pid: PathBuf,
    /// What it had to say.
    pub(crate) log: PathBuf,
    /// Held while a daemon is being started.
    pub(crate) starting: PathBuf,
    /// The newer program that is to be started next.
    pub(crate) next: PathBuf,
}

impl Place {
    /// The daemon's files for a data directory. A socket whose path would be too long lies in a short folder of the same
    /// owner instead, under a name that follows from the directory.
    pub(crate) fn of(dir: &Path) -> io::Result<Place> {
        prepare(dir)?;
        let dir = dir.canonicalize()?;
        let socket = dir.join("daemon.sock");
        let socket = match socket.as_os_str().len() > SOCKET_BYTES_MAX {
            true => short_folder()?
                .join(format!("{}.sock", &Digest::of(dir.as_os_str().as_bytes()).to_string()[..20])),
            false => socket,
        };
        let beside = |name: &str| dir.join(name);
        let (pid, log) = (beside("daemon.pid"), beside("daemon.log"));
        let (starting, next) = (beside("daemon.starting"), beside("daemon.next"));
        Ok(Place { socket, pid, log, starting, next, dir })
    }

    /// Makes the data directory, if it is not there any more.
    pub(super) fn prepare(&self) -> io::Result<()> {
        prepare(&self.dir)
    }

    /// Writes down who the daemon is, in the place of whatever lies there.
    pub(super) fn sign(&self, who: &str) -> io::Result<()> {
        let new = self.pid.with_extension("pid.new");
        let _ = fs::remove_file(&new);
        fs::write(&new, format!("{who}\n"))?;
        fs::rename(new, &self.pid)
    }
}

fn prepare(dir: &Path) -> io::Result<()> {
    make_directory(dir)
}

/// The short folder, which belongs to this user alone.
fn short_folder() -> io::Result<PathBuf> {
    let (uid, folder) = (rustix::process::getuid().as_raw(), socket_folder());
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    let found = fs::symlink_metadata(&folder)?;
    if !found.is_dir() || found.uid() != uid || found.mode() & 0o077 != 0 {
        let message = format!("{} must be a folder that only you can enter", folder.display());
        return Err(io::Error::other(message));
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_lies_in_the_data_directory_as_long_as_its_path_is_short_enough() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let room = SOCKET_BYTES_MAX - root.as_os_str().len() - "//daemon.sock".len();
        let fits = Place::of(&root.join("x".repeat(room))).unwrap();
        assert_eq!(fits.socket.as_os_str().len(), SOCKET_BYTES_MAX);
        assert!(fits.socket.starts_with(&root));
        let long = Place::of(&root.join("x".repeat(room + 1))).unwrap();
        assert!(!long.socket.starts_with(&root) && long.socket.as_os_str().len() <= SOCKET_BYTES_MAX);
        let other = Place::of(&root.join("y".repeat(room + 1))).unwrap();
        assert_ne!(long.socket, other.socket);
        assert_eq!(long.pid, root.join("x".repeat(room + 1)).join("daemon.pid"));
    }
}
