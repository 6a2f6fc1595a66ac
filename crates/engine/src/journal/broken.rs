//! What a check of a journal found wrong, and where.
//!
//! The same words serve the exported file and the journal in the store.

use kernel::Digest;
use std::fmt;

/// The first thing found wrong with a journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("broken at {place}: {reason}")]
pub struct Broken {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub reason: Reason,
}

/// A part of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The first line of a file.
    Header,
    /// The plan that the run is pinned to.
    Plan,
    /// The entry with this number.
    Entry(u64),
    /// What says where the journal ends: the last line of a file, or the head of the run in the store.
    End,
    /// The snapshot in the store.
    Snapshot,
    /// A content that the run names.
    Content(Digest),
    /// The time that stands beside the entry with this number.
    Time(u64),
    /// This column of the run's row in the store.
    Column(&'static str),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is not there.
    Missing,
    /// It is there, but nothing says that it should be.
    Unexpected,
    /// It is not written as this version writes it.
    Malformed,
    /// It is of a version that this binary does not know.
    Version(u64),
    /// Its bytes do not give the hash that stands beside them.
    Hash,
    /// It holds a number that does not follow.
    Sequence,
    /// The journal gives something else.
    Contradiction,
}

impl Place {
    pub(crate) fn broken(self, reason: Reason) -> Broken {
        Broken { place: self, reason }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Header => out.write_str("the header"),
            Place::Plan => out.write_str("the plan"),
            Place::Entry(seq) => write!(out, "entry {seq}"),
            Place::End => out.write_str("the end"),
            Place::Snapshot => out.write_str("the snapshot"),
            Place::Content(digest) => write!(out, "content {digest}"),
            Place::Time(seq) => write!(out, "the time of entry {seq}"),
            Place::Column(name) => write!(out, "`{name}` of its row"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Missing => out.write_str("it is missing"),
            Reason::Unexpected => out.write_str("it should not be there"),
            Reason::Malformed => out.write_str("it is not written as a journal is written"),
            Reason::Version(found) => {
                write!(out, "version {found} is unknown to this binary, which reads version 1")
            }
            Reason::Hash => out.write_str("its bytes do not give its hash"),
            Reason::Sequence => out.write_str("its number does not follow"),
            Reason::Contradiction => out.write_str("its journal says something else"),
        }
    }
}
