//! What a home knows of the effects it was asked for, in files that outlive it. An effect's id is the key:
//! whoever asks twice (a new Temporal run, a second delivery) is told of the first time.
//!
//! ```text
//! (none) ── begin ──> begun ── end ──> ended     the first end stays
//! ```
//! The proof keeps one file a note; the full backend will keep a table beside the store. No clock, no network.

use kernel::event::Report;
use kernel::{Digest, EffectId, RunId};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Names an effect among all runs of a home.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The run.
    pub run: RunId,
    /// The effect.
    pub effect: EffectId,
}

/// What was known of an effect before it was asked for now.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Note {
    /// Nothing; it is noted as begun from here on.
    Fresh,
    /// It was begun.
    Begun,
    /// It ended like this.
    Ended(Report),
}

/// The notes of one home.
#[derive(Debug)]
pub(super) struct Ledger {
    folder: PathBuf,
}

impl Ledger {
    /// Opens the notes in a folder, which is made if need be.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Ledger { folder: folder.to_owned() })
    }

    /// Notes that an effect begins, unless it is known already, and says what was known.
    pub(super) fn begin(&self, key: &Key) -> io::Result<Note> {
        if let Some(report) = self.ended(key)? {
            return Ok(Note::Ended(report));
        }
        match File::create_new(self.path(key, "begun")) {
            Ok(note) => note.sync_all().map(|()| Note::Fresh),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Note::Begun),
            Err(error) => Err(error),
        }
    }

    /// Notes how an effect ended, and gives the end that stays.
    pub(super) fn end(&self, key: &Key, report: Report) -> io::Result<Report> {
        if let Some(earlier) = self.ended(key)? {
            return Ok(earlier);
        }
        let draft = self.path(key, "draft");
        let mut file = File::create(&draft)?;
        file.write_all(&serde_json::to_vec(&report)?)?;
        file.sync_all()?;
        fs::rename(draft, self.path(key, "ended"))?;
        Ok(report)
    }

    fn ended(&self, key: &Key) -> io::Result<Option<Report>> {
        match fs::read(self.path(key, "ended")) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn path(&self, key: &Key, state: &str) -> PathBuf {
        self.folder.join(format!("{}.{state}", Digest::of_json(key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::{Failure, FailureKind, Fields};

    #[test]
    fn an_effect_begins_once_and_its_first_end_stays() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path()).unwrap();
        let key = Key { run: RunId::new("r"), effect: EffectId::new("build#1") };
        let done = Report::Done { outputs: Fields::new() };
        let failed = Report::Failed {
            failure: Failure::new(FailureKind::Cancelled, "stopped"),
            outputs: Fields::new(),
        };

        assert_eq!(ledger.begin(&key).unwrap(), Note::Fresh);
        let later = Ledger::open(folder.path()).unwrap();
        assert_eq!(later.begin(&key).unwrap(), Note::Begun);
        assert_eq!(later.end(&key, done.clone()).unwrap(), done);
        assert_eq!(ledger.end(&key, failed).unwrap(), done);
        assert_eq!(ledger.begin(&key).unwrap(), Note::Ended(done));
    }
}
