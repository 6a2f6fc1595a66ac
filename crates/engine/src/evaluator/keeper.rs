//! The keeper: the one thread that starts processes and ends those that were idle too long. It stays as long as the
//! evaluator, because on Linux a process dies with the thread that started it, not only with its parent.

use super::pool::State;
use super::process::{Process, Program};
use super::trouble::Trouble;
use crate::kill_point::passed_on;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Whoever wants a process is sent one.
type Wish = Sender<Result<Process, Trouble>>;

/// The handle of the keeper's thread.
#[derive(Debug)]
pub(super) struct Keeper {
    wishes: Option<Sender<Wish>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the thread.
    pub(super) fn new(program: Program, idle: Duration, state: Arc<Mutex<State>>) -> Result<Self, Trouble> {
        let (wishes, wanted) = crossbeam_channel::unbounded();
        let keep = move || Keeping { program, idle, state }.keep(&wanted);
        let thread = std::thread::Builder::new().name("evaluator".into()).spawn(keep);
        let thread = thread.map_err(|error| Trouble::NotStarted(error.to_string()))?;
        Ok(Keeper { wishes: Some(wishes), thread: Some(thread) })
    }

    /// Asks for a process; it comes through what is given back.
    pub(super) fn wish(&self) -> Receiver<Result<Process, Trouble>> {
        let (reply, process) = crossbeam_channel::bounded(1);
        if let Some(wishes) = &self.wishes {
            let _ = wishes.send(reply);
        }
        process
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.wishes.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Keeping {
    program: Program,
    idle: Duration,
    state: Arc<Mutex<State>>,
}

impl Keeping {
    /// Starts what is wished for and ends what is idle, until nobody can wish any more.
    fn keep(self, wanted: &Receiver<Wish>) {
        loop {
            let wish = match self.next_look() {
                None => wanted.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => wanted.recv_deadline(at),
            };
            match wish {
                Ok(reply) => drop(reply.send(self.start())),
                Err(RecvTimeoutError::Timeout) => self.end_idle(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn start(&self) -> Result<Process, Trouble> {
        Process::start(&self.program, passed_on())
            .map_err(|error| Trouble::NotStarted(format!("{}: {error}", self.program.path.display())))
    }

    /// When a process may have been idle for long enough at the earliest; none, if there is no process.
    fn next_look(&self) -> Option<Instant> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let first = state.idle.iter().map(|(_, since)| *since + self.idle).min();
        first.or_else(|| (state.alive > 0).then(|| Instant::now() + self.idle))
    }

    fn end_idle(&self) {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (over, stays) =
            std::mem::take(&mut state.idle).into_iter().partition(|(_, since)| now >= *since + self.idle);
        state.idle = stays;
        let over: Vec<(Process, Instant)> = over;
        state.alive -= over.len();
        drop(state);
        // Ended without the lock: whoever asks meanwhile does not wait for it.
        drop(over);
    }
}
