//! Why a process gave no answer, and what whoever wrote the expression can do about it.

use super::limits::{ANSWER_BYTES_MAX, EXPRESSIONS_MAX, MEMORY_BYTES_MAX, REQUEST_BYTES_MAX};
use crate::answers::Over;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

const MIB: u64 = 1024 * 1024;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// No process could be started.
    NotStarted(String),
    /// The process ended in the middle of it; these were its last words.
    Died(ExitStatus, String),
    /// The time was up.
    Late(Duration),
    /// Those before it in its turn took all the time that there is for a turn.
    TurnOver(Duration),
    /// Someone wants the turn to be over.
    Over(Over),
    /// The answer is longer than any answer.
    TooMuch,
    /// The answer does not fit the question.
    Nonsense(String),
    /// The question is longer than any question.
    TooLarge,
    /// The question has more expressions than any question.
    TooMany(usize),
    /// A value of the question is only named.
    Absent(String),
    /// Only the store knows.
    NotOurs,
    /// Fields are computed in a language that computes none.
    NoTransform,
}

impl Trouble {
    /// Whether another process might do better.
    pub(super) fn is_of_the_process(&self) -> bool {
        match self {
            Trouble::Died(..) | Trouble::Late(_) | Trouble::TooMuch | Trouble::Nonsense(_) => true,
            Trouble::NotStarted(_) | Trouble::TooLarge | Trouble::TooMany(_) => false,
            Trouble::Absent(_) | Trouble::NotOurs | Trouble::NoTransform => false,
            Trouble::TurnOver(_) | Trouble::Over(_) => false,
        }
    }

    /// The reason in words: what happened, and what next.
    pub(super) fn words(&self) -> String {
        match self {
            Trouble::NotStarted(why) => {
                format!(
                    "the evaluator cannot be started: {why}; free processes or memory, and resume the run"
                )
            }
            Trouble::Died(status, said) => died(*status, said),
            Trouble::Late(after) => format!(
                "the evaluator ran longer than {} s on this and was stopped: loop over less, or split it over \
                 several steps",
                after.as_secs_f64()
            ),
            Trouble::TurnOver(time) => format!(
                "what was evaluated before it in this turn took the {} s that there are for all of it, so this was not \
                 begun: make templates cheaper, or render fewer at once; a called workflow (ExecuteWorkflow) has a \
                 time of its own",
                time.as_secs_f64()
            ),
            Trouble::Over(over) => over.words(),
            Trouble::TooMuch => format!(
                "the evaluator answered more than {} MiB: make smaller values",
                ANSWER_BYTES_MAX as u64 / MIB
            ),
            Trouble::Nonsense(what) => format!(
                "the evaluator answered what cannot be read ({what}): restart the server, and report this if it \
                 happens again"
            ),
            Trouble::TooLarge => format!(
                "the values read here are larger than {} MiB together: read less of them",
                REQUEST_BYTES_MAX as u64 / MIB
            ),
            Trouble::TooMany(count) => format!(
                "{count} expressions at once are more than {EXPRESSIONS_MAX}: split them over several steps"
            ),
            Trouble::Absent(path) => format!("`{path}` is stored, and was not loaded for the evaluator"),
            Trouble::NoTransform => {
                "fields are computed in JavaScript only: write the transform in it".to_owned()
            }
            Trouble::NotOurs => "only the store knows what stored content says".to_owned(),
        }
    }
}

fn died(status: ExitStatus, said: &str) -> String {
    if said.contains("memory allocation of") {
        return format!(
            "the evaluator used more memory than the {} MiB it is allowed: make smaller values",
            MEMORY_BYTES_MAX / MIB
        );
    }
    if said.contains("overflowed its stack") {
        return "the evaluator ran out of stack: the expression or a value nests too deep; nest less"
            .to_owned();
    }
    if status.signal() == Some(rustix::process::Signal::XCPU.as_raw()) {
        return "the evaluator used more processor time than it is allowed: loop over less".to_owned();
    }
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    let last = last.map(|line| format!(", saying `{line}`")).unwrap_or_default();
    format!(
        "the evaluator died ({status}){last}: run the workflow again, and report this if it happens again"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_death_is_told_by_its_cause() {
        let words = |raw, said: &str| Trouble::Died(ExitStatus::from_raw(raw), said.to_owned()).words();
        assert!(words(6, "memory allocation of 9 bytes failed").contains("more memory than the 512 MiB"));
        assert!(words(6, "thread 'x' has overflowed its stack").contains("ran out of stack"));
        assert!(words(24, "").contains("processor time"));
        let other = words(9, "first\nlast words\n");
        assert!(other.contains("signal: 9") && other.contains("saying `last words`"), "{other}");
    }
}
