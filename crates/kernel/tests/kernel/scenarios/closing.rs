//! The two moves of an end: closing stops what is open and cleans up, under a deadline; then the run has ended.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, cancellation, failed};
use kernel::event::{Report, Resolution};
use kernel::plan::{Deadline, Node, OnInterrupt, Step};
use kernel::{Command, EffectId, Failure, FailureKind, Fields, News, Plan, Refusal};
use serde_json::json;

scenarios![
    cancel_stops_what_works_and_waits_for_its_report,
    what_was_stopped_may_be_interrupted,
    what_could_not_be_stopped_is_told,
    cancel_drops_what_only_waits,
    cancel_stops_a_check,
    cancel_of_a_late_child_waits_for_it,
    cancel_twice_is_refused,
    cleanup_runs_in_order_however_the_run_ends,
    a_cleanup_that_fails_stops_no_other_and_changes_no_outcome,
    a_step_may_clean_up_twice,
    an_interrupted_cleanup_is_asked_about_too,
    cleanup_may_be_an_action_with_a_check,
    cleanup_may_wait_and_call,
    cleanup_may_ask,
    closing_has_a_deadline,
    what_still_works_at_the_deadline_is_told_to_stop,
    a_run_has_a_deadline,
    a_run_that_ends_in_time_withdraws_its_timer,
    what_began_in_the_turn_that_closes_never_leaves,
    a_closing_run_takes_no_updates,
];

/// The steps after the first one are cleanup.
fn cleaned(steps: Vec<Step>) -> Plan {
    let cleanup = (1..).take(steps.len() - 1).collect();
    Plan { cleanup, ..sequence(steps, vec![vec![act(0)]]) }
}

#[test]
fn cancel_stops_what_works_and_waits_for_its_report() {
    let mut it = Drive::start(line(vec![noop("a")]));
    it.cancel().expect(&["withdraw a#1", "timer run/close at 31000"]).stands("closing");
    it.done("a#1", json!({})).expect(&["withdraw run/close"]).stands("cancelled: enough");
}

#[test]
fn what_was_stopped_may_be_interrupted() {
    let mut it = Drive::start(line(vec![noop("a").interrupt(OnInterrupt::Ask)]));
    it.cancel().interrupt("a#1").stands("cancelled: enough");
}

#[test]
fn what_could_not_be_stopped_is_told() {
    for (kind, told) in [(FailureKind::Unended, "goes on"), (FailureKind::Operation, "the run closed")] {
        let checked = Step { verify: verified(1, &[]), ..agent("a") };
        for (step, effect) in [(noop("a"), "a#1"), (checked, "a#1/verify")] {
            let mut it = Drive::start(line(vec![step]));
            if effect != "a#1" {
                it.submit("a#1", json!({"x": 1}));
            }
            it.cancel();
            let report = Report::Failed { failure: Failure::new(kind, "goes on"), outputs: Fields::new() };
            it.give(Command::Report { effect: EffectId::new(effect), report });
            let failure = it.turn.news.iter().find_map(|news| match news {
                News::Ended { failure, .. } => failure.clone(),
                _ => None,
            });
            assert_eq!(failure.map(|failure| failure.message).as_deref(), Some(told), "{effect}");
            it.stands("cancelled: enough");
        }
    }
}

#[test]
fn cancel_drops_what_only_waits() {
    let interrupted = noop("a").interrupt(OnInterrupt::Ask);
    let mut it = Drive::start(line(vec![interrupted]));
    it.interrupt("a#1").cancel().expect(&[]).stands("cancelled: enough");
    let mut it = Drive::start(line(vec![noop("a").retry(2, 9)]));
    it.fails("a#1", FailureKind::Crashed)
        .cancel()
        .expect(&["withdraw a#1/retry"])
        .stands("cancelled: enough");
    let mut it = Drive::start(line(vec![wait("a", just(json!(9)))]));
    it.cancel().expect(&["withdraw a#1/due"]).stands("cancelled: enough");
    let mut it = Drive::start(line(vec![agent("a").timeout(9)]));
    it.cancel().expect(&["withdraw a#1/due", "withdraw a#1"]).stands("cancelled: enough");
}

