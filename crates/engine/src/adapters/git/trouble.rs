//! Why a worktree was not made or removed.

use kernel::{Failure, FailureKind};
use std::time::Duration;

/// Why it was not done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Git said no, or we do in its place: the operation failed.
    Refused(String),
    /// Another git holds a lock; a little later it may do.
    Locked(String),
    /// It could not be carried out at all.
    Crashed(String),
    /// Its path leads nowhere it may.
    Place(Failure),
    /// It took longer than it may.
    TimedOut,
    /// Its run does not want it any more.
    Cancelled,
    /// The server shuts down.
    Interrupted,
}

impl Trouble {
    /// The failure it is told as; `None` where recovery will say.
    pub(super) fn failure(self, timeout_ms: Option<u64>) -> Option<Failure> {
        let (kind, message) = match self {
            Trouble::Refused(said) | Trouble::Locked(said) => (FailureKind::Operation, said),
            Trouble::Place(failure) => return Some(failure),
            Trouble::Crashed(why) => (FailureKind::Crashed, why),
            Trouble::TimedOut => {
                let seconds = Duration::from_millis(timeout_ms.unwrap_or_default()).as_secs_f64();
                let message =
                    format!("timed out after {seconds} s (its `timeout` says how long it may take)");
                (FailureKind::TimedOut, message)
            }
            Trouble::Cancelled => (FailureKind::Cancelled, "was cancelled".to_owned()),
            Trouble::Interrupted => return None,
        };
        Some(Failure::new(kind, message))
    }
}
