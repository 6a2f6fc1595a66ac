//! What is wrong with a schema, and where.

use crate::near::nearest;
use crate::shape::listed;
use jsonschema::ValidationError;
use serde_json::Value;

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where, as a JSON pointer into the schema; empty for all of it.
    pub at: String,
    /// What.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Mistake {
    pub(super) fn new(at: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Mistake { at: at.to_owned(), message: message.into(), hint: hint.into() }
    }

    /// In our words where people often go wrong, else in those of the validator.
    pub(super) fn of(schema: &Value, error: &ValidationError<'_>) -> Self {
        let at = error.instance_path().to_string();
        let (_, keyword) = at.rsplit_once('/').unwrap_or_default();
        match (keyword, schema.pointer(&at)) {
            ("type", Some(Value::String(word))) => {
                let hint = match nearest(word, TYPES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("types are {}", listed(TYPES)),
                };
                Mistake::new(&at, format!("no type of a JSON schema is called `{word}`"), hint)
            }
            ("pattern", Some(Value::String(pattern))) => {
                let hint = "patterns have no look-around and no back-references, and are not large";
                Mistake::new(&at, format!("`{pattern}` cannot be used as a pattern"), hint)
            }
            _ => Mistake::new(&at, format!("this is no JSON schema: {}", error.masked()), ""),
        }
    }
}
