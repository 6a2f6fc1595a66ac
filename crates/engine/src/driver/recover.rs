//! Brings runs back into memory, and carries on what a crash or a restart left open.

use super::{Driver, Parcel};
use crate::backend::{Accepted, Error, Standing};
use crate::turn::{LoadError, Posted, Reply, Seat, replay};
use kernel::{Command, OpenKind, RunId};
use std::collections::VecDeque;
use std::sync::Arc;

impl Driver {
    /// Makes sure that a run is in memory.
    pub(super) fn seated(&mut self, id: &RunId) -> Result<&mut Seat, Error> {
        if !self.seats.contains_key(id) {
            let seat = self.load(id)?;
            self.seats.insert(id.clone(), seat);
        }
        Ok(self.seats.get_mut(id).expect("BUG: a run that was just seated is gone"))
    }

    fn load(&self, id: &RunId) -> Result<Seat, Error> {
        let reader = self.store.reader();
        let loaded = reader.load(id).map_err(LoadError::from)?.ok_or_else(|| Error::NoRun(id.clone()))?;
        #[cfg(feature = "faults")]
        let loaded = self.cut_short(loaded);
        let replayed = replay(reader, &loaded, |_, _, _| {})?;
        let shown = (super::take::word(&replayed.run.status()), loaded.run.detail.clone());
        Ok(Seat {
            home: Arc::new(replayed.home),
            head: loaded.run.head,
            tail_bytes: replayed.tail_bytes,
            snapshot_bytes: replayed.snapshot_bytes,
            shown,
            turning: None,
            backlog: VecDeque::new(),
            run: replayed.run,
        })
    }

    #[cfg(feature = "faults")]
    fn cut_short(&self, mut loaded: crate::store::Loaded) -> crate::store::Loaded {
        if self.planted() == Some(super::Fault::SnapshotWithoutTail) && loaded.snapshot.is_some() {
            loaded.tail.clear();
        }
        loaded
    }

    /// Where a run stands.
    pub(super) fn standing(&mut self, id: &RunId) -> Result<Standing, Error> {
        let seat = self.seated(id)?;
        let (seq, run) = (seat.head.seq, &seat.run);
        Ok(Standing { run: id.clone(), seq, status: run.status(), open: run.open() })
    }

    /// Carries a run on. A run that is in memory already is under way: nothing is asked for twice.
    pub(super) fn recover(&mut self, id: &RunId, reply: Option<Reply>, now: u64) {
        if self.seats.contains_key(id) {
            return self.under_way(id, reply);
        }
        if let Err(error) = self.seated(id) {
            return self.answer_later(reply, Err(error));
        }
        let seat = &self.seats[id];
        let (open, home) = (seat.run.open(), Arc::clone(&seat.home));
        for open in open {
            match open.kind {
                // Whoever worked on it died with the server.
                OpenKind::Perform { .. } | OpenKind::Stopping => {
                    let command = Command::Interrupt { effect: open.id };
                    let posted = Posted { command, contents: Vec::new(), reply: None };
                    self.post(id, posted, now);
                }
                OpenKind::Timer | OpenKind::Child | OpenKind::Parent | OpenKind::Action => {
                    let home = Arc::clone(&home);
                    self.batch.parcels.push(Parcel::Effect { run: id.clone(), home, effect: open.effect });
                }
                OpenKind::Interrupted => {}
            }
        }
        self.under_way(id, reply);
    }

    fn post(&mut self, id: &RunId, posted: Posted, now: u64) {
        let Posted { command, contents, reply } = posted;
        self.take(super::Letter::Command { run: id.clone(), command, contents, reply }, now);
    }

    fn under_way(&mut self, id: &RunId, reply: Option<Reply>) {
        let accepted = self.standing(id).map(|standing| Accepted {
            run: id.clone(),
            seq: standing.seq,
            status: standing.status,
        });
        self.answer_later(reply, accepted);
    }
}
