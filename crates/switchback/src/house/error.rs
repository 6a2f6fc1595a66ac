//! Why a house cannot be opened.

use engine::adapters::process::NoteError;
use engine::store::{Fault, OpenError};
use std::fmt;

/// The house stays closed.
#[derive(Debug)]
pub(crate) enum HouseError {
    /// The store cannot be opened.
    Store(OpenError),
    /// The store cannot be read.
    Fault(Fault),
    /// Nothing can be written beside the store.
    Lock(std::io::Error),
    /// Processes cannot be noted.
    Notes(std::io::Error),
    /// Terminals cannot be noted.
    Terminals(std::io::Error),
    /// What a crash left behind cannot be ended.
    Note(NoteError),
}

impl fmt::Display for HouseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HouseError::Store(error) => error.fmt(out),
            HouseError::Fault(error) => error.fmt(out),
            HouseError::Lock(error) => write!(out, "failed to write beside the store: {error}"),
            HouseError::Notes(error) => write!(out, "failed to keep process notes: {error}"),
            HouseError::Terminals(error) => write!(out, "failed to keep notes of terminals: {error}"),
            HouseError::Note(error) => error.fmt(out),
        }
    }
}

impl From<OpenError> for HouseError {
    fn from(error: OpenError) -> Self {
        HouseError::Store(error)
    }
}

impl From<Fault> for HouseError {
    fn from(fault: Fault) -> Self {
        HouseError::Fault(fault)
    }
}

impl From<NoteError> for HouseError {
    fn from(error: NoteError) -> Self {
        HouseError::Note(error)
    }
}
