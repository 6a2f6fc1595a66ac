//! How the process ends. The numbers are part of the product (design.md, section 4).

use std::process::ExitCode;

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It was done.
    Succeeded = 0,
    /// It could not be done, and not by the fault of whoever asked.
    Internal = 1,
    /// What was asked cannot be.
    Usage = 2,
    /// The run waits for a human.
    Waiting = 3,
    /// The definition is wrong.
    Invalid = 5,
    /// The run failed.
    Failed = 100,
    /// The run took longer than it may.
    TimedOut = 124,
    /// It was interrupted from outside.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
