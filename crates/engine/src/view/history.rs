//! What happened to a run beside how its steps stand: what was computed, changed, noted and warned of, folded from its
//! journal. What may grow without end is counted, and only the last of it is kept.

use super::input::recalled;
use super::{Values, folded, whole};
use crate::store::Reader;
use crate::turn::{LoadError, Seen, replay};
use dialects::reactive::view::path::keys;
use kernel::clock::iso;
use kernel::event::Change;
use kernel::{Data, Digest, Fact, Fields, News, Plan, RunId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// How many computations, and how many ends of steps, are kept.
pub const KEPT_MAX: usize = 200;

/// What happened to a run.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The last computations, in order.
    pub computations: VecDeque<Computation>,
    /// How many there were of each field, and how long they took in microseconds.
    pub costs: BTreeMap<String, (u64, u64)>,
    /// The version of the state.
    pub version: u64,
    /// The points that were noted, in order.
    pub marks: Vec<Mark>,
    /// What somebody should look at, in order.
    pub warnings: Vec<Warning>,
    /// The last ends of steps, in order.
    pub ends: VecDeque<End>,
    /// How many ends there were.
    pub ends_count: u64,
    /// The lanes that each task has had, in order.
    pub lanes: BTreeMap<String, Vec<u32>>,
    /// The field whose computations are kept; all where none is named.
    only: Option<String>,
    /// How many computations are kept.
    kept_max: usize,
    /// What fields of the state were when they were computed last.
    made: BTreeMap<String, Option<Data>>,
    /// The entry at which each open activity began.
    began: BTreeMap<String, u64>,
    /// The paths that callers changed since something open began, and the entries.
    updates: Vec<(u64, Vec<String>)>,
}

/// What one entry has told of the state.
#[derive(Debug, Default)]
pub struct Told {
    /// The fields that it changed, those that followed among them.
    pub changed: Vec<String>,
    /// The version of the state after it.
    pub version: u64,
    /// Why nothing was changed, if something was to be.
    pub not_updated: Option<String>,
}

/// A field was computed.
#[derive(Clone, Debug)]
pub struct Computation {
    /// The field, with its layer.
    pub field: String,
    /// When.
    pub at: u64,
    /// The fields whose change made it be computed.
    pub trigger: String,
    /// What it was computed from, where that is small and can still be told.
    pub input: Option<Value>,
    /// Names that.
    pub input_digest: Option<String>,
    /// What it was then.
    pub output: Option<Data>,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// Why it could not be computed.
    pub error: Option<String>,
}

/// A point that was noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The entry.
    pub seq: u64,
    /// When.
    pub at: u64,
    /// The step it belongs to.
    pub step: Option<String>,
    /// Why.
    pub reason: String,
}

/// Something that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The step it belongs to.
    pub step: Option<String>,
    /// What.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.step {
            Some(step) => write!(out, "`{step}`: {}", self.message),
            None => out.write_str(&self.message),
        }
    }
}

/// A step ended.
#[derive(Clone, Debug)]
pub struct End {
    /// The step.
    pub step: String,
    /// When its first attempt began; nothing where it was passed by.
    pub since: Option<u64>,
    /// When it ended.
    pub at: u64,
    /// `success`, `failed` or `skipped`.
    pub status: &'static str,
    /// Why, if not well.
    pub reason: Option<String>,
}

impl History {
    /// What happened to a run, or nothing if there is no such run.
    pub fn load(reader: &Reader, run: &RunId) -> Result<Option<History>, LoadError> {
        Ok(folded(reader, run)?.map(|folded| folded.history))
    }

    /// A run that has not begun.
    pub(super) fn new() -> Self {
        History { kept_max: KEPT_MAX, ..History::default() }
    }

