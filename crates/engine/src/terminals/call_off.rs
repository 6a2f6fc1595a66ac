//! Ends waiting from elsewhere: of a call that was cancelled, of a client that hung up.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle by which what waits with it is ended. Whoever is not told of one waits to the end.
#[derive(Clone, Default)]
pub struct CallOff(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_off: bool,
    waits: Option<terminal::CallOff>,
}

impl CallOff {
    /// Ends what waits with it, now or later.
    pub fn call_off(&self) {
        let waits = {
            let mut state = self.state();
            state.is_off = true;
            state.waits.take()
        };
        waits.iter().for_each(terminal::CallOff::call_off);
    }

    /// Whether it was called off.
    pub(crate) fn is_off(&self) -> bool {
        self.state().is_off
    }

    /// From now on this waits with it.
    pub(super) fn waits(&self, handle: &terminal::CallOff) {
        let mut state = self.state();
        if state.is_off {
            handle.call_off();
        }
        state.waits = Some(handle.clone());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
