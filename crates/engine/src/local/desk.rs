//! Who drives. Whoever posts something while nobody drives and nothing is being carried out takes one round at the wheel: to do
//! the work takes less time than to wake a thread for it and to be woken by that again. All else is the thread's: while others
//! are at work it gathers what they post into one commit and keeps none of them waiting; and what is left after a round, what
//! timers make due, and every wait for the disk.
//!
//! Where so many are at work that the machine has enough to do, a report waits a little for others: what it lets begin would
//! only queue for a core, and each flush that is shared is one less. Whatever else is posted ends that waiting.
//!
//! ```text
//!            post, all is quiet             the round is over, nothing is left
//!  nobody ───────────────────────> caller ──────────────────────────────────────> nobody
//!     │  post, others are at work     │  something is left
//!     │  a timer is due               v
//!     └──────────────────────────> thread ── nothing is left ───────────────────> nobody
//! ```

use super::clock::now;
use super::worker::{Mail, Next, Worker};
use crate::driver::Letter;
use crate::mistake::caught_here;
use kernel::Command;
use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Most letters in one transaction.
const BATCH_MAX: usize = 256;

/// How long a report waits for others.
const GATHER_MAX: Duration = Duration::from_millis(2);

/// How far apart a commit is tried that the store may still take.
const TRY_AGAIN: Duration = Duration::from_millis(250);

/// Where everything for the driver is posted, and where one at a time drives.
pub(crate) struct Desk {
    inbox: Mutex<Inbox>,
    /// There may be something for the thread to do.
    call: Condvar,
    /// Held by whoever drives. Gone once the work is over.
    worker: Mutex<Option<Worker>>,
    /// How many effects are being carried out, without those that are over and being reported.
    at_work: AtomicUsize,
    /// With more than this the machine has enough to do.
    enough: usize,
}

#[derive(Default)]
struct Inbox {
    mail: VecDeque<Mail>,
    wheel: Wheel,
    /// The thread lets reports gather.
    gathering: bool,
    /// Something was posted that does not wait for others.
    urgent: bool,
    /// When the next timer is due, in milliseconds since 1970.
    due: Option<u64>,
    /// When the thread wakes by itself.
    wakes: Option<u64>,
    /// Nothing is taken any more: whoever waits for an answer is let go.
    over: bool,
}

/// Who drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wheel {
    #[default]
    Nobody,
    Caller,
    Thread,
}

impl Default for Desk {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Desk {
            inbox: Mutex::default(),
            call: Condvar::new(),
            worker: Mutex::default(),
            at_work: AtomicUsize::new(0),
            enough: 2 * cores,
        }
    }
}

impl Desk {
    /// Gives the desk to whoever will do the work.
    pub(super) fn seat(&self, worker: Worker) {
        *self.worker() = Some(worker);
    }

    /// Posts something, and drives if nobody does.
    pub(crate) fn post(&self, mail: Mail) {
        let mut inbox = self.inbox();
        if inbox.over {
            return;
        }
        inbox.urgent |= !is_patient(&mail);
        inbox.mail.push_back(mail);
        match inbox.wheel {
            Wheel::Nobody if self.is_quiet() => inbox.wheel = Wheel::Caller,
            Wheel::Nobody => {
                inbox.wheel = Wheel::Thread;
                drop(inbox);
                return self.call.notify_one();
            }
            Wheel::Thread if inbox.gathering && !self.gathers(&inbox) => {
                drop(inbox);
                return self.call.notify_one();
            }
            Wheel::Thread | Wheel::Caller => return,
        }
        drop(inbox);
        let (next, due) = self.round();
        self.leave(next, due);
    }

    /// Whether something was posted that nobody has taken yet.
    pub(super) fn has_mail(&self) -> bool {
        !self.inbox().mail.is_empty()
    }

    /// An effect is being carried out from now on.
    pub(super) fn begins(&self) {
        self.at_work.fetch_add(1, Ordering::Relaxed);
    }

