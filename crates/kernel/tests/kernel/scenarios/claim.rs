//! What is said of an action beside its result: how long it took, and that it could not be done.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::command::Caller;
use kernel::event::Claim;
use kernel::plan::{OnFailure, Step};
use kernel::{Command, EffectId, FailureKind, News, Plan, Refusal};
use serde_json::{Value, json};

scenarios![
    what_took_too_long_has_failed,
    what_took_as_long_as_it_may_is_taken,
    without_a_timeout_nothing_takes_too_long,
    what_took_too_long_is_not_verified,
    what_is_given_up_fails_its_step,
    what_is_given_up_is_offered_again_while_attempts_are_left,
    some_steps_cannot_be_given_up,
    a_reason_has_a_bound,
    a_claim_again_is_recognised,
    a_claim_again_is_recognised_after_the_end,
    what_is_given_up_may_be_passed_by,
];

fn saying(effect: &str, result: Value, claim: Claim) -> Command {
    Command::Submit {
        effect: EffectId::new(effect),
        result: fields(result),
        by: Caller::Agent("a".into()),
        claim,
    }
}

fn took(ms: u64) -> Claim {
    Claim { took_ms: Some(ms), ..Claim::default() }
}

fn error(why: &str) -> Claim {
    Claim { error: Some(why.to_owned()), ..Claim::default() }
}

fn shell(timeout_ms: u64) -> Step {
    Step { kind: "shell".into(), ..agent("a").timeout(timeout_ms) }
}

fn plan(step: Step) -> Plan {
    sequence(vec![step, agent("b")], vec![vec![within(0, act_into(0, "x", "${result.x}")), act(1)]])
}

#[test]
fn what_took_too_long_has_failed() {
    let mut it = Drive::start(plan(shell(30_000).retry(3, 10)));
    it.give(saying("a#1", json!({"x": 1}), took(45_000))).expect(&["withdraw a#1/due"]);
    it.stands("failed: step `a`: took 45 s, and its timeout is 30 s");
    let kinds = it.turn.news.iter().filter_map(|news| match news {
        News::Ended { failure: Some(failure), .. } => Some(failure.kind),
        _ => None,
    });
    assert_eq!(kinds.collect::<Vec<_>>(), [FailureKind::TimedOut]);
}

#[test]
fn what_took_as_long_as_it_may_is_taken() {
    let mut it = Drive::start(plan(shell(30_000)));
    it.give(saying("a#1", json!({"x": 1}), took(30_000))).state("x", json!(1)).stands("waiting: agent b");
    let mut it = Drive::start(plan(shell(30_000)));
    it.give(saying("a#1", json!({"x": 1}), took(30_001)));
    it.stands("failed: step `a`: took 30001 ms, and its timeout is 30 s");
}

#[test]
fn without_a_timeout_nothing_takes_too_long() {
    let mut it = Drive::start(plan(agent("a")));
    it.give(saying("a#1", json!({"x": 1}), took(u64::MAX - 1))).stands("waiting: agent b");
}

#[test]
fn what_took_too_long_is_not_verified() {
    let step = Step { verify: verified(2, &[]), ..shell(10) };
    let mut it = Drive::start(plan(step.clone()));
    it.give(saying("a#1", json!({"x": 1}), took(11))).expect(&["withdraw a#1/due"]);
    it.stands("failed: step `a`: took 11 ms, and its timeout is 10 ms");
    let mut it = Drive::start(plan(step));
    it.give(saying("a#1", json!({"x": 1}), took(10))).expect(&["withdraw a#1/due", "perform a#1/verify"]);
}

#[test]
fn what_is_given_up_fails_its_step() {
    let mut it = Drive::start(plan(shell(30_000)));
    it.give(saying("a#1", json!({}), error("no docker here"))).expect(&["withdraw a#1/due"]);
    it.stands("failed: step `a`: no docker here");
    assert_eq!(it.run.state_field("x"), None);
}

