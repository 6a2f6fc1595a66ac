//! Plans of this dialect in the kernel's hands: every reference reads what it says, and the view says the same.

use super::good;
use crate::blocks::view;
use crate::view::{State, Timeline};
use kernel::command::Command;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::plan::Plan;
use kernel::{Data, Effect, Failure, FailureKind, Fields, Outcome, Run, RunId, Status, Waiting};
use serde_json::{Value, json};
use std::sync::Arc;

/// Runs a plan to its end; `answer` says how each block ends.
fn run(plan: Plan, inputs: Value, answer: impl Fn(&Perform) -> Report) -> (Timeline, Outcome) {
    let mut run = Run::new(Arc::new(plan), RunId::new("test"), None, 0);
    let mut timeline = Timeline::new(run.plan());
    let mut commands = vec![Command::Start { inputs: fields(inputs) }];
    let mut seq = 0;
    while let Some(command) = commands.pop() {
        seq += 1;
        let event = run.admit(command, seq * 1_000).unwrap_or_else(|refusal| panic!("{refusal:?}"));
        let at = event.at;
        let turn = run.apply(event);
        timeline.turn(seq, at, &turn.news);
        commands.extend(turn.effects.into_iter().filter_map(|effect| match effect {
            Effect::Perform(perform) => {
                let report = answer(&perform);
                Some(Command::Report { effect: perform.id, report })
            }
            _ => None,
        }));
    }
    match run.status() {
        Status::Ended(outcome) => (timeline, outcome),
        other => panic!("{other:?}"),
    }
}

fn fields(value: Value) -> Fields {
    let map = value.as_object().cloned().unwrap_or_default();
    map.into_iter().map(|(name, value)| (name, Data::Inline(value))).collect()
}

/// A shell that prints its step's name and does what the script says.
fn shell(perform: &Perform) -> Report {
    let script = perform.inputs["script"].inline().and_then(Value::as_str).unwrap_or_default();
    let code = script.strip_prefix("exit ").and_then(|code| code.parse().ok()).unwrap_or(0);
    let outputs = fields(json!({
        "stdout": format!("<{}>", perform.step), "stderr": "", "exit_code": code, "duration_ms": 7
    }));
    let failed =
        |kind, text: &str| Report::Failed { failure: Failure::new(kind, text), outputs: outputs.clone() };
    match (script, code) {
        ("crash", _) => failed(FailureKind::Crashed, "could not be started"),
        (_, 0) => Report::Done { outputs: outputs.clone() },
        (_, code) => failed(FailureKind::Operation, &format!("exited with {code}")),
    }
}

#[test]
fn everything_can_be_run() {
    let plan = good(include_str!("inputs/everything.yaml")).plan;
    let (timeline, outcome) = run(plan.clone(), json!({"count": 4}), shell);
    assert_eq!(timeline.outcome.as_ref(), Some(&outcome));
    let response = view::response(&plan, &timeline, &Status::Ended(outcome), false);
    insta::assert_snapshot!(serde_json::to_string_pretty(&response).unwrap());
}