#[test]
fn cancel_stops_a_check() {
    let mut it = Drive::start(line(vec![Step { verify: verified(2, &[]), ..agent("a") }]));
    it.submit("a#1", json!({"x": 1})).cancel().expect(&["withdraw a#1/verify", "timer run/close at 31000"]);
    it.fails("a#1/verify", FailureKind::Cancelled).stands("cancelled: enough");
}

#[test]
fn cancel_of_a_late_child_waits_for_it() {
    let mut it = Drive::start(line(vec![child("c", &[]).timeout(5)]));
    it.fire("c#1/due").cancel().stands("closing").end_child("c#1", failed()).stands("cancelled: enough");
}

#[test]
fn cancel_twice_is_refused() {
    let mut it = Drive::start(line(vec![noop("a")]));
    it.cancel();
    assert_eq!(it.refuse(cancellation()), Refusal::Over);
    it.done("a#1", json!({}));
    assert_eq!(it.refuse(cancellation()), Refusal::Over);
}

#[test]
fn cleanup_runs_in_order_however_the_run_ends() {
    let mut it = Drive::start(cleaned(vec![noop("a"), noop("b"), noop("c")]));
    it.done("a#1", json!({})).expect(&["timer run/close at 31000", "perform cleanup/b#1"]).stands("closing");
    it.done("cleanup/b#1", json!({})).expect(&["perform cleanup/c#1"]);
    it.done("cleanup/c#1", json!({})).expect(&["withdraw run/close"]).stands("succeeded");
    let mut it = Drive::start(cleaned(vec![noop("a"), noop("b")]));
    it.cancel().expect(&["withdraw a#1", "timer run/close at 31000"]);
    it.done("a#1", json!({})).expect(&["perform cleanup/b#1"]).done("cleanup/b#1", json!({}));
    it.stands("cancelled: enough");
}

#[test]
fn a_cleanup_that_fails_stops_no_other_and_changes_no_outcome() {
    let bad = noop_with("b", &[("x", text("${inputs.none}"))]);
    let mut it = Drive::start(cleaned(vec![noop("a"), bad, noop("c"), noop("d").retry(2, 10)]));
    it.done("a#1", json!({})).expect(&["timer run/close at 31000", "perform cleanup/c#1"]);
    it.fails("cleanup/c#1", FailureKind::Crashed).expect(&["perform cleanup/d#1"]);
    it.fails("cleanup/d#1", FailureKind::Crashed).fire("cleanup/d#1/retry").expect(&["perform cleanup/d#2"]);
    it.fails("cleanup/d#2", FailureKind::Crashed).stands("succeeded");
}

#[test]
fn a_step_may_clean_up_twice() {
    let mut plan = cleaned(vec![noop("a"), noop("b")]);
    plan.cleanup.push(1);
    let mut it = Drive::start(plan);
    it.done("a#1", json!({})).done("cleanup/b#1", json!({})).expect(&["perform cleanup/b@2#1"]);
    it.done("cleanup/b@2#1", json!({})).stands("succeeded");
}

#[test]
fn an_interrupted_cleanup_is_asked_about_too() {
    let mut it = Drive::start(cleaned(vec![noop("a"), noop("b").interrupt(OnInterrupt::Ask)]));
    it.done("a#1", json!({})).interrupt("cleanup/b#1").stands("closing");
    it.resolve("cleanup/b#1", Resolution::Done { outputs: Fields::new() }).stands("succeeded");
}

#[test]
fn cleanup_may_be_an_action_with_a_check() {
    let step = Step { verify: verified(1, &[("x", text("${result.x}"))]), ..agent("b") };
    let mut it = Drive::start(cleaned(vec![noop("a"), step]));
    it.done("a#1", json!({}))
        .submit("cleanup/b#1", json!({"x": 1}))
        .expect(&["perform cleanup/b#1/verify x=1"]);
    it.done("cleanup/b#1/verify", json!({})).stands("succeeded");
}

#[test]
fn cleanup_may_wait_and_call() {
    let mut it = Drive::start(cleaned(vec![noop("a"), wait("w", just(json!(5))), child("c", &[])]));
    it.done("a#1", json!({})).fire("cleanup/w#1/due").expect(&["child cleanup/c#1 other depth 1"]);
    it.end_child("cleanup/c#1", failed()).stands("succeeded");
}

