//! How a program ended.

use std::fmt;

use rustix::process::WaitIdStatus;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with a code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// Nobody can say any more: its status was taken elsewhere.
    Unknown,
}

impl Exit {
    pub(super) fn of(status: &WaitIdStatus) -> Exit {
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            (None, None) => Exit::Unknown,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(formatter, "exit code {code}"),
            Exit::Signal(signal) => write!(formatter, "signal {signal}"),
            Exit::Unknown => write!(formatter, "nobody knows how"),
        }
    }
}
