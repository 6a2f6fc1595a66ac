//! What a house knows beside its runs: the definitions of every folder that a client came from, and the answers to
//! questions in languages that the kernel does not speak.

use super::{Client, Flags};
use crate::settings::Settings;
use engine::answers::{Answers, Called, Patience};
use engine::evaluator::{Evaluator, Program};
use engine::kept::Kept;
use engine::kernel::plan::Dialect;
use engine::kernel::{Answer, Digest, Question, RunId};
use engine::library::{Library, NotFound, Order, Shelf, Surroundings};
use engine::secrets::Keeper;
use engine::terminals::{Keeper as Terminals, Policy};
use engine::turn::Home;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// How many folders' definitions are kept warm.
const SHELVES_MAX: usize = 64;

/// The word by which this binary knows that it is an evaluator.
pub(crate) const EVALUATOR: &str = "evaluator";

/// Answers questions and finds definitions.
pub(super) struct Knows {
    /// Where secrets are found.
    pub(super) secrets: Arc<Keeper>,
    evaluator: Evaluator,
    terminals: Terminals,
    /// The one that was asked for last stands last.
    shelves: Mutex<Vec<Arc<Shelf>>>,
}

impl Knows {
    pub(super) fn new(secrets: Keeper, terminals: Terminals) -> Knows {
        let evaluator = Evaluator::new(Program { path: own_program(), args: vec![EVALUATOR.into()] });
        Knows { secrets: Arc::new(secrets), evaluator, terminals, shelves: Mutex::default() }
    }

    /// The definitions around a folder.
    pub(super) fn shelf(&self, around: Surroundings) -> Arc<Shelf> {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        let found = shelves.iter().position(|shelf| *shelf.surroundings() == around);
        let shelf = match found {
            Some(position) => shelves.remove(position),
            None => Arc::new(Shelf::new(around)),
        };
        if shelves.len() >= SHELVES_MAX {
            shelves.remove(0);
        }
        shelves.push(Arc::clone(&shelf));
        shelf
    }
}

impl Answers for Knows {
    fn secrets(&self) -> Arc<Keeper> {
        Arc::clone(&self.secrets)
    }

    fn answer(&self, run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer> {
        self.evaluator.answer(run, questions, patience)
    }

    fn library(&self, home: &Home) -> Arc<Library> {
        self.shelf(around(home)).library(Order::States)
    }

    /// What may be done in terminals stands in the files of the run's folder, whoever started it.
    fn terminals(&self, home: &Home) -> Option<(Terminals, Policy)> {
        let (workspace, env) = (home.folder.clone(), BTreeMap::clone(&home.env));
        let settings = Settings::read(&Client { workspace, env, umask: home.umask, flags: Flags::default() });
        let read_only = settings.refuse();
        let mut policy = settings.terminals;
        policy.read_only = policy.read_only.or(read_only);
        Some((self.terminals.clone(), policy))
    }

    fn plan(&self, home: &Home, workflow: &str, _plan: Option<Digest>) -> Result<Called, String> {
        self.called(home, Order::Blocks, workflow, not_found)
    }

    /// A state machine looks among those that are kept first, and is told which there are.
    fn plan_for(&self, home: &Home, caller: Dialect, workflow: &str) -> Result<Called, String> {
        if caller != Dialect::States {
            return self.plan(home, workflow, None);
        }
        self.called(home, Order::States, workflow, |error| {
            let names = Kept::of(&home.folder).names().join(", ");
            format!("Workflow '{}' not found. Available: {names}", error.name)
        })
    }
}

impl Knows {
    /// Finds a workflow that is called, in the order of its caller.
    fn called(
        &self,
        home: &Home,
        order: Order,
        workflow: &str,
        tell: impl Fn(&NotFound) -> String,
    ) -> Result<Called, String> {
        let found = self.shelf(around(home)).find(order, workflow);
        let definition = found.map_err(|error| tell(&error))?;
        match (&definition.reading.plan, definition.reading.first_error()) {
            (Some(plan), _) => {
                Ok(Called { plan: Arc::clone(plan), pinned: definition.reading.pinned.clone() })
            }
            (None, Some(error)) => Err(format!("Workflow '{workflow}' is not valid: {}", error.message)),
            (None, None) => Err(format!("Workflow '{workflow}' is not valid")),
        }
    }
}

/// What the places of definitions follow from, for a run of a home.
fn around(home: &Home) -> Surroundings {
    Surroundings::of(home.folder.clone(), |name| home.env.get(name).cloned())
}

/// That a workflow is not there, and what may be meant: its name came from a value.
fn not_found(error: &NotFound) -> String {
    let name = &error.name;
    match error.near.as_slice() {
        [] => format!("Workflow '{name}' not found; `switchback list` shows all there are"),
        near => format!("Workflow '{name}' not found; did you mean `{}`?", near.join("` or `")),
    }
}

/// This very program, also after its file was replaced.
fn own_program() -> PathBuf {
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { own } else { std::env::current_exe().unwrap_or(own) }
}
