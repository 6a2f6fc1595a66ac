//! Typing into a session.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::waiting::CallOff;
use super::{Session, Shared};
use crate::error::SendError;
use crate::keys::Keys;
use crate::pty::Line;
use crate::screen::Modes;
use crate::turns::held;
use crate::wait::Mark;

/// How long a program may not read before typing gives up.
const UNREAD_MAX: Duration = Duration::from_secs(2);

/// How long output that is on its way when something is typed is waited for, so that it counts as older.
const ON_ITS_WAY_MAX: Duration = Duration::from_millis(3);

/// What the system takes for one line of a program that reads lines.
const LINE_BYTES_MAX: usize = if cfg!(target_os = "linux") { 4_095 } else { 1_023 };

/// What is typed.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// Text and control characters as they are.
    Text(&'a str),
    /// Keys by their names.
    Keys(&'a Keys),
    /// Text that the program is told was pasted, if it wants to be told.
    Paste(&'a str),
}

/// When typing returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settle {
    /// How long the first byte of output is waited for.
    pub first: Duration,
    /// How long nothing must come after the last byte; nothing is to return at the first.
    pub quiet: Option<Duration>,
    /// How long all of it may take.
    pub at_most: Duration,
}

impl Default for Settle {
    fn default() -> Settle {
        Settle { first: Duration::from_millis(5), quiet: None, at_most: Duration::from_secs(10) }
    }
}

impl Settle {
    /// Waits until nothing has come for so long.
    pub fn quiet(quiet: Duration) -> Settle {
        Settle { first: quiet, quiet: Some(quiet), ..Settle::default() }
    }
}

/// What came of typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// How many bytes were typed.
    pub written: usize,
    /// How many were not: the program does not read, and no more fit.
    pub unwritten: usize,
    /// Whether something came back.
    pub has_output: bool,
    /// Whether it was quiet at the end, if that was asked for.
    pub is_quiet: bool,
    /// How long it took.
    pub elapsed: Duration,
}

impl Session {
    /// Types, and returns when output comes, when none comes soon, or when it is quiet, as asked. To type nothing only waits.
    pub fn send(&self, input: Input<'_>, settle: Settle) -> Result<Sent, SendError> {
        self.send_unless(input, settle, None)
    }

    /// The same; once it is called off, it returns without waiting for output. What was typed is typed.
    pub fn send_unless(
        &self,
        input: Input<'_>,
        settle: Settle,
        call_off: Option<&CallOff>,
    ) -> Result<Sent, SendError> {
        let begin = Instant::now();
        let shared = &*self.shared;
        let writing = held(shared.writing.lock());
        check_open(shared)?;
        shared.wait_for_what_is_on_its_way();
        let (bytes, place) = shared.mark(input)?;
        let written = shared.write_all(&bytes, begin + settle.at_most)?;
        drop(writing);
        let (has_output, is_quiet) = shared.settle(place, begin, settle, call_off);
        let unwritten = bytes.len() - written;
        Ok(Sent { written, unwritten, has_output, is_quiet, elapsed: begin.elapsed() })
    }
}

fn check_open(shared: &Shared) -> Result<(), SendError> {
    let output = held(shared.output.lock());
    match output.exit {
        Some(exit) => Err(SendError::Ended { exit }),
        None if output.is_closed => Err(SendError::Closed),
        None => Ok(()),
    }
}

fn bytes_of(input: Input<'_>, modes: Modes) -> Vec<u8> {
    match input {
        Input::Text(text) => text.as_bytes().to_vec(),
        Input::Keys(keys) => keys.bytes(modes),
        // What is pasted must not be able to end the paste.
        Input::Paste(text) if modes.bracketed_paste => {
            format!("\x1b[200~{}\x1b[201~", text.replace('\x1b', "")).into_bytes()
        }
        Input::Paste(text) => text.as_bytes().to_vec(),
    }
}

fn check_lines(bytes: &[u8], line: Line) -> Result<(), SendError> {
    let longest = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::len).max().unwrap_or(0);
    if line.is_canonical && longest > LINE_BYTES_MAX {
        return Err(SendError::Line { bytes: longest, bytes_max: LINE_BYTES_MAX });
    }
    Ok(())
}

impl Shared {
    fn wait_for_what_is_on_its_way(&self) {
        let until = Instant::now() + ON_ITS_WAY_MAX;
        let is_coming = || self.is_reading.load(Ordering::SeqCst) || self.pty.is_readable();
        while is_coming() && Instant::now() < until {
            let soon = Instant::now() + Duration::from_micros(200);
            drop(self.sleep(held(self.output.lock()), Some(soon)));
        }
    }

    /// Remembers where output stands and what the terminal is like, just before something is typed.
    fn mark(&self, input: Input<'_>) -> Result<(Vec<u8>, u64), SendError> {
        let (modes, column, width, rows) = {
            let screen = self.screen.lock();
            let rows = screen.modes().alternate_screen.then(|| screen.rows());
            (screen.modes(), screen.cursor().column, screen.size().columns(), rows)
        };
        let (bytes, line) = (bytes_of(input, modes), self.pty.line());
        check_lines(&bytes, line)?;
        let is_editing = modes.bracketed_paste && !modes.alternate_screen;
        let mut output = held(self.output.lock());
        if bytes.is_empty() {
            return Ok((bytes, output.end()));
        }
        let typing = output.mark.typing.with(&bytes, line, is_editing);
        let place = output.end();
        output.mark = Mark { place, column, width, is_editing, rows, typing };
        Ok((bytes, place))
    }

    /// Writes all of it, or as much as the program takes.
    fn write_all(&self, bytes: &[u8], at_most: Instant) -> Result<usize, SendError> {
        let mut written = 0;
        let mut until = Instant::now() + UNREAD_MAX;
        let failed = |written, source| SendError::Write { written, source };
        while written < bytes.len() {
            let count = self.pty.write(&bytes[written..]).map_err(|source| failed(written, source))?;
            written += count;
            if count > 0 {
                // One that reads a little now and then is waited for, but not for ever.
                until = (Instant::now() + UNREAD_MAX).min(at_most.max(until));
            } else if Instant::now() >= until {
                break;
            } else {
                self.pty.wait(false, true, Some(until)).map_err(|source| failed(written, source))?;
            }
        }
        Ok(written)
    }

    /// Waits as asked; tells whether something came, and whether it was quiet at the end.
    fn settle(&self, place: u64, begin: Instant, settle: Settle, call_off: Option<&CallOff>) -> (bool, bool) {
        let left = settle.at_most.saturating_sub(begin.elapsed());
        self.wait_beyond(place, settle.first.min(left), call_off);
        let has_output = held(self.output.lock()).end() > place;
        let at_most = begin + settle.at_most;
        (has_output, settle.quiet.is_none_or(|quiet| self.wait_quiet(quiet, at_most, call_off)))
    }

    fn wait_quiet(&self, quiet: Duration, at_most: Instant, call_off: Option<&CallOff>) -> bool {
        let mut output = held(self.output.lock());
        loop {
            let until = output.last + quiet;
            if output.is_over() || until <= Instant::now() {
                return true;
            }
            if Instant::now() >= at_most || call_off.is_some_and(CallOff::is_off) {
                return false;
            }
            output = match self.sleep(output, Some(until.min(at_most))) {
                Some(output) => output,
                None => held(self.output.lock()),
            };
        }
    }
}