#[test]
fn cleanup_may_ask() {
    let step = noop_with("b", &[("x", js("now()", &[]))]);
    let mut it =
        Drive::new(cleaned(vec![noop("a"), step])).evaluating(|_, _| Ok(json!(5))).started(json!({}));
    it.done("a#1", json!({})).asks(&[&["now() with "]]);
    it.expect(&["timer run/close at 31000", "perform cleanup/b#1 x=5"]).done("cleanup/b#1", json!({}));
}

#[test]
fn closing_has_a_deadline() {
    let mut it = Drive::start(line(vec![noop("a"), noop("b")]));
    it.cancel().fire("run/close").expect(&[]).stands("cancelled: enough");
    assert!(matches!(&it.turn.news[..], [News::Over { abandoned, .. }] if abandoned == &["a"]));
}

#[test]
fn what_still_works_at_the_deadline_is_told_to_stop() {
    let mut it = Drive::start(cleaned(vec![noop("a"), noop("b")]));
    it.done("a#1", json!({})).fire("run/close").expect(&["withdraw cleanup/b#1"]).stands("succeeded");
    let mut it = Drive::start(cleaned(vec![noop("a"), child("c", &[]).timeout(90_000)]));
    it.done("a#1", json!({})).fire("run/close");
    it.expect(&["withdraw cleanup/c#1/due", "cancel cleanup/c#1: the parent closes"]).stands("succeeded");
    let mut it = Drive::start(cleaned(vec![noop("a"), agent("b")]));
    it.done("a#1", json!({})).fire("run/close").expect(&["withdraw cleanup/b#1"]).stands("succeeded");
}

#[test]
fn a_run_has_a_deadline() {
    let mut it = Drive::start(Plan { deadline: Deadline::After(500), ..line(vec![noop("a")]) });
    it.expect(&["timer run/timeout at 1500", "perform a#1"]);
    it.fire("run/timeout").expect(&["withdraw a#1", "timer run/close at 31500"]);
    it.done("a#1", json!({})).stands("failed: the run took longer than 500 ms");
}

#[test]
fn a_run_that_ends_in_time_withdraws_its_timer() {
    let mut it = Drive::start(Plan { deadline: Deadline::After(500), ..line(vec![noop("a")]) });
    it.done("a#1", json!({})).expect(&["withdraw run/timeout"]).stands("succeeded");
}

#[test]
fn what_began_in_the_turn_that_closes_never_leaves() {
    let bad = vec![act(1)];
    let plan = sequence(
        vec![noop("a"), noop_with("b", &[("x", text("${inputs.none}"))])],
        vec![
            vec![fork(just(json!([1, 2])), 1, 2)],
            vec![when("${item} == 1", 2, Some(3))],
            vec![act(0)],
            bad,
        ],
    );
    let plan = Plan { deadline: Deadline::After(500), ..plan };
    let mut it = Drive::start(plan);
    it.expect(&["timer run/timeout at 1500", "perform 1/a@1#1"]).stands("running");
    let plan = with_state(
        sequence(
            vec![noop("a"), child("c", &[]).timeout(5), agent("d").timeout(5), wait("w", just(json!(1)))],
            vec![
                vec![fork(just(json!([0, 1, 2, 3, 4])), 1, 9)],
                vec![Node::Branch {
                    arms: (0..4).map(|n| (cond(&format!("${{item}} == {n}")), n + 2)).collect(),
                    otherwise: Some(6),
                }],
                vec![act(0)],
                vec![act(1)],
                vec![act(2)],
                vec![act(3)],
                vec![set(vec![put("x", text("${inputs.none}"))])],
            ],
        ),
        json!({}),
    );
    let mut it = Drive::start(Plan { deadline: Deadline::After(500), ..plan });
    it.expect(&[]).stands("failed: `inputs` has no `none`");
}

#[test]
fn a_closing_run_takes_no_updates() {
    let mut it = Drive::start(line(vec![noop("a")]));
    it.cancel();
    let update = Command::Update {
        values: Fields::new(),
        by: crate::drive::human(false),
        changes: Vec::new(),
        key: None,
    };
    assert_eq!(it.refuse(update), Refusal::Over);
}
