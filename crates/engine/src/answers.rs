//! Who knows what a run asks within a turn, and which plan a called workflow has. Evaluators and the library stand
//! behind this trait; stored content is answered by the driver itself.

mod patience;

pub use patience::{Over, Patience};

use crate::library::Library;
use crate::secrets::Keeper;
use crate::terminals::{Keeper as Terminals, Policy};
use crate::turn::Home;
use kernel::plan::Dialect;
use kernel::{Answer, Digest, Plan, Question, RunId};
use std::sync::Arc;

/// Those who know.
pub trait Answers: Send + Sync + 'static {
    /// Answers questions of one turn of a run, all at once and in their order, as long as the patience with it lasts.
    fn answer(&self, run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer>;
    /// Finds the workflow that a child runs in the library of its parent's home, or says why there is none.
    fn plan(&self, home: &Home, workflow: &str, plan: Option<Digest>) -> Result<Called, String>;
    /// The same for a caller of a dialect, which has places and words of its own.
    fn plan_for(&self, home: &Home, _caller: Dialect, workflow: &str) -> Result<Called, String> {
        self.plan(home, workflow, None)
    }
    /// The definitions around a home, as the tools of `states` see them; none where nobody knows any.
    fn library(&self, _home: &Home) -> Arc<Library> {
        Arc::default()
    }
    /// Who keeps the terminals that steps of a home use, and what may be done in them; nobody where there are none.
    fn terminals(&self, _home: &Home) -> Option<(Terminals, Policy)> {
        None
    }
    /// Who finds the secrets of commands.
    fn secrets(&self) -> Arc<Keeper> {
        Arc::default()
    }
}

/// A workflow that is called.
#[derive(Clone, Debug)]
pub struct Called {
    /// Its plan.
    pub plan: Arc<Plan>,
    /// The plans of those that it calls by constant names, as far as they are not in the store already.
    pub pinned: Vec<Arc<Plan>>,
}

impl From<Arc<Plan>> for Called {
    fn from(plan: Arc<Plan>) -> Self {
        Called { plan, pinned: Vec::new() }
    }
}

/// Nobody knows anything: no evaluator, no library.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Answers for Nobody {
    fn answer(&self, _run: &RunId, questions: &[Question], _patience: &Patience) -> Vec<Answer> {
        let nobody = || Answer::Unanswered("no evaluator is there to ask".to_owned());
        questions.iter().map(|_| nobody()).collect()
    }

    fn plan(&self, _home: &Home, workflow: &str, _plan: Option<Digest>) -> Result<Called, String> {
        Err(format!("Workflow '{workflow}' not found"))
    }
}
