//! The commit: one transaction for all turns that wait, then everything they gave may leave.

use super::{Batch, Driver, Parcel};
use crate::backend::{Accepted, Error};
use crate::kill_point;
use crate::store::{Kind, WriteError};
use crate::turn::Reply;

impl Driver {
    /// Commits what waits and gives what may leave. Where the store may take it later (a full disk, a busy file),
    /// all of it goes on waiting. Otherwise nothing of it has happened: see [`Driver::give_up`].
    pub fn commit(&mut self) -> Result<Vec<Parcel>, WriteError> {
        let (parcels, replies) = self.commit_in_silence()?;
        replies.send();
        Ok(parcels)
    }

    /// The same, and those who wait for an answer get it when it is sent: what they asked for may be begun first.
    pub(crate) fn commit_in_silence(&mut self) -> Result<(Vec<Parcel>, Replies), WriteError> {
        kill_point("before commit");
        let writes = &self.batch.writes;
        let committed = match writes.is_empty() {
            // Answers from a store that was taken away are none.
            true => self.store.stands().map_err(WriteError::from),
            #[cfg(feature = "faults")]
            false if self.is_full() => Err(crate::store::Fault::Full("in this test".to_owned()).into()),
            false => self.store.commit(writes),
        };
        kill_point("after commit");
        match committed {
            Ok(()) => {
                let Batch { parcels, replies, .. } = self.take_batch();
                Ok((parcels, Replies(replies)))
            }
            Err(error) => {
                if error.kind() != Kind::Retryable {
                    self.give_up(&error);
                }
                Err(error)
            }
        }
    }

    /// Forgets what waits: the callers are told, and the runs that moved are brought back from the store when they are
    /// next asked for.
    pub fn give_up(&mut self, error: &WriteError) {
        let Batch { replies, moved, .. } = self.take_batch();
        moved.iter().for_each(|run| drop(self.seats.remove(run)));
        for (reply, answer) in replies {
            reply(answer.and(Err(refused(error))));
        }
    }

    /// Takes all that waits for a commit; questions wait for none.
    fn take_batch(&mut self) -> Batch {
        let questions = std::mem::take(&mut self.batch.questions);
        std::mem::replace(&mut self.batch, Batch { questions, ..Batch::default() })
    }
}

/// What callers are told once it is committed.
pub(crate) struct Replies(Vec<(Reply, Result<Accepted, Error>)>);

impl Replies {
    pub(crate) fn send(self) {
        self.0.into_iter().for_each(|(reply, answer)| reply(answer));
    }
}

fn refused(error: &WriteError) -> Error {
    match error {
        WriteError::Fenced { .. } => Error::Fenced,
        WriteError::Lost(lost) => Error::Lost(lost.clone()),
        _ => Error::Store(error.to_string()),
    }
}

/// A mistake the driver could make.
#[cfg(feature = "faults")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Effects leave before their turn is committed.
    EffectBeforeCommit,
    /// A run is brought back from its snapshot without the entries after it.
    SnapshotWithoutTail,
}

#[cfg(feature = "faults")]
impl Driver {
    /// Plants a fault, to see that the simulation finds it.
    pub fn plant(&mut self, fault: Fault) {
        self.planted = Some(fault);
    }

    /// Plants a fault of the kernel in every run, now and whenever one is brought into memory.
    pub fn plant_in_runs(&mut self, planted: kernel::fault::Planted) {
        self.planted_in_runs = planted;
        self.seats.values_mut().for_each(|seat| seat.run.plant(planted));
    }

    pub(super) fn leak(&mut self, turn: &kernel::Turn, parcel: &dyn Fn(kernel::Effect) -> Parcel) {
        if self.planted == Some(Fault::EffectBeforeCommit) {
            self.batch.questions.extend(turn.effects.iter().cloned().map(parcel));
        }
    }

    /// Lets the next commits find a full disk.
    pub fn fill_disk(&mut self, commits: u32) {
        self.full.set(commits);
    }

    fn is_full(&self) -> bool {
        let left = self.full.get();
        self.full.set(left.saturating_sub(1));
        left > 0
    }

    pub(super) fn planted(&self) -> Option<Fault> {
        self.planted
    }
}
