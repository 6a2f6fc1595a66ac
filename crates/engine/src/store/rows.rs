//! Rows as values. What does not read as the value it must be is corruption.

use crate::journal::{Hash, Head};
use kernel::{Digest, RunId};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Type, ValueRef};
use rusqlite::{Error, Row};

/// A run as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Its id.
    pub id: RunId,
    /// The name of its workflow.
    pub workflow: String,
    /// The dialect of the definition.
    pub dialect: String,
    /// The plan it is pinned to.
    pub plan: Digest,
    /// The workspace it belongs to.
    pub workspace: String,
    /// The run that started it.
    pub parent: Option<RunId>,
    /// The word for how it stands.
    pub status: String,
    /// What it waits for, or the line that says why it failed.
    pub detail: Option<String>,
    /// When it was made, in milliseconds since 1970.
    pub created_at: u64,
    /// When it last changed.
    pub updated_at: u64,
    /// When it ended.
    pub ended_at: Option<u64>,
    /// When someone set it aside; it is left alone until someone goes on with it.
    pub parked_at: Option<u64>,
    /// Where its journal stands.
    pub head: Head,
}

impl RunRow {
    /// The columns that [`RunRow::read`] takes, in its order.
    pub(super) const COLUMNS: &str = "id, workflow, dialect, plan, workspace, parent, status, detail, \
                                      created_at, updated_at, ended_at, seq, hash, parked_at";

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (ended_at, parked_at): (Option<i64>, Option<i64>) = (row.get(10)?, row.get(13)?);
        Ok(RunRow {
            id: RunId::new(row.get::<_, String>(0)?),
            workflow: row.get(1)?,
            dialect: row.get(2)?,
            plan: digest(row, 3)?,
            workspace: row.get(4)?,
            parent: row.get::<_, Option<String>>(5)?.map(RunId::new),
            status: row.get(6)?,
            detail: row.get(7)?,
            created_at: unsigned(row, 8)?,
            updated_at: unsigned(row, 9)?,
            ended_at: ended_at.map(i64::cast_unsigned),
            parked_at: parked_at.map(i64::cast_unsigned),
            head: Head { seq: unsigned(row, 11)?, hash: row.get(12)? },
        })
    }
}

/// An entry of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The head of the journal after it.
    pub head: Head,
    /// When it happened.
    pub at: u64,
    /// Its bytes.
    pub body: Vec<u8>,
}

impl Entry {
    /// The columns that [`Entry::read`] takes, in its order.
    pub(super) const COLUMNS: &str = "seq, hash, at, body";

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let head = Head { seq: unsigned(row, 0)?, hash: row.get(1)? };
        Ok(Entry { head, at: unsigned(row, 2)?, body: row.get(3)? })
    }
}

pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(i64::cast_unsigned)
}

pub(super) fn digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    let text: String = row.get(column)?;
    let wrong = || Error::FromSqlConversionFailure(column, Type::Text, "not a digest".into());
    Digest::parse(&text).ok_or_else(wrong)
}

impl ToSql for Hash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(self.bytes())))
    }
}

impl FromSql for Hash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = value.as_blob()?.try_into();
        bytes.map(Hash::from_bytes).map_err(|_| FromSqlError::Other("not a hash".into()))
    }
}
