//! All that is needed to go on with a run: its plan, the latest snapshot, and the entries after it.
//!
//! What is loaded was checked: plan and snapshot by their digests, the entries by the chain that must lead from
//! the snapshot to the head of the run. A run whose snapshot is broken can still be replayed from its entries.

use super::error::Fault;
use super::read::Reader;
use super::rows::{Entry, RunRow, digest, unsigned};
use crate::journal::{Broken, Follow, Head, Place, Reason};
use kernel::{Digest, RunId};
use rusqlite::{OptionalExtension, params};

/// A run as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Its row.
    pub run: RunRow,
    /// The bytes of its plan.
    pub plan: Vec<u8>,
    /// The latest snapshot.
    pub snapshot: Option<Snapshot>,
    /// The entries after the snapshot, or all of them.
    pub tail: Vec<Entry>,
}

/// A run as it was after an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The head of the journal at the snapshot.
    pub head: Head,
    /// The snapshot's bytes.
    pub body: Vec<u8>,
}

impl Reader {
    /// Loads a run, or nothing if there is none.
    pub fn load(&self, run: &RunId) -> Result<Option<Loaded>, Fault> {
        let _one_state = self.one_state()?;
        let Some(row) = self.run(run)? else { return Ok(None) };
        let plan = self.plan_of(&row)?.map_err(|broken| corrupt(run, &broken))?;
        let snapshot = self.snapshot(run)?.map_err(|broken| corrupt(run, &broken))?;
        let start = snapshot.as_ref().map_or(Head::first(run, &row.plan), |snapshot| snapshot.head);
        let tail = self.entries(run, start.seq + 1)?;
        follow(start, &tail, &row.head).map_err(|broken| corrupt(run, &broken))?;
        Ok(Some(Loaded { run: row, plan, snapshot, tail }))
    }

    /// Loads what has come to a run since a point of its journal. Nothing if there is no such run, or its journal has never been
    /// at that point.
    pub fn load_since(&self, run: &RunId, point: Head) -> Result<Option<Loaded>, Fault> {
        let _one_state = self.one_state()?;
        let Some(row) = self.run(run)?.filter(|row| row.head.seq >= point.seq) else { return Ok(None) };
        let tail = self.entries(run, point.seq + 1)?;
        if follow(point, &tail, &row.head).is_err() {
            return Ok(None);
        }
        let plan = self.plan_of(&row)?.map_err(|broken| corrupt(run, &broken))?;
        Ok(Some(Loaded { run: row, plan, snapshot: None, tail }))
    }

    /// One entry of a run.
    pub fn entry(&self, run: &RunId, seq: u64) -> Result<Option<Entry>, Fault> {
        let find = format!("SELECT {} FROM entry WHERE run = ?1 AND seq = ?2", Entry::COLUMNS);
        let key = params![run.as_str(), seq.cast_signed()];
        Ok(self.db.prepare_cached(&find)?.query_row(key, Entry::read).optional()?)
    }

    /// The entries of a run, from one number on.
    pub fn entries(&self, run: &RunId, from: u64) -> Result<Vec<Entry>, Fault> {
        let mut entries = vec![];
        self.each_entry(run, from, |entry| {
            entries.push(entry);
            Ok::<_, Fault>(())
        })?;
        Ok(entries)
    }

    /// Hands the entries of a run over one by one, from one number on.
    pub(super) fn each_entry<E: From<Fault>>(
        &self,
        run: &RunId,
        from: u64,
        mut take: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<(), E> {
        let find = format!("SELECT {} FROM entry WHERE run = ?1 AND seq >= ?2 ORDER BY seq", Entry::COLUMNS);
        let mut find = self.db.prepare_cached(&find).map_err(Fault::from)?;
        let mut rows = find.query(params![run.as_str(), from.cast_signed()]).map_err(Fault::from)?;
        while let Some(row) = rows.next().map_err(Fault::from)? {
            take(Entry::read(row).map_err(Fault::from)?)?;
        }
        Ok(())
    }

    /// The bytes of a run's plan, which must be there and have its digest.
    pub(super) fn plan_of(&self, run: &RunRow) -> Result<Result<Vec<u8>, Broken>, Fault> {
        let Some(body) = self.plan_body(&run.plan)? else {
            return Ok(Err(Place::Plan.broken(Reason::Missing)));
        };
        Ok(match Digest::of(&body) == run.plan {
            true => Ok(body),
            false => Err(Place::Plan.broken(Reason::Hash)),
        })
    }

    /// The bytes of a plan, checked against its digest.
    pub fn plan(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Fault> {
        match self.plan_body(digest)? {
            Some(body) if Digest::of(&body) != *digest => {
                Err(Fault::Corrupt(format!("plan {digest} has another digest")))
            }
            found => Ok(found),
        }
    }

    fn plan_body(&self, digest: &Digest) -> Result<Option<Vec<u8>>, Fault> {
        let find = "SELECT body FROM plan WHERE digest = ?1";
        Ok(self.db.prepare_cached(find)?.query_row([digest.to_string()], |row| row.get(0)).optional()?)
    }

    /// The latest snapshot of a run, which must have its digest.
    pub(super) fn snapshot(&self, run: &RunId) -> Result<Result<Option<Snapshot>, Broken>, Fault> {
        let found = self
            .db
            .prepare_cached("SELECT seq, hash, digest, body FROM snapshot WHERE run = ?1")?
            .query_row([run.as_str()], |row| {
                let head = Head { seq: unsigned(row, 0)?, hash: row.get(1)? };
                Ok((Snapshot { head, body: row.get(3)? }, digest(row, 2)?))
            })
            .optional()?;
        Ok(match found {
            Some((snapshot, digest)) if Digest::of(&snapshot.body) != digest => {
                Err(Place::Snapshot.broken(Reason::Hash))
            }
            found => Ok(found.map(|(snapshot, _)| snapshot)),
        })
    }
}

fn follow(start: Head, tail: &[Entry], stored: &Head) -> Result<(), Broken> {
    let mut follow = Follow::from(start);
    tail.iter().try_for_each(|entry| follow.step(entry.head.seq, &entry.body, &entry.head.hash))?;
    follow.end(stored)
}

fn corrupt(run: &RunId, broken: &Broken) -> Fault {
    Fault::Corrupt(format!("run {run} is {broken}"))
}
