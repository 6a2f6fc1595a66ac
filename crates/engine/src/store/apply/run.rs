//! Runs: made, moved, forgotten.

use super::super::error::{Conflict, WriteError};
use super::super::write::NewRun;
use super::{Rule, Shown, on_rule};
use crate::journal::Head;
use kernel::{EffectId, RunId};
use rusqlite::{Connection, params};

pub(super) fn create(step: &Connection, new: &NewRun) -> Result<(), WriteError> {
    let head = Head::first(&new.id, &new.plan);
    let mut insert = step.prepare_cached(
        "INSERT INTO run (id, workflow, dialect, plan, workspace, parent, status, detail,
                          created_at, updated_at, ended_at, seq, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, NULL, ?10, ?11)",
    )?;
    let inserted = insert.execute(params![
        new.id.as_str(),
        new.workflow,
        new.dialect,
        new.plan.to_string(),
        new.workspace,
        new.parent.as_ref().map(RunId::as_str),
        new.status,
        new.detail,
        new.at.cast_signed(),
        head.seq.cast_signed(),
        head.hash,
    ]);
    inserted.map_err(|error| {
        on_rule(error, |rule| match rule {
            Rule::Key => Conflict::RunExists(new.id.clone()).into(),
            Rule::Reference => Conflict::UnknownPlan { run: new.id.clone(), plan: new.plan }.into(),
        })
    })?;
    Ok(())
}

pub(super) fn status(step: &Connection, run: &RunId, shown: &Shown<'_>, at: u64) -> Result<(), WriteError> {
    let (Shown { status, detail, ended }, at) = (shown, at.cast_signed());
    let mut update = step.prepare_cached(
        "UPDATE run SET status = ?2, detail = ?3, updated_at = ?4, ended_at = ?5 WHERE id = ?1",
    )?;
    match update.execute(params![run.as_str(), status, detail, at, ended.then_some(at)])? {
        1 => Ok(()),
        _ => Err(Conflict::UnknownRun(run.clone()).into()),
    }
}

/// A run that is not there cannot be set aside; that is no error, for it may just have been forgotten.
pub(super) fn park(step: &Connection, run: &RunId, at: Option<u64>) -> Result<(), WriteError> {
    let mut update = step.prepare_cached("UPDATE run SET parked_at = ?2 WHERE id = ?1")?;
    update.execute(params![run.as_str(), at.map(u64::cast_signed)])?;
    Ok(())
}

/// An effect of a run that is not there was never asked for.
pub(super) fn unbegun(step: &Connection, run: &RunId, effect: &EffectId) -> Result<(), WriteError> {
    let note = "INSERT OR IGNORE INTO unbegun (run, effect) VALUES (?1, ?2)";
    step.prepare_cached(note)?.execute([run.as_str(), effect.as_str()])?;
    Ok(())
}

pub(super) fn begun(step: &Connection, run: &RunId, effect: &EffectId) -> Result<(), WriteError> {
    let forget = "DELETE FROM unbegun WHERE run = ?1 AND effect = ?2";
    step.prepare_cached(forget)?.execute([run.as_str(), effect.as_str()])?;
    Ok(())
}

/// Entries, snapshot, mentions and requests go with the run; contents wait to be collected.
pub(super) fn delete(step: &Connection, run: &RunId) -> Result<(), WriteError> {
    step.prepare_cached("DELETE FROM run WHERE id = ?1")?.execute([run.as_str()])?;
    Ok(())
}
