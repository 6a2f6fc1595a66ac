//! The server's work and the clock's: attempts, retries, interruption, waits.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::event::Resolution;
use kernel::plan::{OnInterrupt, Retry, Step};
use kernel::{FailureKind, Fields, News};
use serde_json::json;

scenarios![
    work_is_done,
    work_fails,
    a_failed_attempt_rests_and_is_followed_by_another,
    rests_grow,
    what_was_cancelled_is_not_tried_again,
    what_goes_on_is_not_tried_again_beside_itself,
    interrupted_work_is_done_again,
    an_interruption_is_no_failed_attempt,
    work_that_is_interrupted_again_and_again_is_asked_about,
    interrupted_work_is_asked_about,
    interrupted_work_counts_as_failed,
    a_wait_is_over_when_its_time_has_come,
    a_wait_needs_a_number,
    a_wait_may_be_very_long,
    inputs_that_cannot_be_made_end_the_step,
    secrets_and_time_outs_travel_along,
];

#[test]
fn work_is_done() {
    let plan = with_output(line(vec![noop_with("a", &[("x", just(json!(1)))])]), "n", just(json!(2)));
    let mut it = Drive::start(plan);
    it.expect(&["perform a#1 x=1"]).stands("running");
    it.done("a#1", json!({"x": 1})).expect(&[]).stands("succeeded n=2");
}

#[test]
fn work_fails() {
    let mut it = Drive::start(line(vec![noop("a"), noop("b")]));
    it.fails("a#1", FailureKind::Operation).expect(&[]).stands("failed: step `a`: it broke");
}

#[test]
fn a_failed_attempt_rests_and_is_followed_by_another() {
    let mut it = Drive::start(line(vec![noop("a").retry(3, 100)]));
    it.fails("a#1", FailureKind::Crashed)
        .expect(&["timer a#1/retry at 1100"])
        .stands("waiting: clock a 1100");
    it.fire("a#1/retry").expect(&["perform a#2"]).stands("running");
    it.fails("a#2", FailureKind::TimedOut).expect(&["timer a#2/retry at 1200"]);
    it.fire("a#2/retry").expect(&["perform a#3"]);
    it.fails("a#3", FailureKind::Crashed).stands("failed: step `a`: it broke");
}

#[test]
fn rests_grow() {
    let retry = Retry { attempts_max: 9, delay_ms: 100, growth_percent: 300, delay_ms_max: 500 };
    let mut it = Drive::start(line(vec![Step { retry, ..noop("a") }]));
    it.fails("a#1", FailureKind::Crashed).expect(&["timer a#1/retry at 1100"]);
    it.fire("a#1/retry").fails("a#2", FailureKind::Crashed).expect(&["timer a#2/retry at 1400"]);
    it.fire("a#2/retry").fails("a#3", FailureKind::Crashed).expect(&["timer a#3/retry at 1900"]);
    it.fire("a#3/retry").done("a#4", json!({})).stands("succeeded");
}

#[test]
fn what_was_cancelled_is_not_tried_again() {
    let mut it = Drive::start(line(vec![noop("a").retry(3, 100)]));
    it.fails("a#1", FailureKind::Cancelled).stands("failed: step `a`: it broke");
}

#[test]
fn what_goes_on_is_not_tried_again_beside_itself() {
    let mut it = Drive::start(line(vec![noop("a").retry(3, 100)]));
    it.fails("a#1", FailureKind::Unended).stands("failed: step `a`: it broke");
}

#[test]
fn interrupted_work_is_done_again() {
    let mut it = Drive::start(line(vec![noop("a").interrupt(OnInterrupt::Retry)]));
    it.interrupt("a#1").expect(&["perform a#2"]);
    it.interrupt("a#2").expect(&["perform a#3"]);
    it.done("a#3", json!({})).stands("succeeded");
}

#[test]
fn an_interruption_is_no_failed_attempt() {
    let mut it = Drive::start(line(vec![noop("a").interrupt(OnInterrupt::Retry).retry(2, 0)]));
    it.interrupt("a#1").fails("a#2", FailureKind::Crashed).expect(&["timer a#2/retry at 1000"]);
    it.fire("a#2/retry").done("a#3", json!({})).stands("succeeded");
}

#[test]
fn work_that_is_interrupted_again_and_again_is_asked_about() {
    let mut it = Drive::start(line(vec![noop("a").interrupt(OnInterrupt::Retry)]));
    for attempt in 1..4 {
        it.interrupt(&format!("a#{attempt}")).expect(&[&format!("perform a#{}", attempt + 1)]);
    }
    it.interrupt("a#4").expect(&[]).stands("waiting: decision a");
}

#[test]
fn interrupted_work_is_asked_about() {
    for (resolution, effects, status) in [
        (Resolution::Retry, vec!["perform a#2"], "running"),
        (Resolution::Done { outputs: Fields::new() }, vec![], "succeeded"),
        (Resolution::Fail, vec![], "failed: step `a`: was interrupted, and counts as failed"),
    ] {
        let mut it = Drive::start(line(vec![noop("a").interrupt(OnInterrupt::Ask)]));
        it.interrupt("a#1").expect(&[]).stands("waiting: decision a");
        assert!(matches!(it.turn.news.as_slice(), [News::Interrupted { attempt: 1, .. }]));
        it.resolve("a#1", resolution).expect(&effects).stands(status);
    }
}

#[test]
fn interrupted_work_counts_as_failed() {
    let mut it = Drive::start(line(vec![noop("a").interrupt(OnInterrupt::Fail).retry(5, 0)]));
    it.interrupt("a#1").stands("failed: step `a`: was interrupted, and counts as failed");
}

#[test]
fn a_wait_is_over_when_its_time_has_come() {
    let mut it = Drive::start(line(vec![wait("w", just(json!(500))), wait("v", just(json!(0.5)))]));
    it.expect(&["timer w#1/due at 1500"]).stands("waiting: clock w 1500");
    it.fire("w#1/due").expect(&["timer v#1/due at 1501"]);
    it.fire("v#1/due").stands("succeeded");
}

#[test]
fn a_wait_needs_a_number() {
    for ms in [json!("soon"), json!(-1), json!(null), json!(-0.5)] {
        let mut it = Drive::start(line(vec![wait("w", just(ms))]));
        assert!(
            it.expect(&[]).run.outcome().is_some_and(|end| crate::say::outcome(end).contains("milliseconds"))
        );
    }
}

#[test]
fn a_wait_may_be_very_long() {
    let mut it = Drive::start(line(vec![wait("w", just(json!(u64::MAX)))]));
    it.stands(&format!("waiting: clock w {}", u64::MAX)).cancel().stands("cancelled: enough");
}

#[test]
fn inputs_that_cannot_be_made_end_the_step() {
    let mut it = Drive::start(line(vec![noop_with("a", &[("x", text("${inputs.none}"))])]));
    it.expect(&[]).stands("failed: step `a`: `inputs` has no `none`");
    assert!(matches!(&it.turn.news[..2], [News::Began { .. }, News::Ended { failure: Some(_), .. }]));
}

#[test]
fn secrets_and_time_outs_travel_along() {
    let mut step = noop("a").timeout(7);
    if let kernel::plan::Work::Server { secrets, .. } = &mut step.work {
        secrets.insert("TOKEN".into(), "github".into());
    }
    let it = Drive::start(line(vec![step]));
    let [kernel::Effect::Perform(perform)] = it.turn.effects.as_slice() else { panic!("one effect") };
    assert_eq!((perform.timeout_ms, perform.secrets["TOKEN"].as_str()), (Some(7), "github"));
}
