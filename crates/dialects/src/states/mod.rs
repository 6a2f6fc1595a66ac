//! The dialect `states`: a state machine whose states call the tools of terminals, or run another workflow.
//!
//! ```text
//! names of states ── state: action, ways, time ── contract ── who is reached ── plan
//! ```
//! Two forms of it were written by two sources, and both are read: ways with conditions as objects and variables in braces, and
//! contracts of environment variables with conditions as words. Where they set other limits, whoever reads says whose hold
//! ([`Entry`]). The sentences that the sources fix are messages of diagnostics, word for word.

mod action;
mod condition;
mod contract;
mod head;
mod nested;
mod pattern;
mod place;
mod plan;
mod reach;
mod read;
pub mod schema;
mod state;
pub mod tools;
pub mod view;

pub use contract::{Contract, Variable};
pub use nested::given_to;
pub use place::path;
pub use plan::{
    CHECK, CLOSE, EXECUTION_TIMEOUT, INITIAL_VARIABLES, KEEP, KEEP_SESSIONS, MAX_STATES, PARAMS,
    SAVE_ON_SUCCESS, SECONDS, SECONDS_USUAL, SESSION, STATES, STATES_USUAL, TOOL, VARIABLE_BYTES_MAX,
    definition_of,
};
pub use read::read;

/// Whose limits hold where the sources differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Those of either: a definition that lies somewhere.
    #[default]
    Any,
    /// Those of a definition that is given with a call and run at once.
    Inline,
    /// Those of a definition that is created to be kept.
    Create,
}

#[cfg(test)]
mod tests;
