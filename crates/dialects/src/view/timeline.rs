//! The timeline of a run: a line for each step, in the order of the definition.
//!
//! ```text
//! pending ── Began ── running ── Ended ── succeeded | failed | crashed | cancelled
//!    │                  │  ↑
//!    │                  │  Began
//!    │                  ├── Retrying ── resting
//!    │                  ├── Offered ── waiting ── Checking ── running
//!    │                  └── Interrupted ── interrupted ── Ended
//!    └── Skipped ── skipped
//! ```
//! A step that is done for each item of a list has a line of its own for each: the key of its activity is its id.

use super::lanes::Lanes;
use super::line::{Line, Nested, State};
use super::tally::Tally;
use kernel::plan::{Flow, Node, OnFailure, Work};
use kernel::{Data, Failure, FailureKind, News, Outcome, Plan};
use std::collections::{BTreeMap, BTreeSet};

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
    /// The step of each activity, and which of its items.
    keys: BTreeMap<String, (usize, Option<usize>)>,
    /// How the items of each step stand.
    tallies: Vec<Tally>,
    /// The steps whose command may fail: that is what they give.
    taken: BTreeSet<u32>,
    /// What failed in tasks of sub-agents, each in a lane of its own.
    lanes: Lanes,
    /// Whether what a step gave is written to layers of a state when it has ended.
    is_layered: bool,
}

impl Timeline {
    /// Starts with every step pending.
    pub fn new(plan: &Plan) -> Self {
        let lines = plan.steps.iter().map(|step| Line { id: step.id.clone(), ..Line::default() }).collect();
        let tallies = vec![Tally::default(); plan.steps.len()];
        let is_layered = plan.state.is_layered();
        let mut timeline = Self { lines, tallies, taken: taken(plan), is_layered, ..Self::default() };
        if let Flow::Graph(graph) = &plan.flow {
            for (line, block) in timeline.lines.iter_mut().zip(&graph.blocks) {
                line.items = block.for_each.as_ref().map(|_| Vec::new());
            }
        }
        timeline
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

    /// Returns the line of a step, or of one of its items: `build`, `test[2]`.
    pub fn line(&self, id: &str) -> Option<&Line> {
        // The key of an item is its id.
        let item = || self.line_of(id).filter(|line| line.item.is_some());
        self.lines.iter().find(|line| line.id == id).or_else(item)
    }

    /// Returns the line of an activity.
    pub fn line_of(&self, key: &str) -> Option<&Line> {
        let (step, item) = *self.keys.get(key)?;
        let line = self.lines.get(step)?;
        match item {
            Some(item) => line.items.as_ref()?.get(item),
            None => Some(line),
        }
    }

    /// Returns how long the run took, once it is over.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.ended_at?.saturating_sub(self.started_at?))
    }

    fn take(&mut self, at: u64, news: &News) {
        match news {
            News::Item { key, step, item, .. } => self.add_item(key, *step as usize, at, item),
            News::Began { key, step, attempt, inputs } => {
                self.know(key, *step);
                self.change(key, |line| begin(line, at, *attempt, inputs));
            }
            News::Nested { key, child, workflow } => self.change(key, |line| {
                line.nested = Some(Nested { workflow: workflow.clone(), run: Some(child.clone()) });
            }),
            News::Offered { key } => self.change(key, |line| {
                // After a result that did not hold it is asked for again.
                line.attempt += u32::from(line.reason.is_some());
                line.state = State::Waiting;
            }),
            News::Checking { key } => self.change(key, |line| line.state = State::Running),
            News::Retrying { key, failure, due, .. } => self.change(key, |line| {
                line.state = State::Resting;
                (line.due, line.reason) = (Some(*due), Some(failure.message.clone()));
            }),
            News::Interrupted { key, .. } => self.change(key, |line| line.state = State::Interrupted),
            News::Unverified { key, failure } => {
                self.change(key, |line| line.reason = Some(failure.message.clone()));
            }
            News::Ended { key, step, failure, outputs, since } => {
                self.know(key, *step);
                let is_taken = self.taken.contains(step);
                let counts = |failure: &&Failure| !is_taken || failure.kind != FailureKind::Operation;
                let failure = failure.as_ref().filter(counts);
                self.change(key, |line| {
                    line.state = State::ended(failure);
                    line.reason = failure.map(|failure| failure.message.clone());
                    line.started_at = Some(*since);
                    line.duration_ms = Some(at.saturating_sub(*since));
                    line.due = None;
                    line.outputs = outputs.clone();
                    let unborn = failure.is_some_and(|failure| failure.kind == FailureKind::Crashed);
                    if let Some(nested) = line.nested.as_mut().filter(|_| unborn) {
                        nested.run = None;
                    }
                });
                self.lanes.ended(key, *step, failure);
                self.stand_as_lanes(*step);
            }
            News::LaneBegan { lane, task_id, .. } => self.lanes.began(*lane, task_id),
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
            if let Outcome::Failed { failure } = outcome {
                self.not_kept(&failure.message);
            }
        }
    }

