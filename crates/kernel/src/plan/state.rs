//! The state of a run and the rules on it: who may read which field, which fields follow from others.

use super::{Expr, Origin};
use crate::language::Path;
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
    /// The parts of the state, the one that is read first at the beginning. A field is then called by its layer and its
    /// name (`raw.files`), and a bare name means the first layer that has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<String>,
    /// Whether a field of the state comes before one of an item that has its name. Plans from before that have it the other
    /// way round, and their runs go on so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before_items: bool,
    /// The fields in which the server keeps account of steps by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub books: Option<Books>,
}

/// The layer that holds what follows from others.
pub(crate) const COMPUTED: &str = "computed";

/// The layers that may be written from outside.
pub(crate) const OPEN_LAYERS: [&str; 2] = ["raw", "state"];

impl Rules {
    /// Whether the state has layers.
    pub fn is_layered(&self) -> bool {
        !self.layers.is_empty()
    }

    /// The layer and the name of a field, where there are layers.
    pub fn layer_of<'f>(&self, field: &'f str) -> Option<(&'f str, &'f str)> {
        let (layer, name) = field.split_once('.')?;
        (self.layers.iter().any(|known| known == layer) && !name.is_empty()).then_some((layer, name))
    }
}

/// Where account of steps is kept: each the path of a field, and of keys below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    /// The names of steps that succeeded, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<Vec<String>>,
    /// The names of steps that failed, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Vec<String>>,
    /// How often steps were tried again, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<Vec<String>>,
    /// The last failure of a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<Vec<String>>,
    /// All failures of steps, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<String>>,
    /// Whether a failure says which steps stood around it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stacks: bool,
}

impl Books {
    /// The paths of all fields in which account is kept.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Vec<String>> {
        let fields = [&self.completed, &self.failed, &self.retries, &self.last_error, &self.errors];
        fields.into_iter().flatten()
    }
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
    /// How an evaluator computes it; `value` is then not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<Transform>,
}

/// How an evaluator computes a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// An expression, or the body of a function.
    pub source: String,
    /// The values that are its `input`.
    pub inputs: Vec<Path>,
    /// Whether `input` is the one value, and not a list of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single: bool,
    /// The values it reads beside its input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Path>,
    /// What must hold of its `output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validate: Option<String>,
    /// Where the source stands in its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The file, where that is not the one of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where `validate` stands in its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validate_origin: Option<Origin>,
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
    /// The field is null.
    Null,
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
    /// Further keys below that, some of which are only known when it is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Key>,
    /// How it changes.
    pub kind: WriteKind,
    /// The value; `result` is what the step gave.
    pub value: Expr,
}

/// A key of an object in the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// Known already.
    Name(String),
    /// Made when it is written: one key, whatever signs it has.
    Made(Expr),
}

impl Write {
    /// The field, and the keys below it that are known.
    pub(super) fn path(&self) -> &[String] {
        &self.path
    }

    /// All that is to be made for it: its value, then the keys that are not known.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> + Clone {
        let keys = self.keys.iter().filter_map(|key| match key {
            Key::Name(_) => None,
            Key::Made(expr) => Some(expr),
        });
        std::iter::once(&self.value).chain(keys)
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
