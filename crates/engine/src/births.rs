//! Children that are being born: between its start and its program a child holds a copy of every descriptor of this process,
//! whatever is said of closing them. Whoever has written a file and closed it is therefore not the last to have it open for
//! writing, and the system does not execute such a file ("Text file busy"). So whoever gives a written file away waits until all
//! whose birth began before it was closed have their program: mostly nobody, else for some microseconds.
//!
//! ```text
//!  write ── open ───────── close ── settle ────────── reported
//!  child         born ─────────────────── its program begins: its copies are closed
//!  child                            born ── has no copy, and is not waited for
//! ```
//! Births never wait: neither for each other nor for whoever writes, however slow the disk.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a child may take to its program. One that takes longer hangs in its folder or at its program (a disk that does not
/// answer), and has closed its copies before.
const BIRTH_MAX: Duration = Duration::from_secs(1);

static HERE: Births = Births::new();

/// Starts a child. What it is given comes back when the child has its program, or will never have one.
pub(crate) fn bear<T>(start: impl FnOnce() -> T) -> T {
    HERE.bear(start)
}

/// Waits until no child that is being born can hold a copy of what was closed before.
pub(crate) fn settle() {
    HERE.settle(BIRTH_MAX);
}

struct Births {
    open: Mutex<Open>,
    over: Condvar,
}

struct Open {
    /// The number of the next birth.
    next: u64,
    /// Those that are not over.
    births: Vec<u64>,
    waiting: usize,
}

impl Births {
    const fn new() -> Births {
        Births { open: Mutex::new(Open { next: 0, births: Vec::new(), waiting: 0 }), over: Condvar::new() }
    }

    fn bear<T>(&self, start: impl FnOnce() -> T) -> T {
        let number = {
            let mut open = self.open();
            let number = open.next;
            open.next += 1;
            open.births.push(number);
            number
        };
        let _over = Over(self, number);
        start()
    }

    fn settle(&self, most: Duration) {
        let mut open = self.open();
        let (before, deadline) = (open.next, Instant::now() + most);
        open.waiting += 1;
        while open.births.iter().any(|birth| *birth < before) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            open = self.over.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        open.waiting -= 1;
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a birth, also one that panics.
struct Over<'b>(&'b Births, u64);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        let mut open = self.0.open();
        open.births.retain(|birth| *birth != self.1);
        if open.waiting > 0 {
            self.0.over.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::{JoinHandle, spawn};

    /// Never reached by a test that does not fail.
    const LONG: Duration = Duration::from_secs(60);

    fn births() -> &'static Births {
        Box::leak(Box::new(Births::new()))
    }

    /// A birth that is over when it is told so.
    fn born(births: &'static Births) -> (Sender<()>, JoinHandle<()>) {
        let ((end, ended), (begin, begun)) = (channel::<()>(), channel());
        let birth = spawn(move || {
            births.bear(|| {
                begin.send(()).unwrap();
                ended.recv().unwrap();
            });
        });
        begun.recv().unwrap();
        (end, birth)
    }

    fn settling(births: &'static Births) -> Receiver<()> {
        let (tell, settled) = channel();
        spawn(move || {
            births.settle(LONG);
            tell.send(()).unwrap();
        });
        while births.open().waiting == 0 {
            std::thread::yield_now();
        }
        settled
    }

    #[test]
    fn only_births_that_began_before_are_waited_for() {
        let births = births();
        births.settle(LONG);
        let (first, gone) = born(births);
        let settled = settling(births);
        let (later, gone_later) = born(births);
        assert!(settled.try_recv().is_err());
        first.send(()).unwrap();
        settled.recv().unwrap();
        gone.join().unwrap();
        later.send(()).unwrap();
        gone_later.join().unwrap();
        assert!(births.open().births.is_empty() && births.open().waiting == 0);
    }

    #[test]
    fn one_that_hangs_is_waited_for_so_long_and_no_longer() {
        let births = births();
        let (hung, gone) = born(births);
        let began = Instant::now();
        births.settle(Duration::from_millis(20));
        assert!(began.elapsed() >= Duration::from_millis(20));
        hung.send(()).unwrap();
        gone.join().unwrap();
    }

    #[test]
    fn one_that_panics_is_over() {
        let births = births();
        let panicked = std::panic::catch_unwind(|| births.bear(|| panic!("as it must")));
        assert!(panicked.is_err());
        births.settle(LONG);
    }
}
