//! `send_input`: what the agent types, unless a person holds the session.

use std::time::Duration;

use terminal::{Input, Keys, Modes, SendError, Settle};

use super::answer::Sent;
use super::call_off::CallOff;
use super::held::Held;
use super::keeper::{Keeper, timestamp};
use super::refused::Refused;
use super::request::Send;
use super::visitor::Visitor;

/// The longest quiet that can be asked for.
pub(super) const SETTLE_MS_MAX: u64 = 10_000;

/// The code of a refusal because a person holds the session.
pub(crate) const HELD_BY_HUMAN: &str = "held-by-human";

/// How often is looked whether a person has let go.
const LOOKS_EACH: Duration = Duration::from_millis(100);

/// How long all of typing may take, however much comes.
const AT_MOST: Duration = Duration::from_secs(30);

impl Keeper {
    pub(super) fn send(&self, visitor: &Visitor, send: &Send, call_off: &CallOff) -> Result<Sent, Refused> {
        visitor.policy.changes("typing")?;
        let held = self.find(visitor, &send.session_id)?;
        wait_until_free(visitor, &held, call_off);
        free(&held, "typing")?;
        let settle = settle(send.settle_ms)?;
        let keys = match send.keys {
            Some(true) => Some(Keys::parse(&send.input_text).map_err(|error| {
                Refused::new(
                    "unknown-key",
                    error.to_string(),
                    "Call send_input again with a key that is known.",
                )
            })?),
            _ => None,
        };
        let text = match &keys {
            Some(keys) => String::from_utf8_lossy(&keys.bytes(Modes::default())).into_owned(),
            None => send.input_text.clone(),
        };
        held.types(&text, |line| visitor.policy.says(line))?;
        let input = keys.as_ref().map_or(Input::Text(&send.input_text), Input::Keys);
        let handle = held.session.call_off_handle();
        call_off.waits(&handle);
        let sent =
            held.session.send_unless(input, settle, Some(&handle)).map_err(|error| unsent(&held, &error))?;
        Ok(Sent {
            session_id: held.id(),
            screen_content: held.screen(),
            process_running: held.is_running(),
            has_output: sent.has_output,
            unwritten_bytes: sent.unwritten,
            timestamp: timestamp(),
        })
    }
}

impl Keeper {
    /// Whether a line is begun in a session and not ended.
    pub(crate) fn is_half_typed(&self, visitor: &Visitor, session: &str) -> bool {
        self.find(visitor, session).is_ok_and(|held| held.is_half_typed())
    }
}

/// A run waits for a person who has taken its session to let go, for as long as its step may take; an agent is told instead.
pub(super) fn wait_until_free(visitor: &Visitor, held: &Held, call_off: &CallOff) {
    let handle = held.session.call_off_handle();
    call_off.waits(&handle);
    while visitor.run.is_some() && held.holder().is_some() && held.is_running() && !call_off.is_off() {
        // Nothing that will be said is waited for: only the end, or to be called off.
        held.session.read_output(u64::MAX, LOOKS_EACH, Some(&handle));
    }
}

/// That nobody else types, or who does.
pub(super) fn free(held: &Held, what: &str) -> Result<(), Refused> {
    match &*held.holder() {
        None => Ok(()),
        Some(holder) => Err(Refused::new(
            HELD_BY_HUMAN,
            format!("{what} is refused: a person holds `{}` ({})", held.id(), holder.said()),
            "Wait until they let go: look with get_screen_content(session_id), and call again later. Other sessions are free.",
        )),
    }
}

/// When typing is answered.
pub(super) fn settle(ms: Option<u64>) -> Result<Settle, Refused> {
    match ms {
        None => Ok(Settle { at_most: AT_MOST, ..Settle::default() }),
        Some(ms @ 0..=SETTLE_MS_MAX) => {
            Ok(Settle { at_most: AT_MOST, ..Settle::quiet(Duration::from_millis(ms)) })
        }
        Some(ms) => Err(Refused::new(
            "wrong-argument",
            format!("`settle_ms` is a whole number from 0 to {SETTLE_MS_MAX}, not {ms}"),
            "To wait longer, send without it and call await_output(session_id, pattern, timeout).",
        )),
    }
}

fn unsent(held: &Held, error: &SendError) -> Refused {
    let id = held.id();
    match error {
        SendError::Ended { .. } | SendError::Closed => Refused::new(
            "session-ended",
            format!("nothing can be typed into `{id}`: {error}"),
            "get_screen_content(session_id) shows its last screen; open_terminal(shell) opens another.",
        ),
        SendError::Line { .. } => Refused::new(
            "line-too-long",
            error.to_string(),
            "Nothing was typed. Send shorter lines, or write a file.",
        ),
        SendError::Write { .. } => Refused::new(
            "not-typed",
            error.to_string(),
            "get_screen_content(session_id) shows how it stands; open_terminal(shell) opens another.",
        ),
    }
}
