//! What happened in a run, state by state, folded from news. A run holds no log.

use kernel::news::Way;
use kernel::{Data, Fields, News, Outcome};
use std::collections::BTreeMap;

/// One state that was entered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Visit {
    /// The step of its state.
    pub step: u32,
    /// When it was entered, in milliseconds since 1970.
    pub began: u64,
    /// When it was left.
    pub ended: Option<u64>,
    /// What its step was given.
    pub inputs: Fields,
    /// The workflow that it ran, if it ran one.
    pub workflow: Option<String>,
    /// What came of it.
    pub result: Fields,
    /// The variables that it changed.
    pub variables: Fields,
    /// How the next state was chosen, and which.
    pub way: Option<(Way, u32)>,
}

/// What happened in a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Log {
    /// The states in the order in which they were entered.
    pub visits: Vec<Visit>,
    /// When the run began.
    pub since: Option<u64>,
    /// When it closed.
    pub until: Option<u64>,
    /// How it closed.
    pub outcome: Option<Outcome>,
    open: BTreeMap<String, usize>,
}

impl Log {
    /// Takes in the news of a turn.
    pub fn turn(&mut self, at: u64, news: &[News]) {
        self.since.get_or_insert(at);
        news.iter().for_each(|news| self.take(at, news));
    }

    fn take(&mut self, at: u64, news: &News) {
        match news {
            // What cleans up is no state.
            News::Began { key, .. } if key.starts_with("cleanup/") => {}
            News::Began { key, step, inputs, .. } => {
                let next = self.visits.len();
                let position = *self.open.entry(key.clone()).or_insert(next);
                if position == next {
                    self.visits.push(Visit { step: *step, began: at, ..Visit::default() });
                }
                self.visits[position].inputs = inputs.clone();
            }
            News::Nested { key, workflow, .. } => {
                self.change(key, |visit| visit.workflow = Some(workflow.clone()));
            }
            News::Left { key, result, variables, way, .. } => {
                self.change(key, |visit| {
                    (visit.ended, visit.way) = (Some(at), *way);
                    (visit.result, visit.variables) = (result.clone(), variables.clone());
                });
                self.open.remove(key);
            }
            News::Closing { outcome } => {
                (self.until, self.outcome) = (Some(at), Some(outcome.clone()));
            }
            _ => {}
        }
    }

    fn change(&mut self, key: &str, change: impl FnOnce(&mut Visit)) {
        if let Some(visit) = self.open.get(key).and_then(|position| self.visits.get_mut(*position)) {
            change(visit);
        }
    }

    /// The variables after all that was left, beside those that were given at the start.
    pub(super) fn variables(&self) -> BTreeMap<&str, &Data> {
        let all = self.visits.iter().flat_map(|visit| &visit.variables);
        all.map(|(name, data)| (name.as_str(), data)).collect()
    }
}
