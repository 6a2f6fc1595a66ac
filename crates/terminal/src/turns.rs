//! A lock that goes in turns: whoever waits comes next, before the one that had it takes it again.
//!
//! The reader of a flooding program holds the screen nearly always; with a plain lock others might never see it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value behind a lock that goes in turns.
pub(crate) struct Turns<T> {
    next: Mutex<()>,
    value: Mutex<T>,
}

impl<T> Turns<T> {
    pub(crate) fn new(value: T) -> Turns<T> {
        Turns { next: Mutex::new(()), value: Mutex::new(value) }
    }

    /// Waits for its turn. Who waits for the value stands at the gate, so that who has just left it stands behind.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let _gate = held(self.next.lock());
        held(self.value.lock())
    }
}

/// Takes a lock whether or not another thread died with it: what dies is told of by its own session.
pub(crate) fn held<G>(lock: Result<G, PoisonError<G>>) -> G {
    lock.unwrap_or_else(PoisonError::into_inner)
}