#[test]
fn what_is_given_up_is_offered_again_while_attempts_are_left() {
    let mut it =
        Drive::start(plan(Step { timeout: kernel::plan::Deadline::Never, ..shell(1).retry(2, 100) }));
    it.give(saying("a#1", json!({}), error("busy"))).expect(&["timer a#1/retry at 1100"]);
    it.stands("waiting: clock a 1100");
    assert!(it.turn.news.iter().any(|news| matches!(news, News::Retrying { attempt: 1, .. })));
    it.refuse(saying("a#1", json!({}), error("still busy")));
    it.fire("a#1/retry").expect(&["offer a#2"]);
    assert!(matches!(it.refuse(saying("a#1", json!({"x": 1}), took(1))), Refusal::AlreadyAnswered { .. }));
    it.give(saying("a#2", json!({}), error("gone"))).stands("failed: step `a`: gone");
}

#[test]
fn some_steps_cannot_be_given_up() {
    for kind in ["prompt", "wait", "set_state"] {
        let step = || Step { kind: kind.into(), ..agent("a") };
        let mut it = Drive::start(plan(step()));
        let refusal = it.refuse(saying("a#1", json!({}), error("no")));
        assert_eq!(refusal.to_string(), "`a#1` waits for a result, and cannot be given up");
        it.give(saying("a#1", json!({"x": 1}), took(1))).stands("waiting: agent b");
    }
    for kind in ["shell", "mcp_call", "delegate", ""] {
        let step = Step { kind: kind.into(), ..agent("a") };
        Drive::start(plan(step)).give(saying("a#1", json!({}), error("no"))).stands("failed: step `a`: no");
    }
}

#[test]
fn a_reason_has_a_bound() {
    let max = kernel::Limits::default().inline_bytes_max;
    let text = |bytes: u64| "x".repeat(usize::try_from(bytes).expect("small"));
    let mut it = Drive::start(plan(shell(30_000)));
    let refusal = it.refuse(saying("a#1", json!({}), error(&text(max - 1))));
    assert_eq!(refusal, Refusal::TooLarge { name: "error".into(), size: max + 1, max });
    it.give(saying("a#1", json!({}), error(&text(max - 2))));
    assert!(it.run.weight() < 6_000, "{}", it.run.weight());
}

#[test]
fn a_claim_again_is_recognised() {
    let mut it = Drive::start(plan(shell(30_000)));
    it.give(saying("a#1", json!({"x": 1}), took(5)));
    let again = |it: &mut Drive, result: Value, claim: Claim| it.refuse(saying("a#1", result, claim));
    assert!(matches!(again(&mut it, json!({"x": 1}), took(5)), Refusal::Repeated { .. }));
    assert!(matches!(again(&mut it, json!({"x": 1}), took(6)), Refusal::AlreadyAnswered { .. }));
    assert!(matches!(again(&mut it, json!({"x": 1}), Claim::default()), Refusal::AlreadyAnswered { .. }));
    assert!(matches!(again(&mut it, json!({"x": 2}), took(5)), Refusal::AlreadyAnswered { .. }));
}

#[test]
fn a_claim_again_is_recognised_after_the_end() {
    let mut it = Drive::start(plan(shell(30_000)));
    it.give(saying("a#1", json!({}), error("no")));
    assert!(matches!(it.refuse(saying("a#1", json!({}), error("no"))), Refusal::Repeated { .. }));
    assert!(matches!(it.refuse(saying("a#1", json!({}), error("yes"))), Refusal::AlreadyAnswered { .. }));
    assert_eq!(it.refuse(saying("b#1", json!({}), error("no"))), Refusal::Over);
}

#[test]
fn what_is_given_up_may_be_passed_by() {
    let nodes = |on_failure| {
        let node = kernel::plan::Node::Do {
            step: 0,
            writes: vec![put("x", text("${result.x}"))],
            on_failure,
            otherwise: Vec::new(),
        };
        sequence(vec![agent("a"), agent("b")], vec![vec![node, act(1)]])
    };
    let mut it = Drive::start(nodes(OnFailure::Continue));
    it.give(saying("a#1", json!({"x": 1}), error("no"))).expect(&["offer b#1"]);
    assert_eq!(it.run.state_field("x"), None);
    let mut it = Drive::start(nodes(OnFailure::Take));
    it.give(saying("a#1", json!({"x": 1}), error("no"))).expect(&["offer b#1"]).state("x", json!(1));
}
