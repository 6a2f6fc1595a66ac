//! That a call was not carried out: why, which sessions there are, and what to call next. Nothing has happened then.

use serde_json::{Value, json};

/// Why a call was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct Refused {
    /// A stable name in kebab-case.
    pub code: &'static str,
    /// What is wrong.
    pub error: String,
    /// The sessions of the caller's workspace that live.
    pub open_sessions: Vec<String>,
    /// What to do next.
    pub next: String,
}

impl Refused {
    pub(super) fn new(code: &'static str, error: impl Into<String>, next: impl Into<String>) -> Refused {
        Refused { code, error: error.into(), open_sessions: Vec::new(), next: next.into() }
    }

    /// The document of a refusal.
    pub fn to_json(&self) -> Value {
        json!({
            "success": false,
            "error": self.error,
            "code": self.code,
            "open_sessions": self.open_sessions,
            "next": self.next,
        })
    }
}
