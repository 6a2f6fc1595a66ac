//! The lock that keeps a second owner out: an OS lock on a file beside the store, held for life.
//!
//! The kernel lets go of it when the process ends, however it ends. The file itself is never removed: a lock on a
//! removed file keeps nobody out. Its text is only there for the message that a second owner gets.

use super::error::OpenError;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of the lock file in the data directory.
pub(super) const FILE: &str = "store.lock";

/// The right to be the owner. Dropping it gives it up.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock at once or says who has it.
    pub(super) fn take(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join(FILE);
        let failed = |error| OpenError::Directory { path: path.clone(), error };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(OpenError::Held { dir: dir.to_owned(), pid: holder(&mut file) });
            }
            Err(error) => return Err(failed(error.into())),
        }
        sign(&mut file).map_err(failed)?;
        Ok(Lock { _file: file })
    }
}

fn sign(file: &mut File) -> io::Result<()> {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "pid {}\nstarted {started}", std::process::id())
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(256).read_to_string(&mut text).ok()?;
    text.lines().next()?.strip_prefix("pid ")?.parse().ok()
}
