//! Runs as they were folded last. A journal only grows, and what is folded from it follows from its entries alone, so whoever
//! looks again at a long one goes on where the last look ended.
//!
//! ```text
//!  journal   1 ─ 2 ─ 3 ─ … ─ 900 │ 901 ─ 902
//!            └───── kept ───────┘ └ replayed
//! ```
//! Invariant: what is kept is named by the hash of its last entry. A journal with another past does not have it, and is folded
//! from its first entry.

use super::{History, View, whole};
use crate::journal::Head;
use crate::store::{Loaded, Reader};
use crate::turn::{LoadError, Seen, replay, replay_on};
use kernel::{Plan, Run, RunId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many runs are kept.
const RUNS_MAX: usize = 8;

/// How many bytes a journal has that is kept: a shorter one is folded sooner than it is copied.
const BYTES_MIN: usize = 4 * 1024;

/// The runs that were looked at last, the latest at the end.
static KEPT: Mutex<Vec<Arc<Folded>>> = Mutex::new(Vec::new());

/// A run and what is folded from its journal.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    head: Head,
    /// The run after its last entry.
    pub(crate) run: Run,
    /// How its steps stand. Nobody has looked for questions.
    pub(crate) view: View,
    /// What happened to it.
    pub(crate) history: History,
}

/// A run with all that is folded from its journal, or nothing if there is no such run.
pub(crate) fn folded(reader: &Reader, run: &RunId) -> Result<Option<Folded>, LoadError> {
    if let Some(folded) = again(reader, run)? {
        return Ok(Some(folded));
    }
    let Some((loaded, plan)) = whole(reader, run)? else { return Ok(None) };
    Folded::of(reader, &loaded, plan).map(Some)
}

/// A run as it stands, and nothing else: from what is kept of it, or from its latest snapshot.
pub(crate) fn as_it_stands(reader: &Reader, run: &RunId) -> Result<Option<Run>, LoadError> {
    if let Some(folded) = again(reader, run)? {
        return Ok(Some(folded.run));
    }
    let Some(loaded) = reader.load(run)? else { return Ok(None) };
    Ok(Some(replay(reader, &loaded, |_| {})?.run))
}

/// A run that was folded before, with what has come since.
fn again(reader: &Reader, run: &RunId) -> Result<Option<Folded>, LoadError> {
    let Some(kept) = take_up(run) else { return Ok(None) };
    let Some(loaded) = reader.load_since(run, kept.head)? else { return Ok(None) };
    kept.go_on(reader, &loaded).map(Some)
}

impl Folded {
    /// Folds a whole journal.
    fn of(reader: &Reader, loaded: &Loaded, plan: Plan) -> Result<Self, LoadError> {
        let plan = Arc::new(plan);
        let (mut view, mut history) = (View::of_row(&loaded.run, Arc::clone(&plan)), History::new());
        let replayed = replay(reader, loaded, |seen| take(&mut view, &mut history, &seen))?;
        view.status = replayed.run.status();
        let folded = Folded { head: loaded.run.head, run: replayed.run, view, history };
        if loaded.tail.iter().map(|entry| entry.body.len()).sum::<usize>() >= BYTES_MIN {
            folded.keep();
        }
        Ok(folded)
    }

    /// Folds what has come since.
    fn go_on(&self, reader: &Reader, loaded: &Loaded) -> Result<Self, LoadError> {
        let mut on = self.clone();
        let Folded { run, view, history, .. } = &mut on;
        replay_on(reader, run, &loaded.tail, |seen| take(view, history, &seen))?;
        view.status = run.status();
        on.head = loaded.run.head;
        if !loaded.tail.is_empty() {
            on.keep();
        }
        Ok(on)
    }

    fn keep(&self) {
        let folded = Arc::new(self.clone());
        let mut kept = kept();
        kept.retain(|one| one.run.id() != self.run.id());
        if kept.len() == RUNS_MAX {
            kept.remove(0);
        }
        kept.push(folded);
    }
}

/// What is kept of a run, which is the latest now.
fn take_up(run: &RunId) -> Option<Arc<Folded>> {
    let mut kept = kept();
    let at = kept.iter().position(|one| one.run.id() == run)?;
    let folded = kept.remove(at);
    kept.push(Arc::clone(&folded));
    Some(folded)
}

fn take(view: &mut View, history: &mut History, seen: &Seen<'_>) {
    view.turn(seen.entry.head.seq, seen.body.event.at, &seen.turn.news);
    history.turn(&Arc::clone(&view.plan), seen);
}

fn kept() -> MutexGuard<'static, Vec<Arc<Folded>>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}
