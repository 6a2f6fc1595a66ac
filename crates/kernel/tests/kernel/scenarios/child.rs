//! Child runs: asking twice names one child, its end is awaited, cancel goes down, failure goes up.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, failed, succeeded};
use kernel::event::Report;
use kernel::{Command, EffectId, FailureKind, Fields, Outcome, Refusal, RunId};
use serde_json::json;

scenarios![
    a_child_gives_its_outputs,
    a_childs_failure_goes_up,
    a_cancelled_child_is_a_failure,
    a_child_that_cannot_start_is_a_crash,
    a_child_that_cannot_start_is_tried_again,
    a_child_that_cannot_start_while_the_run_closes_is_over,
    only_of_a_child_that_cannot_start_something_is_reported,
    a_child_is_tried_again_under_another_name,
    a_child_that_takes_too_long_is_cancelled_and_awaited,
    a_late_child_that_succeeds_all_the_same_has_succeeded,
    a_child_in_time_ends_the_timer,
    a_late_child_is_tried_again,
    a_child_may_be_named_late_and_take_an_input_of_any_name,
    a_childs_name_is_text,
    only_the_child_that_is_waited_for_counts,
    cancel_goes_down_and_waits,
    the_parent_is_told_until_it_has_recorded_it,
];

#[test]
fn a_child_gives_its_outputs() {
    let plan =
        sequence(vec![child("c", &[("x", just(json!(1)))])], vec![vec![act_into(0, "y", "${result.y}")]]);
    let mut it = Drive::start(plan);
    it.expect(&["child c#1 other depth 1 x=1"]).stands("waiting: child c");
    it.end_child("c#1", succeeded(json!({"y": 2}))).state("y", json!(2)).stands("succeeded");
}

#[test]
fn a_childs_failure_goes_up() {
    let mut it = Drive::start(line(vec![child("c", &[])]));
    it.end_child("c#1", failed()).stands("failed: step `c`: Child workflow failed: run `run/c#1`: it broke");
}

#[test]
fn a_cancelled_child_is_a_failure() {
    let mut it = Drive::start(line(vec![child("c", &[])]));
    it.end_child("c#1", Outcome::Cancelled { reason: "no".into() });
    it.stands("failed: step `c`: Child workflow was cancelled: run `run/c#1`: no");
}

#[test]
fn a_child_that_cannot_start_is_a_crash() {
    let mut it = Drive::start(line(vec![child("c", &[]).timeout(100)]));
    it.fails("c#1", FailureKind::Crashed).expect(&["withdraw c#1/due"]).stands("failed: step `c`: it broke");
}

#[test]
fn a_child_that_cannot_start_is_tried_again() {
    let mut it = Drive::start(line(vec![child("c", &[]).retry(2, 100)]));
    it.fails("c#1", FailureKind::Crashed).expect(&["timer c#1/retry at 1100"]);
    it.fire("c#1/retry").expect(&["child c#2 other depth 1"]);
    it.end_child("c#2", succeeded(json!({}))).stands("succeeded");
}

#[test]
fn a_child_that_cannot_start_while_the_run_closes_is_over() {
    let mut it = Drive::start(line(vec![child("c", &[])]));
    it.cancel().stands("closing");
    it.fails("c#1", FailureKind::Crashed).stands("cancelled: enough");
}

#[test]
fn only_of_a_child_that_cannot_start_something_is_reported() {
    let mut it = Drive::start(line(vec![child("c", &[])]));
    let effect = EffectId::new("c#1");
    let done = Command::Report { effect: effect.clone(), report: Report::Done { outputs: Fields::new() } };
    assert!(matches!(it.refuse(done), Refusal::WrongKind { .. }));
    assert!(matches!(it.refuse(Command::Interrupt { effect }), Refusal::WrongKind { .. }));
}

#[test]
fn a_child_is_tried_again_under_another_name() {
    let mut it = Drive::start(line(vec![child("c", &[("x", just(json!(1)))]).retry(2, 100)]));
    it.end_child("c#1", failed()).expect(&["timer c#1/retry at 1100"]).stands("waiting: clock c 1100");
    it.fire("c#1/retry").expect(&["child c#2 other depth 1 x=1"]);
    it.end_child("c#2", succeeded(json!({}))).stands("succeeded");
}

