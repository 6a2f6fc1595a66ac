//! The pool: who may use a process now. A process goes from hand to hand without anyone waking who cannot use it, and the
//! next is of the run that uses the fewest: see `line.rs`.
//!
//! ```text
//!  seat ── a process is idle ───────────────► it
//!    ├──── fewer than allowed ──────────────► a new one
//!    └──── else: waits ── somebody is done ─► theirs, or the right to start one
//! ```

use super::keeper::Keeper;
use super::limits::Rules;
use super::line::Lines;
use super::process::{Process, Program};
use super::trouble::Trouble;
use kernel::RunId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// All processes and all who wait for one.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Processes that nobody uses, and since when; the last used is last.
    pub(super) idle: Vec<(Process, Instant)>,
    /// Idle ones and taken seats.
    pub(super) alive: usize,
    /// Who sits and who waits.
    lines: Lines<Option<Process>>,
}

/// The pool.
#[derive(Debug)]
pub(super) struct Pool {
    program: Program,
    pub(super) rules: Rules,
    state: Arc<Mutex<State>>,
    keeper: Mutex<Option<Keeper>>,
}

impl Pool {
    pub(super) fn new(program: Program, rules: Rules) -> Self {
        Pool { program, rules, state: Arc::default(), keeper: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a seat for a run.
    pub(super) fn seat(&self, run: &RunId) -> Seat<'_> {
        let mut state = self.state();
        let max = self.rules.processes_max.get();
        let free = !state.idle.is_empty() || state.alive < max;
        if free && state.lines.sit(run, max) {
            let process = state.idle.pop().map(|(process, _)| process);
            state.alive += usize::from(process.is_none());
            return Seat { pool: self, run: run.clone(), process };
        }
        let turn = state.lines.wait(run);
        drop(state);
        Seat { pool: self, run: run.clone(), process: turn.recv().expect("BUG: a waiter was forgotten") }
    }

    /// Starts a process.
    fn start(&self) -> Result<Process, Trouble> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.is_none() {
            *keeper = Some(Keeper::new(self.program.clone(), self.rules.idle, Arc::clone(&self.state))?);
        }
        let started = keeper.as_ref().map(Keeper::wish);
        drop(keeper);
        let told = started.and_then(|started| started.recv().ok());
        told.unwrap_or_else(|| Err(Trouble::NotStarted("its keeper is gone".to_owned())))
    }

    /// The numbers of idle processes, for tests and people.
    pub(super) fn idle(&self) -> Vec<u32> {
        self.state().idle.iter().map(|(process, _)| process.id()).collect()
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.state().lines.waiting()
    }
}

/// The right to use one process. Invariant: as long as a seat is taken, it counts as alive.
#[derive(Debug)]
pub(super) struct Seat<'p> {
    pool: &'p Pool,
    run: RunId,
    process: Option<Process>,
}

impl Seat<'_> {
    /// The process of this seat, started if there is none.
    pub(super) fn process(&mut self) -> Result<&mut Process, Trouble> {
        let process = match self.process.take() {
            Some(process) => process,
            None => self.pool.start()?,
        };
        Ok(self.process.insert(process))
    }

    /// Ends the process; the next one is a fresh one.
    pub(super) fn end(&mut self) {
        self.process = None;
    }

    /// Notes that its run has taken all the time of a question: it leaves a seat to the others from now on.
    pub(super) fn was_late(&self) {
        self.pool.state().lines.was_late(&self.run);
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let process = self.process.take();
        let mut state = self.pool.state();
        match state.lines.next(&self.run, self.pool.rules.processes_max.get(), process) {
            Ok(()) => {}
            Err(Some(process)) => state.idle.push((process, Instant::now())),
            Err(None) => state.alive -= 1,
        }
    }
}
