//! What the callers and the reader of a session share.

use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::leader::Leader;
use super::waiting::CallOff;
use super::{Exit, Foreground, reader};
use crate::output::Output;
use crate::pty::Pty;
use crate::recording::Recorder;
use crate::screen::Screen;
use crate::turns::{Turns, held};
use crate::wait::Mark;

/// Locks are taken in this order: `writing`, `screen`, `recorder`, `output`.
pub(crate) struct Shared {
    pub(crate) pty: Pty,
    pub(super) leader: Leader,
    /// Until its status is taken; held by who ends the session.
    pub(super) child: Mutex<Option<Child>>,
    /// Held by whoever writes, from the first byte of a message to its last.
    pub(super) writing: Mutex<()>,
    pub(crate) screen: Turns<Box<dyn Screen>>,
    pub(super) recorder: Mutex<Option<Recorder>>,
    pub(crate) output: Mutex<Output>,
    /// Something happened: output, the end, a reader that has come on, a wait that was called off.
    pub(super) news: Condvar,
    /// The end alone, so that who waits for that is not woken by each piece of a flood.
    pub(super) over: Condvar,
    /// The reader has bytes in its hands that nobody sees yet.
    pub(super) is_reading: AtomicBool,
    /// Nobody will look at it any more: what still comes is not drawn.
    pub(super) is_abandoned: AtomicBool,
    pub(super) next_reader: AtomicU64,
    /// What is to be done once the program has ended.
    pub(super) then: Mutex<Vec<Then>>,
}

/// What is done once.
pub(super) type Then = Box<dyn FnOnce() + Send>;

impl Shared {
    /// Begins to read. If no thread can be had, the program is ended.
    pub(super) fn begin(
        pty: Pty,
        child: Child,
        screen: Box<dyn Screen>,
        recorder: Option<Recorder>,
    ) -> io::Result<Arc<Shared>> {
        let shared = Arc::new(Shared {
            pty,
            leader: Leader::of(Pid::from_child(&child)),
            child: Mutex::new(Some(child)),
            writing: Mutex::new(()),
            output: Mutex::new(Output::new(Mark::beginning(screen.size().columns()))),
            screen: Turns::new(screen),
            recorder: Mutex::new(recorder),
            news: Condvar::new(),
            over: Condvar::new(),
            is_reading: AtomicBool::new(false),
            is_abandoned: AtomicBool::new(false),
            next_reader: AtomicU64::new(0),
            then: Mutex::default(),
        });
        let reading = Arc::clone(&shared);
        let thread = thread::Builder::new().name("terminal".to_owned()).stack_size(256 * 1024);
        if let Err(error) = thread.spawn(move || reader::run(&reading)) {
            if let Some(child) = held(shared.child.lock()).as_mut() {
                let _ = child.kill().and_then(|()| child.wait().map(drop));
            }
            return Err(error);
        }
        Ok(shared)
    }

    /// Waits until something is so, but not longer than so long.
    pub(super) fn wait_until<T>(&self, timeout: Duration, is_so: impl Fn(&Output) -> Option<T>) -> Option<T> {
        let until = Instant::now().checked_add(timeout);
        let mut output = held(self.output.lock());
        loop {
            if let Some(answer) = is_so(&output) {
                return Some(answer);
            }
            output = self.sleep(output, until)?;
        }
    }

    /// Waits until there is output beyond a place or there will be none, but not longer than so long, nor once it is called off.
    pub(super) fn wait_beyond(&self, place: u64, timeout: Duration, call_off: Option<&CallOff>) {
        let is_off = || call_off.is_some_and(CallOff::is_off);
        self.wait_until(timeout, |output| {
            (output.end() > place || output.is_over() || is_off()).then_some(())
        });
    }

    /// Waits until the program has ended; all its output was read before that is told.
    pub(super) fn wait_over(&self, timeout: Duration) -> Option<Exit> {
        let output = held(self.output.lock());
        held(self.over.wait_timeout_while(output, timeout, |output| output.exit.is_none())).0.exit
    }

    /// Sleeps until something happens; gives nothing back when the time has come.
    pub(super) fn sleep<'a>(
        &self,
        output: MutexGuard<'a, Output>,
        until: Option<Instant>,
    ) -> Option<MutexGuard<'a, Output>> {
        let Some(until) = until else { return Some(held(self.news.wait(output))) };
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        Some(held(self.news.wait_timeout(output, left)).0)
    }

    /// Does something with the recording, if there is one.
    pub(super) fn recorder(&self, work: impl FnOnce(&mut Recorder)) {
        held(self.recorder.lock()).iter_mut().next().map(work);
    }

    pub(super) fn foreground(&self) -> Option<Foreground> {
        let group = self.pty.foreground()?;
        let name = std::fs::read_to_string(format!("/proc/{}/comm", group.as_raw_nonzero())).ok();
        Some(Foreground {
            pid: group.as_raw_nonzero().get(),
            name: name.map(|name| name.trim_end().to_owned()),
            is_first: group == self.leader.pid,
        })
    }
}
