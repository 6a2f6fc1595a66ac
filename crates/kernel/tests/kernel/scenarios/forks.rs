//! The sequence flow in many lanes: forks, joins, failures, lanes on one state, forks inside forks.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Node, OnFailure, Step, WriteKind};
use kernel::{FailureKind, Plan};
use serde_json::json;

scenarios![
    lanes_run_side_by_side_and_results_come_in_order,
    a_failed_lane_lets_the_open_ones_end_and_starts_no_other,
    failed_lanes_may_be_passed_by,
    a_fork_over_nothing_is_passed_by,
    lanes_without_steps_end_in_the_turn_that_forked_them,
    lanes_write_one_state,
    lanes_meet_in_a_turn_that_nobody_reported_to,
    forks_nest_and_see_the_items_around_them,
    a_fork_in_a_loop_forks_again,
    lanes_loop_and_break_by_themselves,
    a_return_in_a_lane_ends_the_run,
    an_expression_that_fails_in_a_lane_fails_the_run,
    a_lane_has_its_own_due_action,
    children_of_lanes_have_names_of_their_own,
    a_collection_that_does_not_fit_fails_the_run,
];

fn give(value: &str) -> Node {
    Node::Give { value: text(value) }
}

fn item(id: &str) -> Step {
    noop_with(id, &[("x", text("${item}"))])
}

/// Three items, two lanes at once, a step each, what they give collected.
fn three(on_failure: OnFailure) -> Plan {
    sequence(
        vec![item("a"), noop("after")],
        vec![
            vec![fork_with(just(json!([1, 2, 3])), 1, 2, on_failure, Some("all")), act(1)],
            vec![act(0), give("${item}")],
        ],
    )
}

#[test]
fn lanes_run_side_by_side_and_results_come_in_order() {
    let mut it = Drive::start(three(OnFailure::Fail));
    it.expect(&["perform 1/a@1#1 x=1", "perform 2/a@1#1 x=2"]);
    it.done("2/a@1#1", json!({})).expect(&["perform 3/a@1#1 x=3"]);
    it.done("3/a@1#1", json!({})).expect(&[]);
    it.done("1/a@1#1", json!({})).expect(&["perform after#1"]).state("all", json!([1, 2, 3]));
    it.done("after#1", json!({})).stands("succeeded");
}

#[test]
fn a_failed_lane_lets_the_open_ones_end_and_starts_no_other() {
    let mut it = Drive::start(three(OnFailure::Fail));
    it.fails("1/a@1#1", FailureKind::Crashed).expect(&[]).stands("running");
    it.done("2/a@1#1", json!({})).expect(&[]).stands("failed: step `a`: it broke");
}

#[test]
fn failed_lanes_may_be_passed_by() {
    let mut it = Drive::start(three(OnFailure::Continue));
    it.fails("1/a@1#1", FailureKind::Crashed).expect(&["perform 3/a@1#1 x=3"]);
    it.done("3/a@1#1", json!({})).fails("2/a@1#1", FailureKind::Crashed).expect(&["perform after#1"]);
    it.state("all", json!([null, null, 3]));
}

#[test]
fn a_fork_over_nothing_is_passed_by() {
    let plan = sequence(vec![noop("a")], vec![vec![fork(just(json!([])), 1, 2), act(0)], vec![]]);
    Drive::start(plan).expect(&["perform a#1"]);
}

#[test]
fn lanes_without_steps_end_in_the_turn_that_forked_them() {
    for (items, width) in [(3, 2), (5, 1), (5, 3), (4, 4), (1, 9)] {
        let list: Vec<i64> = (0..items).collect();
        let bodies = vec![
            vec![fork_with(just(json!(list)), 1, width, OnFailure::Fail, Some("all")), act(0)],
            vec![count("n"), give("${item}")],
        ];
        let mut it = Drive::start(sequence(vec![noop("a")], bodies));
        it.expect(&["perform a#1"]).state("n", json!(items)).state("all", json!(list));
    }
}

#[test]
fn lanes_write_one_state() {
    let written = Node::Do {
        step: 0,
        writes: vec![
            change("sum", WriteKind::Increment, text("${result.n}")),
            change("log", WriteKind::Append, text("${item}")),
        ],
        on_failure: OnFailure::Fail,
        otherwise: Vec::new(),
    };
    let plan =
        sequence(vec![item("a")], vec![vec![fork(just(json!([1, 2])), 1, 2)], vec![written, count("sum")]]);
    let mut it = Drive::start(with_state(plan, json!({"sum": 0, "log": []})));
    it.done("2/a@1#1", json!({"n": 10})).state("sum", json!(11)).state("log", json!([2]));
    it.done("1/a@1#1", json!({"n": 5})).state("sum", json!(17)).state("log", json!([2, 1]));
}

