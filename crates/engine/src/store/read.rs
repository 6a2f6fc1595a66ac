//! A reader of the store: lists, lookups and contents. It needs no owner, and no owner waits for it.
//!
//! A reader never migrates and never repairs. Each call sees one state of the store.

use super::error::{Fault, OpenError};
use super::rows::{RunRow, digest};
use super::schema::{self, State};
use super::{FILE, connect};
use kernel::{Digest, EffectId, RunId};
use rusqlite::{Connection, OptionalExtension, ToSql, Transaction, params};
use std::path::Path;

/// How many ids an ambiguous prefix shows.
const SHOWN_MAX: usize = 20;

/// A connection that only reads.
#[derive(Debug)]
pub struct Reader {
    pub(super) db: Connection,
}

/// Which runs to list. The default is all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this workspace.
    pub workspace: Option<String>,
    /// Only those that stand so.
    pub status: Option<String>,
    /// Only those that have not ended.
    pub open: bool,
    /// Only those that no other run started.
    pub roots: bool,
    /// At most so many, the newest first.
    pub limit: Option<u32>,
}

/// What a prefix of an id found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No run.
    Nothing,
    /// One run.
    One(Box<RunRow>),
    /// Several runs, of which at most twenty are named.
    Many(Vec<RunId>),
}

/// A content with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// What kind of data it is.
    pub kind: String,
    /// The data, which has the digest it was asked for by.
    pub body: Vec<u8>,
}

/// A start that carried a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The digest of its arguments.
    pub fingerprint: Digest,
    /// The run it started.
    pub run: RunId,
}

impl Reader {
    /// Opens the store in a data directory for reading.
    pub fn open(dir: &Path) -> Result<Reader, OpenError> {
        let path = dir.join(FILE);
        let absent = || OpenError::Absent(dir.to_owned());
        if schema::is_unborn(&path)? {
            return Err(absent());
        }
        let db = connect::reader(&path)?;
        match schema::state(&db, &path)? {
            State::Fresh => Err(absent()),
            State::Version(schema::KNOWN) => Ok(Reader { db }),
            State::Version(found) => Err(OpenError::Older { found, known: schema::KNOWN }),
        }
    }

    /// Looks at several things as they are at one moment, whatever an owner writes meanwhile.
    pub fn at_one_moment<T, E: From<Fault>>(
        &self,
        look: impl FnOnce(&Reader) -> Result<T, E>,
    ) -> Result<T, E> {
        let _one_state = self.one_state()?;
        look(self)
    }

    /// From now on all is read as it is at this moment; nothing where that is so already.
    pub(super) fn one_state(&self) -> Result<Option<Transaction<'_>>, Fault> {
        let begins = self.db.is_autocommit();
        Ok(begins.then(|| self.db.unchecked_transaction()).transpose()?)
    }

    pub(super) fn over(db: Connection) -> Reader {
        Reader { db }
    }

    /// One run.
    pub fn run(&self, run: &RunId) -> Result<Option<RunRow>, Fault> {
        let find = format!("SELECT {} FROM run WHERE id = ?1", RunRow::COLUMNS);
        Ok(self.db.prepare_cached(&find)?.query_row([run.as_str()], RunRow::read).optional()?)
    }

    /// Whether there is a run of this name.
    pub fn has_run(&self, run: &RunId) -> Result<bool, Fault> {
        let mut find = self.db.prepare_cached("SELECT 1 FROM run WHERE id = ?1")?;
        Ok(find.exists([run.as_str()])?)
    }

    /// The runs that a filter lets through, the newest first.
    pub fn runs(&self, filter: &Filter) -> Result<Vec<RunRow>, Fault> {
        let mut rules = vec!["1"];
        let mut values: Vec<&dyn ToSql> = vec![];
        if let Some(workspace) = &filter.workspace {
            rules.push("workspace = ?");
            values.push(workspace);
        }
        if let Some(status) = &filter.status {
            rules.push("status = ?");
            values.push(status);
        }
        rules.extend(filter.open.then_some("ended_at IS NULL"));
        rules.extend(filter.roots.then_some("parent IS NULL"));
        let limit = filter.limit.map_or(-1, i64::from);
        values.push(&limit);
        self.list(&format!("{} ORDER BY created_at DESC, id DESC LIMIT ?", rules.join(" AND ")), &values)
    }

    /// The runs that a run started, the oldest first.
    pub fn children(&self, parent: &RunId) -> Result<Vec<RunRow>, Fault> {
        self.list("parent = ? ORDER BY created_at, id", &[&parent.as_str()])
    }

    /// Whether a run below this one, however deep, works: it does not only wait.
    pub fn works_below(&self, run: &RunId) -> Result<bool, Fault> {
        let (from, after) = (format!("{run}/"), format!("{run}0"));
        let mut find = self.db.prepare_cached(
            "SELECT 1 FROM run WHERE id > ?1 AND id < ?2 AND ended_at IS NULL AND status IN ('queued', 'running', 'closing')",
        )?;
        Ok(find.exists([from, after])?)
    }

    /// The run whose id is or begins with `prefix`. A child's id begins with its parent's and a slash, so a prefix
    /// without a slash means only runs that no other run started.
    pub fn by_prefix(&self, prefix: &str) -> Result<Found, Fault> {
        if let Some(run) = self.run(&RunId::new(prefix))? {
            return Ok(Found::One(Box::new(run)));
        }
        let after = format!("{prefix}{}", char::MAX);
        let roots = if prefix.contains('/') { "1" } else { "parent IS NULL" };
        let rules = format!("id >= ? AND id < ? AND {roots} ORDER BY id LIMIT {SHOWN_MAX}");
        let mut found = self.list(&rules, &[&prefix, &after])?;
        Ok(match found.len() {
            0 => Found::Nothing,
            1 => Found::One(Box::new(found.remove(0))),
            _ => Found::Many(found.into_iter().map(|run| run.id).collect()),
        })
    }

    /// A content, checked against its digest.
    pub fn content(&self, digest: &Digest) -> Result<Option<Content>, Fault> {
        let found = self
            .db
            .prepare_cached("SELECT kind, body FROM content WHERE digest = ?1")?
            .query_row([digest.to_string()], |row| Ok(Content { kind: row.get(0)?, body: row.get(1)? }))
            .optional()?;
        match found {
            Some(content) if Digest::of(&content.body) != *digest => {
                Err(Fault::Corrupt(format!("content {digest} has another digest")))
            }
            found => Ok(found),
        }
    }

    /// The start that carried a key in a workspace.
    pub fn request(&self, workspace: &str, key: &str) -> Result<Option<Request>, Fault> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Request { fingerprint: digest(row, 0)?, run: RunId::new(row.get::<_, String>(1)?) })
        };
        let find = "SELECT fingerprint, run FROM request WHERE workspace = ?1 AND key = ?2";
        Ok(self.db.prepare_cached(find)?.query_row(params![workspace, key], read).optional()?)
    }

    /// Effects that were asked for and that a server which ended in good order had not begun.
    pub fn unbegun(&self) -> Result<Vec<(RunId, EffectId)>, Fault> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok((RunId::new(row.get::<_, String>(0)?), EffectId::new(row.get::<_, String>(1)?)))
        };
        let mut find = self.db.prepare_cached("SELECT run, effect FROM unbegun")?;
        let rows = find.query_map((), read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn list(&self, rules: &str, values: &[&dyn ToSql]) -> Result<Vec<RunRow>, Fault> {
        let mut find =
            self.db.prepare_cached(&format!("SELECT {} FROM run WHERE {rules}", RunRow::COLUMNS))?;
        let rows = find.query_map(values, RunRow::read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
