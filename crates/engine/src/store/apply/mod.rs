//! How each write becomes rows. Every function here runs inside the owner's transaction.

mod data;
mod journal;
mod run;

use super::error::{Fault, WriteError};
use super::write::Write;
use rusqlite::{Connection, ErrorCode, ffi};

/// Does all of it, in order. An entry that changes how its run stands changes the row of the run once.
pub(super) fn all(step: &Connection, mut writes: &[Write]) -> Result<(), WriteError> {
    while let [first, others @ ..] = writes {
        writes = match (first, others) {
            (
                Write::Append { run, head, at, body },
                [Write::RunStatus { run: shown, status, detail, at: since, ended }, others @ ..],
            ) if run == shown && at == since => {
                let shown = Shown { status, detail: detail.as_deref(), ended: *ended };
                journal::append(step, run, (head, *at, body), Some(&shown))?;
                others
            }
            _ => {
                write(step, first)?;
                others
            }
        };
    }
    Ok(())
}

/// How a run stands.
struct Shown<'w> {
    status: &'w str,
    detail: Option<&'w str>,
    ended: bool,
}

/// Does one write.
fn write(step: &Connection, write: &Write) -> Result<(), WriteError> {
    match write {
        Write::Plan { digest, body } => data::plan(step, digest, body),
        Write::CreateRun(new) => run::create(step, new),
        Write::Append { run, head, at, body } => journal::append(step, run, (head, *at, body), None),
        Write::RunStatus { run, status, detail, at, ended } => {
            run::status(step, run, &Shown { status, detail: detail.as_deref(), ended: *ended }, *at)
        }
        Write::Park { run, at } => run::park(step, run, *at),
        Write::Unbegun { run, effect } => run::unbegun(step, run, effect),
        Write::Begun { run, effect } => run::begun(step, run, effect),
        Write::Snapshot { run, head, body } => journal::snapshot(step, run, head, body),
        Write::Content { run, digest, kind, body } => data::content(step, run, digest, kind, body),
        Write::Mention { run, digest } => data::mention(step, run, digest),
        Write::Request { workspace, key, fingerprint, run } => {
            data::request(step, (workspace, key), fingerprint, run)
        }
        Write::DeleteRun { run } => run::delete(step, run),
    }
}

/// Which rule of the schema a statement broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Key,
    Reference,
}

/// Gives a broken rule its own error and leaves every other error as it is.
fn on_rule(error: rusqlite::Error, name: impl FnOnce(Rule) -> WriteError) -> WriteError {
    let rusqlite::Error::SqliteFailure(failure, _) = &error else { return Fault::from(error).into() };
    if failure.code != ErrorCode::ConstraintViolation {
        return Fault::from(error).into();
    }
    match failure.extended_code {
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY => name(Rule::Key),
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => name(Rule::Reference),
        _ => Fault::from(error).into(),
    }
}
