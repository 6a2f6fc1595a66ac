//! Waiting for output without polling.
//!
//! What is matched is what came after the session's last input, as clean text, wherever the pieces were cut, and never the echo
//! of what was typed. Programs that draw on the second screen write changes, not lines: of them the rows are matched that look
//! different than they did when the input was typed.

mod echo;
mod line;
mod mark;
mod pattern;
mod search;
mod transcript;

pub(crate) use echo::Typing;
pub(crate) use mark::Mark;
pub(crate) use search::{Found, Search};
pub(crate) use transcript::Transcript;

pub use pattern::{Group, Match, Pattern, PatternError};

use std::time::Duration;

/// What came of waiting.
#[derive(Debug, Clone, PartialEq)]
pub struct Waited {
    /// Why it is over.
    pub outcome: Outcome,
    /// How long it took.
    pub elapsed: Duration,
    /// The rows of the screen at that moment, without blank ones at the end.
    pub screen: String,
}

/// Why waiting is over. None of these is an error.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It appeared.
    Matched(Match),
    /// It did not appear in time.
    TimedOut,
    /// The program ended or closed its terminal, and it did not appear before.
    Ended,
    /// Whoever waited does not want to any more.
    CalledOff,
}

impl Outcome {
    /// Gives the match, if there is one.
    pub fn matched(&self) -> Option<&Match> {
        match self {
            Outcome::Matched(found) => Some(found),
            _ => None,
        }
    }
}
