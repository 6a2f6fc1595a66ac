//! The one door for definitions of every dialect: text in, a plan or diagnostics out.

use crate::detect::detect;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::known::{Known, Nobody};
use crate::text::{Node, Source, load};
use crate::{blocks, numbers, reactive, states, steps};
use kernel::Plan;
use kernel::plan::Dialect;
use std::sync::Arc;

/// A definition that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The plan.
    pub plan: Plan,
    /// The plans of its own tasks, which it names by their digests.
    pub tasks: Vec<Arc<Plan>>,
    /// What is doubtful about it.
    pub warnings: Diagnostics,
    /// The files that it imports, and those that these import.
    pub imports: Vec<Imported>,
}

/// A file that a definition imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The path as written.
    pub path: String,
    /// Where it was found, as diagnostics name it.
    pub found_at: String,
    /// The name of the workflow in it, where it is one.
    pub workflow: Option<String>,
    /// The files that it imports itself.
    pub imports: Vec<Imported>,
}

/// What is said about reading beside the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ReadOptions {
    /// Steps of `steps` may read what they use, declared or not; each such field is a warning.
    pub infer_needs_state: bool,
    /// Shell steps of `steps` are carried out by the server.
    pub server_shell: bool,
    /// What the server hands to the agent of `reactive` although it could carry it out itself.
    pub hand_out: HandOut,
    /// Whose limits hold for `states`.
    pub states: states::Entry,
}

/// Steps of `reactive` that are handed to the agent, by their types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct HandOut {
    /// Commands.
    pub shell_command: bool,
    /// Changes of the state.
    pub state_update: bool,
}

/// Reads a definition of whatever dialect, by itself: what it calls is found when it is called.
pub fn read(source: &Source) -> Result<Read, Diagnostics> {
    read_with(source, &Nobody, ReadOptions::default())
}

/// Reads a definition of whatever dialect, and links it to the workflows that it calls by constant names.
pub fn read_with(source: &Source, known: &dyn Known, options: ReadOptions) -> Result<Read, Diagnostics> {
    let root = load(source).map_err(Diagnostics::from)?;
    let mut read = match dialect(source, &root, options)? {
        Dialect::Blocks => blocks::read(source, &root, known),
        Dialect::Steps => steps::read(source, &root, options),
        Dialect::Reactive => reactive::read(source, &root, known, options),
        Dialect::States => states::read(source, &root, options.states),
    }?;
    whole(source, &root, &read)?;
    read.warnings.extend(numbers::doubts(source, &root));
    Ok(read)
}

/// The dialect of a definition. What is to be a state machine is read as one, so that it is told what it lacks.
fn dialect(source: &Source, root: &Node, options: ReadOptions) -> Result<Dialect, Diagnostics> {
    let told = detect(source, root);
    match (options.states, told) {
        (states::Entry::Create, _) => Ok(Dialect::States),
        (states::Entry::Inline, Err(_)) => Ok(Dialect::States),
        (_, told) => told.map_err(|diagnostic| Diagnostics::from(vec![*diagnostic])),
    }
}

/// A plan whose parts do not fit together is our own mistake. No run is begun of it: nobody could read it.
fn whole(source: &Source, root: &Node, read: &Read) -> Result<(), Diagnostics> {
    let plans = std::iter::once(&read.plan).chain(read.tasks.iter().map(Arc::as_ref));
    let Some(broken) = plans.filter_map(|plan| plan.check().err()).next() else { return Ok(()) };
    let message = format!("this definition cannot be made into a plan: {}", broken.0);
    let found = Diagnostic::error("broken-plan", source, crate::detect::body(root).place(), message)
        .hint("this is a mistake of switchback and not of yours: please report it with this file");
    Err(Diagnostics::from(vec![found]))
}
