//! The check of the file's structure at opening.
//!
//! `quick_check` reads every page: about a tenth of a second for 100 MB that the system has in memory, and the time
//! of the disk where it has not. Entries, plans, snapshots and contents carry hashes of their own, which are checked
//! whenever they are loaded, so in a large store only the tables without hashes are looked at (under a millisecond
//! beside the same 100 MB).

use super::error::{Fault, OpenError};
use rusqlite::Connection;

/// Up to this size the whole file is checked.
const WHOLE_BYTES_MAX: u64 = 32 << 20;

/// The tables whose rows no hash covers.
const UNHASHED: [&str; 4] = ["owner", "run", "mention", "request"];

/// Looks for structural damage and refuses the store if there is any.
pub(super) fn sound(db: &Connection) -> Result<(), OpenError> {
    sound_within(db, WHOLE_BYTES_MAX)
}

fn sound_within(db: &Connection, whole_bytes_max: u64) -> Result<(), OpenError> {
    if size(db)? <= whole_bytes_max {
        return answer(db, "PRAGMA quick_check(1)");
    }
    UNHASHED.iter().try_for_each(|table| answer(db, &format!("PRAGMA quick_check('{table}')")))
}

fn size(db: &Connection) -> Result<u64, OpenError> {
    let pages: i64 = db.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let page: i64 = db.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(pages.cast_unsigned() * page.cast_unsigned())
}

fn answer(db: &Connection, question: &str) -> Result<(), OpenError> {
    let said: String = db.query_row(question, (), |row| row.get(0))?;
    match said.as_str() {
        "ok" => Ok(()),
        _ => Err(Fault::Corrupt(said).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Damages the first page of a table and says what both checks answer.
    fn answers(table: &str) -> [bool; 2] {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch("CREATE TABLE owner (x); CREATE TABLE run (x); CREATE TABLE mention (x);").unwrap();
        db.execute_batch("CREATE TABLE request (x); CREATE TABLE entry (x);").unwrap();
        let find = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let page: usize = db.query_row(find, [table], |row| row.get::<_, u32>(0)).unwrap() as usize;
        drop(db);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[(page - 1) * 4096..page * 4096].fill(0xa5);
        std::fs::write(&path, bytes).unwrap();
        let db = Connection::open(&path).unwrap();
        [sound_within(&db, u64::MAX).is_ok(), sound_within(&db, 0).is_ok()]
    }

    #[test]
    fn a_large_store_is_checked_where_no_hash_would_find_it() {
        assert_eq!(answers("run"), [false, false]);
        assert_eq!(answers("entry"), [false, true]);
    }
}
