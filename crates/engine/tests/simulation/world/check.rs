//! What must hold after every commit, and at the end of the world.

use super::{Halt, World};
use crate::watch::Violation;
use engine::driver::Parcel;
use engine::store::Filter;
use kernel::{OpenKind, Outcome, RunId, Status};
use std::collections::BTreeSet;

impl World<'_> {
    /// After a commit: every run that moved is in the store as it is in memory.
    pub(super) fn look(&mut self, parcels: &[Parcel]) -> Result<(), Halt> {
        let driver = self.driver.as_ref().expect("BUG: the server is down");
        let reader = driver.store().reader();
        let moved: BTreeSet<&RunId> = parcels.iter().filter_map(mover).collect();
        for id in moved {
            self.watch.catch_up(reader, id)?;
            let (Some(live), Some(shadow)) = (driver.run(id), self.watch.runs.get(id)) else { continue };
            if !live.is_turning() && live.snapshot() != shadow.run.snapshot() {
                let detail = format!("{id}: memory and journal differ after entry {}", shadow.seq);
                return Err(Violation::new("same journal, same bytes", detail).into());
            }
        }
        Ok(())
    }

    /// Callers hear only of what is stored.
    pub(super) fn hear_replies(&mut self) -> Result<(), Halt> {
        for (number, answer) in self.replies.take() {
            if !self.replies.open.remove(&number) {
                return Err(Violation::new("a caller hears once", format!("reply {number}")).into());
            }
            self.note(|| format!("reply {number}: {answer:?}"));
        }
        Ok(())
    }

    /// While nobody owes an answer: everything that is open is in somebody's hands, and nothing else is.
    pub(super) fn check_what_is_held(&mut self) -> Result<(), Halt> {
        if self.asking + self.recovering > 0 || !self.own.is_empty() || self.driver().is_pending() {
            return Ok(());
        }
        for (id, shadow) in &self.watch.runs {
            if matches!(shadow.run.status(), Status::Ended(_)) && shadow.run.open().is_empty() {
                continue;
            }
            for open in shadow.run.open() {
                let key = (id.clone(), open.id.clone());
                let held = match open.kind {
                    OpenKind::Perform { .. } | OpenKind::Stopping => self.hands.jobs.contains_key(&key),
                    OpenKind::Action => self.hands.offers.contains(&key),
                    OpenKind::Timer => self.hands.timers.contains_key(&key),
                    OpenKind::Child => self.child_lives(&open.effect),
                    OpenKind::Interrupted => true,
                    // A parent that has ended abandoned it, and will never record anything.
                    OpenKind::Parent => self.parent_ended(shadow.run.parent()),
                };
                if !held {
                    let detail = format!("{id}: nobody holds {:?} {}", open.kind, open.id);
                    return Err(Violation::new("a run ends or waits for something named", detail).into());
                }
            }
        }
        self.check_jobs()?;
        self.check_children()
    }

    fn parent_ended(&self, parent: Option<&(RunId, kernel::EffectId)>) -> bool {
        parent.and_then(|(parent, _)| self.watch.run(parent)).is_some_and(|run| run.outcome().is_some())
    }

    fn child_lives(&self, effect: &kernel::Effect) -> bool {
        let (kernel::Effect::StartChild { child, .. } | kernel::Effect::CancelChild { child, .. }) = effect
        else {
            return false;
        };
        self.watch.run(child).is_some_and(|run| run.outcome().is_none())
    }

    /// No adapter works for a run that does not wait for it.
    fn check_jobs(&self) -> Result<(), Halt> {
        for (run, id) in self.hands.jobs.keys() {
            let Some(shadow) = self.watch.runs.get(run) else { continue };
            let awaited = shadow.run.open().iter().any(|open| open.id == *id);
            let abandoned = shadow.run.outcome().is_some() && !shadow.history.abandoned.is_empty();
            if !awaited && !abandoned {
                let detail = format!("{run}: an adapter works on {id}, and nobody waits for it");
                return Err(Violation::new("no run ends with an effect open", detail).into());
            }
        }
        Ok(())
    }

    /// No child goes on after its parent's end, unless it was abandoned, and then it closes.
    fn check_children(&self) -> Result<(), Halt> {
        for (id, shadow) in &self.watch.runs {
            let Some((parent, _)) = shadow.run.parent() else { continue };
            let Some(parent) = self.watch.runs.get(parent) else { continue };
            if parent.run.outcome().is_none() || shadow.run.outcome().is_some() {
                continue;
            }
            let closes = matches!(shadow.run.status(), Status::Closing);
            if parent.history.abandoned.is_empty() || !closes {
                let detail = format!("{id} goes on after its parent's end");
                return Err(Violation::new("no child outlives its parent", detail).into());
            }
        }
        Ok(())
    }

    /// Those that have not ended, for the message.
    pub(super) fn unended(&self) -> String {
        let runs = self.watch.runs.iter().filter(|(_, shadow)| shadow.run.outcome().is_none());
        runs.map(|(id, shadow)| format!("{id}: {:?}", shadow.run.status())).collect::<Vec<_>>().join("; ")
    }

    /// The world is over: every run has ended, everyone was answered, and every journal gives the same run again.
    pub(super) fn check_the_end(&mut self) -> Result<(), Violation> {
        let unended = self.unended();
        if !unended.is_empty() {
            return Err(Violation::new("every run ends", unended));
        }
        if !self.replies.open.is_empty() {
            let detail = format!("{} callers were not answered", self.replies.open.len());
            return Err(Violation::new("every caller is answered", detail));
        }
        let driver = self.driver.as_ref().expect("BUG: the server is down");
        let reader = driver.store().reader();
        let ours = Filter { workspace: Some(self.folder()), ..Filter::default() };
        let rows = reader.runs(&ours).map_err(super::server::unreadable)?;
        for row in rows {
            let Some(shadow) = self.watch.runs.get(&row.id) else {
                return Err(Violation::new("every run is known", row.id.to_string()));
            };
            let word = match shadow.run.outcome() {
                Some(Outcome::Succeeded { .. }) => "succeeded",
                Some(Outcome::Failed { .. }) => "failed",
                Some(Outcome::Cancelled { .. }) => "cancelled",
                None => "open",
            };
            if row.status != word || row.ended_at.is_none() {
                let detail = format!("{}: the list says {}, the journal {word}", row.id, row.status);
                return Err(Violation::new("the list tells what the journal tells", detail));
            }
            shadow.check_replays(reader)?;
        }
        Ok(())
    }
}

fn mover(parcel: &Parcel) -> Option<&RunId> {
    match parcel {
        Parcel::Progress(progress) => Some(&progress.run),
        _ => None,
    }
}
