//! Why something did not succeed: a kind for the machine, a message for the person.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest message that a run holds on to; the journal has all of it.
pub(crate) const MESSAGE_BYTES_MAX: usize = 4_000;

/// A failure of a step or a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What happened, as a lower-case fragment that fits "failed: ...".
    pub message: String,
    /// How far a machine had come that failed, for the one that runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<Box<Reached>>,
}

/// How far a machine had come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// The last state that it entered.
    pub state: String,
    /// How many it entered.
    pub visits: u32,
    /// How deep runs below it have called each other.
    pub depth: u32,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// It was carried out and said no: an exit code that is not zero.
    Operation,
    /// It could not be carried out at all.
    Crashed,
    /// It took longer than it may.
    TimedOut,
    /// It was to be ended, and something of it goes on: it is not tried again beside that.
    Unended,
    /// It was interrupted, and someone decided that it failed.
    Interrupted,
    /// It was cancelled.
    Cancelled,
    /// An expression could not be evaluated.
    Expression,
    /// It read state it did not declare.
    Access,
    /// A child run failed.
    Child,
    /// A human said no, or did not answer in time.
    Declined,
    /// A claimed result did not hold.
    Unverified,
    /// A limit was reached.
    Limit,
}

impl FailureKind {
    /// Whether it was carried out, and this is what came of it. All else could not be carried out to its end.
    pub fn is_outcome(self) -> bool {
        matches!(self, Self::Operation | Self::Child | Self::Declined | Self::Unverified)
    }
}

impl Failure {
    /// Makes a failure.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure { kind, message: message.into(), reached: None }
    }

    /// The failure of a step, where an expression of it has no value.
    pub(crate) fn of_expression(self) -> Self {
        self.of("Expression error")
    }

    /// The failure, where an expression has no value, with what that was for. All else says so itself.
    pub(crate) fn of(self, what: &str) -> Self {
        match self.kind {
            FailureKind::Expression => Failure { message: format!("{what}: {}", self.message), ..self },
            _ => self,
        }
    }

    /// The failure with a message that a run may hold on to.
    pub(crate) fn bounded(self) -> Self {
        Failure { message: shortened(self.message, MESSAGE_BYTES_MAX), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

/// A text of at most so many bytes, and dots where something was cut off.
pub(crate) fn shortened(mut text: String, bytes_max: usize) -> String {
    const DOTS: &str = "...";
    if text.len() > bytes_max {
        text.truncate(text.floor_char_boundary(bytes_max.saturating_sub(DOTS.len())));
        text.push_str(DOTS);
    }
    text
}

/// A text of at most so many bytes, and dots in its middle where something was cut out: what it is about stands at the
/// beginning of a message, and why at its end.
pub(crate) fn gist(text: &str, bytes_max: usize) -> String {
    const DOTS: &str = " ... ";
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let room = bytes_max.saturating_sub(DOTS.len());
    let (head, tail) = (room / 3, room - room / 3);
    let (end, start) = (text.floor_char_boundary(head), text.ceil_char_boundary(text.len() - tail));
    format!("{}{DOTS}{}", &text[..end], &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_carried_out_has_an_outcome() {
        use FailureKind::*;
        let outcomes = [Operation, Child, Declined, Unverified];
        let crashes = [Crashed, TimedOut, Interrupted, Cancelled, Expression, Access, Limit];
        assert!(outcomes.into_iter().all(FailureKind::is_outcome));
        assert!(!crashes.into_iter().any(FailureKind::is_outcome));
    }

    #[test]
    fn a_gist_keeps_both_ends() {
        assert_eq!(gist("abcdefghijkl", 12), "abcdefghijkl");
        assert_eq!(gist("abcdefghijklm", 11), "ab ... jklm");
        assert_eq!(gist("ääääääää", 11), "ä ... ää");
    }

    #[test]
    fn long_words_are_cut_between_letters() {
        assert_eq!(shortened("abcde".into(), 5), "abcde");
        assert_eq!(shortened("abcdef".into(), 5), "ab...");
        assert_eq!(shortened("aäöü".into(), 6), "aä...");
        assert_eq!(shortened("äöü".into(), 4), "...");
    }
}
