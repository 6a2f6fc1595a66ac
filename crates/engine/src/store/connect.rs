//! How a connection to the database is set up. Each setting says what it is for.

use super::error::{Fault, OpenError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How long a statement waits for another process. In WAL mode a writer and readers do not wait for each other;
/// this covers recovery after a crash and the moment in which two writers meet.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How far the WAL grows before a commit copies it into the database: the pages that many commits have changed are
/// then copied once. It also bounds what is read again after a crash.
const WAL_PAGES: i64 = 1024;

/// The size to which the WAL is cut back once it has been copied: that of its pages, each with a head, and of the commit
/// that went past them.
pub(super) const WAL_BYTES: i64 = (WAL_PAGES + 64) * (4096 + 24);

/// The owner's page cache in KiB: the last pages of all runs that are moving.
const CACHE_KIB: i64 = 16 << 10;

/// Opens the database for its owner, and makes it if need be.
pub(super) fn writer(path: &Path) -> Result<Connection, OpenError> {
    let db = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    let mode: String = db.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(Fault::Final(format!("journal_mode stays {mode}")).into());
    }
    // An acknowledged commit survives a power cut. On macOS only the full flush reaches the disk.
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "checkpoint_fullfsync", true)?;
    db.pragma_update(None, "foreign_keys", true)?;
    // Closing removes the WAL by its name, which may be that of another store meanwhile: only a clean close does that.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.pragma_update(None, "cache_size", -CACHE_KIB)?;
    db.pragma_update_and_check(None, "wal_autocheckpoint", WAL_PAGES, |_| Ok(()))?;
    db.pragma_update_and_check(None, "journal_size_limit", WAL_BYTES, |_| Ok(()))?;
    Ok(db)
}

/// Opens the database for reading only: it changes nothing, not even by closing.
pub(super) fn reader(path: &Path) -> Result<Connection, OpenError> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    // A relative path may begin with `file:`, which SQLite would take for an address.
    let path =
        std::path::absolute(path).map_err(|error| OpenError::Directory { path: path.to_owned(), error })?;
    let db = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.set_prepared_statement_cache_capacity(64);
    // A damaged file must give an error, not wrong rows, and no code of its own may run.
    db.pragma_update(None, "cell_size_check", true)?;
    db.pragma_update(None, "trusted_schema", false)?;
    Ok(db)
}
