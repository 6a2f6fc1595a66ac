//! What a run waits for, in words: its own questions and those of the runs below it, by what they ask.

use super::{Line, State, Undecided, View};
use crate::asking::{self, Waits};
use crate::backend::Progress;
use crate::driver::word;
use crate::store::Reader;
use crate::turn::LoadError;
use dialects::reactive::view::atomic::lane;
use dialects::steps::due::Delegated;
use dialects::view::Asked;
use kernel::clock::iso;
use kernel::plan::Audience;
use kernel::{News, RunId, Status, Waiting};

/// How much of a question is told in a line.
const PROMPT_CHARS_MAX: usize = 80;

impl View {
    /// Looks for what the run and those below it ask, where they can.
    pub fn ask(&mut self, reader: &Reader) -> Result<(), LoadError> {
        let can = asking::can_ask(&self.plan) && !matches!(self.status, Status::Ended(_));
        let waits = if can { asking::waits(reader, &self.run)? } else { Waits::default() };
        (self.asked, self.delegated, self.coming) = (waits.asked, waits.delegated, waits.coming);
        self.parallel = waits.parallel;
        self.delegated.iter_mut().for_each(|one| one.seen = self.timeline.seq);
        (self.idle, self.still, self.below) = (Vec::new(), Vec::new(), Vec::new());
        let parts = self.lines().iter().flat_map(Line::parts).filter(|line| can && !line.state.is_over());
        for run in parts.filter_map(nested).cloned().collect::<Vec<_>>() {
            if let Some(one) = self.delegated_as(&run) {
                // Only what the server does can be cut off there.
                let below = if one.works { self.load_below(reader, &run)? } else { None };
                self.below.extend(below.iter().flat_map(View::all_undecided));
                self.idle.push(run.clone());
                self.still.push(run);
                continue;
            }
            let Some(below) = self.load_below(reader, &run)? else { continue };
            let asks = self.asked.iter().any(|asked| asked.run.is_within(&run));
            let open: Vec<Undecided> = below.all_undecided().collect();
            if (asks || !open.is_empty()) && !below.needs_carrier() {
                self.idle.push(run.clone());
            }
            if matches!(below.status, Status::Waiting(_)) && below.word() != word(&Status::Running) {
                self.still.push(run);
            }
            self.below.extend(open);
        }
        Ok(())
    }

    /// Looks for what it asks, if nothing has come to the run since: what is told of it then is of one moment. Says whether that is so.
    /// What comes to one that has ended changes nothing of it.
    pub fn ask_now(&mut self, reader: &Reader) -> Result<bool, LoadError> {
        reader.at_one_moment(|reader| {
            let is_over = self.outcome().is_some();
            let is_now = is_over || reader.run(&self.run)?.is_some_and(|row| row.head.seq == self.seq());
            if is_now {
                self.ask(reader)?;
            }
            Ok(is_now)
        })
    }

    /// Whether a run just below this one belongs to a sub-agent: what becomes of it is for that one to see.
    fn delegated_as(&self, run: &RunId) -> Option<&Delegated> {
        self.delegated.iter().find(|one| one.open.iter().any(|(open, _)| open == run))
    }

    /// A run below this one. One that cannot be brought back says so itself, to whoever looks at it.
    fn load_below(&self, reader: &Reader, run: &RunId) -> Result<Option<View>, LoadError> {
        let mut below = match View::load(reader, run) {
            Err(LoadError::Store(fault)) => return Err(fault.into()),
            loaded => loaded.ok().flatten(),
        };
        if let Some(below) = below.as_mut().filter(|below| self.left && below.needs_carrier()) {
            below.left = true;
            below.ask(reader)?;
        }
        Ok(below)
    }

    /// The steps of this run and of those below it about which someone must say what became of them.
    pub fn all_undecided(&self) -> impl Iterator<Item = Undecided> {
        // A run that has ended takes no word any more.
        let is_open = self.outcome().is_none();
        let own = self.undecided().map(|line| Undecided { run: self.run.clone(), step: line.id.clone() });
        own.chain(self.below.iter().cloned()).filter(move |_| is_open)
    }

    /// Those of them in the runs that a step is, or that its items are.
    pub fn undecided_below(&self, line: &Line) -> impl Iterator<Item = &Undecided> {
        let parts = if self.below.is_empty() { &[] } else { line.parts() };
        let runs: Vec<RunId> = parts.iter().filter_map(nested).cloned().collect();
        self.below.iter().filter(move |one| runs.iter().any(|run| one.run.is_within(run)))
    }

