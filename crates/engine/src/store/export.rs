//! Writes the journal of a run to a file that can be verified without the store.
//!
//! Only a sound journal is written: each stored hash must follow, up to the head in the run's row.

use super::error::Fault;
use super::read::Reader;
use super::verify::VerifyError;
use crate::journal::{self, Follow, Head, Header};
use kernel::RunId;
use std::io;

/// Why a journal was not written to the end.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// What is stored cannot be trusted or read.
    #[error(transparent)]
    Stored(#[from] VerifyError),
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] journal::ExportError),
}

impl From<Fault> for ExportError {
    fn from(fault: Fault) -> Self {
        ExportError::Stored(fault.into())
    }
}

impl From<journal::Broken> for ExportError {
    fn from(broken: journal::Broken) -> Self {
        ExportError::Stored(broken.into())
    }
}

impl Reader {
    /// Writes the journal of a run and gives its head.
    pub fn export(&self, run: &RunId, out: impl io::Write) -> Result<Head, ExportError> {
        let _one_state = self.one_state()?;
        let row = self.run(run)?.ok_or_else(|| VerifyError::UnknownRun(run.clone()))?;
        let plan = self.plan_of(&row)??;
        let header = Header { run: row.id, workflow: row.workflow, plan: row.plan, entries: row.head.seq };
        let mut writer = journal::Writer::begin(out, &header, &plan)?;
        let mut follow = Follow::from(Head::first(run, &row.plan));
        self.each_entry(run, 0, |entry| {
            follow.step(entry.head.seq, &entry.body, &entry.head.hash)?;
            writer.entry(&entry.body)?;
            Ok::<_, ExportError>(())
        })?;
        follow.end(&row.head)?;
        let mut out = writer.finish()?;
        out.flush().map_err(journal::ExportError::from)?;
        Ok(row.head)
    }
}
