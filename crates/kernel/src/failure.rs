//! Why something did not succeed: a kind for the machine, a message for the person.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A failure of a step or a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What happened, as a lower-case fragment that fits "failed: ...".
    pub message: String,
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

impl Failure {
    /// Makes a failure.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure { kind, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}
