//! The machine flow: one state at a time, the first transition that holds, time-outs, an end.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::WriteKind;
use kernel::{FailureKind, Plan};
use serde_json::json;

scenarios![
    the_first_transition_that_holds_is_taken,
    a_state_may_lead_to_itself,
    a_failure_may_be_a_way,
    a_failure_that_nothing_takes_fails_the_run,
    success_that_nothing_takes_ends_the_run,
    after_a_time_out_transitions_come_first,
    variables_change_before_the_next_state_is_chosen,
    a_change_that_cannot_be_made_fails_the_run,
    a_transition_that_cannot_be_evaluated_fails_the_run,
    so_many_states_and_no_more,
    a_state_whose_inputs_cannot_be_made_has_failed,
];

#[test]
fn the_first_transition_that_holds_is_taken() {
    let mut it = Drive::start(machine(vec![
        (noop("a"), &[("${result.n} > 5", 2), ("${result.ok}", 1)]),
        (noop("b"), &[("true", 0)]),
        (noop("c"), &[]),
    ]));
    it.expect(&["perform a@1#1"]).done("a@1#1", json!({"n": 1})).expect(&["perform b@2#1"]);
    it.done("b@2#1", json!({})).expect(&["perform a@3#1"]);
    it.done("a@3#1", json!({"n": 9})).expect(&["perform c@4#1"]);
    it.done("c@4#1", json!({})).stands("succeeded");
}

// covers: T-77
#[test]
fn a_state_may_lead_to_itself() {
    let mut it = Drive::start(machine(vec![(noop("a"), &[("${result.more}", 0)])]));
    it.done("a@1#1", json!({"more": true})).expect(&["perform a@2#1"]);
    it.done("a@2#1", json!({"more": false})).stands("succeeded");
}

#[test]
fn a_failure_may_be_a_way() {
    let mut it = Drive::start(machine(vec![(noop("a"), &[("not ${result.ok}", 1)]), (noop("b"), &[])]));
    it.fails("a@1#1", FailureKind::Crashed).expect(&["perform b@2#1"]);
}

#[test]
fn a_failure_that_nothing_takes_fails_the_run() {
    let mut it = Drive::start(machine(vec![(noop("a"), &[("${result.ok}", 0)])]));
    it.fails("a@1#1", FailureKind::Crashed).stands("failed: state `a`: it broke");
    let mut it = Drive::start(machine(vec![(noop("a"), &[])]));
    it.fails("a@1#1", FailureKind::Crashed).stands("failed: state `a`: it broke");
}

// covers: T-64
#[test]
fn success_that_nothing_takes_ends_the_run() {
    let mut it = Drive::start(machine(vec![(noop("a"), &[("not ${result.ok}", 0)])]));
    it.done("a@1#1", json!({})).stands("succeeded");
}

#[test]
fn after_a_time_out_transitions_come_first() {
    let plan = |when: &'static [(&'static str, u32)]| {
        let mut plan = machine(vec![(noop("a"), when), (noop("b"), &[]), (noop("c"), &[])]);
        state_of(&mut plan, 0).on_timeout = Some(1);
        plan
    };
    let mut it = Drive::start(plan(&[("${result.timed_out}", 2)]));
    it.fails("a@1#1", FailureKind::TimedOut).expect(&["perform c@2#1"]);
    let mut it = Drive::start(plan(&[("${result.ok}", 2)]));
    it.fails("a@1#1", FailureKind::TimedOut).expect(&["perform b@2#1"]);
    let mut it = Drive::start(plan(&[]));
    it.fails("a@1#1", FailureKind::Crashed).stands("failed: state `a`: it broke");
}

#[test]
fn variables_change_before_the_next_state_is_chosen() {
    let mut plan = machine(vec![(noop("a"), &[("${state.n} < 2", 0)])]);
    state_of(&mut plan, 0).writes = vec![change("n", WriteKind::Increment, text("${result.by}"))];
    let mut it = Drive::start(with_state(plan, json!({"n": 0})));
    it.done("a@1#1", json!({"by": 1})).expect(&["perform a@2#1"]);
    it.done("a@2#1", json!({"by": 1})).state("n", json!(2)).stands("succeeded");
}

#[test]
fn a_change_that_cannot_be_made_fails_the_run() {
    let mut plan = machine(vec![(noop("a"), &[("true", 0)])]);
    state_of(&mut plan, 0).writes = vec![put("n", text("${result.none}"))];
    Drive::start(plan).done("a@1#1", json!({})).stands("failed: `result` has no `none`");
}

#[test]
fn a_transition_that_cannot_be_evaluated_fails_the_run() {
    let mut it = Drive::start(machine(vec![(noop("a"), &[("${result.none}", 0)])]));
    it.done("a@1#1", json!({})).stands("failed: `result` has no `none`");
}

#[test]
fn so_many_states_and_no_more() {
    let mut plan = machine(vec![(noop("a"), &[("${result.more}", 0)])]);
    plan.limits.visits_max = 2;
    let mut it = Drive::start(plan.clone());
    it.done("a@1#1", json!({"more": true})).done("a@2#1", json!({"more": false})).stands("succeeded");
    let mut it = Drive::start(plan);
    it.done("a@1#1", json!({"more": true})).done("a@2#1", json!({"more": true}));
    it.stands("failed: Maximum states limit (2) reached");
}

#[test]
fn a_state_whose_inputs_cannot_be_made_has_failed() {
    let bad = noop_with("a", &[("x", text("${inputs.none}"))]);
    let mut it = Drive::start(machine(vec![(bad, &[("not ${result.ok}", 1)]), (noop("b"), &[])]));
    it.expect(&["perform b@2#1"]);
    let plan: Plan = machine(vec![(child("a", &[]), &[]), (noop("b"), &[])]);
    Drive::start(plan).expect(&["child a@1#1 other depth 1"]);
}
