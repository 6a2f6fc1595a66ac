//! Actions of agent and human: results, checks of claimed results, gates, overdue ones.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, human};
use kernel::command::Caller;
use kernel::plan::{Deadline, GateLevel, OnInterrupt, OnOverdue, Plan, REVISION, Step};
use kernel::{Command, Digest, EffectId, FailureKind, News, Refusal};
use serde_json::{Value, json};

scenarios![
    a_result_is_taken,
    a_result_that_comes_in_time_ends_the_timer,
    an_overdue_action_is_offered_again_and_waits,
    an_overdue_action_may_fail,
    an_overdue_action_that_fails_is_tried_again,
    a_gate_is_not_asked_again,
    a_gate_is_approved,
    a_gate_is_declined,
    silence_is_a_no,
    a_gate_hears_nobody_else,
    a_no_needs_no_proof,
    a_result_again_is_recognised,
    a_result_again_is_recognised_after_the_end,
    a_claimed_result_is_checked,
    a_result_that_does_not_hold_is_asked_for_again,
    what_a_check_gives_is_no_output_of_its_step,
    an_interrupted_check_is_made_again,
    the_attempts_that_are_left_are_known_and_an_interrupted_check_is_none,
    a_check_that_cannot_be_made_counts_as_not_held,
    a_check_has_a_time_of_its_own,
    who_is_asked_is_told_and_when_it_is_checked,
];

/// The digest of what the first offer of the last turn shows.
fn shown(it: &Drive) -> Digest {
    let action = it.turn.effects.iter().find_map(|effect| match effect {
        kernel::Effect::Offer(action) => Some(action),
        _ => None,
    });
    action.expect("an offer").shown
}

fn answer(approved: bool, shown: Digest, by: Caller) -> Command {
    Command::Answer {
        effect: EffectId::new("g#1"),
        approved,
        result: fields(json!({"why": "so"})),
        shown,
        by,
    }
}

#[test]
fn a_result_is_taken() {
    let plan = sequence(vec![agent("a")], vec![vec![act_into(0, "x", "${result.x}")]]);
    let mut it = Drive::start(plan);
    it.expect(&["offer a#1"]).stands("waiting: agent a");
    it.submit("a#1", json!({"x": [1]})).expect(&[]).state("x", json!([1])).stands("succeeded");
}

#[test]
fn a_result_that_comes_in_time_ends_the_timer() {
    let mut it = Drive::start(line(vec![agent("a").timeout(50)]));
    it.expect(&["offer a#1", "timer a#1/due at 901050"]);
    it.submit("a#1", json!({})).expect(&["withdraw a#1/due"]);
}

#[test]
fn an_overdue_action_is_offered_again_and_waits() {
    let mut it = Drive::start(line(vec![agent("a").timeout(50)]));
    it.fire("a#1/due").expect(&["offer a#1 overdue"]).stands("waiting: agent a");
    it.submit("a#1", json!({})).expect(&[]).stands("succeeded");
}

#[test]
fn an_overdue_action_may_fail() {
    let step = Step { on_overdue: OnOverdue::Fail, ..agent("a").timeout(3_000) };
    let mut it = Drive::start(line(vec![step]));
    it.expect(&["offer a#1", "timer a#1/due at 4000"]);
    it.fire("a#1/due").expect(&["withdraw a#1"]).stands("failed: step `a`: no answer came within 3 s");
}

#[test]
fn an_overdue_action_that_fails_is_tried_again() {
    let step = Step { on_overdue: OnOverdue::Fail, ..agent("a").timeout(3_000).retry(2, 10) };
    let mut it = Drive::start(Plan { revision: REVISION, ..line(vec![step]) });
    it.fire("a#1/due").expect(&["withdraw a#1", "timer a#1/retry at 4010"]);
    it.fire("a#1/retry").expect(&["offer a#2", "timer a#2/due at 7010"]).stands("waiting: agent a");
    it.fire("a#2/due").expect(&["withdraw a#2"]).stands("failed: step `a`: no answer came within 3 s");
}

#[test]
fn a_gate_is_not_asked_again() {
    let step = gate("g", GateLevel::Ask).timeout(9).retry(2, 10);
    let mut it = Drive::start(Plan { revision: REVISION, ..line(vec![step]) });
    it.fire("g#1/due").expect(&["withdraw g#1"]).stands("failed: step `g`: no answer came within 9 ms");
}

#[test]
fn a_gate_is_approved() {
    let mut it = Drive::start(sequence(
        vec![gate("g", GateLevel::Ask)],
        vec![vec![act_into(0, "by", "${result.answered_by}")]],
    ));
    it.stands("waiting: human g");
    let shown = shown(&it);
    it.give(answer(true, shown, human(false)));
    it.state("by", json!("human at console")).stands("succeeded");
}

