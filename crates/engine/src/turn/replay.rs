//! Brings a stored run back: from its latest snapshot and the entries after it, or from its first entry. Nobody
//! is asked: the answers are in the entries, loaded content is read again by digest.

use super::{Content, EntryBody, Home, Known, Origin, decode};
use crate::store::{Entry, Fault, Loaded, Reader};
#[cfg(feature = "faults")]
pub use kernel::fault::Planted;
use kernel::{Answer, Digest, Plan, Question, Run, RunId, Turn};
use serde_json::Value;
use std::sync::Arc;
use thiserror::Error;

/// What is planted in a run: without the `faults` feature nothing can be.
#[cfg(not(feature = "faults"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Planted {}

/// Why a stored run cannot be brought back.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The store does not give it.
    #[error(transparent)]
    Store(#[from] Fault),
    /// A stored form cannot be read.
    #[error("run {run}, entry {entry}: {reason}")]
    Unreadable {
        /// The run.
        run: RunId,
        /// The entry; 0 for plan and snapshot.
        entry: u64,
        /// Why.
        reason: String,
    },
    /// It is pinned to a behaviour that this binary does not have.
    #[error("run {run} needs behaviour {behaviour} of the kernel, which this binary does not have")]
    Behaviour {
        /// The run.
        run: RunId,
        /// The number.
        behaviour: u32,
    },
    /// A replay gave something else than was recorded.
    #[error(transparent)]
    Diverged(#[from] Diverged),
}

/// A replay gave something else than was recorded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("run {run} diverged at entry {entry}: replaying it gives something else than was recorded")]
pub struct Diverged {
    /// The run.
    pub run: RunId,
    /// The entry.
    pub entry: u64,
}

/// A run as it was after its last entry.
#[derive(Debug)]
pub struct Replayed {
    /// The run.
    pub run: Run,
    /// Where it belongs.
    pub home: Home,
    /// The bytes of the entries after the snapshot.
    pub tail_bytes: u64,
    /// The bytes of the snapshot.
    pub snapshot_bytes: u64,
}

/// A turn that was replayed.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s> {
    /// Its entry as it is stored.
    pub entry: &'s Entry,
    /// What the entry says.
    pub body: &'s EntryBody,
    /// What the turn gave.
    pub turn: &'s Turn,
    /// The run after it.
    pub run: &'s Run,
}

/// Brings a stored run back; `see` is shown every replayed turn.
pub fn replay(reader: &Reader, loaded: &Loaded, see: impl FnMut(Seen<'_>)) -> Result<Replayed, LoadError> {
    replay_planted(reader, loaded, Planted::default(), see)
}

/// Brings a stored run back with a fault planted in it; without the `faults` feature there is none.
pub fn replay_planted(
    reader: &Reader,
    loaded: &Loaded,
    planted: Planted,
    see: impl FnMut(Seen<'_>),
) -> Result<Replayed, LoadError> {
    let id = &loaded.run.id;
    let unreadable = |entry, reason: String| LoadError::Unreadable { run: id.clone(), entry, reason };
    let plan: Plan =
        serde_json::from_slice(&loaded.plan).map_err(|error| unreadable(0, error.to_string()))?;
    plan.check().map_err(|broken| unreadable(0, broken.0))?;
    let plan = Arc::new(plan);
    let origin = origin(reader, loaded)?;
    let mut run = match &loaded.snapshot {
        Some(snapshot) => {
            let saved =
                serde_json::from_slice(&snapshot.body).map_err(|error| unreadable(0, error.to_string()))?;
            Run::restore(plan, saved)
        }
        None => Run::new(plan, id.clone(), origin.parent, origin.depth).within(origin.home.bounds()),
    };
    #[cfg(feature = "faults")]
    run.plant(planted);
    #[cfg(not(feature = "faults"))]
    let Planted {} = planted;
    if !run.supported() {
        return Err(LoadError::Behaviour { run: id.clone(), behaviour: run.behaviour() });
    }
    replay_on(reader, &mut run, &loaded.tail, see)?;
    let tail_bytes = loaded.tail.iter().map(|entry| entry.body.len() as u64).sum();
    let snapshot_bytes = loaded.snapshot.as_ref().map_or(0, |snapshot| snapshot.body.len() as u64);
    Ok(Replayed { run, home: origin.home, tail_bytes, snapshot_bytes })
}

/// Lets entries that follow happen to a run; `see` is shown every turn.
pub(crate) fn replay_on(
    reader: &Reader,
    run: &mut Run,
    entries: &[Entry],
    mut see: impl FnMut(Seen<'_>),
) -> Result<(), LoadError> {
    let mut known = Known::default();
    for entry in entries {
        let seq = entry.head.seq;
        let body = decode(&entry.body).map_err(|reason| LoadError::Unreadable {
            run: run.id().clone(),
            entry: seq,
            reason,
        })?;
        let turn = again_by(run, &body, seq, reader, &mut known)?;
        see(Seen { entry, body: &body, turn: &turn, run });
    }
    Ok(())
}

/// Lets a recorded turn happen again and compares what it gives.
pub fn again(reader: &Reader, run: &mut Run, body: &EntryBody, entry: u64) -> Result<Turn, LoadError> {
    again_by(run, body, entry, reader, &mut Known::default())
}

fn again_by(
    run: &mut Run,
    body: &EntryBody,
    entry: u64,
    reader: &Reader,
    known: &mut Known,
) -> Result<Turn, LoadError> {
    let id = run.id().clone();
    let diverged = || Diverged { run: id.clone(), entry };
    let mut turn = run.apply(body.event.clone());
    let mut asked: Vec<Question> = Vec::new();
    for answers in &body.answers {
        if turn.questions.len() != answers.len() || answers.is_empty() {
            return Err(diverged().into());
        }
        asked.append(&mut turn.questions);
        let answers =
            answers.iter().map(|answer| hydrated(answer, reader, known)).collect::<Result<_, _>>()?;
        turn = run.answer(answers);
    }
    if !turn.questions.is_empty() || turn.digest(&asked) != body.gave {
        return Err(diverged().into());
    }
    Ok(turn)
}

/// An answer with its content read again.
fn hydrated(answer: &Answer, reader: &Reader, known: &mut Known) -> Result<Answer, Fault> {
    match answer {
        Answer::Loaded { digest, .. } => known.answer(digest, || read(reader, digest)),
        answer => Ok(answer.clone()),
    }
}

/// What stored content says, and how many bytes it has.
pub(crate) fn read(reader: &Reader, digest: &Digest) -> Result<(Value, u64), Fault> {
    let Some(content) = reader.content(digest)? else {
        return Err(Fault::Corrupt(format!("content {digest} is not there")));
    };
    let value = Content::value(&content.kind, &content.body).map_err(Fault::Corrupt)?;
    Ok((value, content.body.len() as u64))
}

/// Where a run comes from: its first entry says so.
fn origin(reader: &Reader, loaded: &Loaded) -> Result<Origin, LoadError> {
    let id = &loaded.run.id;
    let unreadable = |reason: String| LoadError::Unreadable { run: id.clone(), entry: 1, reason };
    let stored;
    let first = match loaded.tail.first().filter(|entry| entry.head.seq == 1) {
        Some(first) => &first.body,
        None => {
            stored = reader.entry(id, 1)?.ok_or_else(|| unreadable("it is missing".to_owned()))?;
            &stored.body
        }
    };
    decode(first).map_err(unreadable)?.origin.ok_or_else(|| unreadable("it names no origin".to_owned()))
}
