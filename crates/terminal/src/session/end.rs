//! The end of a session: every process of it, whatever group it is in.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::members::Members;
use super::{Exit, Session};
use crate::error::EndError;
use crate::turns::held;

/// How long what was written before the end may take to be drawn.
const LAST_WORDS_MAX: Duration = Duration::from_millis(500);

/// How long the system may take to end what was killed.
const KILLED_MAX: Duration = Duration::from_secs(5);

/// How long whoever was told that the terminal is closed may take before it is woken.
const HEARD_WITHIN: Duration = Duration::from_millis(100);

impl Session {
    /// Ends every process of the session: as when a terminal is closed, then by SIGTERM, each with half of the grace, then by
    /// SIGKILL. A process that made a session of its own has left. Calling it again does nothing more.
    pub fn end(&self, grace: Duration) -> Result<Exit, EndError> {
        let mut child = held(self.shared.child.lock());
        // Until its status is taken, the id of the program names it and its session, and nothing else.
        if let Some(running) = child.as_mut() {
            self.end_members(grace)?;
            if self.shared.wait_over(LAST_WORDS_MAX).is_none() {
                self.shared.is_abandoned.store(true, Ordering::Relaxed);
                self.shared.wait_over(KILLED_MAX);
            }
            if matches!(running.try_wait(), Ok(Some(_)) | Err(_)) {
                *child = None;
            }
        }
        drop(child);
        Ok(self.exit().unwrap_or(Exit::Unknown))
    }

    fn end_members(&self, grace: Duration) -> Result<(), EndError> {
        let leader = self.shared.leader.pid;
        let begin = Instant::now();
        if !grace.is_zero() {
            Members::of(leader).ask(Signal::HUP, begin + (grace / 2).min(HEARD_WITHIN));
            // Bash that hears it just before it waits for a key would look at it with the next one. Whatever wakes it will do.
            Members::of(leader).ask(Signal::WINCH, begin + grace / 2);
            Members::of(leader).ask(Signal::TERM, begin + grace);
        }
        let until = Instant::now() + KILLED_MAX;
        // Again, because what is being killed may have had children meanwhile.
        loop {
            let members = Members::of(leader);
            if members.is_empty() {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(EndError { pids: members.pids() });
            }
            members.ask(Signal::KILL, until);
        }
    }
}
