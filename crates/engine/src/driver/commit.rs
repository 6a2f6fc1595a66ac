//! The commit: one transaction for all turns that wait, then everything they gave may leave.

use super::{Batch, Driver, Parcel};
use crate::backend::Error;
use crate::kill_point;
use crate::store::{Kind, WriteError};

impl Driver {
    /// Commits what waits and gives what may leave. If the store refuses, nothing of it has happened: the runs that
    /// moved are forgotten and brought back from the store when they are next asked for.
    pub fn commit(&mut self) -> Result<Vec<Parcel>, WriteError> {
        let questions = std::mem::take(&mut self.batch.questions);
        let Batch { writes, parcels, replies, moved, .. } = std::mem::take(&mut self.batch);
        self.batch.questions = questions;
        kill_point("before commit");
        let committed = if writes.is_empty() { Ok(()) } else { self.store.commit(&writes) };
        kill_point("after commit");
        match committed {
            Ok(()) => {
                for (reply, answer) in replies {
                    reply(answer);
                }
                Ok(parcels)
            }
            Err(error) => {
                moved.iter().for_each(|run| drop(self.seats.remove(run)));
                for (reply, answer) in replies {
                    reply(answer.and(Err(refused(&error))));
                }
                Err(error)
            }
        }
    }
}

fn refused(error: &WriteError) -> Error {
    match error.kind() {
        Kind::Fenced => Error::Fenced,
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

    /// Plants a fault of the kernel in every run that is in memory.
    pub fn plant_in_runs(&mut self, planted: kernel::fault::Planted) {
        self.seats.values_mut().for_each(|seat| seat.run.plant(planted));
    }

    pub(super) fn leak(&mut self, turn: &kernel::Turn, parcel: &dyn Fn(kernel::Effect) -> Parcel) {
        if self.planted == Some(Fault::EffectBeforeCommit) {
            self.batch.questions.extend(turn.effects.iter().cloned().map(parcel));
        }
    }

    pub(super) fn planted(&self) -> Option<Fault> {
        self.planted
    }
}
