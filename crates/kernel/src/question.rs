//! What a run must know before it can choose, and what it was told. Questions are answered inside the turn;
//! the answers are recorded, so that a replay asks nobody.

use crate::data::Reference;
use crate::plan::Language;
use crate::{Data, Digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// How a sentence of an evaluator begins that says that an expression read what its step did not declare.
pub const VIOLATION: &str = "State access violation: ";

/// The entry of a scope that lists what may be read, where an expression reads the state by names that it makes itself.
pub const DECLARED: &str = "state?";

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

impl Question {
    /// Names the question by what it asks, so that the same question is asked once in a turn.
    pub fn digest(&self) -> Digest {
        Digest::of_json(self)
    }
}
