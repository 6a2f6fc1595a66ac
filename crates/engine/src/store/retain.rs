//! Forgetting: runs by name, and contents that no run names any more.
//!
//! Freed pages are used again by later writes; the file itself does not shrink. Plans stay: a parent's plan may
//! name the plan of a child that has not started yet.

use super::error::WriteError;
use super::open::Store;
use super::write::Write;
use kernel::RunId;

/// What a collection has freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freed {
    /// How many contents.
    pub contents: u64,
    /// How many bytes they had.
    pub bytes: u64,
}

impl Store {
    /// Forgets a run with its journal. Its contents stay until they are collected.
    pub fn delete_run(&mut self, run: &RunId) -> Result<(), WriteError> {
        self.commit(&[Write::DeleteRun { run: run.clone() }])
    }

    /// Forgets the contents that no run names.
    pub fn collect(&mut self) -> Result<Freed, WriteError> {
        self.transact(|step| {
            let mut forget = step.prepare_cached(
                "DELETE FROM content
                 WHERE NOT EXISTS (SELECT 1 FROM mention WHERE mention.digest = content.digest)
                 RETURNING size",
            )?;
            let mut freed = Freed::default();
            let mut sizes = forget.query(())?;
            while let Some(row) = sizes.next()? {
                freed.contents += 1;
                freed.bytes += row.get::<_, i64>(0)?.cast_unsigned();
            }
            Ok(freed)
        })
    }
}
