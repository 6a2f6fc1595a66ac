//! What is done with an answer: it is held against the expectation, and what is to be remembered is.

use std::path::PathBuf;

use serde_json::Value;

use super::{NO_KILL_POINTS, Play, Stop, failure};
use crate::answer::{Answer, Part};
use crate::case::Check;
use crate::examine::{self, Examiner};
use crate::process::{End, Ended};
use crate::report::Failure;

impl Play<'_> {
    /// Holds an answer against the expectation and remembers what is to be remembered.
    pub(super) fn take(&mut self, check: &Check, answer: Answer, exit: Option<&Value>) -> Result<(), Stop> {
        let mut examiner = Examiner::new(&self.names, &self.workspace);
        examiner.answer(check, &answer, exit, &|part| is_held(part, &answer)).map_err(failure)?;
        let Examiner { mismatches, files, .. } = examiner;
        if !mismatches.is_empty() {
            return Err(Failure::difference(mismatches, answer, files).into());
        }
        for (name, source) in &check.remember {
            match examine::remembered(source, &answer) {
                Some(value) => self.names.bind(name, value),
                None => {
                    let note = Some(format!("there is nothing to remember as `{name}`"));
                    return Err(
                        Failure { note, ..Failure::difference(Vec::new(), answer, Vec::new()) }.into()
                    );
                }
            }
        }
        Ok(())
    }

    /// An answer that may never have come: only what is said of it must hold.
    pub(super) fn take_if_said(&mut self, check: &Check, answer: Answer) -> Result<(), Stop> {
        let is_nothing_said = check.parts.is_empty() && check.files.is_empty() && check.remember.is_empty();
        if is_nothing_said { Ok(()) } else { self.take(check, answer, None) }
    }

    /// A command that must have died at a kill point.
    pub(super) fn take_killed(
        &mut self,
        check: &Check,
        answer: Answer,
        number: u64,
        log: PathBuf,
    ) -> Result<(), Stop> {
        let is_killed = matches!(&answer, Answer::Command(Ended { end: End::Signal(9), .. }));
        if is_killed {
            return self.take(check, answer, Some(&"SIGKILL".into()));
        }
        let points = std::fs::read_to_string(log).map_err(|_| Stop::Skipped(NO_KILL_POINTS.to_owned()))?;
        let note = format!("kill point {number} was not reached: there were {}", points.lines().count());
        Err(Failure { note: Some(note), ..Failure::difference(Vec::new(), answer, Vec::new()) }.into())
    }
}

/// The texts of the command line are its own: with tools nobody says them.
fn is_held(part: Part, answer: &Answer) -> bool {
    let is_text = matches!(part, Part::Stdout | Part::Stderr);
    !(is_text && matches!(answer, Answer::Command(ended) if ended.is_said))
}