#[test]
fn a_gate_is_declined() {
    let mut it = Drive::start(line(vec![gate("g", GateLevel::Ask).timeout(9)]));
    let shown = shown(&it);
    it.give(answer(false, shown, human(false))).expect(&["withdraw g#1/due"]);
    it.stands("failed: step `g`: a human said no");
}

#[test]
fn silence_is_a_no() {
    let mut it = Drive::start(line(vec![gate("g", GateLevel::Ask).timeout(9)]));
    it.expect(&[r#"offer g#1 message="sure?""#, "timer g#1/due at 1009"]);
    it.fire("g#1/due").expect(&["withdraw g#1"]).stands("failed: step `g`: no answer came within 9 ms");
}

#[test]
fn a_gate_hears_nobody_else() {
    let mut it = Drive::start(line(vec![gate("g", GateLevel::Proof), noop("b")]));
    let shown = shown(&it);
    let effect = EffectId::new("g#1");
    for by in [Caller::Agent("a".into()), Caller::Server] {
        assert_eq!(it.refuse(answer(true, shown, by)), Refusal::HumansOnly { effect: effect.clone() });
    }
    let submitted = Command::Submit {
        effect: effect.clone(),
        result: fields(json!({})),
        by: human(true),
        claim: kernel::event::Claim::default(),
    };
    assert_eq!(it.refuse(submitted), Refusal::HumansOnly { effect: effect.clone() });
    assert_eq!(it.refuse(answer(true, shown, human(false))), Refusal::ProofNeeded { effect: effect.clone() });
    let other = Digest::of(b"something else");
    assert_eq!(it.refuse(answer(true, other, human(true))), Refusal::ShownChanged { effect: effect.clone() });
    it.give(answer(true, shown, human(true))).expect(&["perform b#1"]);
    assert_eq!(it.refuse(answer(true, shown, human(true))), Refusal::Repeated { effect: effect.clone() });
    assert_eq!(it.refuse(answer(false, shown, human(true))), Refusal::AlreadyAnswered { effect });
}

#[test]
fn a_no_needs_no_proof() {
    let mut it = Drive::start(line(vec![gate("g", GateLevel::Proof)]));
    let shown = shown(&it);
    it.give(answer(false, shown, human(false))).stands("failed: step `g`: a human said no");
}

#[test]
fn a_result_again_is_recognised() {
    let mut it = Drive::start(line(vec![agent("a"), noop("b")]));
    it.submit("a#1", json!({"x": 1}));
    let again = |x: Value| crate::drive::submission("a#1", json!({"x": x}));
    assert_eq!(it.refuse(again(json!(1))), Refusal::Repeated { effect: EffectId::new("a#1") });
    assert_eq!(it.refuse(again(json!(2))), Refusal::AlreadyAnswered { effect: EffectId::new("a#1") });
}

#[test]
fn a_result_again_is_recognised_after_the_end() {
    let mut it = Drive::start(line(vec![agent("a")]));
    it.submit("a#1", json!({"x": 1})).stands("succeeded");
    let again = |x: Value| crate::drive::submission("a#1", json!({"x": x}));
    assert_eq!(it.refuse(again(json!(1))), Refusal::Repeated { effect: EffectId::new("a#1") });
    assert_eq!(it.refuse(again(json!(2))), Refusal::AlreadyAnswered { effect: EffectId::new("a#1") });
    let mut it = Drive::start(line(vec![gate("g", GateLevel::Ask)]));
    let shown = shown(&it);
    it.give(answer(false, shown, human(false)));
    let repeated = Refusal::Repeated { effect: EffectId::new("g#1") };
    assert_eq!(it.refuse(answer(false, shown, human(false))), repeated);
}

#[test]
fn a_claimed_result_is_checked() {
    let step = Step { verify: verified(2, &[("claim", text("${result.x}"))]), ..agent("a") };
    let mut it = Drive::start(sequence(vec![step], vec![vec![act_into(0, "x", "${result.x}")]]));
    it.submit("a#1", json!({"x": 7})).expect(&["perform a#1/verify claim=7"]).stands("running");
    it.done("a#1/verify", json!({})).state("x", json!(7)).stands("succeeded");
}

#[test]
fn a_result_that_does_not_hold_is_asked_for_again() {
    let step = Step { verify: verified(2, &[]), ..agent("a").timeout(5) };
    let mut it = Drive::start(line(vec![step]));
    it.submit("a#1", json!({"x": 1})).expect(&["withdraw a#1/due", "perform a#1/verify"]);
    it.fails("a#1/verify", FailureKind::Operation).expect(&["offer a#2", "timer a#2/due at 901005"]);
    let offer = it.run.open().into_iter().next().expect("an offer").effect;
    let kernel::Effect::Offer(action) = offer else { panic!("an offer") };
    assert_eq!(action.note, Some(json!("the result does not hold: it broke").into()));
    it.submit("a#2", json!({"x": 1})).fails("a#2/verify", FailureKind::Operation);
    it.stands("failed: step `a`: the result does not hold: it broke");
}

#[test]
fn what_a_check_gives_is_no_output_of_its_step() {
    let failed = || kernel::event::Report::Failed {
        failure: kernel::Failure::new(FailureKind::Operation, "it broke"),
        outputs: kernel::Fields::from([("x".to_owned(), json!("of the check").into())]),
    };
    for cancels in [false, true] {
        let step = Step { verify: verified(1, &[]), ..agent("a") };
        let mut it = Drive::start(line(vec![step]));
        it.submit("a#1", json!({"x": 7}));
        if cancels {
            it.cancel();
        }
        it.give(Command::Report { effect: EffectId::new("a#1/verify"), report: failed() });
        let ended = it.turn.news.iter().find_map(|news| match news {
            News::Ended { outputs, .. } => Some(outputs),
            _ => None,
        });
        assert_eq!(ended, Some(&kernel::Fields::new()), "{cancels}");
    }
}

#[test]
fn an_interrupted_check_is_made_again() {
    let step = Step { verify: verified(1, &[]), ..agent("a").interrupt(OnInterrupt::Ask) };
    let mut it = Drive::start(line(vec![step]));
    it.submit("a#1", json!({})).interrupt("a#1/verify").expect(&["perform a#2/verify"]);
    it.done("a#2/verify", json!({})).stands("succeeded");
}

#[test]
fn the_attempts_that_are_left_are_known_and_an_interrupted_check_is_none() {
    let step = Step { verify: verified(3, &[]), ..agent("a") };
    let mut it = Drive::start(line(vec![step, agent("b")]));
    let left = |it: &Drive, effect: &str| it.run.attempts_left(&EffectId::new(effect));
    assert_eq!(left(&it, "a#1"), Some(3));
    it.submit("a#1", json!({})).interrupt("a#1/verify").fails("a#2/verify", FailureKind::Operation);
    it.expect(&["offer a#3"]);
    assert_eq!(left(&it, "a#3"), Some(2));
    it.submit("a#3", json!({})).done("a#3/verify", json!({})).expect(&["offer b#1"]);
    assert_eq!((left(&it, "a#3"), left(&it, "b#1")), (None, None));
}

#[test]
fn a_check_that_cannot_be_made_counts_as_not_held() {
    let step = Step { verify: verified(2, &[("claim", text("${result.x}"))]), ..agent("a") };
    let mut it = Drive::start(line(vec![step]));
    it.submit("a#1", json!({})).expect(&["offer a#2"]);
    it.submit("a#2", json!({})).stands("failed: step `a`: the result does not hold: `result` has no `x`");
}

#[test]
fn a_check_has_a_time_of_its_own() {
    let timed = |timeout: Deadline| {
        let verify = verified(1, &[]).map(|verify| kernel::plan::Verify { timeout, ..verify });
        let mut it = Drive::start(line(vec![Step { verify, ..agent("a").timeout(50) }]));
        it.submit("a#1", json!({}));
        let check = it.turn.effects.iter().find_map(|effect| match effect {
            kernel::Effect::Perform(perform) => Some(perform.timeout_ms),
            _ => None,
        });
        it.done("a#1/verify", json!({})).stands("succeeded");
        check.expect("a check")
    };
    assert_eq!(timed(Deadline::After(7)), Some(7));
    assert_eq!(timed(Deadline::Never), Some(50));
}

#[test]
fn who_is_asked_is_told_and_when_it_is_checked() {
    let mut it = Drive::start(line(vec![Step { verify: verified(2, &[]), ..agent("a") }]));
    let told = |it: &Drive| -> Vec<&'static str> {
        let told = it.turn.news.iter().filter_map(|news| match news {
            News::Offered { .. } => Some("offered"),
            News::Checking { .. } => Some("checking"),
            News::Unverified { .. } => Some("unverified"),
            _ => None,
        });
        told.collect()
    };
    assert_eq!(told(&it), ["offered"]);
    it.submit("a#1", json!({}));
    assert_eq!(told(&it), ["checking"]);
    it.fails("a#1/verify", FailureKind::Operation);
    assert_eq!(told(&it), ["unverified", "offered"]);
    it.submit("a#2", json!({}));
    it.done("a#2/verify", json!({})).stands("succeeded");
}
