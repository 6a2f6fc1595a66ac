//! Plans, contents and request keys: kept once, under the digest of their bytes.

use super::super::error::{Conflict, WriteError};
use super::on_rule;
use kernel::{Digest, RunId};
use rusqlite::{Connection, params};

pub(super) fn plan(step: &Connection, digest: &Digest, body: &[u8]) -> Result<(), WriteError> {
    has_digest(digest, body)?;
    step.prepare_cached("INSERT OR IGNORE INTO plan (digest, body) VALUES (?1, ?2)")?
        .execute(params![digest.to_string(), body])?;
    Ok(())
}

pub(super) fn content(
    step: &Connection,
    run: &RunId,
    digest: &Digest,
    kind: &str,
    body: &[u8],
) -> Result<(), WriteError> {
    has_digest(digest, body)?;
    step.prepare_cached("INSERT OR IGNORE INTO content (digest, kind, size, body) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![digest.to_string(), kind, (body.len() as u64).cast_signed(), body])?;
    mention(step, run, digest)
}

pub(super) fn mention(step: &Connection, run: &RunId, digest: &Digest) -> Result<(), WriteError> {
    step.prepare_cached("INSERT OR IGNORE INTO mention (run, digest) VALUES (?1, ?2)")?
        .execute(params![run.as_str(), digest.to_string()])
        .map_err(|error| {
            on_rule(error, |_| Conflict::UnknownContent { run: run.clone(), digest: *digest }.into())
        })?;
    Ok(())
}

/// The same request again changes nothing; the same key for something else is refused.
pub(super) fn request(
    step: &Connection,
    (workspace, key): (&str, &str),
    fingerprint: &Digest,
    run: &RunId,
) -> Result<(), WriteError> {
    let fingerprint = fingerprint.to_string();
    let mut insert = step.prepare_cached(
        "INSERT INTO request (workspace, key, fingerprint, run) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO NOTHING",
    )?;
    let inserted = insert.execute(params![workspace, key, fingerprint, run.as_str()]);
    if inserted.map_err(|error| on_rule(error, |_| Conflict::UnknownRun(run.clone()).into()))? == 1 {
        return Ok(());
    }
    let (kept, bound): (String, String) = step
        .prepare_cached("SELECT fingerprint, run FROM request WHERE workspace = ?1 AND key = ?2")?
        .query_row([workspace, key], |row| Ok((row.get(0)?, row.get(1)?)))?;
    match kept == fingerprint && bound == run.as_str() {
        true => Ok(()),
        false => Err(Conflict::Request { key: key.to_owned(), run: RunId::new(bound) }.into()),
    }
}

fn has_digest(digest: &Digest, body: &[u8]) -> Result<(), Conflict> {
    match Digest::of(body) == *digest {
        true => Ok(()),
        false => Err(Conflict::Digest(*digest)),
    }
}
