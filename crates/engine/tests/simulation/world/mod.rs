//! One world from a seed: a server over a real store, its hands, an evaluator, an agent, a human, and a clock that
//! is only a number. First chaos, then kindness: no more crashes, everyone answers, and every run must end.
//!
//! ```text
//!  queue (clock) ── letters ── Driver ── commit ── parcels ── hands, timers, people ── queue
//!                     └── a crash may fall between any two of these ──┘
//! ```

mod check;
mod evaluator;
mod hands;
mod people;
mod queue;
mod server;

use crate::faults::{self, Fault};
use crate::plans::Library;
use crate::random::Random;
use crate::watch::{Violation, Watch};
use engine::backend::Error;
use engine::driver::{Driver, Letter};
use engine::store::Store;
use hands::Hands;
use kernel::table::Row;
use kernel::{Command, RunId};
use queue::{Happening, Queue};
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Most steps before the world becomes kind, and most after.
const CHAOS_STEPS: u64 = 120;
const KIND_STEPS: u64 = 4_000;
/// After so many kind steps all runs are cancelled, so that long ones end too.
const PATIENCE: u64 = 150;

/// Why a step did not come to its end.
pub(crate) enum Halt {
    /// The server died.
    Crash,
    /// A promise was broken.
    Broken(Violation),
}

impl From<Violation> for Halt {
    fn from(violation: Violation) -> Self {
        Halt::Broken(violation)
    }
}

/// What a world has shown.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) rows: BTreeSet<Row>,
    pub(crate) turns: u64,
    pub(crate) crashes: u64,
    pub(crate) runs: u64,
}

/// A world.
pub(crate) struct World<'d> {
    random: Random,
    dir: &'d Path,
    seed: u64,
    library: Library,
    fault: Option<Fault>,
    /// The store of the world before, in which the first server starts.
    store: Option<Store>,
    /// The server; gone only in the middle of a crash.
    driver: Option<Driver>,
    /// A server that was taken over and does not know it yet.
    zombie: Option<Driver>,
    /// How often the server was started; what belongs to an earlier one is gone.
    life: u64,
    clock: u64,
    queue: Queue,
    /// Letters the server writes to itself.
    own: VecDeque<Letter>,
    hands: Hands,
    /// Runs that wait for the evaluator, and runs that are still to be carried on.
    asking: u64,
    recovering: u64,
    replies: Replies,
    watch: Watch,
    /// Commands that people have sent, to be sent again.
    said: Vec<(RunId, Command)>,
    /// Crashes that may still come, and how likely each chance of one is, in a thousand.
    crashes_left: u64,
    crash_permille: u64,
    kind: bool,
    crashes: u64,
    trace: Option<Vec<String>>,
}

/// The number of a reply, and the entry it tells of or why there is none.
type Answered = (u64, Result<u64, String>);

/// What became of letters that wanted an answer.
#[derive(Clone, Default)]
struct Replies {
    came: Arc<Mutex<Vec<Answered>>>,
    next: u64,
    /// The first of this life of the server; those before went with an earlier one.
    since: u64,
    open: BTreeSet<u64>,
}

impl Replies {
    /// A reply to be sent along.
    fn expect(&mut self) -> Option<engine::turn::Reply> {
        let (came, number) = (Arc::clone(&self.came), self.next);
        self.next += 1;
        self.open.insert(number);
        Some(Box::new(move |answer: Result<engine::backend::Accepted, Error>| {
            let answer = answer.map(|accepted| accepted.seq).map_err(|error| error.to_string());
            came.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, answer));
        }))
    }

    /// The server died, and its callers with it.
    fn forget(&mut self) {
        self.since = self.next;
        self.open.clear();
    }

    fn take(&mut self) -> Vec<Answered> {
        let mut came = self.came.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let came = std::mem::take(&mut *came);
        came.into_iter().filter(|(number, _)| *number >= self.since).collect()
    }
}

impl<'d> World<'d> {
    /// A world before its first moment, over an empty data directory.
    pub(crate) fn new(
        seed: u64,
        dir: &'d Path,
        store: Option<Store>,
        fault: Option<Fault>,
        trace: bool,
    ) -> Self {
        let mut random = Random::new(seed);
        let library = Library::new(&mut random);
        let crash_permille = random.weighted(&[(2, 0), (4, 8), (3, 30)]);
        let crashes_left = if crash_permille == 0 { 0 } else { random.between(1, 3) };
        World {
            random,
            dir,
            seed,
            library,
            fault,
            store,
            driver: None,
            zombie: None,
            life: 0,
            clock: 1_000_000,
            queue: Queue::default(),
            own: VecDeque::new(),
            hands: Hands::default(),
            asking: 0,
            recovering: 0,
            replies: Replies::default(),
            watch: Watch::new(faults::in_runs(fault)),
            said: Vec::new(),
            crashes_left,
            crash_permille,
            kind: false,
            crashes: 0,
            trace: trace.then(Vec::new),
        }
    }