    /// The same, with so many of the last computations, of one field where one is named.
    pub fn of_field(
        reader: &Reader,
        run: &RunId,
        field: Option<&str>,
        kept_max: usize,
    ) -> Result<Option<History>, LoadError> {
        let Some((loaded, plan)) = whole(reader, run)? else { return Ok(None) };
        let mut history = History { only: field.map(str::to_owned), kept_max, ..History::default() };
        replay(reader, &loaded, |seen| history.turn(&plan, &seen))?;
        Ok(Some(history))
    }

    /// What one entry of a run has told.
    pub fn told(reader: &Reader, run: &RunId, seq: u64) -> Result<Told, LoadError> {
        let mut told = Told::default();
        let Some((loaded, _)) = whole(reader, run)? else { return Ok(told) };
        replay(reader, &loaded, |seen| {
            let is_it = seen.entry.head.seq == seq;
            for news in &seen.turn.news {
                match news {
                    News::Changed { fields, version, .. } if seen.entry.head.seq <= seq => {
                        told.version = *version;
                        told.changed.extend(fields.iter().filter(|_| is_it).cloned());
                    }
                    News::NotUpdated { failure } if is_it => told.not_updated = Some(failure.message.clone()),
                    _ => {}
                }
            }
        })?;
        Ok(told)
    }

    /// The entry in which a run was changed from outside by a request of this key, and the changes.
    pub fn update_of(
        reader: &Reader,
        run: &RunId,
        wanted: &str,
    ) -> Result<Option<(u64, Vec<Change>)>, LoadError> {
        let Some((loaded, _)) = whole(reader, run)? else { return Ok(None) };
        let mut found = None;
        replay(reader, &loaded, |seen| {
            if let Fact::Updated { changes, key: Some(key), .. } = &seen.body.event.fact
                && key == wanted
            {
                found = Some((seen.entry.head.seq, changes.clone()));
            }
        })?;
        Ok(found)
    }

    pub(super) fn turn(&mut self, plan: &Plan, seen: &Seen<'_>) {
        let (seq, at) = (seen.entry.head.seq, seen.body.event.at);
        if let Fact::Updated { values, changes, .. } = &seen.body.event.fact {
            let refused = seen.turn.news.iter().any(|news| matches!(news, News::NotUpdated { .. }));
            let fields = values.keys().map(|field| vec![field.clone()]);
            let paths = fields.chain(changes.iter().map(|change| change.path.clone()));
            self.updates.extend(paths.filter(|_| !refused).map(|path| (seq, path)));
        }
        for news in &seen.turn.news {
            self.take(plan, seq, at, news);
            if let News::Computed { field, input: Some(digest), .. } = news {
                self.recall(plan, seen.run.state(), field, digest);
            }
        }
    }

    /// Finds out what a field was computed from: what its digest names must be what the state holds after the turn, and what
    /// was computed before it in the turn.
    fn recall(&mut self, plan: &Plan, state: &Fields, field: &str, digest: &Digest) {
        let of_field = plan.state.computed.iter().find(|one| one.name == field);
        let transform = of_field.and_then(|one| one.transform.as_ref());
        if let (Some(one), Some(transform)) = (self.computations.back_mut(), transform)
            && one.field == field
        {
            one.input = recalled(transform, digest, |name| match self.made.get(name) {
                Some(made) => made.as_ref(),
                None => state.get(name),
            });
        }
    }