const ENDS: &str = "\
name: ends
blocks:
  - {id: good, type: Shell, inputs: {command: \"true\"}}
  - {id: bad, type: Shell, inputs: {command: exit 3}}
  - {id: crashed, type: Shell, inputs: {command: crash}}
  - {id: unwanted, type: Shell, condition: 1 == 2, inputs: {command: \"true\"}}
  - {id: broken, type: Shell, depends_on: [bad], inputs: {command: \"true\"}}
  - id: told
    type: Shell
    depends_on: [good, bad, crashed, unwanted, broken]
    condition: ${blocks.bad.failed}
    inputs:
      command: echo
      env:
";

const FIELDS: [&str; 9] = [
    "status",
    "outcome",
    "result",
    "succeeded",
    "failed",
    "skipped",
    "operation_succeeded",
    "execution_time_ms",
    "error",
];

#[test]
fn the_view_says_of_a_block_what_a_reference_reads() {
    let ids = ["good", "bad", "crashed", "unwanted", "broken"];
    let variable = |id: &str, field: &str| format!("{id}_{field}").to_uppercase();
    let mut text = ENDS.to_owned();
    for id in ids {
        for field in FIELDS {
            let name = variable(id, field);
            text.push_str(&format!("        {name}: [\"${{blocks.{id}.metadata.{field}}}\"]\n"));
        }
    }
    let plan = good(&text).plan;
    let (timeline, outcome) = run(plan.clone(), json!({}), shell);
    let response = view::response(&plan, &timeline, &Status::Ended(outcome), false);
    let read = &response["blocks"]["told"]["inputs"]["env"];
    for id in ids {
        for field in FIELDS {
            let seen = &response["blocks"][id]["metadata"][field];
            assert_eq!(read[variable(id, field)], json!([seen]), "{id}.{field}");
        }
    }
}

#[test]
fn a_failed_run_says_why_and_names_its_blocks() {
    let plan = good(&format!("{ENDS}outputs: {{x: 1}}\n")).plan;
    let (timeline, outcome) = run(plan.clone(), json!({}), shell);
    let response = view::response(&plan, &timeline, &Status::Ended(outcome), false);
    assert_eq!(response["status"], "failure");
    assert_eq!(response["outputs"], json!({}));
    assert_eq!(response["error"], "`crashed` could not be started");
    assert_eq!(response["metadata"]["failed_blocks"], json!(["bad", "crashed"]));
    assert_eq!(response["metadata"]["skipped_blocks"], json!(["unwanted", "broken"]));
    assert_eq!(timeline.line("broken").map(|line| line.state), Some(State::Skipped));
    assert_eq!(timeline.line("broken").and_then(|line| line.reason.as_deref()), Some("`bad` failed"));
}

#[test]
fn what_the_source_shows_can_be_run() {
    let text = "\
name: patterns
inputs: {code: {type: integer, default: 0}}
blocks:
  - {id: tests, type: Shell, inputs: {command: exit 1}}
  - {id: deploy, type: Shell, depends_on: [tests], condition: '${blocks.tests.succeeded}', inputs: {command: x}}
  - id: cleanup
    type: Shell
    depends_on: [tests]
    condition: ${blocks.tests.status} in ['completed', 'failed']
    inputs: {command: x}
outputs:
  code: ${blocks.tests.exit_code}
  tests_passed: ${blocks.tests.succeeded}
  text: 'passed: ${blocks.tests.succeeded}'
";
    let plan = good(text).plan;
    let (timeline, outcome) = run(plan.clone(), json!({}), shell);
    let response = view::response(&plan, &timeline, &Status::Ended(outcome), false);
    assert_eq!(response["status"], "success");
    assert_eq!(response["outputs"], json!({"code": 1, "tests_passed": false, "text": "passed: false"}));
    let states: Vec<&str> = timeline.lines.iter().map(|line| line.state.status()).collect();
    assert_eq!(states, ["completed", "skipped", "completed"]);
}

// covers: D-28
#[test]
fn waves_show_what_may_run_at_once() {
    let text = "\
name: shape
blocks:
  - {id: last, type: Shell, depends_on: [left, right], inputs: {command: x}}
  - {id: left, type: Shell, depends_on: [first], inputs: {command: x}}
  - {id: right, type: Shell, depends_on: [first], inputs: {command: x}}
  - {id: first, type: Shell, inputs: {command: x}}
  - {id: alone, type: Shell, inputs: {command: x}}
";
    let plan = good(text).plan;
    assert_eq!(view::waves(&plan), [vec!["first", "alone"], vec!["left", "right"], vec!["last"]]);
}

#[test]
fn a_run_that_has_not_ended_says_whether_someone_must_act() {
    let plan = good(ENDS_HEAD).plan;
    let timeline = crate::view::Timeline::new(&plan);
    let said = |status: Status, is_paused: bool| {
        let response = view::response(&plan, &timeline, &status, is_paused);
        (response["status"].as_str().unwrap().to_owned(), response["error"].clone())
    };
    let waits = |one: Waiting| Status::Waiting(vec![Waiting::Clock("good".into(), 9), one]);
    assert_eq!(said(Status::Running, false).0, "running");
    assert_eq!(said(waits(Waiting::Child("good".into())), false).0, "running");
    assert_eq!(said(waits(Waiting::Decision("good".into())), true).0, "paused");
    let cancelled = Status::Ended(Outcome::Cancelled { reason: "enough".into() });
    assert_eq!(said(cancelled, false), ("cancelled".to_owned(), json!("the run was cancelled: enough")));
}

const ENDS_HEAD: &str = "name: one\nblocks:\n  - {id: good, type: Shell, inputs: {command: x}}\n";