#[test]
fn lanes_meet_in_a_turn_that_nobody_reported_to() {
    let bodies = vec![
        vec![fork(just(json!([1, 2])), 1, 2), act(1)],
        vec![when("${item} == 1", 2, Some(3))],
        vec![act(0)],
        vec![],
    ];
    let mut it = Drive::start(sequence(vec![item("a"), noop("b")], bodies));
    it.expect(&["perform 1/a@1#1 x=1"]).done("1/a@1#1", json!({})).expect(&["perform b#1"]);
}

#[test]
fn forks_nest_and_see_the_items_around_them() {
    let inner = Node::Fork {
        items: just(json!(["x", "y"])),
        variable: "in".into(),
        body: 2,
        width_max: 2,
        on_failure: OnFailure::Fail,
        collect: None,
        tasks: None,
    };
    let step = noop_with("a", &[("v", text("${item}${in}"))]);
    let bodies = vec![vec![fork(just(json!([1, 2])), 1, 2)], vec![inner], vec![act(0)]];
    let mut it = Drive::start(sequence(vec![step], bodies));
    it.expect(&[
        r#"perform 3/a@1#1 v="1x""#,
        r#"perform 4/a@1#1 v="1y""#,
        r#"perform 5/a@1#1 v="2x""#,
        r#"perform 6/a@1#1 v="2y""#,
    ]);
    for lane in [4, 5, 6, 3] {
        it.done(&format!("{lane}/a@1#1"), json!({}));
    }
    it.stands("succeeded");
}

#[test]
fn a_fork_in_a_loop_forks_again() {
    let bodies = vec![
        vec![each(just(json!([1, 2])), "round", 1)],
        vec![fork_with(just(json!([1])), 2, 1, OnFailure::Fail, Some("all"))],
        vec![act(0), give("${round}")],
    ];
    let mut it = Drive::start(sequence(vec![item("a")], bodies));
    it.done("1/a@1#1", json!({})).state("all", json!([1])).expect(&["perform 2/a@1#1 x=1"]);
    it.done("2/a@1#1", json!({})).state("all", json!([2])).stands("succeeded");
}

#[test]
fn lanes_loop_and_break_by_themselves() {
    let bodies = vec![
        vec![fork(just(json!([1, 2])), 1, 2)],
        vec![each(just(json!([7, 8])), "i", 2), act(0)],
        vec![when("${item} == 1", 3, None), act(0)],
        vec![Node::Break],
    ];
    let mut it = Drive::start(sequence(vec![item("a")], bodies));
    it.expect(&["perform 1/a@1#1 x=1", "perform 2/a@1#1 x=2"]);
    it.done("2/a@1#1", json!({})).expect(&["perform 2/a@2#1 x=2"]);
    it.done("2/a@2#1", json!({})).expect(&["perform 2/a@3#1 x=2"]);
}

#[test]
fn a_return_in_a_lane_ends_the_run() {
    let bodies =
        vec![vec![fork(just(json!([1, 2])), 1, 2)], vec![act(0), Node::Return { value: text("${item}") }]];
    let mut it = Drive::start(sequence(vec![item("a")], bodies));
    it.done("2/a@1#1", json!({})).expect(&["withdraw 1/a@1#1", "timer run/close at 31000"]).stands("closing");
    it.done("1/a@1#1", json!({})).stands("succeeded result=2");
}

#[test]
fn an_expression_that_fails_in_a_lane_fails_the_run() {
    let bodies =
        vec![vec![fork_with(just(json!([1])), 1, 1, OnFailure::Continue, None)], vec![give("${none}")]];
    Drive::start(sequence(vec![], bodies)).stands("failed: nothing is called `none` here");
}

#[test]
fn a_lane_has_its_own_due_action() {
    let bodies = vec![vec![fork(just(json!([1, 2])), 1, 2)], vec![act(0), act(1)]];
    let mut it = Drive::start(sequence(vec![agent("a"), agent("b")], bodies));
    it.stands("waiting: agent a, agent a").submit("2/a@1#1", json!({})).expect(&["offer 2/b@1#1"]);
    it.stands("waiting: agent a, agent b");
}

#[test]
fn children_of_lanes_have_names_of_their_own() {
    let bodies = vec![vec![fork(just(json!([1, 2])), 1, 2)], vec![act(0)]];
    let mut it = Drive::start(sequence(vec![child("c", &[])], bodies));
    it.expect(&["child 1/c@1#1 other depth 1", "child 2/c@1#1 other depth 1"]);
    it.cancel().end_child("1/c@1#1", crate::drive::failed()).end_child("2/c@1#1", crate::drive::failed());
}

#[test]
fn a_collection_that_does_not_fit_fails_the_run() {
    let mut plan = three(OnFailure::Fail);
    plan.limits.state_bytes_max = 20;
    let mut it = Drive::start(plan);
    for lane in [1, 2, 3] {
        it.done(&format!("{lane}/a@1#1"), json!({}));
    }
    let message = crate::say::status(&it.run.status());
    assert!(message.starts_with("failed: the state would have"), "{message}");
}
