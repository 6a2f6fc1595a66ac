//! The lock that keeps a second owner out: an OS lock on a file beside the store, held for life.
//!
//! The kernel lets go of it when the process ends, however it ends. The file itself is never removed: a lock on a
//! removed file keeps nobody out. Its text is only there for the message that a second owner gets.

use super::error::OpenError;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The name of the lock file in the data directory.
pub(super) const FILE: &str = "store.lock";

/// How long a new owner waits for one that is just leaving, or for someone who only looks who it is.
const PATIENCE: Duration = Duration::from_millis(200);

/// Who owns a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its process, if that could be read.
    pub pid: Option<u32>,
    /// When it became the owner, in milliseconds since 1970.
    pub since: u64,
    /// Whether it carries every run that nobody set aside, not only those it was asked for.
    pub carries_all: bool,
}

impl Owner {
    /// The one that owns the store in a data directory at this moment.
    pub fn of(dir: &Path) -> Option<Owner> {
        let mut file = open(&dir.join(FILE), OpenOptions::new().read(true)).ok()?;
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => Some(signature(&mut file)),
            _ => None,
        }
    }
}

/// The right to be the owner. Dropping it gives it up.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock, or says who has it.
    pub(super) fn take(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join(FILE);
        let failed = |error| OpenError::Directory { path: path.clone(), error };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = open(&path, &mut options).map_err(failed)?;
        match patiently(&file) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(OpenError::Held { dir: dir.to_owned(), pid: signature(&mut file).pid });
            }
            Err(error) => return Err(failed(error.into())),
        }
        sign(&mut file).map_err(failed)?;
        Ok(Lock { file })
    }

    /// Says that this owner carries every run.
    pub(super) fn carry_all(&mut self) -> io::Result<()> {
        writeln!(self.file, "carries all")
    }
}

/// Opens the lock file. Whatever else lies there is not waited for.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file: remove it")) }
}

fn sign(file: &mut File) -> io::Result<()> {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "pid {}\nstarted {started}", std::process::id())
}

fn patiently(file: &File) -> Result<(), Errno> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(5));
            }
            answer => return answer,
        }
    }
}

fn signature(file: &mut File) -> Owner {
    let mut text = String::new();
    // What cannot be read is not known; that it is owned is certain all the same.
    let _ = file.take(256).read_to_string(&mut text);
    let number = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.parse::<u64>().ok());
    let pid = number("pid ").and_then(|pid| u32::try_from(pid).ok());
    let carries_all = text.lines().any(|line| line == "carries all");
    Owner { pid, since: number("started ").unwrap_or(0), carries_all }
}
