//! The state of a run and the rules on it: who may read which field, which fields follow from others.

use super::Expr;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The state's first values and rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// First values of fields, in order; they may read inputs.
    pub initial: Vec<(String, Expr)>,
    /// Fields that follow from others, each after those it reads.
    pub computed: Vec<Computed>,
}

/// A field that follows from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Computed {
    /// Its name.
    pub name: String,
    /// The fields whose change makes it be computed anew.
    pub from: BTreeSet<String>,
    /// How it is computed; reads `state.<name>`.
    pub value: Expr,
    /// What holds when that fails.
    pub on_error: OnError,
}

/// What a failed computation does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The field gets this value.
    Fallback(Value),
    /// The write that caused it fails.
    Propagate,
    /// The field keeps the value it had.
    Ignore,
}

/// What a step may read of the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// All of it.
    #[default]
    All,
    /// These fields only.
    Fields(BTreeSet<String>),
}

impl Access {
    /// Whether a field may be read.
    pub fn allows(&self, field: &str) -> bool {
        match self {
            Access::All => true,
            Access::Fields(fields) => fields.contains(field),
        }
    }
}

/// A change of the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Write {
    /// The field, and the keys below it.
    pub path: Vec<String>,
    /// How it changes.
    pub kind: WriteKind,
    /// The value; `result` is what the step gave.
    pub value: Expr,
}

impl Write {
    /// The value to be.
    pub(crate) fn value(&self) -> &Expr {
        &self.value
    }
}

/// How a field changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteKind {
    /// It becomes the value.
    Set,
    /// The value is added at the end of a list.
    Append,
    /// The number grows by the value.
    Increment,
    /// The fields of the value replace those of the object.
    Merge,
}
