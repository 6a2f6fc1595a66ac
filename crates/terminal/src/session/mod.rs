//! A session: one program in one terminal, as a value that others hold and share.
//!
//! ```text
//!  send ──► PTY ──► program ──► PTY ──► reader (a thread) ──► recording, screen, output ──► whoever waits
//!                                          └── answers that the program is owed ──► PTY
//! ```

mod end;
mod exit;
mod leader;
mod members;
mod pump;
mod reader;
mod send;
mod shared;
mod waiting;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::{OpenError, ResizeError};
use crate::output::Piece;
use crate::program;
use crate::pty::Pty;
use crate::recording::{Recorded, Recorder};
use crate::screen::{Cursor, Emulator, Modes, Screen};
use crate::size::Size;
use crate::spec::Spec;
use crate::turns::held;
use crate::view::{self, Content, Mode};

pub use exit::Exit;
pub use send::{Input, Sent, Settle};
pub use waiting::CallOff;

pub(crate) use shared::Shared;

/// A program in a terminal. When the value is dropped, every process of it is ended at once.
pub struct Session {
    shared: Arc<Shared>,
    started: Instant,
}

/// What the screen looks like at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks {
    /// Its rows, without blanks at their ends and without blank ones at the end.
    pub text: String,
    /// Where the cursor is.
    pub cursor: Cursor,
    /// Its size.
    pub size: Size,
    /// What the program has switched on.
    pub modes: Modes,
    /// The title that the program has set.
    pub title: String,
    /// How often the program has rung the bell.
    pub bells: u64,
}

impl Looks {
    fn of(screen: &dyn Screen) -> Looks {
        Looks {
            text: screen.text(),
            cursor: screen.cursor(),
            size: screen.size(),
            modes: screen.modes(),
            title: screen.title(),
            bells: screen.bells(),
        }
    }
}

/// The process group that reads what is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreground {
    /// The id of its first process.
    pub pid: i32,
    /// The name of that process, where the system tells it.
    pub name: Option<String>,
    /// Whether it is the program that the session was opened with.
    pub is_first: bool,
}

impl Session {
    /// Starts the program in a terminal of its own. If it cannot, nothing is left behind.
    pub fn open(spec: &Spec) -> Result<Session, OpenError> {
        let program = program::find(spec)?;
        let recorder = match &spec.recording {
            Some(recording) => Some(
                Recorder::begin(recording, spec)
                    .map_err(|source| OpenError::Recording { path: recording.path.clone(), source })?,
            ),
            None => None,
        };
        let opened = Pty::open(spec, &program).and_then(|(pty, child)| {
            let screen = Box::new(Emulator::new(spec.size, spec.scrollback));
            Shared::begin(pty, child, screen, recorder)
        });
        match opened {
            Ok(shared) => Ok(Session { shared, started: Instant::now() }),
            Err(source) => {
                // Best effort: an empty recording of nothing helps nobody.
                spec.recording.iter().for_each(|recording| drop(std::fs::remove_file(&recording.path)));
                Err(OpenError::Start { program: spec.program.clone(), source })
            }
        }
    }

    /// Tells when it was opened.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Gives the id of the program's process.
    pub fn pid(&self) -> i32 {
        self.shared.leader.pid.as_raw_nonzero().get()
    }

    /// Shows the screen.
    pub fn screen(&self) -> Looks {
        Looks::of(&**self.shared.screen.lock())
    }

    /// Gives the line that the cursor is on; nothing of a program that draws the whole screen.
    pub fn line(&self) -> Option<String> {
        let screen = self.shared.screen.lock();
        (!screen.modes().alternate_screen).then(|| screen.line())
    }

    /// Shows the screen, and its rows with their colours, for who draws them in a terminal of their own.
    pub fn painted(&self) -> (Looks, Vec<String>) {
        let screen = self.shared.screen.lock();
        (Looks::of(&**screen), screen.painted())
    }

    /// Shows what is asked for, at most so many bytes of it, with a word on what was left out.
    pub fn content(&self, mode: Mode, bytes_max: usize) -> Content {
        view::content(&self.shared, mode, bytes_max)
    }

    /// Gives another size; gives back the one that it became.
    pub fn resize(&self, size: Size) -> Result<Size, ResizeError> {
        let mut screen = self.shared.screen.lock();
        self.shared.pty.resize(size)?;
        screen.resize(size);
        self.shared.recorder(|recorder| recorder.resized(size));
        Ok(size)
    }

    /// Tells how the program ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        held(self.shared.output.lock()).exit
    }

    /// Waits until the program has ended and all its output was read, but not longer than so long.
    pub fn wait_exit(&self, timeout: Duration) -> Option<Exit> {
        self.shared.wait_over(timeout)
    }

    /// Does something once the program has ended and all its output was read, on the thread that reads; at once if it has.
    pub fn when_over(&self, then: impl FnOnce() + Send + 'static) {
        let mut waiting = held(self.shared.then.lock());
        if self.exit().is_some() {
            drop(waiting);
            return then();
        }
        waiting.push(Box::new(then));
    }

    /// Tells how long nothing has come.
    pub fn quiet_for(&self) -> Duration {
        held(self.shared.output.lock()).last.elapsed()
    }

    /// Tells what broke inside, if something did; the session is ended then.
    pub fn fault(&self) -> Option<String> {
        held(self.shared.output.lock()).fault.clone()
    }

    /// Tells which process reads what is typed; none after the end.
    pub fn foreground(&self) -> Option<Foreground> {
        self.exit().is_none().then(|| self.shared.foreground())?
    }

    /// Tells how much the program has written since the beginning.
    pub fn output_end(&self) -> u64 {
        held(self.shared.output.lock()).end()
    }

    /// Gives raw output from a place on, for who shows it in a terminal of their own; waits for some, but not longer than so
    /// long. What is no longer kept is left out: the piece then begins later.
    pub fn read_output(&self, place: u64, timeout: Duration, call_off: Option<&CallOff>) -> Piece {
        const PIECE_BYTES_MAX: usize = 64 * 1024;
        self.shared.wait_beyond(place, timeout, call_off);
        held(self.shared.output.lock()).from(place, PIECE_BYTES_MAX)
    }

    /// Tells what has become of the recording, if there is one.
    pub fn recorded(&self) -> Option<Recorded> {
        held(self.shared.recorder.lock()).as_ref().map(|recorder| recorder.recorded().clone())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // What does not even end by SIGKILL is beyond us, and nobody is left to be told.
        let _ = self.end(Duration::ZERO);
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Session").field("pid", &self.pid()).finish_non_exhaustive()
    }
}
