//! The machine: states, the ways between them and what results leave behind. A way may be an expression, or tests of what
//! the step gave; a machine may keep variables that its steps write in their parameters as `{name}`.

use super::{Expr, Write};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// States and transitions; the run starts in state `initial`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The first state.
    pub initial: u32,
    /// The states, in order; state `n` does step `n` of the plan.
    pub states: Vec<State>,
    /// What results leave behind, where they leave more than states write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<Variables>,
    /// The server's own state through which the run goes when it is about to end well. Whatever comes of it, the run has
    /// succeeded; outputs may read its `result`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finally: Option<u32>,
}

/// One state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Changes of the state's variables after its step succeeded, before the next state is chosen; all or none.
    pub writes: Vec<Write>,
    /// Where to go, the first that holds. Where none does after success, the run ends.
    pub transitions: Vec<Transition>,
    /// Where to go after a time-out that no transition took.
    pub on_timeout: Option<u32>,
    /// Where to go after any other failure that no transition took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<u32>,
    /// Whether it is the server's own: then it does not count, and leaves no variables.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// When to take it; reads `result` (`result.ok`, `result.timed_out`, `result.error` and what the step gave).
    pub when: Expr,
    /// The state to go to.
    pub to: u32,
    /// What else must hold, all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Test>,
}

/// A test of what a step gave. What is not there is nothing, never an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// A field is this value, and of its type.
    Equals {
        /// The field.
        field: String,
        /// The value.
        value: Value,
    },
    /// The text form of a field has this text in it.
    Contains {
        /// The field.
        field: String,
        /// The text.
        text: String,
    },
    /// A regular expression is found in what was matched and in what the screen shows, or is not.
    Found {
        /// The regular expression.
        pattern: String,
        /// Whether it must be found.
        found: bool,
    },
    /// The step took too long, or did not.
    TimedOut(bool),
}

/// What every result leaves behind: variables of names that are always the same, and variables named after the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Variables {
    /// The input that holds the first ones.
    pub initial: String,
    /// Fields of a result, and the variables that they become.
    pub standard: BTreeMap<String, String>,
    /// Fields that become none.
    pub without: BTreeSet<String>,
    /// The longest text that a variable may have; what is longer is cut.
    pub bytes_max: u64,
    /// The input that says how many states a run may enter.
    pub visits: String,
    /// The input that says how many seconds a run may take.
    pub seconds: String,
}

impl State {
    /// The states that it may lead to.
    pub(super) fn ways(&self) -> impl Iterator<Item = u32> {
        let transitions = self.transitions.iter().map(|way| way.to);
        transitions.chain(self.on_timeout).chain(self.on_failure)
    }
}

impl Transition {
    /// A way that is taken when an expression holds.
    pub fn when(when: Expr, to: u32) -> Self {
        Transition { when, to, tests: Vec::new() }
    }

    /// A way that is taken when all tests hold.
    pub fn tested(tests: Vec<Test>, to: u32) -> Self {
        Transition { when: Expr::Const(true.into()), to, tests }
    }

    /// Whether it says itself that it is for what took too long.
    pub(crate) fn is_for_time_out(&self) -> bool {
        self.tests.contains(&Test::TimedOut(true))
    }
}
