//! A run as the driver holds it: the run itself, where its journal stands, and what waits for its turn to end.

use super::{Content, Home};
use crate::answers::Patience;
use crate::backend::{Accepted, Error};
use crate::journal::Head;
use crate::store::Write;
use crate::turn::Origin;
use kernel::{Answer, Command, Event, Question, Run, RunId};
use std::collections::VecDeque;
use std::sync::Arc;

/// Called once with what became of a command.
pub type Reply = Box<dyn FnOnce(Result<Accepted, Error>) + Send>;

/// A command with what comes along.
pub(crate) struct Posted {
    pub(crate) command: Command,
    pub(crate) contents: Vec<Content>,
    pub(crate) reply: Option<Reply>,
    /// The child whose end this is: it hears when that is recorded, or will never be.
    pub(crate) child: Option<RunId>,
}

/// A turn that waits for answers.
pub(crate) struct Turning {
    pub(crate) event: Event,
    pub(crate) contents: Vec<Content>,
    pub(crate) asked: Vec<Question>,
    /// What is known of the answers to the latest questions; the rest was asked.
    pub(crate) known: Vec<Option<Answer>>,
    pub(crate) answers: Vec<Vec<Answer>>,
    pub(crate) reply: Option<Reply>,
    pub(crate) child: Option<RunId>,
    /// How long its questions may take.
    pub(crate) patience: Arc<Patience>,
    /// What makes the run, and where it comes from: written with its first entry, and only with it.
    pub(crate) birth: Option<Box<(Vec<Write>, Origin)>>,
}

/// A run in memory.
pub(crate) struct Seat {
    pub(crate) run: Run,
    pub(crate) home: Arc<Home>,
    pub(crate) head: Head,
    /// Bytes of entries since the snapshot, and of the snapshot.
    pub(crate) tail_bytes: u64,
    pub(crate) snapshot_bytes: u64,
    /// The status that the store shows.
    pub(crate) shown: (&'static str, Option<String>),
    pub(crate) turning: Option<Turning>,
    pub(crate) backlog: VecDeque<Posted>,
    /// Whether what is open was asked for by this process.
    pub(crate) under_way: bool,
}

/// A tail shorter than this is never worth a snapshot.
pub(crate) const TAIL_BYTES_MIN: u64 = 32 * 1024;

impl Seat {
    /// Whether nothing will ever happen to the run again.
    pub(crate) fn is_over(&self) -> bool {
        let idle = self.turning.is_none() && self.backlog.is_empty();
        idle && self.run.outcome().is_some() && self.run.open().is_empty()
    }

    /// Whether the tail outweighs the snapshot.
    pub(crate) fn wants_snapshot(&self, tail_bytes_min: u64) -> bool {
        self.tail_bytes > self.snapshot_bytes.max(tail_bytes_min)
    }
}
