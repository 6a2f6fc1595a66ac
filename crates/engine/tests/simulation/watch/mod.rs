//! The watch: looks at the store as anyone could, follows every run's journal on its own, and knows what must never
//! be. It asks no evaluator and trusts nothing that the driver says.

mod history;
mod shadow;

pub(crate) use shadow::Shadow;

use engine::store::Reader;
use kernel::fault::Planted;
use kernel::table::Row;
use kernel::{Digest, Effect, Plan, RunId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Something that must never be.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    /// Which promise was broken.
    pub(crate) invariant: &'static str,
    /// How.
    pub(crate) detail: String,
}

impl Violation {
    pub(crate) fn new(invariant: &'static str, detail: impl Into<String>) -> Self {
        Violation { invariant, detail: detail.into() }
    }
}

/// All runs, as their journals tell them.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) runs: BTreeMap<RunId, Shadow>,
    /// The rows of transition tables that were followed.
    pub(crate) rows: BTreeSet<Row>,
    plans: HashMap<Digest, Arc<Plan>>,
    planted: Planted,
}

impl Watch {
    pub(crate) fn new(planted: Planted) -> Self {
        Watch { planted, ..Watch::default() }
    }

    /// Reads what is new in a run's journal.
    pub(crate) fn catch_up(&mut self, reader: &Reader, id: &RunId) -> Result<(), Violation> {
        if !self.runs.contains_key(id) {
            let Some(shadow) = Shadow::first(reader, id, &mut self.plans, self.planted)? else {
                return Ok(());
            };
            self.runs.insert(id.clone(), shadow);
        }
        let shadow = self.runs.get_mut(id).expect("BUG: a shadow that was just made is gone");
        shadow.catch_up(reader, &mut self.rows)
    }

    /// An effect leaves: the store must hold the turn that asked for it.
    pub(crate) fn leaves(&mut self, reader: &Reader, id: &RunId, effect: &Effect) -> Result<(), Violation> {
        if self.has_asked(id, effect) {
            return Ok(());
        }
        self.catch_up(reader, id)?;
        if self.has_asked(id, effect) {
            return Ok(());
        }
        let detail = format!("{id}: {effect:?} left, and no stored entry asks for it");
        Err(Violation::new("no effect leaves before its commit", detail))
    }

    fn has_asked(&self, id: &RunId, effect: &Effect) -> bool {
        self.runs.get(id).is_some_and(|shadow| shadow.history.has_asked(effect))
    }

    pub(crate) fn run(&self, id: &RunId) -> Option<&kernel::Run> {
        self.runs.get(id).map(|shadow| &shadow.run)
    }
}
