//! Who drives. Whoever posts something while nobody drives and nothing is being carried out takes one round at the wheel: to do
//! the work takes less time than to wake a thread for it and to be woken by that again. All else is the thread's: while others
//! are at work it gathers what they post into one commit and keeps none of them waiting; and what is left after a round, what
//! timers make due, and every wait for the disk.
//!
//! ```text
//!            post, all is quiet             the round is over, nothing is left
//!  nobody ───────────────────────> caller ──────────────────────────────────────> nobody
//!     │  post, others are at work     │  something is left
//!     │  a timer is due               v
//!     └──────────────────────────> thread ── nothing is left ───────────────────> nobody
//! ```

use super::worker::{Mail, Next, Worker, now};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most letters in one transaction.
const BATCH_MAX: usize = 256;

/// How far apart a commit is tried that the store may still take.
const TRY_AGAIN: Duration = Duration::from_millis(250);

/// Where everything for the driver is posted, and where one at a time drives.
#[derive(Default)]
pub(crate) struct Desk {
    inbox: Mutex<Inbox>,
    /// There may be something for the thread to do.
    call: Condvar,
    /// Held by whoever drives. Gone once the work is over.
    worker: Mutex<Option<Worker>>,
    /// How many effects are being carried out, without those that are over and being reported.
    at_work: AtomicUsize,
}

#[derive(Default)]
struct Inbox {
    mail: VecDeque<Mail>,
    wheel: Wheel,
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
        inbox.mail.push_back(mail);
        if inbox.wheel != Wheel::Nobody {
            return;
        }
        if !self.is_quiet() {
            inbox.wheel = Wheel::Thread;
            drop(inbox);
            return self.call.notify_one();
        }
        inbox.wheel = Wheel::Caller;
        drop(inbox);
        let (next, due) = self.round();
        self.leave(next, due);
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
            let count = inbox.mail.len().min(BATCH_MAX);
            inbox.mail.drain(..count).collect()
        };
        let mut seat = self.worker();
        let Some(worker) = seat.as_mut() else { return (Next::Over, None) };
        // Whoever posted something is not to blame for a mistake in here, and is told that the work has stopped.
        let next = catch_unwind(AssertUnwindSafe(|| worker.round(mail))).unwrap_or(Next::Broken);
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
