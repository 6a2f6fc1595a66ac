//! `await_output`: waits for a pattern in what came after the last input. That it did not come is an answer.

use std::time::Duration;

use serde_json::{Map, Value};
use terminal::{Match, Outcome, Pattern, PatternError};

use super::answer::Awaited;
use super::call_off::CallOff;
use super::held::SHOWN_BYTES_MAX;
use super::keeper::{Keeper, timestamp};
use super::refused::Refused;
use super::request::Await;
use super::visitor::Visitor;

/// How long it is waited where nothing is said, in seconds.
const TIMEOUT_DEFAULT: f64 = 10.0;

/// The longest that can be asked for, in seconds.
const TIMEOUT_MAX: f64 = 3_600.0;

/// What a match may take of an answer.
const MATCH_BYTES_MAX: usize = 4_000;

impl Keeper {
    pub(super) fn wait(
        &self,
        visitor: &Visitor,
        wait: &Await,
        longest: Option<Duration>,
        call_off: &CallOff,
    ) -> Result<Awaited, Refused> {
        let timeout = wait.timeout.unwrap_or(TIMEOUT_DEFAULT);
        if !(0.0..=TIMEOUT_MAX).contains(&timeout) {
            return Err(Refused::new(
                "wrong-argument",
                format!("`timeout` is a number of seconds from 0 to {TIMEOUT_MAX}, not {timeout}"),
                "Call await_output again with one of these; it can be repeated.",
            ));
        }
        let pattern = Pattern::new(&wait.pattern).map_err(|error| unmatched(&error))?;
        let held = self.find(visitor, &wait.session_id)?;
        let handle = held.session.call_off_handle();
        call_off.waits(&handle);
        let timeout = Duration::from_secs_f64(timeout);
        let timeout = longest.map_or(timeout, |longest| timeout.min(longest));
        let waited =
            held.session.wait(&pattern, timeout, Some(&handle)).map_err(|error| unmatched(&error))?;
        let (match_text, groups, named_groups) = parts(waited.outcome.matched());
        Ok(Awaited {
            session_id: held.id(),
            match_text,
            groups,
            named_groups,
            elapsed_time: (waited.elapsed.as_secs_f64() * 1e4).round() / 1e4,
            timed_out: matches!(waited.outcome, Outcome::TimedOut | Outcome::CalledOff),
            screen_content: short(waited.screen, SHOWN_BYTES_MAX),
            process_running: held.is_running() && waited.outcome != Outcome::Ended,
            timestamp: timestamp(),
        })
    }
}

/// What matched, and its groups.
fn parts(found: Option<&Match>) -> (Option<String>, Vec<Option<String>>, Map<String, Value>) {
    let Some(found) = found else { return (None, Vec::new(), Map::new()) };
    let text = |text: &Option<String>| text.clone().map(|text| short(text, MATCH_BYTES_MAX));
    let groups = found.groups.iter().map(|group| text(&group.text)).collect();
    let named = found.groups.iter().filter_map(|group| Some((group.name.clone()?, text(&group.text).into())));
    (Some(short(found.text.clone(), MATCH_BYTES_MAX)), groups, named.collect())
}

/// The end of a text that is too long, with a word on what is missing.
fn short(text: String, bytes_max: usize) -> String {
    let from = text.len().saturating_sub(bytes_max);
    if from == 0 {
        return text;
    }
    let from = (from..=text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len());
    format!("... {from} bytes left out ...{}", &text[from..])
}

fn unmatched(error: &PatternError) -> Refused {
    Refused::new(
        "wrong-pattern",
        error.to_string(),
        "Call await_output again with another pattern; a backslash before a character means the character itself.",
    )
}
