//! Between the kernel's words and the process adapter: an effect becomes a job, an outcome becomes a report.
//!
//! Inputs it reads: `script` (text for the shell), `shell` (which one), `working_dir`, `env.NAME` for each variable, and
//! `output_format`, by which `result` is read from stdout. Values reach the script as variables only.

use super::format::Format;
use super::process::{Captured, Ended, Job, NoteSpec, Outcome, Reason, Script};
use crate::turn::Home;
use dialects::blocks::shell;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Data, Failure, FailureKind, Fields, RunId};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// How much of the end of what a command said is told with its failure.
const TOLD_CHARS_MAX: usize = 300;

/// The longest value of a variable on Linux, with the variable's name: 128 KiB without `=` and an end.
const VARIABLE_BYTES_MAX: usize = 128 * 1024 - 2;

/// The job that an effect asks for, or why there is none.
pub(crate) fn job(run: &RunId, home: &Home, perform: &Perform) -> Result<Job, Failure> {
    let text = |name: &str| perform.inputs.get(name).and_then(Data::inline).map(as_text);
    let script =
        text("script").ok_or_else(|| Failure::new(FailureKind::Crashed, "there is no command to run"))?;
    if script.trim().is_empty() {
        let message = "the command is empty: what its reference gives is nothing that could be run";
        return Err(Failure::new(FailureKind::Crashed, message));
    }
    let dir = match text("working_dir") {
        Some(dir) if dir.is_empty() => {
            let message = "`working_dir` is empty: name a folder, `.` for that of the run";
            return Err(Failure::new(FailureKind::Crashed, message));
        }
        Some(dir) => home.folder.join(dir),
        None => home.folder.clone(),
    };
    let note = NoteSpec { run: run.to_string(), effect: perform.id.to_string() };
    let mut job = Job::new(script_of(script, text("shell"))?, dir, note);
    job.env = env(home, &perform.inputs);
    job.umask = home.umask;
    job.timeout = perform.timeout_ms.map(Duration::from_millis);
    Ok(job)
}

fn env(home: &Home, inputs: &Fields) -> BTreeMap<String, String> {
    let mut env = BTreeMap::clone(&home.env);
    let given = inputs.iter().filter_map(|(name, data)| Some((name.strip_prefix("env.")?, data.inline()?)));
    env.extend(given.map(|(name, value)| (name.to_owned(), as_text(value))));
    env
}

/// What is executed: the system's own shell, or the interpreter that is named.
fn script_of(script: String, shell: Option<String>) -> Result<Script, Failure> {
    let Some(program) = shell.filter(|shell| shell != shell::DEFAULT) else { return Ok(Script::Sh(script)) };
    let Some(known) = shell::interpreter(&program) else {
        let message = format!("`{program}` is no interpreter that this version knows");
        return Err(Failure::new(FailureKind::Crashed, message));
    };
    let arguments = known.arguments.iter().map(|argument| (*argument).to_owned());
    Ok(Script::Shell { program, args: arguments.chain([script]).collect() })
}

/// A value as a command sees it: text as it is, nothing as an empty text, all else as JSON.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The report of an outcome; `None` where the server shuts down and recovery will say what came of it.
pub(crate) fn report(outcome: &Outcome, perform: &Perform) -> Option<Report> {
    let outputs = outputs(outcome);
    let failed = |kind, message: String| {
        Some(Report::Failed { failure: Failure::new(kind, message), outputs: outputs.clone() })
    };
    match &outcome.ended {
        Ended::Exited(0) => match result(outcome, &perform.inputs) {
            Ok(result) => Some(Report::Done { outputs: outputs.into_iter().chain(result).collect() }),
            Err(words) => failed(FailureKind::Operation, words),
        },
        Ended::Exited(code) => {
            failed(FailureKind::Operation, said(format!("exited with {code}"), told(outcome)))
        }
        Ended::Signalled(signal) => {
            failed(FailureKind::Operation, said(format!("was ended by signal {signal}"), told(outcome)))
        }
        Ended::TimedOut => {
            let seconds = Duration::from_millis(perform.timeout_ms.unwrap_or_default()).as_secs_f64();
            let late = format!("timed out after {seconds} s (its `timeout` says how long it may take)");
            match unended(outcome) {
                Some(left) => {
                    failed(FailureKind::Unended, said(format!("{late}, and {left}"), told(outcome)))
                }
                None => failed(FailureKind::TimedOut, said(late, told(outcome))),
            }
        }
        Ended::Cancelled => match unended(outcome) {
            Some(left) => failed(FailureKind::Unended, format!("was cancelled, and {left}")),
            None => failed(FailureKind::Cancelled, "was cancelled".to_owned()),
        },
        Ended::NotStarted(reason) => {
            let why = with_nul(&perform.inputs)
                .or_else(|| too_long(&perform.inputs).filter(|_| reason.reason == Reason::TooLong))
                .unwrap_or_else(|| reason.to_string());
            failed(FailureKind::Crashed, format!("could not be started: {why}"))
        }
        Ended::Interrupted => None,
    }
}

/// That something of it goes on, and could not be ended.
pub(crate) fn unended(outcome: &Outcome) -> Option<String> {
    let pids: Vec<String> = outcome.left.iter().map(u32::to_string).collect();
    let what = if pids.len() == 1 { "a process of it goes on" } else { "processes of it go on" };
    let pids = pids.join(", ");
    (!outcome.left.is_empty())
        .then(|| format!("{what} and cannot be ended from here (pid {pids}, another user's?)"))
}

