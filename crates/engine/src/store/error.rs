//! What can go wrong with the store, sorted by what the caller may do next.
//!
//! [`Fault`] is what SQLite or the disk said. [`WriteError`] and [`OpenError`] add what the store itself refuses.
//! [`Kind`] is the whole decision: give up the store, try again, stop being the owner, or give up the command.

use kernel::{Digest, RunId};
use rusqlite::ErrorCode;
use std::io;
use std::path::PathBuf;

/// What an error means for the one who gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Stored bytes are wrong: nothing that is read from them may be trusted.
    Corrupt,
    /// Nothing was written, and the same call may succeed later.
    Retryable,
    /// Another process owns the store now: this one must stop.
    Fenced,
    /// The store was taken away under its owner, which must stop.
    Lost,
    /// The same call will always fail.
    Final,
}

/// What SQLite or the disk answered. The transaction it belongs to has left no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Another process holds a lock of the database.
    #[error("the store is busy: {0}")]
    Busy(String),
    /// There is no space left.
    #[error("the disk is full: {0}; free some space and try again")]
    Full(String),
    /// The file, or one that SQLite lays beside it, may not be used.
    #[error("the store cannot be opened: {0}")]
    Denied(String),
    /// The disk or the file system failed.
    #[error("the disk failed: {0}")]
    Disk(String),
    /// Stored bytes are not what was written.
    #[error("the store is corrupt: {0}")]
    Corrupt(String),
    /// A statement can never succeed.
    #[error("the store refused: {0}")]
    Final(String),
}

impl Fault {
    /// What it means for the caller.
    pub fn kind(&self) -> Kind {
        match self {
            Fault::Busy(_) | Fault::Full(_) | Fault::Denied(_) | Fault::Disk(_) => Kind::Retryable,
            Fault::Corrupt(_) => Kind::Corrupt,
            Fault::Final(_) => Kind::Final,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        let Some(code) = error.sqlite_error_code() else {
            return match error {
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..) => Fault::Corrupt(text),
                _ => Fault::Final(text),
            };
        };
        match code {
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::OperationInterrupted => Fault::Busy(text),
            ErrorCode::DiskFull => Fault::Full(text),
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied => Fault::Denied(text),
            ErrorCode::SystemIoFailure => Fault::Disk(text),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Fault::Corrupt(text),
            _ => Fault::Final(text),
        }
    }
}

/// The file of a store is not under its name any more, though its owner has it open.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// Nothing lies there.
    #[error("{} was removed or moved away while it was in use, and the runs recorded in it with it", .0.display())]
    Removed(PathBuf),
    /// Another file lies there.
    #[error("{} was replaced by another file while it was in use; the runs recorded in the former one are not in \
             this one", .0.display())]
    Replaced(PathBuf),
}

/// A write that does not fit what is stored. The driver is wrong, or is not the only one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// The run is not there.
    #[error("there is no run {0}")]
    UnknownRun(RunId),
    /// A run of this id is already there.
    #[error("run {0} is already there")]
    RunExists(RunId),
    /// The plan of a new run is not there.
    #[error("run {run} names plan {plan}, which is not there")]
    UnknownPlan {
        /// The new run.
        run: RunId,
        /// The plan it names.
        plan: Digest,
    },
    /// The run or the content of a mention is not there.
    #[error("run {run} names content {digest}, and one of them is not there")]
    UnknownContent {
        /// The run that names it.
        run: RunId,
        /// The content.
        digest: Digest,
    },
    /// An entry is not the next one.
    #[error("run {run} stands at entry {stands}: entry {given} does not follow")]
    Sequence {
        /// The run.
        run: RunId,
        /// The number of its last entry.
        stands: u64,
        /// The number that was given.
        given: u64,
    },
    /// The hash of an entry or a snapshot is not the one that the journal gives.
    #[error("the hash given for entry {seq} of run {run} does not follow from its journal")]
    Chain {
        /// The run.
        run: RunId,
        /// The number of the entry.
        seq: u64,
    },
    /// A body does not have the digest it was given under.
    #[error("a body was given as {0}, but has another digest")]
    Digest(Digest),
    /// The key was used for another start.
    #[error("the request key {key:?} already stands for run {run}")]
    Request {
        /// The key.
        key: String,
        /// The run that was started with it.
        run: RunId,
    },
}

/// Why a commit wrote nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// Another process has taken the store over.
    #[error("the store was taken over by another process (epoch {now}, ours was {ours})")]
    Fenced {
        /// The epoch this owner has.
        ours: u64,
        /// The epoch in the store.
        now: u64,
    },
    /// The store was taken away.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// One of the writes does not fit what is stored.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// SQLite or the disk failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl WriteError {
    /// What it means for the caller.
    pub fn kind(&self) -> Kind {
        match self {
            WriteError::Fenced { .. } => Kind::Fenced,
            WriteError::Lost(_) => Kind::Lost,
            WriteError::Conflict(_) => Kind::Final,
            WriteError::Fault(fault) => fault.kind(),
        }
    }
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        WriteError::Fault(error.into())
    }
}

/// Why a store could not be opened. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process owns it.
    #[error("{} is in use by {}; `switchback stop` ends a daemon", .dir.display(), holder(*.pid))]
    Held {
        /// The data directory.
        dir: PathBuf,
        /// The owner, if it could be read.
        pid: Option<u32>,
    },
    /// The data directory lies on a network file system.
    #[error("{} lies on {system}, a network file system, where a store is not safe; \
             set SWITCHBACK_HOME to a local folder", .dir.display())]
    Network {
        /// The data directory.
        dir: PathBuf,
        /// The file system.
        system: &'static str,
    },
    /// A newer binary has written it.
    #[error("the store has version {found}, this binary knows {known}; use the newer switchback")]
    Newer {
        /// The version in the file.
        found: u32,
        /// The newest version this binary knows.
        known: u32,
    },
    /// An older binary has written it, and a reader does not change it.
    #[error("the store has version {found}, not yet {known}; `switchback serve` brings it up to date")]
    Older {
        /// The version in the file.
        found: u32,
        /// The version a reader needs.
        known: u32,
    },
    /// The file is a database of another program.
    #[error("{} is not a store of switchback", .0.display())]
    Foreign(PathBuf),
    /// There is no store yet. Only a reader says so.
    #[error("there is no store in {}", .0.display())]
    Absent(PathBuf),
    /// The store was taken away. Only who has it open says so.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The data directory or the lock file could not be used.
    #[error("failed to use {}: {error}", .path.display())]
    Directory {
        /// What could not be used.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// SQLite or the disk failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl OpenError {
    /// What it means for the caller.
    pub fn kind(&self) -> Kind {
        match self {
            OpenError::Held { .. } => Kind::Retryable,
            OpenError::Lost(_) => Kind::Lost,
            OpenError::Fault(fault) => fault.kind(),
            _ => Kind::Final,
        }
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        OpenError::Fault(error.into())
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}