    /// Lives the whole world.
    pub(crate) fn live(&mut self) -> Result<Seen, Violation> {
        self.start_server()?;
        self.set_the_scene();
        for _ in 0..CHAOS_STEPS {
            if !self.step()? {
                break;
            }
        }
        self.become_kind();
        let mut steps = 0;
        while self.kind_step()? {
            steps += 1;
            if steps == PATIENCE {
                self.cancel_all();
            }
            if steps > KIND_STEPS {
                return Err(Violation::new("every run ends", self.unended()));
            }
        }
        self.check_the_end()?;
        Ok(Seen {
            rows: std::mem::take(&mut self.watch.rows),
            turns: self.watch.runs.values().map(|shadow| shadow.seq).sum(),
            crashes: self.crashes,
            runs: self.watch.runs.len() as u64,
        })
    }

    /// The store for the next world, and what happened, if it was noted.
    pub(crate) fn over(self) -> (Option<Store>, Vec<String>) {
        (self.driver.map(Driver::into_store), self.trace.unwrap_or_default())
    }

    /// The folder of all runs of this world.
    fn folder(&self) -> String {
        format!("/world/{}", self.seed)
    }

    pub(super) fn note(&mut self, what: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{:>8} {}", self.clock, what()));
        }
    }

    fn set_the_scene(&mut self) {
        let roots = self.library.roots.len() as u64;
        for number in 0..roots {
            let after = self.random.below(50);
            self.queue.plan(self.clock + after, None, Happening::Start { number });
            if self.random.percent(35) {
                let after = self.random.below(1_500);
                self.queue.plan(self.clock + after, None, Happening::Cancel { number });
            }
        }
        self.queue.plan(self.clock + 20, None, Happening::People);
        if self.crashes_left > 0 && self.random.percent(25) {
            let after = self.random.below(800);
            self.queue.plan(self.clock + after, None, Happening::TakeOver);
        }
    }

    fn become_kind(&mut self) {
        self.note(|| "the world becomes kind".to_owned());
        self.kind = true;
        self.zombie = None;
    }

    /// One round of the server: letters in, one commit, parcels out. False when nothing can happen any more.
    fn step(&mut self) -> Result<bool, Violation> {
        let pending = self.driver.as_ref().is_some_and(Driver::is_pending);
        if self.own.is_empty() && self.queue.is_empty() && !pending {
            return Ok(false);
        }
        match self.round() {
            Ok(()) => Ok(true),
            Err(Halt::Crash) => {
                self.start_server()?;
                Ok(true)
            }
            Err(Halt::Broken(violation)) => Err(violation),
        }
    }

    fn kind_step(&mut self) -> Result<bool, Violation> {
        if self.random.percent(50) || (self.own.is_empty() && self.queue.is_empty()) {
            self.everyone_answers();
        }
        self.step()
    }

    fn round(&mut self) -> Result<(), Halt> {
        self.take_own()?;
        let more = self.random.weighted(&[(5, 1), (3, 2), (1, 5)]);
        for taken in 0..more {
            // The first may let time pass; others only come along if their time is now.
            if !self.take_next(taken == 0 && self.own.is_empty())? {
                break;
            }
            self.may_crash()?;
        }
        self.flush()
    }

    fn take_own(&mut self) -> Result<(), Halt> {
        while let Some(letter) = self.own.pop_front() {
            self.take(letter);
            self.may_crash()?;
            if self.random.percent(10) {
                break;
            }
        }
        Ok(())
    }

    fn take_next(&mut self, wait: bool) -> Result<bool, Halt> {
        let Some((at, life, happening)) = self.queue.next(if wait { u64::MAX } else { self.clock }) else {
            return Ok(false);
        };
        self.clock = self.clock.max(at);
        if life.is_none_or(|life| life == self.life) {
            self.happen(happening)?;
        }
        Ok(true)
    }

    fn happen(&mut self, happening: Happening) -> Result<(), Halt> {
        match happening {
            Happening::Start { number } => self.start_root(number),
            Happening::Cancel { number } => self.cancel_root(number),
            Happening::Retry => {}
            Happening::Recover { run } => {
                self.recovering -= 1;
                let reply = self.replies.expect();
                self.take(Letter::Recover { run, reply });
            }
            Happening::People => self.people_act(),
            Happening::Report { key, ticket } => self.job_ends(key, ticket),
            Happening::Echo { run, command } => {
                self.note(|| format!("again: {run} {command:?}"));
                self.command(&run, command);
            }
            Happening::Timer { key, due } => self.timer_fires(key, due),
            Happening::Answer { run, questions } => self.evaluator_answers(run, &questions),
            Happening::TakeOver => return self.take_over(),
            Happening::Zombie => return self.zombie_acts(),
        }
        Ok(())
    }
}
