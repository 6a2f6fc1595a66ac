//! Checks everything that is stored of one run, by the bytes as they are stored.
//!
//! Plan and contents by their digests, entries by the chain from the first to the head in the run's row, and the
//! snapshot by its digest and its place in the chain. Nothing is repaired.

use super::error::{Fault, Kind};
use super::load::Snapshot;
use super::read::Reader;
use super::rows::{RunRow, digest};
use crate::journal::{Broken, Follow, Head, Place, Reason};
use kernel::{Digest, RunId};

/// What a sound run holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sound {
    /// Where its journal stands.
    pub head: Head,
    /// How many contents it names.
    pub contents: u64,
}

/// Why a run is not sound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// There is no such run.
    #[error("there is no run {0}")]
    UnknownRun(RunId),
    /// Its stored bytes are wrong.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// SQLite or the disk failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl VerifyError {
    /// What it means for the caller.
    pub fn kind(&self) -> Kind {
        match self {
            VerifyError::UnknownRun(_) => Kind::Final,
            VerifyError::Broken(_) => Kind::Corrupt,
            VerifyError::Fault(fault) => fault.kind(),
        }
    }
}

impl From<rusqlite::Error> for VerifyError {
    fn from(error: rusqlite::Error) -> Self {
        VerifyError::Fault(error.into())
    }
}

impl Reader {
    /// Checks a run and names the first thing that is wrong with it.
    pub fn verify(&self, run: &RunId) -> Result<Sound, VerifyError> {
        let _one_state = self.one_state()?;
        self.verify_now(run)
    }

    /// Checks a run inside a transaction that the caller has begun.
    pub(super) fn verify_now(&self, run: &RunId) -> Result<Sound, VerifyError> {
        let row = self.run(run)?.ok_or_else(|| VerifyError::UnknownRun(run.clone()))?;
        self.plan_of(&row)??;
        let snapshot = self.snapshot(run)??;
        self.verify_chain(&row, snapshot.as_ref())?;
        let contents = self.verify_contents(run)?;
        Ok(Sound { head: row.head, contents })
    }

    fn verify_chain(&self, row: &RunRow, snapshot: Option<&Snapshot>) -> Result<(), VerifyError> {
        let mut follow = Follow::from(Head::first(&row.id, &row.plan));
        let mut snapshot_fits = snapshot.is_none();
        self.each_entry(&row.id, 0, |entry| {
            follow.step(entry.head.seq, &entry.body, &entry.head.hash)?;
            snapshot_fits |= snapshot.is_some_and(|snapshot| snapshot.head == follow.head());
            Ok::<_, VerifyError>(())
        })?;
        follow.end(&row.head)?;
        match snapshot_fits {
            true => Ok(()),
            false => Err(Place::Snapshot.broken(Reason::Sequence).into()),
        }
    }

    fn verify_contents(&self, run: &RunId) -> Result<u64, VerifyError> {
        let mut find = self.db.prepare_cached(
            "SELECT mention.digest, size, body FROM mention LEFT JOIN content USING (digest) WHERE run = ?1",
        )?;
        let mut rows = find.query([run.as_str()])?;
        let mut contents = 0;
        while let Some(row) = rows.next()? {
            let place = Place::Content(digest(row, 0)?);
            let size: Option<i64> = row.get(1)?;
            let body: Option<Vec<u8>> = row.get(2)?;
            let body = body.ok_or_else(|| place.broken(Reason::Missing))?;
            if Place::Content(Digest::of(&body)) != place || size != i64::try_from(body.len()).ok() {
                return Err(place.broken(Reason::Hash).into());
            }
            contents += 1;
        }
        Ok(contents)
    }
}