#[test]
fn a_child_that_takes_too_long_is_cancelled_and_awaited() {
    let mut it = Drive::start(line(vec![child("c", &[]).timeout(100)]));
    it.expect(&["child c#1 other depth 1", "timer c#1/due at 1100"]);
    it.fire("c#1/due").expect(&["cancel c#1: it took too long"]).stands("waiting: child c");
    it.end_child("c#1", Outcome::Cancelled { reason: "late".into() });
    it.stands("failed: step `c`: the child run `run/c#1` took too long");
}

#[test]
fn a_late_child_that_succeeds_all_the_same_has_succeeded() {
    let mut it = Drive::start(line(vec![child("c", &[]).timeout(100)]));
    it.fire("c#1/due").end_child("c#1", succeeded(json!({}))).stands("succeeded");
}

#[test]
fn a_child_in_time_ends_the_timer() {
    let mut it = Drive::start(line(vec![child("c", &[]).timeout(100)]));
    it.end_child("c#1", succeeded(json!({}))).expect(&["withdraw c#1/due"]);
}

#[test]
fn a_late_child_is_tried_again() {
    let mut it = Drive::start(line(vec![child("c", &[]).timeout(100).retry(2, 0)]));
    it.fire("c#1/due").end_child("c#1", failed()).expect(&["timer c#1/retry at 1100"]);
    it.fire("c#1/retry").expect(&["child c#2 other depth 1", "timer c#2/due at 1200"]);
}

#[test]
fn a_child_may_be_named_late_and_take_an_input_of_any_name() {
    let step = named_child("c", text("w-${inputs.kind}"), &[("workflow", just(json!("mine")))]);
    let plan = with_input(line(vec![step.retry(2, 0)]), "kind");
    let mut it = Drive::new(plan).started(json!({"kind": "x"}));
    it.expect(&[r#"child c#1 w-x depth 1 workflow="mine""#]);
    it.end_child("c#1", failed()).fire("c#1/retry").expect(&[r#"child c#2 w-x depth 1 workflow="mine""#]);
}

#[test]
fn a_childs_name_is_text() {
    let mut it = Drive::start(line(vec![named_child("c", just(json!(7)), &[])]));
    it.stands("failed: step `c`: a workflow's name is text, and this is a number");
}

#[test]
fn only_the_child_that_is_waited_for_counts() {
    let mut it = Drive::start(line(vec![child("c", &[])]));
    let end = |effect: &str, child: &str| Command::EndChild {
        effect: EffectId::new(effect),
        child: RunId::new(child),
        outcome: succeeded(json!({})),
    };
    assert_eq!(it.refuse(end("c#1", "run/d#1")), Refusal::WrongChild { child: RunId::new("run/d#1") });
    assert!(matches!(it.refuse(end("c#1/due", "run/c#1")), Refusal::NotOpen { .. }));
    assert!(matches!(it.refuse(end("c#2", "run/c#2")), Refusal::NotOpen { .. }));
}

#[test]
fn cancel_goes_down_and_waits() {
    let mut it = Drive::start(line(vec![child("c", &[]).timeout(100)]));
    it.cancel().expect(&["withdraw c#1/due", "cancel c#1: the parent closes", "timer run/close at 31000"]);
    it.stands("closing").end_child("c#1", Outcome::Cancelled { reason: "the parent closes".into() });
    it.expect(&["withdraw run/close"]).stands("cancelled: enough");
}

#[test]
fn the_parent_is_told_until_it_has_recorded_it() {
    let parent = Some((RunId::new("up"), EffectId::new("c#1")));
    let mut it = Drive::of(with_output(line(vec![noop("a")]), "y", just(json!(1))), parent, 1);
    it = it.started(json!({}));
    it.done("a#1", json!({})).expect(&["tell c#1 succeeded y=1"]).stands("succeeded y=1");
    assert_eq!(it.run.open().len(), 1);
    it.give(Command::Acknowledge).expect(&[]);
    assert!(it.run.open().is_empty());
    assert_eq!(it.refuse(Command::Acknowledge), Refusal::Over);
}
