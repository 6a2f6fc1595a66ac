//! The plan: the checked, lowered form that every dialect becomes. A plan is data; it has no behaviour of
//! its own beyond checking that its parts fit together. A run is pinned to the digest of its plan.

mod check;
mod expr;
mod flow;
mod machine;
mod state;
mod step;

pub use check::Broken;
pub use expr::{Expr, Foreign, Language, Origin};
pub use flow::{Block, Body, Each, Flow, Graph, ItemInputs, Node, OnFailure, Place, Sequence, Spread, Tasks};
pub use machine::{Machine, State, Test, Transition, Variables};
pub use state::{Access, Books, Computed, Key, OnError, Rules, Transform, Write, WriteKind};
pub(crate) use state::{COMPUTED, OPEN_LAYERS};
pub use step::{
    Adapter, Audience, Deadline, Ends, Gate, GateLevel, OnInterrupt, OnOverdue, Retry, Step, Verify, Work,
    Workflow,
};

use crate::{Digest, Limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The input that holds the item a child is run for. No definition can give an input that name.
pub const ITEM: &str = "@item";

/// The number of the plan's form.
pub const FORMAT: u32 = 1;

/// A checked workflow, ready to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The number of this form.
    pub format: u32,
    /// The workflow's name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The form it was written in.
    pub dialect: Dialect,
    /// What may be given at the start, in the order written.
    pub inputs: Vec<Input>,
    /// The state and its rules.
    pub state: Rules,
    /// All units of work; flows name them by position.
    pub steps: Vec<Step>,
    /// How the next step is chosen.
    pub flow: Flow,
    /// Steps that run, in order, while the run closes, however it ends.
    pub cleanup: Vec<u32>,
    /// What the run gives when it has succeeded, in the order written.
    pub outputs: Vec<(String, Expr)>,
    /// How long the run may take.
    pub deadline: Deadline,
    /// The workflows it calls by constant names, pinned by digest.
    pub pinned: BTreeMap<String, Digest>,
    /// The bounds.
    pub limits: Limits,
    /// Which version of its definition this is, where that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where its steps belong to a sub-agent: how that is called (`@task`, `@reviewer`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether the steps that clean up run only after what did not succeed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cleanup_spares_success: bool,
    /// What the definition says to those who follow it, by section; nothing here chooses by it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, Value>,
    /// What its nodes mean where that has changed: [`REVISION`] for plans that are made now. Plans that were written before
    /// there was another meaning say nothing, and keep theirs.
    #[serde(default, skip_serializing_if = "is_first")]
    pub revision: u32,
}

/// The newest meaning of a plan.
///
/// | since | what it means |
/// |---|---|
/// | 1 | a task that begins again, or whose name begins again, numbers its steps on; all tasks begin, whatever becomes of others; an item that gives no task is a task that failed; the failure that was caught stays the one that is told; books are kept of loops, forks and changes as well |
/// | 2 | a computed field that only follows from computed fields which come out as they were is not computed; an action that may fail by silence is tried again |
pub const REVISION: u32 = 2;

fn is_first(revision: &u32) -> bool {
    *revision == 0
}

/// The forms a definition may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// A graph of blocks.
    Blocks,
    /// Steps for an agent, with Jinja.
    Steps,
    /// Steps over raw and computed state, with JavaScript.
    Reactive,
    /// A state machine.
    States,
}

impl Dialect {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Dialect::Blocks => "blocks",
            Dialect::Steps => "steps",
            Dialect::Reactive => "reactive",
            Dialect::States => "states",
        }
    }
}

/// Something that may be given at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The type it must have.
    pub kind: InputKind,
    /// Whether it must be given; never missing where there is a default.
    pub required: bool,
    /// What holds where nothing is given.
    pub default: Option<Value>,
    /// A JSON schema that a value must fit. It is held against it before it gets to a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Value>,
}

/// Types of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    List,
    /// An object.
    Object,
    /// Anything.
    Any,
}

impl InputKind {
    /// Whether a value has this type.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            InputKind::String => value.is_string(),
            InputKind::Integer => value.is_i64() || value.is_u64(),
            InputKind::Number => value.is_number(),
            InputKind::Boolean => value.is_boolean(),
            InputKind::List => value.is_array(),
            InputKind::Object => value.is_object(),
            InputKind::Any => true,
        }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            InputKind::String => "string",
            InputKind::Integer => "integer",
            InputKind::Number => "number",
            InputKind::Boolean => "boolean",
            InputKind::List => "list",
            InputKind::Object => "object",
            InputKind::Any => "any",
        }
    }
}

impl Plan {
    /// An empty plan, to be filled.
    pub fn new(name: impl Into<String>, dialect: Dialect, flow: Flow) -> Self {
        Plan {
            format: FORMAT,
            name: name.into(),
            description: String::new(),
            dialect,
            inputs: Vec::new(),
            state: Rules::default(),
            steps: Vec::new(),
            flow,
            cleanup: Vec::new(),
            outputs: Vec::new(),
            deadline: Deadline::Never,
            pinned: BTreeMap::new(),
            limits: Limits::default(),
            version: None,
            agent: None,
            cleanup_spares_success: false,
            notes: BTreeMap::new(),
            revision: 0,
        }
    }

    /// Names the plan by its content.
    pub fn digest(&self) -> Digest {
        Digest::of_json(self)
    }
}
