//! Data of a run: small values inline, large ones by reference to content that is stored once.

use crate::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Named data: the inputs, outputs or parameters of a step.
pub type Fields = BTreeMap<String, Data>;

/// A value, or a reference to one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// The value itself.
    Inline(Value),
    /// Where the value can be had.
    Stored(Reference),
}

/// A reference to stored content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Digest of the stored bytes.
    pub digest: Digest,
    /// Number of stored bytes.
    pub size: u64,
    /// What the bytes are.
    pub kind: Kind,
    /// The first bytes as text, for people.
    pub head: String,
}

/// What stored bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// UTF-8 text: the value is a string.
    Text,
    /// JSON: the value is what it says.
    Json,
}

impl Data {
    /// The value, if it is inline.
    pub fn inline(&self) -> Option<&Value> {
        match self {
            Data::Inline(value) => Some(value),
            Data::Stored(_) => None,
        }
    }

    /// What it weighs inside a run, in bytes, near enough to its JSON form to hold limits by.
    pub fn weight(&self) -> u64 {
        match self {
            Data::Inline(value) => weight(value),
            Data::Stored(reference) => 160 + reference.head.len() as u64,
        }
    }
}

impl From<Value> for Data {
    fn from(value: Value) -> Self {
        Data::Inline(value)
    }
}

/// The weight of named data.
pub fn weight_of(fields: &Fields) -> u64 {
    fields.iter().map(|(name, data)| name.len() as u64 + 4 + data.weight()).sum()
}

/// The length of a value's JSON form, without counting escapes twice.
pub fn weight(value: &Value) -> u64 {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() as u64 + 2,
        Value::Array(items) => 2 + items.iter().map(|item| weight(item) + 1).sum::<u64>(),
        Value::Object(map) => {
            2 + map.iter().map(|(key, item)| key.len() as u64 + 4 + weight(item)).sum::<u64>()
        }
    }
}