    /// An effect is over, and is about to be reported.
    pub(super) fn ends(&self) {
        self.at_work.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether nothing is being carried out. Only a hint: it says who works, not what is done.
    pub(super) fn is_quiet(&self) -> bool {
        self.at_work.load(Ordering::Relaxed) == 0
    }

    /// The thread's work, until all of it is over.
    pub(super) fn work(&self) {
        loop {
            self.wait();
            self.gather();
            loop {
                match self.round() {
                    (Next::Over, _) => return self.end(),
                    (Next::Later, _) => std::thread::sleep(TRY_AGAIN),
                    (next, due) if self.leave(next, due) => break,
                    _ => {}
                }
            }
        }
    }

    /// One round at the wheel.
    fn round(&self) -> (Next, Option<u64>) {
        let mail: Vec<Mail> = {
            let mut inbox = self.inbox();
            inbox.urgent = false;
            let count = inbox.mail.len().min(BATCH_MAX);
            inbox.mail.drain(..count).collect()
        };
        let mut seat = self.worker();
        let Some(worker) = seat.as_mut() else { return (Next::Over, None) };
        // Whoever posted something is not to blame for a mistake in here, and is told that the work has stopped.
        let next = caught_here(|| worker.round(mail)).unwrap_or(Next::Broken);
        let due = worker.timers.next();
        if next == Next::Broken {
            *seat = None;
            drop(seat);
            self.close();
            return (Next::Over, None);
        }
        (next, due)
    }

    /// Leaves the wheel, or gives it to the thread if something is left. Says whether it was left.
    fn leave(&self, next: Next, due: Option<u64>) -> bool {
        let mut inbox = self.inbox();
        let sooner = due.is_some_and(|due| inbox.wakes.is_none_or(|wakes| due < wakes));
        inbox.due = due;
        let done = next == Next::Rest && inbox.mail.is_empty();
        inbox.wheel = if done { Wheel::Nobody } else { Wheel::Thread };
        drop(inbox);
        if sooner || !done {
            self.call.notify_one();
        }
        done
    }

    /// Sleeps until the wheel is the thread's.
    fn wait(&self) {
        let mut inbox = self.inbox();
        while inbox.wheel != Wheel::Thread {
            let left = inbox.due.map(|due| due.saturating_sub(now()));
            if left == Some(0) && inbox.wheel == Wheel::Nobody {
                inbox.wheel = Wheel::Thread;
                return;
            }
            // Whoever drives takes what is due already.
            let left = left.filter(|left| *left > 0);
            inbox.wakes = left.and(inbox.due);
            inbox = match left.map(Duration::from_millis) {
                Some(left) => self.call.wait_timeout(inbox, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.call.wait(inbox).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Lets reports gather for a moment, as long as the machine has enough to do without what they let begin.
    fn gather(&self) {
        let mut inbox = self.inbox();
        let until = Instant::now() + GATHER_MAX;
        inbox.gathering = true;
        while self.gathers(&inbox) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            inbox = self.call.wait_timeout(inbox, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        inbox.gathering = false;
    }

    fn gathers(&self, inbox: &Inbox) -> bool {
        !inbox.urgent && !inbox.mail.is_empty() && self.at_work.load(Ordering::Relaxed) > self.enough
    }

    /// All is done: what comes now is not taken, and the store is closed.
    fn end(&self) {
        self.close();
        let worker = self.worker().take();
        if let Some(worker) = worker {
            worker.end();
        }
    }

    fn close(&self) {
        let left = {
            let mut inbox = self.inbox();
            inbox.over = true;
            std::mem::take(&mut inbox.mail)
        };
        drop(left);
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker(&self) -> MutexGuard<'_, Option<Worker>> {
        self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether nobody waits for an answer to it: an effect was carried out, and says so.
fn is_patient(mail: &Mail) -> bool {
    matches!(mail, Mail::Letter(Letter::Command { command: Command::Report { .. }, reply: None, .. }))
}
