//! Waiting for a pattern.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::{Session, Shared};
use crate::turns::held;
use crate::wait::{Found, Mark, Match, Outcome, Pattern, PatternError, Search, Waited};

/// What one look takes at most.
const PIECE_BYTES_MAX: usize = 256 * 1024;

/// How long nothing must follow what may be the beginning of an echo.
const PERHAPS: Duration = Duration::from_millis(30);

/// Ends waiting from elsewhere: of a call that was cancelled, of a server that stops.
#[derive(Clone)]
pub struct CallOff {
    shared: Weak<Shared>,
    is_off: Arc<AtomicBool>,
}

impl CallOff {
    /// Ends what waits with it, now or later.
    pub fn call_off(&self) {
        self.is_off.store(true, Ordering::SeqCst);
        if let Some(shared) = self.shared.upgrade() {
            // Who is about to sleep has looked already and holds the lock until it sleeps.
            drop(held(shared.output.lock()));
            shared.news.notify_all();
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.is_off.load(Ordering::SeqCst)
    }
}

impl Session {
    /// Makes a handle by which waiting can be ended.
    pub fn call_off_handle(&self) -> CallOff {
        CallOff { shared: Arc::downgrade(&self.shared), is_off: Arc::new(AtomicBool::new(false)) }
    }

    /// Waits until a pattern appears in what came after the last input, and not as its echo; woken by output. Running out of time
    /// is an outcome; the only error is a pattern that takes too many steps.
    pub fn wait(
        &self,
        pattern: &Pattern,
        timeout: Duration,
        call_off: Option<&CallOff>,
    ) -> Result<Waited, PatternError> {
        let begin = Instant::now();
        let mut watch = Watch::begin(&self.shared);
        let mark = watch.mark.clone();
        let mut search = Search::new(pattern, &mark);
        let outcome = loop {
            search.feed(&watch.take());
            let rows = self.shared.second_screen();
            let perhaps = match search.look(rows.as_deref())? {
                Found::Sure(found) => break Outcome::Matched(found),
                Found::Perhaps(found) => Some(found),
                Found::Nothing => None,
            };
            let was_in_doubt = perhaps.is_some();
            let slept = watch.sleep(perhaps, begin.checked_add(timeout), call_off);
            let mut is_echo = || search.settle(self.shared.is_hidden_editor());
            match slept {
                Some(Outcome::Matched(_)) if was_in_doubt && is_echo() => (),
                Some(outcome) => break outcome,
                None => (),
            }
        };
        let screen = self.shared.screen.lock().text();
        Ok(Waited { outcome, elapsed: begin.elapsed(), screen })
    }
}

impl Shared {
    /// Tells whether somebody reads key by key and has not said that it edits lines.
    fn is_hidden_editor(&self) -> bool {
        let modes = self.screen.lock().modes();
        !self.pty.line().is_canonical && !modes.bracketed_paste && !modes.alternate_screen
    }

    /// Gives the rows of the second screen, if it is on.
    fn second_screen(&self) -> Option<Vec<String>> {
        let screen = self.screen.lock();
        screen.modes().alternate_screen.then(|| screen.rows())
    }
}

/// A place in the output from which nothing is dropped until it was read.
struct Watch<'a> {
    shared: &'a Shared,
    id: u64,
    place: u64,
    mark: Mark,
    /// The beginning is no longer there: what is left of its line is passed over.
    is_cut: bool,
}

impl<'a> Watch<'a> {
    fn begin(shared: &'a Shared) -> Watch<'a> {
        let id = shared.next_reader.fetch_add(1, Ordering::Relaxed);
        let mut output = held(shared.output.lock());
        let mark = output.mark.clone();
        let place = mark.place.max(output.start());
        output.readers.push((id, place));
        Watch { shared, id, place, is_cut: place > mark.place, mark }
    }

    /// Takes what came; the reader may go on.
    fn take(&mut self) -> Vec<u8> {
        let mut output = held(self.shared.output.lock());
        let piece = output.from(self.place, PIECE_BYTES_MAX);
        self.place = piece.end();
        output.readers.iter_mut().filter(|(id, _)| *id == self.id).for_each(|(_, seen)| *seen = self.place);
        drop(output);
        self.shared.news.notify_all();
        self.without_cut_line(piece.bytes)
    }

    fn without_cut_line(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        if !self.is_cut {
            return bytes;
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        self.is_cut = end.is_none();
        end.map_or(Vec::new(), |end| bytes[end + 1..].to_vec())
    }

    /// Sleeps until there is something to look at; gives the outcome if there will not be.
    fn sleep(
        &self,
        perhaps: Option<Match>,
        deadline: Option<Instant>,
        call_off: Option<&CallOff>,
    ) -> Option<Outcome> {
        let mut output = held(self.shared.output.lock());
        let soon = perhaps.as_ref().map(|_| output.last + PERHAPS);
        let until = [soon, deadline].into_iter().flatten().min();
        loop {
            if output.end() > self.place {
                return None;
            }
            if call_off.is_some_and(CallOff::is_off) {
                return Some(Outcome::CalledOff);
            }
            if output.is_over() {
                return Some(perhaps.map_or(Outcome::Ended, Outcome::Matched));
            }
            output = match self.shared.sleep(output, until) {
                Some(output) => output,
                None => {
                    let is_quiet = soon.is_some_and(|soon| soon <= Instant::now());
                    return Some(perhaps.filter(|_| is_quiet).map_or(Outcome::TimedOut, Outcome::Matched));
                }
            };
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        held(self.shared.output.lock()).readers.retain(|(id, _)| *id != self.id);
        self.shared.news.notify_all();
    }
}
