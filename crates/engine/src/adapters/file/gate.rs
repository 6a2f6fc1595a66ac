//! Who was first: the one who carries an operation out and is about to change something, or the one who stops it.

use super::Trouble;
use crate::answers::Patience;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

const OPEN: u8 = 0;
const PASSED: u8 = 1;
const SHUT: u8 = 2;

/// Passed once by whoever changes something, or shut before.
#[derive(Debug, Default)]
pub(super) struct Gate {
    state: AtomicU8,
    /// Whether a folder is waited for that somebody else holds.
    pub(super) waits: AtomicBool,
    /// With what is asked of an evaluator: once it is shut, nothing more is.
    pub(super) patience: Patience,
}

impl Gate {
    /// Nothing has been changed so far; goes on unless someone has stopped it.
    pub(super) fn check(&self) -> Result<(), Trouble> {
        if self.state.load(Ordering::SeqCst) == SHUT { Err(Trouble::stopped()) } else { Ok(()) }
    }

    /// From here on it cannot be stopped.
    pub(super) fn pass(&self) -> Result<(), Trouble> {
        match self.state.compare_exchange(OPEN, PASSED, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) | Err(PASSED) => Ok(()),
            Err(_) => Err(Trouble::stopped()),
        }
    }

    /// Stops it, if it has changed nothing yet.
    pub(super) fn shut(&self) -> bool {
        let before = self.state.compare_exchange(OPEN, SHUT, Ordering::SeqCst, Ordering::SeqCst);
        let shut = matches!(before, Ok(_) | Err(SHUT));
        if shut {
            self.patience.cancel();
        }
        shut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_decides() {
        let gate = Gate::default();
        assert!(gate.check().is_ok() && gate.pass().is_ok() && !gate.shut());
        assert!(gate.check().is_ok() && gate.pass().is_ok());
        let gate = Gate::default();
        assert!(gate.shut() && gate.shut());
        assert!(gate.check().is_err() && gate.pass().is_err());
        assert!(gate.patience.over(std::time::Instant::now()).is_some(), "nothing more is evaluated for it");
    }
}
