//! The owner of a store: opening, closing, and what it has counted.
//!
//! ```text
//!  directory ── lock ── look (read-only) ── make ── connect ── check ── migrate ── raise the epoch
//! ```
//!
//! Nothing is changed before the look has found a store that this binary may change.

use super::error::{Lost, OpenError};
use super::ground::Ground;
use super::lock::Lock;
use super::read::Reader;
use super::{FILE, check, connect, directory, schema, wal};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// How long a clean close waits for readers before it leaves the WAL for the next opening.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);

/// The one owner of a store.
#[derive(Debug)]
pub struct Store {
    // Invariant: the connection is dropped before the lock.
    pub(super) reader: Reader,
    pub(super) ground: Ground,
    pub(super) epoch: u64,
    pub(super) counters: Counters,
    #[cfg(feature = "faults")]
    pub(super) fence_is_missing: bool,
    lock: Lock,
}

/// What a store has committed since it was opened. Benchmarks assert these instead of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Transactions, each with one flush.
    pub commits: u64,
    /// Entries.
    pub appends: u64,
    /// Bytes of all bodies.
    pub bytes: u64,
}

impl Store {
    /// Opens the store in a data directory, makes it if there is none, and becomes its owner.
    pub fn open(dir: &Path) -> Result<Store, OpenError> {
        directory::prepare(dir)?;
        let lock = Lock::take(dir)?;
        let path = dir.join(FILE);
        let state = schema::probe(&path)?;
        if state == schema::State::Fresh {
            directory::make_private(&path)?;
        }
        let mut db = connect::writer(&path)?;
        if state != schema::State::Fresh {
            check::sound(&db)?;
        }
        schema::migrate(&mut db, &path)?;
        let epoch = raise_epoch(&mut db)?;
        let ground = Ground::of(dir).map_err(|error| OpenError::Directory { path, error })?;
        Ok(Store {
            reader: Reader::over(db),
            ground,
            epoch,
            counters: Counters::default(),
            #[cfg(feature = "faults")]
            fence_is_missing: false,
            lock,
        })
    }

    /// Says to whoever looks that this owner stays and carries every run that nobody set aside.
    pub fn stay(&mut self) -> std::io::Result<()> {
        wal::grow(self.reader.db.path().map(Path::new));
        self.lock.carry_all()
    }

    /// The store as its readers see it, over the owner's own connection.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Whether what is written here is found under its name.
    pub fn stands(&self) -> Result<(), Lost> {
        self.ground.holds()
    }

    /// What the store stands on.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// What was committed since the store was opened.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The number of this ownership; each opening has a higher one.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Leaves one whole file behind: copies the WAL into the database and cuts it to nothing. A reader that is
    /// in the way only postpones that to the next opening. Where another store lies under its name, nothing is touched.
    pub fn close(self) -> Result<(), OpenError> {
        self.stands()?;
        self.reader.db.busy_timeout(CLOSE_TIMEOUT)?;
        self.reader.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))?;
        // Now the WAL may go.
        self.reader.db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        Ok(())
    }

    /// Plants a fault: from now on commits do not check who owns the store.
    #[cfg(feature = "faults")]
    pub fn plant_missing_fence(&mut self) {
        self.fence_is_missing = true;
    }
}

fn raise_epoch(db: &mut Connection) -> Result<u64, OpenError> {
    let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let raise = "UPDATE owner SET epoch = epoch + 1 RETURNING epoch";
    let epoch: i64 = step.query_row(raise, (), |row| row.get(0))?;
    step.commit()?;
    Ok(epoch.cast_unsigned())
}
