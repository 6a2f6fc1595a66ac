//! A run as people and programs see it: a pure function of its plan and its journal.
//!
//! ```text
//!  journal ── replay ── news ──┐
//!  backend ── progress ── news ┴── Timeline (dialects) ── View ── lines, one JSON document
//! ```
//! A run holds no log; whoever wants to see what happened folds the news of its turns, from the journal for the
//! past and from the backend's progress for what happens now. Nothing here changes a run.

mod asks;
mod folded;
mod history;
mod input;
mod json;
mod load;
mod machine;
mod row;
mod steps;

#[cfg(test)]
mod tests;

pub use dialects::view::{Line, State};
pub(crate) use folded::{as_it_stands, folded};
pub use history::{Computation, End, History, KEPT_MAX, Mark, Told, Warning, ms};
pub use json::Detail;
pub(crate) use load::whole;
pub use load::{Values, is_carried};
pub use machine::Machine;
pub use row::contradiction;
pub use steps::Held;

use crate::backend::Progress;
use crate::store::RunRow;
use dialects::reactive::view::tasks::Parallel;
use dialects::steps::PENDING_MAX;
use dialects::steps::due::Delegated;
use dialects::view::{Asked, Timeline};
use kernel::plan::{OnInterrupt, Step, Work};
use kernel::{News, Outcome, Plan, RunId, Status, Waiting};
use std::sync::Arc;

/// A step of a run about which someone must say what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The run.
    pub run: RunId,
    /// The step.
    pub step: String,
}

impl Undecided {
    /// What became of it, in words for whoever looks at another run.
    fn told(&self) -> String {
        format!("`{}` of run {} was interrupted", self.step, self.run)
    }
}

/// A run and how each of its steps stands.
#[derive(Clone, Debug)]
pub struct View {
    /// The run.
    pub run: RunId,
    /// Its plan.
    pub plan: Arc<Plan>,
    /// The folder it belongs to.
    pub workspace: String,
    /// When it began, in milliseconds since 1970.
    pub since: u64,
    /// When it last moved.
    pub at: u64,
    /// How it stands.
    pub status: Status,
    /// Whether it should move and nobody moves it: the process that carried it is gone.
    pub left: bool,
    /// What it and the runs below it ask, as far as someone has looked.
    pub asked: Vec<Asked>,
    /// What belongs to sub-agents, as far as someone has looked.
    pub delegated: Vec<Delegated>,
    /// The tasks of sub-agents in lanes of a run, as far as someone has looked.
    pub parallel: Vec<Parallel>,
    /// How many children are about to start or to be heard of, before all is known that it asks.
    pub coming: usize,
    /// Most actions that are shown at once.
    pub pending_max: usize,
    /// The steps of runs below it about which someone must say what became of them, as far as someone has looked.
    pub below: Vec<Undecided>,
    /// The runs just below it in which nothing happens until someone answers or says what became of a step.
    idle: Vec<RunId>,
    /// The runs just below it that waited themselves when someone looked.
    still: Vec<RunId>,
    timeline: Timeline,
}

impl View {
    /// A run that has not begun.
    pub fn new(run: RunId, plan: Arc<Plan>, workspace: String, since: u64) -> Self {
        let timeline = Timeline::new(&plan);
        View {
            run,
            plan,
            workspace,
            since,
            at: since,
            status: Status::Queued,
            left: false,
            asked: Vec::new(),
            delegated: Vec::new(),
            parallel: Vec::new(),
            coming: 0,
            pending_max: PENDING_MAX as usize,
            below: Vec::new(),
            idle: Vec::new(),
            still: Vec::new(),
            timeline,
        }
    }

    /// The run of a row of the store, before its first entry.
    pub fn of_row(row: &RunRow, plan: Arc<Plan>) -> Self {
        View::new(row.id.clone(), plan, row.workspace.clone(), row.created_at)
    }

    /// Takes in a turn of its run, unless it is in the view already; says whether it was new.
    pub fn take(&mut self, progress: &Progress) -> bool {
        if progress.run != self.run || progress.seq <= self.timeline.seq {
            return false;
        }
        self.turn(progress.seq, progress.at, &progress.news);
        self.status = progress.status.clone();
        true
    }

    fn turn(&mut self, seq: u64, at: u64, news: &[News]) {
        self.at = at;
        if seq == 1 {
            self.since = at;
        }
        self.timeline.turn(seq, at, news);
    }

