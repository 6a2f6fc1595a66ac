//! The version of the store, and the numbered migrations that lead to it.
//!
//! Migrations run in one transaction together with the version they lead to. A file that was released is never
//! edited; a test holds its digest. A store of a newer version is refused before anything opens it for writing.

use super::connect;
use super::error::OpenError;
use rusqlite::{Connection, TransactionBehavior};
use rustix::fs::{Access, access};
use std::io;
use std::path::Path;

/// Says whose database it is: `SwBk`.
const APPLICATION_ID: u32 = 0x5377_426b;

const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_parked.sql"),
    include_str!("migrations/0003_unbegun.sql"),
    include_str!("migrations/0004_fewer_indexes.sql"),
];

/// The version this binary writes and reads.
pub const KNOWN: u32 = MIGRATIONS.len() as u32;

/// What lies where the store should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing, or a file in which no migration has ended.
    Fresh,
    /// A store of this version, which is not newer than the binary.
    Version(u32),
}

/// Whether no opening has ever come to its end here. What cannot be looked at is not known to be unborn.
pub(super) fn is_unborn(path: &Path) -> Result<bool, OpenError> {
    // Only the very first opening has a rollback journal: after a crash in it, the writer rolls it back.
    let first_opening = path.with_extension("db-journal").exists();
    let failed = |error| OpenError::Directory { path: path.to_owned(), error };
    let size = match path.metadata() {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => return Err(failed(io::Error::other("it is no regular file"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(failed(error)),
    };
    // Not by opening it: to close a second descriptor would give up the locks that SQLite holds by the first.
    access(path, Access::READ_OK).map_err(|error| failed(error.into()))?;
    Ok(first_opening || size == 0)
}

/// Looks without touching. A newer store and a database of another program are refused.
pub(super) fn probe(path: &Path) -> Result<State, OpenError> {
    if is_unborn(path)? {
        return Ok(State::Fresh);
    }
    state(&connect::reader(path)?, path)
}

/// Reads what an open database is.
pub(super) fn state(db: &Connection, path: &Path) -> Result<State, OpenError> {
    let application: u32 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u32 = db.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    match (application, version) {
        (0, 0) if tables == 0 => Ok(State::Fresh),
        (APPLICATION_ID, 1..=KNOWN) => Ok(State::Version(version)),
        (APPLICATION_ID, found) if found > KNOWN => Err(OpenError::Newer { found, known: KNOWN }),
        _ => Err(OpenError::Foreign(path.to_owned())),
    }
}

/// Brings the store to the known version: all of the way or not at all.
pub(super) fn migrate(db: &mut Connection, path: &Path) -> Result<(), OpenError> {
    let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = match state(&step, path)? {
        State::Fresh => 0,
        State::Version(KNOWN) => return Ok(()),
        State::Version(version) => version,
    };
    for migration in &MIGRATIONS[done as usize..] {
        step.execute_batch(migration)?;
    }
    step.pragma_update(None, "application_id", APPLICATION_ID)?;
    step.pragma_update(None, "user_version", KNOWN)?;
    Ok(step.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Digest;

    /// If this fails, put the migration back as it was and write the next one.
    #[test]
    fn a_migration_is_never_edited() {
        let digests: Vec<String> =
            MIGRATIONS.iter().map(|sql| Digest::of(sql.as_bytes()).to_string()).collect();
        assert_eq!(
            digests,
            [
                "d90e969944e309b62c135555d4f7bd9ac453cc539a7678d59c6a4ec58db59709",
                "f60006a1d8eca47cca9f508d1dd1b180d29f32ed1ca59b1197c15f989d3874c7",
                "562cf41bbfd54af0160cda2bfe9ea94bed15ccfb7da71cdf008b22fa3d0a2d6c",
                "b25f88ccaf44bb70150626f570ea84062f6e8006225d6f61747f6364dbe614d9",
            ]
        );
    }
}