    /// Whether a turn of a run below this one may have changed what must be said about its steps.
    pub fn is_touched_below(&self, turn: &Progress) -> bool {
        let interrupts = || turn.news.iter().any(|news| matches!(news, News::Interrupted { .. }));
        turn.run != self.run && (self.below.iter().any(|one| one.run == turn.run) || interrupts())
    }

    /// Whether nothing happens in the workflow that a step runs until someone answers.
    pub(super) fn is_idle(&self, step: &str) -> bool {
        self.child(step).is_some_and(|run| self.idle.contains(run))
    }

    fn child(&self, step: &str) -> Option<&RunId> {
        self.line(step).and_then(nested)
    }

    /// Whether someone must do something, here or in a run below it: every door that calls a run waiting or paused asks this.
    pub fn waits_for_someone(&self) -> bool {
        let someone = |one: &Waiting| match one {
            Waiting::Agent(_) | Waiting::Human(_) | Waiting::Decision(_) => true,
            Waiting::Child(step) => self.child(step).is_some_and(|run| self.still.contains(run)),
            Waiting::Clock(..) => false,
        };
        let below = || !self.asked.is_empty() || !self.delegated.is_empty() || !self.below.is_empty();
        matches!(self.status, Status::Waiting(_)) && (self.waiting().iter().any(someone) || below())
    }

    /// Whether something that it waits for is a run that works.
    pub(super) fn works_below(&self, waiting: &Waiting) -> bool {
        let Waiting::Child(step) = waiting else { return false };
        self.child(step).is_some_and(|run| !self.still.contains(run))
    }

    /// What it waits for, each in one line: `your answer: "Deploy?"`.
    pub fn waiting_for(&self) -> Vec<String> {
        // What ends by itself waits for the clock.
        let asked = self.asked.iter().filter(|asked| !asked.ends).map(|asked| self.told(asked));
        let delegated = self.delegated.iter().map(Delegated::told);
        let below = self.below.iter().map(Undecided::told);
        asked
            .chain(delegated)
            .chain(below)
            .chain(
                self.waiting()
                    .iter()
                    .filter(|one| !self.is_told(one) && !self.works_below(one))
                    .map(|one| self.rests(one).unwrap_or_else(|| one.to_string())),
            )
            .collect()
    }

    /// When a step is tried again, if that is what is waited for.
    fn rests(&self, waiting: &Waiting) -> Option<String> {
        let Waiting::Clock(step, due) = waiting else { return None };
        let is_resting = self.line(step).is_some_and(|line| line.state == State::Resting);
        is_resting.then(|| format!("the next attempt of `{step}` at {}", iso(*due)))
    }

    /// Whether the run of another workflow, which is what a step does, asks someone.
    pub(super) fn asks_below(&self, line: &Line) -> bool {
        let mut runs = line.parts().iter().filter_map(nested);
        !self.asked.is_empty() && runs.any(|run| self.asked.iter().any(|asked| asked.run.is_within(run)))
    }

    fn told(&self, asked: &Asked) -> String {
        let whom = match asked.audience {
            Audience::Human => "your answer",
            Audience::Agent => "the agent",
        };
        let line = asked.prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        let mut prompt: String = line.chars().take(PROMPT_CHARS_MAX).collect();
        if prompt.len() < asked.prompt.trim().len() {
            prompt.push_str("...");
        }
        let below = if asked.run == self.run { String::new() } else { format!(" ({})", asked.step()) };
        let overdue = if asked.overdue { ", overdue" } else { "" };
        format!("{whom}: \"{prompt}\"{below}{overdue}")
    }

    /// Whether something is told by what it asks.
    fn is_told(&self, waiting: &Waiting) -> bool {
        let own = |step: &str| self.asked.iter().any(|one| one.run == self.run && names(one, step));
        match waiting {
            Waiting::Agent(step) | Waiting::Human(step) => own(step),
            Waiting::Child(step) => self.line(step).is_some_and(|line| {
                self.asks_below(line)
                    || self.undecided_below(line).next().is_some()
                    || nested(line).is_some_and(|run| self.delegated_as(run).is_some())
            }),
            Waiting::Decision(_) | Waiting::Clock(..) => false,
        }
    }
}

/// The run that a step is.
fn nested(line: &Line) -> Option<&RunId> {
    line.nested.as_ref()?.run.as_ref()
}

fn names(asked: &Asked, step: &str) -> bool {
    asked.path.last().is_some_and(|last| {
        let name = lane(last).1;
        // Of a later visit only the step is waited for by name.
        last == step || name == step || name.rsplit_once('@').is_some_and(|(own, _)| own == step)
    })
}
