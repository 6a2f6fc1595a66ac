//! The second thread of a session whose program floods: it takes bytes from the terminal while the first one draws what came
//! before, so that the program is not held up by either.
//!
//! ```text
//!  reader ── much came ──► pump: reads on ── bytes ──► reader: draws
//!  reader ◄── nothing came for a moment, or the end ── pump rests until there is much again
//! ```
//! It is started by the first flood. Only one of the two reads at a time: the pump while it is at work, else the reader.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::pty::{Pty, Read};
use crate::turns::held;

/// What is taken at most before it is drawn.
const AHEAD_BYTES_MAX: usize = 256 * 1024;

/// A terminal that says nothing for so long does not flood any more.
const DRY: Duration = Duration::from_millis(1);

/// How much is asked of the terminal at once; it never gives more than a few kilobytes.
const PIECE_BYTES: usize = 16 * 1024;

/// What the two threads share.
#[derive(Default)]
pub(super) struct Pump {
    state: Mutex<State>,
    /// Work for the pump: begin, go on, end.
    begin: Condvar,
    /// Work for the reader: bytes, or that the pump rests.
    came: Condvar,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    is_at_work: bool,
    is_over: bool,
    /// What ended it: the end of the terminal, or an error of it.
    end: Option<io::Result<()>>,
}

/// What the reader gets.
pub(super) enum Pumped {
    /// These; they are in the buffer that was given.
    Bytes,
    /// Nothing for a moment: the reader reads again.
    Dry,
    /// There will be nothing more.
    End(io::Result<()>),
}

/// Lets the pump end, however the reader does.
pub(super) struct Over<'p>(pub(super) &'p Pump);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.begin.notify_all();
    }
}

impl Pump {
    fn lock(&self) -> MutexGuard<'_, State> {
        held(self.state.lock())
    }

    /// Lets it read. From here on the reader only takes.
    pub(super) fn begin(&self) {
        self.lock().is_at_work = true;
        self.begin.notify_all();
    }

    /// Takes what has come since, in place of what the buffer holds.
    pub(super) fn take(&self, buffer: &mut Vec<u8>) -> Pumped {
        buffer.clear();
        let is_waiting = |state: &mut State| state.bytes.is_empty() && state.is_at_work;
        let mut state = held(self.came.wait_while(self.lock(), is_waiting));
        if !state.bytes.is_empty() {
            std::mem::swap(buffer, &mut state.bytes);
            drop(state);
            self.begin.notify_all();
            return Pumped::Bytes;
        }
        state.end.take().map_or(Pumped::Dry, Pumped::End)
    }

    /// The work of the pump's thread.
    pub(super) fn run(&self, pty: &Pty) {
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let rests = |state: &mut State| !state.is_over && !state.is_at_work;
            if held(self.begin.wait_while(self.lock(), rests)).is_over {
                return;
            }
            let end = self.read_on(pty, &mut piece);
            let mut state = self.lock();
            (state.is_at_work, state.end) = (false, end);
            drop(state);
            self.came.notify_all();
        }
    }

    /// Reads until nothing comes for a moment, or nothing will.
    fn read_on(&self, pty: &Pty, piece: &mut [u8]) -> Option<io::Result<()>> {
        loop {
            match pty.read(piece) {
                Ok(Read::Bytes(count)) => {
                    if !self.push(&piece[..count]) {
                        return None;
                    }
                }
                Ok(Read::Nothing) => match pty.wait(true, false, Some(Instant::now() + DRY)) {
                    Ok(ready) if ready.is_empty() => return None,
                    Ok(_) => (),
                    Err(error) => return Some(Err(error)),
                },
                Ok(Read::Closed) => return Some(Ok(())),
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Puts down what came, once there is room for it; tells whether somebody still takes it.
    fn push(&self, bytes: &[u8]) -> bool {
        let is_full = |state: &mut State| !state.is_over && state.bytes.len() >= AHEAD_BYTES_MAX;
        let mut state = held(self.begin.wait_while(self.lock(), is_full));
        state.bytes.extend_from_slice(bytes);
        let goes_on = !state.is_over;
        drop(state);
        self.came.notify_all();
        goes_on
    }
}
