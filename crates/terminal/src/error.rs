//! What can go wrong, said so that a reader knows what to do next.

use std::io;
use std::path::PathBuf;

use crate::session::Exit;

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder is not there, or is none.
    #[error("the folder {} cannot be opened ({source}); name one that exists", .folder.display())]
    Folder {
        /// The folder that was asked for.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no such program.
    #[error(
        "the program `{program}` was not found in {searched}; name one that is installed, or give its path"
    )]
    Program {
        /// The program that was asked for.
        program: String,
        /// Where it was looked for.
        searched: String,
    },
    /// A name or value that no process can be given.
    #[error("{what} holds a zero byte or an `=` where none may be; no program can be given it")]
    Unfit {
        /// What it is.
        what: String,
    },
    /// The recording could not be begun.
    #[error("the recording {} cannot be written ({source}); name a file that does not exist in a folder that does", .path.display())]
    Recording {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system has no terminal or no process left.
    #[error("failed to start `{program}` in a terminal: {source}")]
    Start {
        /// The program that was asked for.
        program: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Why input was not sent. Nothing of it was written unless it says so.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// Nobody is there to read it.
    #[error("the program has ended ({exit}); open another terminal")]
    Ended {
        /// How it ended.
        exit: Exit,
    },
    /// The terminal closed while its program goes on without it.
    #[error("the program has closed its terminal; nothing can be typed any more")]
    Closed,
    /// More than the system takes for one line.
    #[error(
        "a line of {bytes} bytes is too long: the program reads whole lines, and the system cuts them at {bytes_max} \
         bytes; send shorter lines, or write a file"
    )]
    Line {
        /// How long it is.
        bytes: usize,
        /// How long one may be.
        bytes_max: usize,
    },
    /// The system refused.
    #[error("failed to write to the terminal after {written} bytes: {source}")]
    Write {
        /// How much was written before.
        written: usize,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a session could not be given another size.
#[derive(Debug, thiserror::Error)]
#[error("failed to resize the terminal: {0}")]
pub struct ResizeError(#[from] pub(crate) io::Error);

/// Why a session did not end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "processes of the terminal did not end, not even by SIGKILL: {pids:?}; they wait for the system itself"
)]
pub struct EndError {
    /// Those that are left.
    pub pids: Vec<i32>,
}
