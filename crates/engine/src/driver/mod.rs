//! The driver: the one place where runs move. It is synchronous and owns the store's write connection: letters
//! are taken in, each makes at most one turn of one run, all turns since the last commit go into one transaction,
//! and only then do parcels (effects, progress, replies) leave.
//!
//! ```text
//!  letters ── take ── take ── take ──┐ one transaction ┌── parcels
//!                                    └──── commit ─────┘
//! ```
//! Invariant: no effect leaves before the commit of the turn that asked for it. Deliberately absent: threads,
//! timers, adapters; `local` has those, and the simulation has its own.

mod ask;
mod commit;
mod family;
mod gather;
mod letter;
mod plans;
mod record;
mod recover;
mod seats;
mod start;
mod take;

#[cfg(feature = "faults")]
pub use commit::Fault;
pub use letter::{Letter, Parcel};
pub(crate) use record::{detail, word};

use crate::answers::Patience;
use crate::backend::{Accepted, Error};
use crate::store::{Store, Write};
use crate::turn::{Known, Planted, Reply, Seat, TAIL_BYTES_MIN};
use kernel::{EffectId, RunId};
use plans::Plans;
use seats::Seats;
use std::collections::HashSet;

/// Holds the runs in memory and moves them.
pub struct Driver {
    store: Store,
    seats: Seats,
    batch: Batch,
    /// Most runs of one family that may be open at once.
    called_max: usize,
    /// What was read of stored content lately; let go of when a run that nobody called is over.
    lately: Known,
    plans: Plans,
    tail_bytes_min: u64,
    planted_in_runs: Planted,
    /// What was asked for and not begun: by the last owner when it ended in good order, or because the run was set aside.
    unbegun: HashSet<(RunId, EffectId)>,
    #[cfg(feature = "faults")]
    planted: Option<Fault>,
    /// How many commits will still find a full disk.
    #[cfg(feature = "faults")]
    full: std::cell::Cell<u32>,
}

/// What waits for the next commit.
#[derive(Default)]
struct Batch {
    writes: Vec<Write>,
    parcels: Vec<Parcel>,
    replies: Vec<(Reply, Result<Accepted, Error>)>,
    /// Runs that moved, to be forgotten if the commit fails.
    moved: Vec<RunId>,
    /// Parcels that need no commit: questions change nothing.
    questions: Vec<Parcel>,
}

impl Driver {
    /// A driver over an opened store.
    pub fn new(store: Store) -> Self {
        // A store that cannot be read says so at the first commit; until then everything counts as begun.
        let unbegun = store.reader().unbegun().unwrap_or_default().into_iter().collect();
        Driver {
            unbegun,
            store,
            seats: Seats::default(),
            called_max: family::CALLED_MAX,
            batch: Batch::default(),
            lately: Known::default(),
            plans: Plans::default(),
            tail_bytes_min: TAIL_BYTES_MIN,
            planted_in_runs: Planted::default(),
            #[cfg(feature = "faults")]
            planted: None,
            #[cfg(feature = "faults")]
            full: std::cell::Cell::default(),
        }
    }

    /// The store, to look at.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Sets how long a tail must be before a snapshot is worth its bytes.
    pub fn snapshot_past(&mut self, tail_bytes_min: u64) {
        self.tail_bytes_min = tail_bytes_min;
    }

    /// Sets how many runs of one family may be open at once.
    pub fn call_at_most(&mut self, runs: usize) {
        self.called_max = runs;
    }

    /// Questions to be asked now; their answers come back as letters.
    pub fn questions(&mut self) -> Vec<Parcel> {
        std::mem::take(&mut self.batch.questions)
    }

    /// Whether something waits for a commit.
    pub fn is_pending(&self) -> bool {
        !self.batch.writes.is_empty() || !self.batch.replies.is_empty() || !self.batch.parcels.is_empty()
    }

    /// The run as it is in memory.
    pub fn run(&self, id: &RunId) -> Option<&kernel::Run> {
        self.seats.get(id).map(|seat| &seat.run)
    }

    /// Forgets runs that have ended and have nothing open; whoever asks for one brings it back from the store.
    pub fn forget_ended(&mut self, runs: &[RunId]) {
        for run in runs {
            if self.seats.get(run).is_some_and(Seat::is_over)
                && let Some(seat) = self.seats.remove(run)
                && seat.run.parent().is_none()
            {
                self.lately.forget();
            }
        }
    }

    /// Adds something to the next commit that is no turn of a run.
    pub(crate) fn write(&mut self, write: Write) {
        self.batch.writes.push(write);
    }

    /// Whether one of these runs waits for answers.
    pub(crate) fn is_turning(&self, belongs: impl Fn(&RunId) -> bool) -> bool {
        self.seats.iter().any(|(run, seat)| seat.turning.is_some() && belongs(run))
    }

    /// The patience with all turns that wait for answers.
    pub(crate) fn patience(&self) -> impl Iterator<Item = &Patience> {
        self.seats.values().filter_map(|seat| Some(&*seat.turning.as_ref()?.patience))
    }

    /// Forgets runs that nothing works for; whoever asks for one brings it back from the store.
    pub(crate) fn unseat(&mut self, belongs: impl Fn(&RunId) -> bool) {
        self.seats.retain(|run| !belongs(run));
    }

    /// Gives the store back, as it was after the last commit.
    pub fn into_store(self) -> Store {
        self.store
    }

    /// Ends cleanly: what is committed is all there is.
    pub fn close(self) -> Result<(), crate::store::OpenError> {
        self.store.close()
    }
}
