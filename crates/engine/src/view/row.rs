//! What the store says of a run beside its journal: its row, and the time of each entry. No hash covers these, but all
//! of it follows from the journal, so a change is found by letting everything happen again. Nothing is repaired.

use super::load::whole;
use crate::driver::{detail, word};
use crate::journal::{Broken, Place, Reason};
use crate::store::{Reader, RunRow};
use crate::turn::{LoadError, Seen, replay};
use kernel::{RunId, Status};

/// The first thing the store says of a run that its journal does not say; nothing also if there is no such run.
pub fn contradiction(reader: &Reader, run: &RunId) -> Result<Option<Broken>, LoadError> {
    let Some((loaded, plan)) = whole(reader, run)? else { return Ok(None) };
    let mut told = RunRow {
        workflow: plan.name.clone(),
        dialect: plan.dialect.as_str().to_owned(),
        status: "queued".to_owned(),
        detail: None,
        ended_at: None,
        ..loaded.run.clone()
    };
    let mut place = None;
    replay(reader, &loaded, |seen| {
        let seq = seen.entry.head.seq;
        if seen.entry.at != seen.body.event.at {
            place.get_or_insert(Place::Time(seq));
        }
        tell(&mut told, seen);
    })?;
    let place = place.or_else(|| differs(&loaded.run, &told).map(Place::Column));
    Ok(place.map(|place| place.broken(Reason::Contradiction)))
}

/// Changes a row as the driver does when it records a turn.
fn tell(row: &mut RunRow, seen: Seen<'_>) {
    let at = seen.body.event.at;
    if let Some(origin) = &seen.body.origin {
        row.workspace = origin.home.folder.to_string_lossy().into_owned();
        row.parent = origin.parent.as_ref().map(|(parent, _)| parent.clone());
        row.created_at = at;
    }
    row.updated_at = at;
    let status = seen.run.status();
    let (word, detail) = (word(&status), detail(&status));
    if row.status != word || row.detail != detail {
        (row.status, row.detail) = (word.to_owned(), detail);
        row.ended_at = matches!(status, Status::Ended(_)).then_some(at);
    }
}

/// The first column in which two rows of one run differ.
fn differs(one: &RunRow, other: &RunRow) -> Option<&'static str> {
    let columns = [
        ("workflow", one.workflow == other.workflow),
        ("dialect", one.dialect == other.dialect),
        ("workspace", one.workspace == other.workspace),
        ("parent", one.parent == other.parent),
        ("status", one.status == other.status),
        ("detail", one.detail == other.detail),
        ("created_at", one.created_at == other.created_at),
        ("updated_at", one.updated_at == other.updated_at),
        ("ended_at", one.ended_at == other.ended_at),
    ];
    columns.into_iter().find(|(_, same)| !same).map(|(name, _)| name)
}
