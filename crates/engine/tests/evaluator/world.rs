//! Evaluators, questions, and what is looked at from outside: processes and memory.

use crate::faces;
use engine::answers::Patience;
use engine::evaluator::{Evaluator, Program, Rules};
use kernel::plan::Language;
use kernel::{Answer, Data, Question, RunId};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::num::NonZero;
use std::time::Duration;

/// This program with another face.
pub(crate) fn program(face: &str) -> Program {
    Program { path: std::env::current_exe().unwrap(), args: vec![face.into()] }
}

/// The real evaluator under the usual rules.
pub(crate) fn real() -> Evaluator {
    Evaluator::new(program(faces::REAL))
}

/// Rules with less patience and two processes.
pub(crate) fn hasty(deadline_ms: u64) -> Rules {
    let processes_max = NonZero::new(2).unwrap();
    Rules { deadline: Duration::from_millis(deadline_ms), processes_max, ..Rules::default() }
}

/// An evaluator with a face, that waits half a second.
pub(crate) fn bad(face: &str) -> Evaluator {
    Evaluator::with(program(face), hasty(500))
}

pub(crate) fn run() -> RunId {
    RunId::new("quiet-river-1")
}

/// One question of Jinja expressions.
pub(crate) fn question(expressions: &[&str], scope: &[(&str, Value)]) -> Question {
    question_in(Language::Jinja, expressions, scope)
}

/// One question of expressions.
pub(crate) fn question_in(language: Language, expressions: &[&str], scope: &[(&str, Value)]) -> Question {
    Question::Evaluate {
        language,
        expressions: expressions.iter().map(|text| (*text).to_owned()).collect(),
        scope: scope.iter().map(|(path, value)| ((*path).to_owned(), Data::Inline(value.clone()))).collect(),
        origins: Vec::new(),
    }
}

/// What one expression gives.
pub(crate) fn ask(evaluator: &Evaluator, expression: &str, scope: &[(&str, Value)]) -> Result<Value, String> {
    ask_in(Language::Jinja, evaluator, expression, scope)
}

/// What one expression of a language gives.
pub(crate) fn ask_in(
    language: Language,
    evaluator: &Evaluator,
    expression: &str,
    scope: &[(&str, Value)],
) -> Result<Value, String> {
    ask_for(&run(), language, evaluator, expression, scope)
}

/// What one expression gives to a run.
pub(crate) fn ask_for(
    run: &RunId,
    language: Language,
    evaluator: &Evaluator,
    expression: &str,
    scope: &[(&str, Value)],
) -> Result<Value, String> {
    let question = question_in(language, &[expression], scope);
    let mut answers = evaluator.answer(run, &[question], &Patience::default());
    assert_eq!(answers.len(), 1);
    match answers.remove(0) {
        Answer::Evaluated(mut values) => {
            assert_eq!(values.len(), 1);
            values.remove(0).map(|data| data.inline().unwrap().clone())
        }
        Answer::Unanswered(reason) => Err(format!("unanswered: {reason}")),
        Answer::Loaded { .. } | Answer::Computed(_) => unreachable!(),
    }
}

/// The reason why there is no answer.
pub(crate) fn unanswered(evaluator: &Evaluator) -> String {
    match evaluator.answer(&run(), &[question(&["{{ 1 }}"], &[])], &Patience::default()).remove(0) {
        Answer::Unanswered(reason) => reason,
        other => panic!("{other:?}"),
    }
}

/// A field of `/proc/pid/status`, in KiB or as it stands.
pub(crate) fn status(pid: u32, field: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.trim_start_matches(':').trim().to_owned())
}

/// Sends a signal.
pub(crate) fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
}

/// Stops the one idle process: whatever it is asked next hangs, with certainty.
pub(crate) fn stop(evaluator: &Evaluator) -> u32 {
    let pid = evaluator.idle()[0];
    signal(pid, Signal::STOP);
    until("the stop", || status(pid, "State").unwrap().starts_with('T'));
    pid
}

/// Memory of this process, in KiB.
pub(crate) fn resident() -> u64 {
    let text = status(std::process::id(), "VmRSS").unwrap();
    text.trim_end_matches(" kB").parse().unwrap()
}

/// All children of this process.
pub(crate) fn children() -> Vec<u32> {
    let mut found = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let list = std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default();
        found.extend(list.split_whitespace().map(|pid| pid.parse::<u32>().unwrap()));
    }
    found
}

/// Waits for something that must come soon.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(std::time::Instant::now() < end, "{what} never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}