    /// The last entry that is in this view.
    pub fn seq(&self) -> u64 {
        self.timeline.seq
    }

    /// How each step of the plan stands, in the plan's order.
    pub fn lines(&self) -> &[Line] {
        &self.timeline.lines
    }

    /// The line that news is about.
    pub fn line_of(&self, news: &News) -> Option<&Line> {
        match news {
            News::Skipped { step, .. } => self.timeline.lines.get(*step as usize),
            News::Item { key, .. }
            | News::Began { key, .. }
            | News::Ended { key, .. }
            | News::Nested { key, .. }
            | News::Offered { key }
            | News::Checking { key }
            | News::Retrying { key, .. }
            | News::Interrupted { key, .. }
            | News::Unverified { key, .. }
            | News::Left { key, .. } => self.timeline.line_of(key),
            News::NotUpdated { .. } | News::Closing { .. } | News::Over { .. } => None,
            News::Changed { .. } | News::Computed { .. } | News::Warned { .. } | News::Marked { .. } => None,
            News::LaneBegan { .. } | News::LaneEnded { .. } => None,
        }
    }

    /// The line of a step, or of one of its items: `build`, `test[2]`.
    pub fn line(&self, id: &str) -> Option<&Line> {
        self.timeline.line(id)
    }

    /// The step that a line is about, and whether it is only one of its items.
    pub fn planned(&self, id: &str) -> Option<(&Step, bool)> {
        let mut steps = self.plan.steps.iter().zip(self.lines());
        let of = |line: &Line| line.id == id || line.parts().iter().any(|part| part.id == id);
        steps.find(|(_, line)| of(line)).map(|(step, _)| (step, step.id != id))
    }

    /// How a step stands. What worked when its process went away was interrupted, and so was what calls a run in which a step
    /// was; a workflow that asks someone waits.
    pub fn state(&self, line: &Line) -> State {
        match line.state {
            State::Running if self.asks_below(line) => State::Waiting,
            State::Running if self.left || self.undecided_below(line).next().is_some() => State::Interrupted,
            state => state,
        }
    }

    /// The steps and items that were interrupted.
    pub fn interrupted(&self) -> impl Iterator<Item = &Line> {
        self.lines().iter().flat_map(Line::parts).filter(|line| self.state(line) == State::Interrupted)
    }

    /// The steps and items about which someone must say what became of them: those that are known to be interrupted, and of
    /// those that nobody carries any more the ones that are not simply done again.
    pub fn undecided(&self) -> impl Iterator<Item = &Line> {
        let steps = self.plan.steps.iter().zip(self.lines());
        let parts = steps.flat_map(|(planned, line)| line.parts().iter().map(move |part| (planned, part)));
        // What was claimed of an action, and was being looked at, is looked at again.
        let asks = parts.filter(|(planned, line)| match (line.state, &planned.work) {
            (State::Interrupted, _) => true,
            (State::Running, Work::Action { .. }) => false,
            (State::Running, _) => self.left && planned.on_interrupt == OnInterrupt::Ask,
            _ => false,
        });
        asks.map(|(_, line)| line)
    }

    /// Whether it moves by itself as long as some process carries it.
    pub fn needs_carrier(&self) -> bool {
        match &self.status {
            Status::Queued | Status::Running | Status::Closing => true,
            Status::Waiting(waiting) => waiting.iter().any(|one| match one {
                Waiting::Clock(..) => true,
                Waiting::Child(step) => !self.is_idle(step),
                Waiting::Agent(_) | Waiting::Human(_) | Waiting::Decision(_) => false,
            }),
            Status::Ended(_) => false,
        }
    }

    /// The word for how it stands. One that waits for nobody works: it rests until its next attempt, or a run below it works.
    pub fn word(&self) -> &'static str {
        match &self.status {
            _ if self.left => "interrupted",
            Status::Waiting(_) if !self.waits_for_someone() => crate::driver::word(&Status::Running),
            status => crate::driver::word(status),
        }
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.status {
            Status::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Why it failed or was cancelled.
    pub fn error(&self) -> Option<&str> {
        match self.outcome()? {
            Outcome::Succeeded { .. } => None,
            Outcome::Failed { failure } => Some(&failure.message),
            Outcome::Cancelled { reason } => Some(reason),
        }
    }

    /// What it waits for.
    pub fn waiting(&self) -> &[Waiting] {
        match &self.status {
            Status::Waiting(waiting) => waiting,
            _ => &[],
        }
    }
}
