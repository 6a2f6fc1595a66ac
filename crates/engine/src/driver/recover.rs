//! Brings runs back into memory, and carries on what a crash or a restart left open.

use super::{Driver, Parcel};
use crate::backend::{Accepted, Error, Standing};
use crate::store::Write;
use crate::turn::{LoadError, Posted, Reply, Seat, replay_planted};
use kernel::command::Caller;
use kernel::{Command, Effect, EffectId, Open, OpenKind, RunId, Status};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

impl Driver {
    /// Makes sure that a run is in memory.
    pub(super) fn seated(&mut self, id: &RunId) -> Result<&mut Seat, Error> {
        if !self.seats.contains(id) {
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
        let replayed = replay_planted(reader, &loaded, self.planted_in_runs, |_| {})?;
        let shown = (super::word(&replayed.run.status()), loaded.run.detail.clone());
        Ok(Seat {
            home: Arc::new(replayed.home),
            head: loaded.run.head,
            tail_bytes: replayed.tail_bytes,
            snapshot_bytes: replayed.snapshot_bytes,
            shown,
            turning: None,
            backlog: VecDeque::new(),
            under_way: false,
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
    pub(crate) fn standing(&mut self, id: &RunId) -> Result<Standing, Error> {
        let seat = self.seated(id)?;
        let (seq, run) = (seat.head.seq, &seat.run);
        Ok(Standing { run: id.clone(), seq, status: run.status(), open: run.open() })
    }

    /// Carries a run on. One that is under way is left alone: nothing is asked for twice.
    pub(super) fn recover(&mut self, id: &RunId, reply: Option<Reply>, now: u64) {
        let accepted = self.carried_on(id, now).and_then(|()| {
            let standing = self.standing(id)?;
            Ok(Accepted { run: id.clone(), seq: standing.seq, status: standing.status })
        });
        self.answer_later(reply, accepted);
    }

    /// Makes sure that a run is in memory and under way: what was open is asked for again, what was interrupted is
    /// told. What came due while nobody carried it happens before anything else. A run whose parent ended without it, or
    /// no longer wants it, is cancelled instead.
    pub(super) fn carried_on(&mut self, id: &RunId, now: u64) -> Result<(), Error> {
        if self.seated(id)?.under_way {
            return Ok(());
        }
        if let Some(reason) = self.unwanted(id, now) {
            let command = Command::Cancel { reason, by: Caller::Server };
            let posted = Posted { command, contents: Vec::new(), reply: None, child: None };
            self.cancel_first(id, posted, now);
            return Ok(());
        }
        self.seated(id)?.under_way = true;
        let open = self.after_due(id, now)?;
        let home = Arc::clone(&self.seated(id)?.home);
        let unbegun = self.take_unbegun(id, &open);
        // What is asked for again leaves first: an interruption may close the run, which withdraws it.
        let (died, waits): (Vec<Open>, Vec<Open>) =
            open.into_iter().partition(|open| works(open) && !unbegun.contains(&open.id));
        let waits = waits.into_iter().filter(|open| open.kind != OpenKind::Interrupted);
        let parcels = waits.map(|open| Parcel::Effect {
            run: id.clone(),
            home: Arc::clone(&home),
            effect: open.effect,
        });
        self.batch.parcels.extend(parcels);
        self.interrupt(id, died, now);
        Ok(())
    }

    /// Lets the timers fire that are due, and gives what was open before and still is. What they made the run ask for
    /// leaves by itself.
    fn after_due(&mut self, id: &RunId, now: u64) -> Result<Vec<Open>, Error> {
        let run = &self.seated(id)?.run;
        let (due, open) = (run.overdue(now), run.open());
        if due.is_empty() {
            return Ok(open);
        }
        for timer in due {
            let command = Command::Fire { timer };
            self.command(id, Posted { command, contents: Vec::new(), reply: None, child: None }, now);
        }
        let before: HashMap<EffectId, Effect> = open.into_iter().map(|open| (open.id, open.effect)).collect();
        let mut open = self.seated(id)?.run.open();
        open.retain(|open| before.get(&open.id).is_some_and(|effect| works(open) || *effect == open.effect));
        Ok(open)
    }

    /// Writes down that nobody has begun an effect that was asked for.
    pub(crate) fn never_began(&mut self, run: RunId, effect: EffectId) {
        self.batch.writes.push(Write::Unbegun { run: run.clone(), effect: effect.clone() });
        self.unbegun.insert((run, effect));
    }

    /// The effects of a run that nobody has begun. With the commit before which none of them leaves they count as begun.
    fn take_unbegun(&mut self, id: &RunId, open: &[Open]) -> Vec<EffectId> {
        let performs = open.iter().filter(|open| matches!(open.kind, OpenKind::Perform { .. }));
        let keys = performs.map(|open| (id.clone(), open.id.clone()));
        let found: Vec<(RunId, EffectId)> = keys.filter(|key| self.unbegun.remove(key)).collect();
        let forget =
            |(run, effect): &(RunId, EffectId)| Write::Begun { run: run.clone(), effect: effect.clone() };
        self.batch.writes.extend(found.iter().map(forget));
        found.into_iter().map(|(_, effect)| effect).collect()
    }

    /// Cancels a run that is not under way: nothing of it is begun again first. One that refuses is carried on.
    pub(super) fn cancel_first(&mut self, id: &RunId, posted: Posted, now: u64) {
        let seat = self.seats.get_mut(id).expect("BUG: a run that was just seated is gone");
        let died = seat.run.open().into_iter().filter(works).collect();
        seat.under_way = seat.run.outcome().is_none() && !matches!(seat.run.status(), Status::Closing);
        let closes = seat.under_way;
        self.admit(id, posted, now);
        if closes {
            return self.interrupt(id, died, now);
        }
        self.carried_on(id, now).expect("BUG: a run that was just seated is gone");
    }

    /// Whoever worked on these died with the server. What they left is taken away whatever becomes of the run.
    fn interrupt(&mut self, id: &RunId, died: Vec<Open>, now: u64) {
        let home = Arc::clone(&self.seats.get_mut(id).expect("BUG: a run that was just seated is gone").home);
        for open in died {
            if let Effect::Perform(perform) = open.effect {
                let (run, home) = (id.clone(), Arc::clone(&home));
                self.batch.parcels.push(Parcel::Died { run, home, perform });
            }
            let command = Command::Interrupt { effect: open.id };
            self.command(id, Posted { command, contents: Vec::new(), reply: None, child: None }, now);
        }
    }
}

/// Whether an adapter had it.
fn works(open: &Open) -> bool {
    matches!(open.kind, OpenKind::Perform { .. } | OpenKind::Stopping)
}
