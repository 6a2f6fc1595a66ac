//! The shadow of a run: made anew from its stored journal alone, entry by entry, with the evaluator switched off.

use super::Violation;
use super::history::History;
use engine::store::{Loaded, Reader};
use engine::turn::{again, decode, replay_planted};
use engine::view::contradiction;
use kernel::fault::Planted;
use kernel::table::Row;
use kernel::{Digest, Plan, Run, RunId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A run as its journal tells it.
pub(crate) struct Shadow {
    pub(crate) run: Run,
    pub(crate) seq: u64,
    pub(crate) history: History,
    planted: Planted,
}

impl Shadow {
    /// The shadow of a run before its first entry, if the store has the run.
    pub(super) fn first(
        reader: &Reader,
        id: &RunId,
        plans: &mut HashMap<Digest, Arc<Plan>>,
        planted: Planted,
    ) -> Result<Option<Self>, Violation> {
        let Some(loaded) = reader.load(id).map_err(|fault| unreadable(id, &fault))? else { return Ok(None) };
        let first = reader.entry(id, 1).map_err(|fault| unreadable(id, &fault))?;
        let first = first.ok_or_else(|| unreadable(id, &"a run without a first entry"))?;
        let body = decode(&first.body).map_err(|reason| unreadable(id, &reason))?;
        let origin = body.origin.ok_or_else(|| unreadable(id, &"its first entry names no origin"))?;
        let plan = match plans.get(&loaded.run.plan) {
            Some(plan) => Arc::clone(plan),
            None => {
                let plan = serde_json::from_slice(&loaded.plan).map_err(|error| unreadable(id, &error))?;
                let plan = Arc::new(plan);
                plans.insert(loaded.run.plan, Arc::clone(&plan));
                plan
            }
        };
        let mut run = Run::new(plan, id.clone(), origin.parent, origin.depth);
        run.plant(planted);
        Ok(Some(Shadow { run, seq: 0, history: History::default(), planted }))
    }

    /// Follows the entries that are new.
    pub(super) fn catch_up(&mut self, reader: &Reader, rows: &mut BTreeSet<Row>) -> Result<(), Violation> {
        let id = self.run.id().clone();
        let entries = reader.entries(&id, self.seq + 1).map_err(|fault| unreadable(&id, &fault))?;
        for entry in entries {
            let body = decode(&entry.body).map_err(|reason| unreadable(&id, &reason))?;
            let turn = again(reader, &mut self.run, &body, entry.head.seq)
                .map_err(|error| Violation::new("same journal, same bytes", error.to_string()))?;
            self.seq = entry.head.seq;
            if self.run.weight() != self.run.weigh() {
                let detail = format!("{id}: {} held, {} weighed", self.run.weight(), self.run.weigh());
                return Err(Violation::new("held weight does not drift", detail));
            }
            rows.extend(turn.rows.iter().copied());
            self.history.see(&self.run, &body.event, &turn)?;
        }
        Ok(())
    }

    /// The bytes of its snapshot.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        bytes(&self.run)
    }

    /// At the end: snapshot plus tail, and all entries, both give this very run.
    pub(crate) fn check_replays(&self, reader: &Reader) -> Result<(), Violation> {
        let id = self.run.id();
        let (bytes, weight) = (self.bytes().len() as u64, self.run.weight());
        if bytes > weight {
            let detail = format!("{id}: a snapshot of {bytes} bytes weighs {weight}");
            return Err(Violation::new("a snapshot is not larger than its weight", detail));
        }
        let Some(loaded) = reader.load(id).map_err(|fault| unreadable(id, &fault))? else {
            return Err(unreadable(id, &"it is gone"));
        };
        let quick = self.replayed(reader, &loaded)?;
        let tail = reader.entries(id, 1).map_err(|fault| unreadable(id, &fault))?;
        let whole = self.replayed(reader, &Loaded { snapshot: None, tail, ..loaded })?;
        if whole != self.bytes() {
            return Err(Violation::new("same journal, same bytes", format!("{id}: a full replay differs")));
        }
        if quick != whole {
            return Err(Violation::new("snapshot plus tail equals full replay", format!("{id} differs")));
        }
        reader
            .verify(id)
            .map_err(|error| Violation::new("the stored journal verifies", error.to_string()))?;
        match contradiction(reader, id) {
            Ok(Some(broken)) => Err(Violation::new("the row is what the journal says", broken.to_string())),
            // A fault that is planted in runs makes a run without it diverge: the replays above have seen to that.
            _ => Ok(()),
        }
    }

    fn replayed(&self, reader: &Reader, loaded: &Loaded) -> Result<Vec<u8>, Violation> {
        let replayed = replay_planted(reader, loaded, self.planted, |_| {});
        let replayed =
            replayed.map_err(|error| Violation::new("same journal, same bytes", error.to_string()))?;
        Ok(bytes(&replayed.run))
    }
}

pub(crate) fn bytes(run: &Run) -> Vec<u8> {
    serde_json::to_vec(&run.snapshot()).expect("BUG: a run has no JSON form")
}

fn unreadable(id: &RunId, why: &dyn std::fmt::Display) -> Violation {
    Violation::new("what is stored can be read", format!("{id}: {why}"))
}