    /// A step that was done, and because of which the run fails: what it gave could not be kept.
    fn not_kept(&mut self, message: &str) {
        let Some((id, reason)) = message.strip_prefix("step `").and_then(|rest| rest.split_once("`: "))
        else {
            return;
        };
        let line = self.lines.iter_mut().find(|line| line.id == id && line.state == State::Succeeded);
        if let Some(line) = line.filter(|_| self.is_layered) {
            (line.state, line.reason) = (State::Failed, Some(reason.to_owned()));
        }
    }

    /// A step that is done in several tasks has failed where it has failed in one of them.
    fn stand_as_lanes(&mut self, step: u32) {
        let (Some(line), Some(reason)) = (self.lines.get_mut(step as usize), self.lanes.reason(step)) else {
            return;
        };
        if line.state == State::Succeeded {
            (line.state, line.reason) = (State::Failed, Some(reason.to_owned()));
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

    fn know(&mut self, key: &str, step: u32) {
        if !self.keys.contains_key(key) {
            self.keys.insert(key.to_owned(), (step as usize, None));
        }
    }

    /// A step is done for one more item.
    fn add_item(&mut self, key: &str, step: usize, at: u64, item: &Data) {
        let Some(line) = self.lines.get_mut(step) else { return };
        line.started_at.get_or_insert(at);
        line.attempt = line.attempt.max(1);
        let item = Some(item.clone());
        let items = line.items.get_or_insert_default();
        items.push(Line { id: key.to_owned(), item, ..Line::default() });
        self.keys.insert(key.to_owned(), (step, Some(items.len() - 1)));
        self.stand_as_items(step, None);
    }

    fn change(&mut self, key: &str, change: impl FnOnce(&mut Line)) {
        let Some((step, item)) = self.keys.get(key).copied() else { return };
        let Some(line) = self.lines.get_mut(step) else { return };
        let Some(item) = item else { return change(line) };
        let Some(item) = line.items.as_mut().and_then(|items| items.get_mut(item)) else { return };
        let before = item.state;
        change(item);
        let after = item.state;
        line.attempt = line.attempt.max(item.attempt);
        self.stand_as_items(step, Some((before, after)));
    }

    /// A step stands as its items do, of which one may have changed.
    fn stand_as_items(&mut self, step: usize, changed: Option<(State, State)>) {
        let (Some(line), Some(tally)) = (self.lines.get_mut(step), self.tallies.get_mut(step)) else {
            return;
        };
        if let Some((before, after)) = changed {
            tally.moved(before, after);
        }
        if !line.state.is_over() {
            line.state = tally.state();
        }
    }
}

/// A first attempt begins a line anew: the step may have been done before.
fn begin(line: &mut Line, at: u64, attempt: u32, inputs: &kernel::Fields) {
    let started_at = line.started_at.filter(|_| attempt > 1).or(Some(at));
    let Line { id, items, item, .. } = std::mem::take(line);
    let (state, inputs) = (State::Running, inputs.clone());
    *line = Line { id, state, attempt, started_at, inputs, items, item, ..Line::default() };
}

/// The steps of a plan that the server carries out, and whose failure is a result like any other.
fn taken(plan: &Plan) -> BTreeSet<u32> {
    let Flow::Sequence(sequence) = &plan.flow else { return BTreeSet::new() };
    let nodes = sequence.bodies.iter().flatten().map(|node| match node {
        Node::Within { node, .. } => node,
        node => node,
    });
    let taken = nodes.filter_map(|node| match node {
        Node::Do { step, on_failure: OnFailure::Take, .. } => Some(*step),
        _ => None,
    });
    taken.filter(|step| matches!(plan.steps[*step as usize].work, Work::Server { .. })).collect()
}