/// What the command gives by its `output_format`, and how much of it was left out.
fn result(outcome: &Outcome, inputs: &Fields) -> Result<Fields, String> {
    let Some(format) = inputs.get("output_format").and_then(Data::inline).filter(|name| !name.is_null())
    else {
        return Ok(Fields::new());
    };
    let value = Format::named(&as_text(format))?.read(&outcome.stdout)?;
    let mut result = Fields::from([("result".to_owned(), Data::Inline(value))]);
    if outcome.stdout.dropped > 0 {
        result.insert("cut".to_owned(), Data::Inline(outcome.stdout.dropped.into()));
    }
    Ok(result)
}

/// A value with a NUL byte, told by its place in the command: the name of its variable is ours and says nothing.
fn with_nul(inputs: &Fields) -> Option<String> {
    let number = inputs.iter().find_map(|(name, data)| {
        let number = shell::number(name.strip_prefix("env.")?)?;
        as_text(data.inline()?).contains('\0').then_some(number)
    })?;
    Some(format!(
        "the value of reference {number} in its command contains a NUL byte, which no process can be given: remove it"
    ))
}

/// The longest value, told by its place in the command, where a command was too long for the system.
fn too_long(inputs: &Fields) -> Option<String> {
    let variables = inputs
        .iter()
        .filter_map(|(name, data)| Some((name.strip_prefix("env.")?, as_text(data.inline()?).len())));
    let (name, bytes) = variables.max_by_key(|(_, bytes)| *bytes)?;
    let number = shell::number(name).filter(|_| bytes > VARIABLE_BYTES_MAX - name.len())?;
    Some(format!(
        "the value of reference {number} in its command has {bytes} bytes, and a system passes at most 128 KiB in \
         one variable: write it to a file, and give the command the path of that"
    ))
}

fn outputs(outcome: &Outcome) -> Fields {
    let code = match outcome.ended {
        Ended::Exited(code) => Value::from(code),
        Ended::Signalled(signal) => Value::from(128 + signal),
        _ => Value::Null,
    };
    let mut outputs = Fields::from([
        ("stdout".to_owned(), Data::Inline(text(&outcome.stdout))),
        ("stderr".to_owned(), Data::Inline(text(&outcome.stderr))),
        ("exit_code".to_owned(), Data::Inline(code)),
        ("duration_ms".to_owned(), Data::Inline(outcome.duration_ms.into())),
        ("duration".to_owned(), Data::Inline((outcome.duration_ms as f64 / 1000.0).into())),
    ]);
    for (name, captured) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        keep_bytes(&mut outputs, name, captured);
    }
    outputs
}

/// What was said, without the line breaks at its end, as `$(...)` gives it: who compares or passes it on wants `main`,
/// not `main` and a line break.
fn text(captured: &Captured) -> Value {
    captured.text().trim_end_matches(['\n', '\r']).into()
}

/// Bytes that are not text are shown in the text and kept beside it.
fn keep_bytes(outputs: &mut Fields, name: &str, captured: &Captured) {
    if captured.lossy {
        let raw = captured.raw();
        let hex = raw.iter().fold(String::with_capacity(raw.len() * 2), |mut hex, byte| {
            hex.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            hex.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
            hex
        });
        outputs.insert(format!("{name}_hex"), Data::Inline(hex.into()));
    }
    if captured.dropped > 0 {
        outputs.insert(format!("{name}_left_out_bytes"), Data::Inline(captured.dropped.into()));
    }
}

/// Where a command has said why: on stderr, or on stdout where there is nothing else, as programs that test do.
fn told(outcome: &Outcome) -> &Captured {
    if outcome.stderr.text().trim().is_empty() { &outcome.stdout } else { &outcome.stderr }
}

/// What happened, with the end of what was said about it.
pub(super) fn said(what: String, captured: &Captured) -> String {
    said_at_length(what, captured, TOLD_CHARS_MAX)
}

/// The same, with as much of that end.
pub(super) fn said_at_length(what: String, captured: &Captured, chars_max: usize) -> String {
    let text = captured.text();
    let text = text.trim_end();
    if text.is_empty() {
        return what;
    }
    let start = text.char_indices().rev().nth(chars_max - 1).map_or(0, |(position, _)| position);
    let cut = if start > 0 { "..." } else { "" };
    format!("{what}: {cut}{}", &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::EffectId;
    use kernel::plan::Adapter;

    fn reported(ended: Ended, left: Vec<u32>) -> Failure {
        let outcome = Outcome {
            ended,
            stdout: Captured::default(),
            stderr: Captured::default(),
            duration_ms: 1,
            left,
            started_at_ms: 0,
        };
        let perform = Perform {
            id: EffectId::new("a#1"),
            step: "a".to_owned(),
            adapter: Adapter::Process,
            inputs: Fields::new(),
            secrets: BTreeMap::new(),
            timeout_ms: Some(1_000),
        };
        match report(&outcome, &perform) {
            Some(Report::Failed { failure, .. }) => failure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_could_not_be_ended_is_told_and_not_tried_again() {
        let late = reported(Ended::TimedOut, vec![7, 8]);
        assert_eq!(late.kind, FailureKind::Unended);
        let words =
            "take), and processes of it go on and cannot be ended from here (pid 7, 8, another user's?)";
        assert!(late.message.ends_with(words), "{}", late.message);
        assert_eq!(reported(Ended::TimedOut, vec![]).kind, FailureKind::TimedOut);
        let stopped = reported(Ended::Cancelled, vec![7]);
        assert_eq!(stopped.kind, FailureKind::Unended);
        let words = "was cancelled, and a process of it goes on and cannot be ended from here (pid 7, another user's?)";
        assert_eq!(stopped.message, words);
        assert_eq!(reported(Ended::Cancelled, vec![]).kind, FailureKind::Cancelled);
        assert_eq!(reported(Ended::Exited(3), vec![7]).kind, FailureKind::Operation);
    }
}
