//! One commit: all writes in one transaction, by the owner or not at all.
//!
//! The fence is read inside the transaction, after SQLite's write lock is held: an owner that was taken over
//! while it slept cannot get between the check and its writes. Whoever takes the file away between the look at its name
//! and the flush has taken away what was recorded, as a moment later.

use super::apply;
use super::error::{Fault, WriteError};
use super::open::{Counters, Store};
use super::step::Step;
use super::write::Write;
use rusqlite::{Connection, OptionalExtension};

impl Store {
    /// Writes all of it with one flush, or nothing.
    pub fn commit(&mut self, writes: &[Write]) -> Result<(), WriteError> {
        if writes.is_empty() {
            return Ok(());
        }
        self.transact(|step| apply::all(step, writes))?;
        for write in writes {
            self.counters.count(write);
        }
        Ok(())
    }

    /// Runs `work` in one transaction of the owner.
    pub(super) fn transact<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        self.stands()?;
        let epoch = self.fence();
        let db = &self.reader.db;
        let step = Step::begin(db)?;
        if let Some(epoch) = epoch {
            hold_fence(db, epoch)?;
        }
        let done = work(db)?;
        step.commit()?;
        self.counters.commits += 1;
        Ok(done)
    }

    /// The epoch that every transaction must find.
    #[cfg(not(feature = "faults"))]
    fn fence(&self) -> Option<u64> {
        Some(self.epoch)
    }

    /// The epoch that every transaction must find, unless the fault is planted.
    #[cfg(feature = "faults")]
    fn fence(&self) -> Option<u64> {
        (!self.fence_is_missing).then_some(self.epoch)
    }
}

fn hold_fence(step: &Connection, ours: u64) -> Result<(), WriteError> {
    let mut find = step.prepare_cached("SELECT epoch FROM owner WHERE one = 1")?;
    let now: Option<i64> = find.query_row((), |row| row.get(0)).optional()?;
    match now.map(i64::cast_unsigned) {
        Some(now) if now == ours => Ok(()),
        Some(now) => Err(WriteError::Fenced { ours, now }),
        None => Err(Fault::Corrupt("the store has no epoch".to_owned()).into()),
    }
}

impl Counters {
    fn count(&mut self, write: &Write) {
        let bytes = match write {
            Write::Append { body, .. } => {
                self.appends += 1;
                body.len()
            }
            Write::Plan { body, .. } => body.len(),
            Write::Snapshot { body, .. } | Write::Content { body, .. } => body.len(),
            _ => 0,
        };
        self.bytes += bytes as u64;
    }
}
