//! What a run must know before it can choose, and what it was told. Questions are answered inside the turn;
//! the answers are recorded, so that a replay asks nobody.

use crate::data::Reference;
use crate::plan::{Language, Origin};
use crate::{Data, Digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// How a sentence of an evaluator begins that says that an expression read what its step did not declare.
pub const VIOLATION: &str = "State access violation: ";

/// The entry of a scope that lists what may be read, where an expression reads the state by names that it makes itself.
pub const DECLARED: &str = "state?";

/// The entry of a scope that lists the paths that are read and have no value, where a language must tell them from names
/// that nobody knows.
pub const ABSENT: &str = "?";

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// What are these expressions?
    Evaluate {
        /// The language.
        language: Language,
        /// All expressions of a step at once.
        expressions: Vec<String>,
        /// The values they read, by path.
        scope: Vec<(String, Data)>,
        /// Where each expression stands in its file; empty where nothing can be said of any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        origins: Vec<Option<Origin>>,
    },
    /// What are these fields, each computed after those it reads?
    Compute {
        /// The language.
        language: Language,
        /// All that follows from a change, in order.
        fields: Vec<Compute>,
        /// The values they read, by path, as far as this question does not compute them itself. A field that keeps its
        /// value when it cannot be computed stands here under its own name.
        scope: Vec<(String, Data)>,
    },
    /// What does stored content say?
    Load {
        /// The content.
        digest: Digest,
    },
    /// What are these values, put together from their pieces? What is large is kept as content.
    Gather {
        /// The values, each in pieces.
        wholes: Vec<Vec<Piece>>,
        /// What weighs more than this is answered by reference.
        inline_bytes_max: u64,
        /// What all of them may have together, in bytes of their JSON form.
        bytes_max: u64,
    },
}

/// A field to be computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compute {
    /// The field, with its layer: fields after it read it by that, and by its bare name.
    pub name: String,
    /// An expression, or the body of a function.
    pub source: String,
    /// The paths of the values that are its `input`.
    pub inputs: Vec<String>,
    /// Whether `input` is the one value, and not a list of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single: bool,
    /// The paths of the values it reads beside its input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// What must hold of its `output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validate: Option<String>,
    /// What it is when it cannot be computed.
    pub otherwise: Otherwise,
    /// Where the source stands in its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Where `validate` stands in its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validate_origin: Option<Origin>,
    /// Fields of the same question, where nothing else that it follows from is different: it is computed only if one of them
    /// comes out as another one than it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_after: Vec<Before>,
}

/// What a field was before it is computed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The field, with its layer.
    pub name: String,
    /// Names its value: a digest of the JSON form of it, or of the text that it is. None where it had none.
    pub was: Option<Digest>,
}

impl Before {
    /// Whether a value, in the form of JSON, is the one that was.
    pub fn is(&self, now: Option<&str>) -> bool {
        let (Some(was), Some(now)) = (&self.was, now) else { return self.was.is_none() && now.is_none() };
        let text = || serde_json::from_str::<String>(now).ok();
        Digest::of(now.as_bytes()) == *was
            || now.starts_with('"') && text().is_some_and(|text| Digest::of(text.as_bytes()) == *was)
    }
}

/// What a field is when it cannot be computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Otherwise {
    /// This value.
    Value(Value),
    /// What it was.
    Old,
    /// Null.
    Null,
}

/// What became of a field that was to be computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// Its value, after a failure the one that it has then. None where something of its input is not there, or where it keeps
    /// a value that it never had.
    pub value: Option<Data>,
    /// Why it could not be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Names its input.
    pub input: Digest,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// Whether it was not computed, because nothing that it follows from came out as another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// A piece of the JSON form of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// What stands there.
    Json(String),
    /// A stored value.
    Value(Reference),
    /// The items of a stored list that has some, without what is around them.
    Items(Reference),
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// For each expression its value, or why it has none. What was gathered has one for each whole.
    Evaluated(Vec<Result<Data, String>>),
    /// For each field what became of it, in order.
    Computed(Vec<Made>),
    /// The evaluator died or hung; no expression has a value.
    Unanswered(String),
    /// The content. It is not recorded with the answer, but read again by its digest.
    Loaded {
        /// The content.
        digest: Digest,
        /// What it says.
        #[serde(skip)]
        value: Arc<Value>,
    },
}

impl Answer {
    /// How many bytes an evaluator made with it.
    pub(crate) fn made_bytes(&self) -> u64 {
        match self {
            Answer::Evaluated(values) => values.iter().flatten().map(Data::bytes).sum(),
            Answer::Computed(fields) => {
                fields.iter().filter_map(|made| made.value.as_ref()).map(Data::bytes).sum()
            }
            Answer::Unanswered(_) | Answer::Loaded { .. } => 0,
        }
    }
}

impl Question {
    /// Names the question by what it asks, so that the same question is asked once in a turn.
    pub fn digest(&self) -> Digest {
        Digest::of_json(self)
    }
}
