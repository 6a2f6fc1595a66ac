//! The timeline of a run: a line for each step, in the order of the definition.
//!
//! ```text
//! pending ── Began ── running ── Ended ── succeeded | failed | crashed | cancelled
//!    │                  │  ↑
//!    │                  │  Began
//!    │                  ├── Retrying ── resting
//!    │                  └── Interrupted ── interrupted ── Ended
//!    └── Skipped ── skipped
//! ```

use super::line::{Line, Nested, State};
use kernel::{FailureKind, News, Outcome, Plan};
use std::collections::BTreeMap;

/// What happened to a run so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// The steps, in the order of the definition.
    pub lines: Vec<Line>,
    /// The last turn that was taken in.
    pub seq: u64,
    /// When the first turn was made.
    pub started_at: Option<u64>,
    /// When the run was over.
    pub ended_at: Option<u64>,
    /// How it ends, once that is known.
    pub outcome: Option<Outcome>,
    /// The step of each activity.
    keys: BTreeMap<String, usize>,
}

impl Timeline {
    /// Starts with every step pending.
    pub fn new(plan: &Plan) -> Self {
        let lines = plan.steps.iter().map(|step| Line { id: step.id.clone(), ..Line::default() }).collect();
        Self { lines, ..Self::default() }
    }

    /// Takes a turn in: its number, its time and its news. A turn that is known already changes nothing.
    pub fn turn(&mut self, seq: u64, at: u64, news: &[News]) {
        if seq <= self.seq && self.started_at.is_some() {
            return;
        }
        self.seq = seq;
        self.started_at.get_or_insert(at);
        news.iter().for_each(|news| self.take(at, news));
    }

    /// Returns the line of a step.
    pub fn line(&self, id: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.id == id)
    }

    /// Returns how long the run took, once it is over.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.ended_at?.saturating_sub(self.started_at?))
    }

    fn take(&mut self, at: u64, news: &News) {
        match news {
            News::Began { key, step, attempt, inputs } => {
                self.keys.insert(key.clone(), *step as usize);
                self.change(key, |line| begin(line, at, *attempt, inputs));
            }
            News::Nested { key, child, workflow } => self.change(key, |line| {
                line.nested = Some(Nested { workflow: workflow.clone(), run: Some(child.clone()) });
            }),
            News::Retrying { key, failure, due, .. } => self.change(key, |line| {
                line.state = State::Resting;
                (line.due, line.reason) = (Some(*due), Some(failure.message.clone()));
            }),
            News::Interrupted { key, .. } => self.change(key, |line| line.state = State::Interrupted),
            News::Unverified { key, failure } => {
                self.change(key, |line| line.reason = Some(failure.message.clone()));
            }
            News::Ended { key, step, failure, outputs, since } => {
                self.keys.insert(key.clone(), *step as usize);
                self.change(key, |line| {
                    line.state = State::ended(failure.as_ref());
                    line.reason = failure.as_ref().map(|failure| failure.message.clone());
                    line.started_at = Some(*since);
                    line.duration_ms = Some(at.saturating_sub(*since));
                    line.due = None;
                    line.outputs = outputs.clone();
                    let unborn = failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Crashed);
                    if let Some(nested) = line.nested.as_mut().filter(|_| unborn) {
                        nested.run = None;
                    }
                });
            }
            News::Skipped { step, reason } => self.skip(*step as usize, reason),
            News::NotUpdated { .. } => {}
            News::Over { outcome, abandoned } => self.end(at, outcome, abandoned),
            other => self.close(other),
        }
    }

    /// Of the news that are about no step, only that the run closes leaves a trace.
    fn close(&mut self, news: &News) {
        if let News::Closing { outcome } = news {
            self.outcome = Some(outcome.clone());
        }
    }

    fn skip(&mut self, step: usize, reason: &str) {
        if let Some(line) = self.lines.get_mut(step) {
            (line.state, line.reason) = (State::Skipped, Some(reason.to_owned()));
        }
    }

    fn end(&mut self, at: u64, outcome: &Outcome, abandoned: &[String]) {
        (self.outcome, self.ended_at) = (Some(outcome.clone()), Some(at));
        for key in abandoned {
            self.change(key, |line| {
                line.state = State::Interrupted;
                line.reason = Some("it did not report back before the run was over".to_owned());
            });
        }
    }

    fn change(&mut self, key: &str, change: impl FnOnce(&mut Line)) {
        let step = self.keys.get(key).copied();
        if let Some(line) = step.and_then(|step| self.lines.get_mut(step)) {
            change(line);
        }
    }
}

/// A first attempt begins a line anew: the step may have been done before.
fn begin(line: &mut Line, at: u64, attempt: u32, inputs: &kernel::Fields) {
    let started_at = line.started_at.filter(|_| attempt > 1).or(Some(at));
    let id = std::mem::take(&mut line.id);
    *line =
        Line { id, state: State::Running, attempt, started_at, inputs: inputs.clone(), ..Line::default() };
}
