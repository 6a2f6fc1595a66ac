//! What is said to people on stderr. A command that follows a run has it written by a thread of its own: stderr may be a pipe that
//! nobody reads at this moment, and signals, questions and the run itself are heard all the same.
//!
//! ```text
//!  say ── straight to stderr, or once `begin` was called: queue ── thread ── stderr
//!                                                           settle waits until all of it is written
//! ```

use super::follow::Signals;
use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long what is left may take before signals end the process that waits for it.
const SOON: Duration = Duration::from_millis(100);

static QUEUE: Mutex<Queue> =
    Mutex::new(Queue { text: String::new(), is_begun: false, is_writing: false, most: None });
static CALL: Condvar = Condvar::new();

struct Queue {
    /// What nobody has written yet.
    text: String,
    /// Whether there is a thread for it.
    is_begun: bool,
    /// Whether the thread is at it.
    is_writing: bool,
    /// How long it is waited for at the end.
    most: Option<Duration>,
}

impl Queue {
    fn is_settled(&self) -> bool {
        self.text.is_empty() && !self.is_writing
    }
}

/// Says something. If nobody listens there is nobody to tell.
pub(crate) fn say(text: &str) {
    let mut queue = queue();
    if !queue.is_begun {
        drop(queue);
        return write(text);
    }
    queue.text.push_str(text);
    CALL.notify_all();
}

/// From now on nobody who says something waits for whoever reads it. Where no thread can be had, all stays as it was.
pub(crate) fn begin() {
    begin_for(None);
}

/// The same where what was said counts for little: at the end it is waited for so long at most.
pub(crate) fn begin_for(most: Option<Duration>) {
    let mut queue = queue();
    queue.most = most;
    if !queue.is_begun {
        let thread = std::thread::Builder::new().name("talk".to_owned()).spawn(work);
        queue.is_begun = thread.is_ok();
    }
}

/// Waits until all that was said is written. A signal ends the process that waits for that.
pub(crate) fn settle() {
    let late = CALL.wait_timeout_while(queue(), SOON, |queue| !queue.is_settled());
    let (queue, late) = late.unwrap_or_else(PoisonError::into_inner);
    if !late.timed_out() {
        return;
    }
    if let Some(most) = queue.most {
        return drop(CALL.wait_timeout_while(queue, most, |queue| !queue.is_settled()));
    }
    drop(queue);
    if Signals::are_heard() {
        Signals::are_done(false);
    }
    let waited = CALL.wait_while(self::queue(), |queue| !queue.is_settled());
    drop(waited.unwrap_or_else(PoisonError::into_inner));
}

fn work() {
    let mut held = queue();
    loop {
        let text = std::mem::take(&mut held.text);
        held.is_writing = !text.is_empty();
        if text.is_empty() {
            CALL.notify_all();
            held =
                CALL.wait_while(held, |queue| queue.text.is_empty()).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        drop(held);
        write(&text);
        held = queue();
    }
}

fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}
