//! Views of stored runs, and the values that they only name.

use super::{View, folded};
use crate::store::{Loaded, Owner, Reader, RunRow};
use crate::turn::{LoadError, replay};
use kernel::{Data, Plan, RunId};
use serde_json::Value;
use std::sync::Arc;

impl View {
    /// The view of a stored run, by all its entries, or nothing if there is no such run.
    pub fn load(reader: &Reader, run: &RunId) -> Result<Option<View>, LoadError> {
        reader.at_one_moment(|reader| {
            let Some(folded) = folded(reader, run)? else { return Ok(None) };
            let mut view = folded.view;
            view.ask(reader)?;
            Ok(Some(view))
        })
    }

    /// The view of a stored run as it was after one of its entries.
    pub fn load_until(reader: &Reader, run: &RunId, seq: u64) -> Result<Option<View>, LoadError> {
        let Some((mut loaded, plan)) = whole(reader, run)? else { return Ok(None) };
        loaded.tail.retain(|entry| entry.head.seq <= seq);
        let mut view = View::of_row(&loaded.run, Arc::new(plan));
        let replayed = replay(reader, &loaded, |seen| {
            view.turn(seen.entry.head.seq, seen.body.event.at, &seen.turn.news);
        })?;
        view.status = replayed.run.status();
        view.ask(reader)?;
        Ok(Some(view))
    }
}

/// A stored run with all its entries, and its plan.
pub(crate) fn whole(reader: &Reader, run: &RunId) -> Result<Option<(Loaded, Plan)>, LoadError> {
    let Some(mut loaded) = reader.load(run)? else { return Ok(None) };
    if loaded.snapshot.take().is_some() {
        loaded.tail = reader.entries(run, 1)?;
        // An owner may have gone on since: those entries are not part of what was loaded.
        loaded.tail.retain(|entry| entry.head.seq <= loaded.run.head.seq);
    }
    let plan = serde_json::from_slice(&loaded.plan).map_err(|error| LoadError::Unreadable {
        run: run.clone(),
        entry: 0,
        reason: error.to_string(),
    })?;
    Ok(Some((loaded, plan)))
}

/// Whether an owner of the store carries a run: one carries all that nobody set aside, another what has moved since it
/// became the owner.
pub fn is_carried(row: &RunRow, owner: Option<Owner>) -> bool {
    let carries = |owner: Owner| owner.carries_all || row.updated_at >= owner.since;
    row.parked_at.is_none() && owner.is_some_and(carries)
}

/// Gives the values that data only names.
#[derive(Clone, Copy)]
pub struct Values<'r>(pub &'r Reader);

impl Values<'_> {
    /// The value itself.
    pub fn value(&self, data: &Data) -> Result<Value, LoadError> {
        match data {
            Data::Inline(value) => Ok(value.clone()),
            Data::Stored(reference) => Ok(crate::turn::read(self.0, &reference.digest)?.0),
        }
    }
}
