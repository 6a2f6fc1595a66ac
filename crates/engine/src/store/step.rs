//! One transaction of the owner, by statements that are prepared once. What is not committed is taken back.

use rusqlite::Connection;

/// A transaction that is open.
pub(super) struct Step<'s>(&'s Connection);

impl<'s> Step<'s> {
    /// Begins it with the lock for writing.
    pub(super) fn begin(db: &'s Connection) -> rusqlite::Result<Step<'s>> {
        db.prepare_cached("BEGIN IMMEDIATE")?.execute(())?;
        Ok(Step(db))
    }

    /// Makes all of it last.
    pub(super) fn commit(self) -> rusqlite::Result<()> {
        self.0.prepare_cached("COMMIT")?.execute(())?;
        Ok(())
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        // A transaction that cannot even be taken back was ended by SQLite itself.
        if !self.0.is_autocommit() {
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}
