//! Entries and snapshots: nothing is written that does not follow from the head of the run.

use super::super::error::{Conflict, WriteError};
use super::Shown;
use crate::journal::{Hash, Head};
use kernel::{Digest, RunId};
use rusqlite::{Connection, OptionalExtension, params};

pub(super) fn append(
    step: &Connection,
    run: &RunId,
    (head, at, body): (&Head, u64, &[u8]),
    shown: Option<&Shown<'_>>,
) -> Result<(), WriteError> {
    follows(&stored_head(step, run)?, run, head, body)?;
    let (id, seq, at) = (run.as_str(), head.seq.cast_signed(), at.cast_signed());
    step.prepare_cached("INSERT INTO entry (run, seq, at, body, hash) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![id, seq, at, body, head.hash])?;
    let Some(Shown { status, detail, ended }) = shown else {
        step.prepare_cached("UPDATE run SET seq = ?2, hash = ?3, updated_at = ?4 WHERE id = ?1")?
            .execute(params![id, seq, head.hash, at])?;
        return Ok(());
    };
    let mut update = step.prepare_cached(
        "UPDATE run SET seq = ?2, hash = ?3, updated_at = ?4, status = ?5, detail = ?6, ended_at = ?7 WHERE id = ?1",
    )?;
    update.execute(params![id, seq, head.hash, at, status, detail, ended.then_some(at)])?;
    Ok(())
}

pub(super) fn snapshot(step: &Connection, run: &RunId, head: &Head, body: &[u8]) -> Result<(), WriteError> {
    let hash: Option<Hash> = step
        .prepare_cached("SELECT hash FROM entry WHERE run = ?1 AND seq = ?2")?
        .query_row(params![run.as_str(), head.seq.cast_signed()], |row| row.get(0))
        .optional()?;
    if hash != Some(head.hash) {
        return Err(Conflict::Chain { run: run.clone(), seq: head.seq }.into());
    }
    let mut replace = step.prepare_cached(
        "INSERT INTO snapshot (run, seq, hash, digest, body) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (run) DO UPDATE SET seq = ?2, hash = ?3, digest = ?4, body = ?5",
    )?;
    let digest = Digest::of(body).to_string();
    replace.execute(params![run.as_str(), head.seq.cast_signed(), head.hash, digest, body])?;
    Ok(())
}

fn stored_head(step: &Connection, run: &RunId) -> Result<Head, WriteError> {
    let mut find = step.prepare_cached("SELECT seq, hash FROM run WHERE id = ?1")?;
    let found = find
        .query_row([run.as_str()], |row| {
            let seq: i64 = row.get(0)?;
            Ok(Head { seq: seq.cast_unsigned(), hash: row.get(1)? })
        })
        .optional()?;
    found.ok_or_else(|| Conflict::UnknownRun(run.clone()).into())
}

fn follows(stored: &Head, run: &RunId, given: &Head, body: &[u8]) -> Result<(), Conflict> {
    let next = stored.next(body);
    if next.seq != given.seq {
        return Err(Conflict::Sequence { run: run.clone(), stands: stored.seq, given: given.seq });
    }
    match next.hash == given.hash {
        true => Ok(()),
        false => Err(Conflict::Chain { run: run.clone(), seq: given.seq }),
    }
}