    fn take(&mut self, plan: &Plan, seq: u64, at: u64, news: &News) {
        let id = |step: u32| plan.steps.get(step as usize).map(|step| step.id.clone()).unwrap_or_default();
        match news {
            News::Computed { field, trigger, input, output, took_us, error } => {
                self.made.insert(field.clone(), output.clone());
                let cost = self.costs.entry(field.clone()).or_default();
                *cost = (cost.0 + 1, cost.1 + took_us);
                if self.only.as_ref().is_some_and(|only| only != field) {
                    return;
                }
                let (field, trigger, output) = (field.clone(), trigger.clone(), output.clone());
                let (input_digest, error) = (
                    input.as_ref().map(ToString::to_string),
                    error.clone().map(|error| placed(plan, &field, error)),
                );
                let took_us = *took_us;
                let one =
                    Computation { field, at, trigger, input: None, input_digest, output, took_us, error };
                self.computations.push_back(one);
                if self.computations.len() > self.kept_max {
                    self.computations.pop_front();
                }
            }
            News::Changed { version, .. } => self.version = *version,
            News::Marked { step, reason, .. } => {
                self.marks.push(Mark { seq, at, step: step.clone(), reason: reason.clone() });
            }
            News::Warned { step, message } => {
                self.warnings.push(Warning { step: step.clone(), message: message.clone() });
            }
            News::LaneBegan { task_id, lane, .. } => {
                self.lanes.entry(task_id.clone()).or_default().push(*lane);
            }
            News::Began { key, attempt: 1, .. } => drop(self.began.insert(key.clone(), seq)),
            News::Ended { key, step, failure, since, .. } => {
                self.began.remove(key);
                let status = if failure.is_some() { "failed" } else { "success" };
                let reason = failure.as_ref().map(|failure| failure.message.clone());
                self.end(End { step: id(*step), since: Some(*since), at, status, reason });
            }
            News::Skipped { step, reason } => {
                let reason = Some(reason.clone());
                self.end(End { step: id(*step), since: None, at, status: "skipped", reason });
            }
            _ => {}
        }
    }

    fn end(&mut self, end: End) {
        self.ends_count += 1;
        self.ends.push_back(end);
        if self.ends.len() > KEPT_MAX {
            self.ends.pop_front();
        }
    }

    /// Whether a caller has changed this path since an activity that is open began.
    pub fn is_updated(&self, key: &str, path: &str) -> bool {
        let since = self.began.get(key).copied().unwrap_or(u64::MAX);
        let Ok(keys) = keys(path) else { return false };
        let [layer, name, below @ ..] = keys.as_slice() else { return false };
        let meant = |changed: &[String]| {
            changed
                .split_first()
                .is_some_and(|(field, rest)| *field == format!("{layer}.{name}") && rest == below)
        };
        self.updates.iter().any(|(seq, changed)| *seq > since && meant(changed))
    }

    /// The last computations as they are answered.
    pub fn traces(&self, values: Values<'_>, timed: bool) -> Result<Vec<Value>, LoadError> {
        self.computations.iter().map(|one| one.to_json(values, timed)).collect()
    }

    /// How many computations there were that are not kept.
    pub fn left_out(&self) -> u64 {
        let is_meant = |field: &String| self.only.as_ref().is_none_or(|only| only == field);
        let all: u64 = self.costs.iter().filter(|(field, _)| is_meant(field)).map(|(_, cost)| cost.0).sum();
        all - self.computations.len() as u64
    }
}

impl Computation {
    fn to_json(&self, values: Values<'_>, timed: bool) -> Result<Value, LoadError> {
        let output = self.output.as_ref().map(|output| values.value(output)).transpose()?;
        let mut value = json!({
            "field": self.field,
            "timestamp": iso(self.at),
            "trigger": self.trigger,
            "input_digest": self.input_digest,
            "output": output,
        });
        if let Some(input) = &self.input {
            value["input"] = input.clone();
        }
        if timed {
            value["duration_ms"] = json!(ms(self.took_us));
        }
        if let Some(error) = &self.error {
            value["error"] = json!(error);
        }
        Ok(value)
    }
}

/// Why a field could not be computed; its place is in the file that it was imported from.
fn placed(plan: &Plan, field: &str, error: String) -> String {
    let of_field = plan.state.computed.iter().find(|one| one.name == field);
    match of_field.and_then(|one| one.transform.as_ref()?.file.as_ref()) {
        Some(file) => format!("{file}: {error}"),
        None => error,
    }
}

/// Milliseconds, with what is less than one.
#[expect(clippy::cast_precision_loss, reason = "nobody waits so many years")]
pub fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}
