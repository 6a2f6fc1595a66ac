//! The body of a journal entry: the event, the answers its turn needed, and the digest of what it gave.
//!
//! An old reader refuses a version it does not know; a new reader reads every version there ever was.

use super::Origin;
use kernel::{Answer, Digest, Event};
use serde::{Deserialize, Serialize};

/// The version of the body's form.
pub const ENTRY_VERSION: u32 = 1;

/// One turn as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryBody {
    /// The version of this form.
    pub v: u32,
    /// What happened.
    pub event: Event,
    /// The answers, by round of questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Vec<Answer>>,
    /// The digest of the questions and effects that the turn gave.
    pub gave: Digest,
    /// Where the run comes from; in its first entry only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl EntryBody {
    /// The bytes that are stored and hashed.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("BUG: an entry has no JSON form")
    }
}

/// Reads a stored body.
pub fn decode(bytes: &[u8]) -> Result<EntryBody, String> {
    let body: EntryBody = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if body.v != ENTRY_VERSION {
        return Err(format!("version {} is not known to this binary", body.v));
    }
    Ok(body)
}
