//! The sequence flow in one lane: steps, branches, loops, break, goto, return.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::FailureKind;
use kernel::plan::{Node, Place};
use serde_json::json;

scenarios![
    steps_follow_each_other,
    a_step_that_may_fail_is_passed_by,
    an_empty_body_is_an_end,
    a_branch_takes_the_first_arm_that_holds,
    a_branch_without_an_arm_is_passed_by,
    a_while_goes_on_while_its_condition_holds,
    a_while_has_a_bound,
    a_foreach_has_one_item_at_a_time,
    a_foreach_over_nothing_is_passed_by,
    loops_of_one_name_keep_their_items_apart,
    break_leaves_the_innermost_loop,
    goto_leads_back_and_forth_in_its_body,
    goto_leaves_nested_loops,
    goto_into_a_loop_around_it_goes_on_with_the_loop,
    goto_has_a_bound,
    a_body_may_stand_in_two_places,
    return_ends_the_run_with_a_value,
    a_step_of_an_odd_name_met_twice_has_a_name_of_its_own,
    an_output_that_cannot_be_made_fails_the_run,
];

fn goto(body: u32, position: u32, iterations_max: u32) -> Node {
    Node::Goto { to: Place { body, position }, iterations_max }
}

#[test]
fn steps_follow_each_other() {
    let mut it = Drive::start(line(vec![noop("a"), noop("b")]));
    it.expect(&["perform a#1"]).done("a#1", json!({})).expect(&["perform b#1"]).done("b#1", json!({}));
    it.stands("succeeded");
}

#[test]
fn a_step_that_may_fail_is_passed_by() {
    let mut it = Drive::start(sequence(vec![noop("a"), noop("b")], vec![vec![attempt(0), act(1)]]));
    it.fails("a#1", FailureKind::Crashed).expect(&["perform b#1"]);
}

#[test]
fn an_empty_body_is_an_end() {
    Drive::start(sequence(vec![], vec![vec![]])).stands("succeeded");
}

#[test]
fn a_branch_takes_the_first_arm_that_holds() {
    let plan = |n: i64| {
        let arms = vec![(cond("${state.n} == 1"), 1), (cond("${state.n} <= 2"), 2)];
        let bodies = vec![
            vec![Node::Branch { arms, otherwise: Some(3) }, act(3)],
            vec![act(0)],
            vec![act(1)],
            vec![act(2)],
        ];
        with_state(sequence(vec![noop("a"), noop("b"), noop("c"), noop("d")], bodies), json!({"n": n}))
    };
    Drive::start(plan(1)).expect(&["perform a#1"]).done("a#1", json!({})).expect(&["perform d#1"]);
    Drive::start(plan(2)).expect(&["perform b#1"]);
    Drive::start(plan(3)).expect(&["perform c#1"]);
}

#[test]
fn a_branch_without_an_arm_is_passed_by() {
    let plan = sequence(vec![noop("a")], vec![vec![when("false", 1, None), act(0)], vec![]]);
    Drive::start(plan).expect(&["perform a#1"]);
}

#[test]
fn a_while_goes_on_while_its_condition_holds() {
    let bodies = vec![vec![whilst("${state.n} < 2", 1, 9), act(1)], vec![act(0), count("n")]];
    let mut it = Drive::start(with_state(sequence(vec![noop("a"), noop("b")], bodies), json!({"n": 0})));
    it.expect(&["perform a#1"]).done("a#1", json!({})).expect(&["perform a@2#1"]);
    it.done("a@2#1", json!({})).expect(&["perform b#1"]);
}

#[test]
fn a_while_has_a_bound() {
    let bodies = |max| vec![vec![whilst("${state.n} < 3", 1, max)], vec![count("n")]];
    let plan = |max| with_state(sequence(vec![], bodies(max)), json!({"n": 0}));
    Drive::start(plan(3)).state("n", json!(3)).stands("succeeded");
    Drive::start(plan(2)).stands("failed: a loop went past its bound of 2 rounds");
    Drive::start(plan(0)).state("n", json!(0)).stands("failed: a loop went past its bound of 0 rounds");
}

#[test]
fn a_foreach_has_one_item_at_a_time() {
    let step = noop_with("a", &[("x", text("${it}"))]);
    let plan = sequence(vec![step], vec![vec![each(just(json!(["p", "q"])), "it", 1)], vec![act(0)]]);
    let mut it = Drive::start(plan);
    it.expect(&[r#"perform a#1 x="p""#]).done("a#1", json!({})).expect(&[r#"perform a@2#1 x="q""#]);
    it.done("a@2#1", json!({})).stands("succeeded");
}

#[test]
fn a_foreach_over_nothing_is_passed_by() {
    Drive::start(sequence(vec![], vec![vec![each(just(json!([])), "it", 1)], vec![]])).stands("succeeded");
}

#[test]
fn loops_of_one_name_keep_their_items_apart() {
    let both = just(json!(["p", "q"]));
    let bodies = vec![
        vec![each(both, "it", 1), set(vec![put("after", text("${it}"))])],
        vec![
            each(just(json!([1])), "it", 2),
            set(vec![change("seen", kernel::plan::WriteKind::Append, text("${it}"))]),
        ],
        vec![],
    ];
    let mut it = Drive::start(sequence(vec![], bodies));
    it.state("seen", json!(["p", "q"])).stands("failed: nothing is called `it` here");
}

#[test]
fn break_leaves_the_innermost_loop() {
    let bodies = vec![
        vec![each(just(json!([1, 2])), "o", 1), act(1)],
        vec![whilst("true", 2, 9), count("n")],
        vec![when("${o} > 0", 3, None), act(0)],
        vec![when("true", 4, None)],
        vec![Node::Break],
    ];
    let mut it = Drive::start(with_state(sequence(vec![noop("a"), noop("b")], bodies), json!({"n": 0})));
    it.expect(&["perform b#1"]).state("n", json!(2));
}

#[test]
fn goto_leads_back_and_forth_in_its_body() {
    let bodies = vec![vec![count("n"), when("${state.n} < 3", 1, None), act(0)], vec![goto(0, 0, 9)]];
    Drive::start(sequence(vec![noop("a")], bodies)).state("n", json!(3)).expect(&["perform a#1"]);
    let forth = vec![vec![goto(0, 2, 1), act(0), act(1)]];
    Drive::start(sequence(vec![noop("a"), noop("b")], forth)).expect(&["perform b#1"]);
}

#[test]
fn goto_leaves_nested_loops() {
    let bodies = vec![
        vec![each(just(json!([1, 2])), "o", 1), act(0), act(1)],
        vec![each(just(json!([3, 4])), "i", 2)],
        vec![whilst("true", 3, 5)],
        vec![goto(0, 2, 1)],
    ];
    let mut it = Drive::start(sequence(vec![noop("a"), noop("b")], bodies));
    it.expect(&["perform b#1"]).done("b#1", json!({})).stands("succeeded");
    assert!(it.run.weight() < 600, "the loops let go of their items");
}

#[test]
fn goto_into_a_loop_around_it_goes_on_with_the_loop() {
    let bodies = vec![
        vec![each(just(json!([1, 2])), "o", 1)],
        vec![count("n"), when("${o} == 1", 2, None), act(0)],
        vec![goto(1, 2, 1)],
    ];
    let mut it = Drive::start(sequence(vec![noop("a")], bodies));
    it.done("a#1", json!({})).done("a@2#1", json!({})).state("n", json!(2)).stands("succeeded");
}

#[test]
fn goto_has_a_bound() {
    let plan = |max| {
        sequence(vec![], vec![vec![count("n"), when("${state.n} < 4", 1, None)], vec![goto(0, 0, max)]])
    };
    Drive::start(plan(3)).state("n", json!(4)).stands("succeeded");
    Drive::start(plan(2)).stands("failed: a loop went past its bound of 2 rounds");
}

#[test]
fn a_body_may_stand_in_two_places() {
    let bodies = vec![
        vec![when("true", 2, None), each(just(json!([1, 2])), "o", 1)],
        vec![when("true", 2, None)],
        vec![act(0)],
    ];
    let mut it = Drive::start(sequence(vec![noop("a")], bodies));
    it.done("a#1", json!({})).done("a@2#1", json!({})).done("a@3#1", json!({})).stands("succeeded");
    let ways = |first: Node, last: Node| {
        let bodies = vec![vec![first, whilst("true", 1, 9)], vec![when("true", 2, None)], vec![last]];
        sequence(vec![], bodies.into_iter().chain([vec![when("true", 2, None)]]).collect())
    };
    Drive::start(ways(when("true", 3, None), Node::Break)).stands("failed: a break stands outside any loop");
    let mut it = Drive::start(ways(fork(just(json!([1])), 3, 1), goto(1, 0, 9)));
    it.stands("failed: a goto leads into a body that is not around it");
}

#[test]
fn return_ends_the_run_with_a_value() {
    let bodies =
        vec![vec![when("true", 1, None), act(0)], vec![Node::Return { value: just(json!({"a": 1})) }]];
    let plan = with_output(sequence(vec![noop("a")], bodies), "unused", text("${inputs.none}"));
    Drive::start(plan).expect(&[]).stands(r#"succeeded result={"a":1}"#);
}

#[test]
fn a_step_of_an_odd_name_met_twice_has_a_name_of_its_own() {
    let mut it = Drive::start(sequence(
        vec![agent("a"), agent("a@2"), agent("0/a@2")],
        vec![
            vec![act(0), act(1), act(2), when("${state.again} == 1", 1, None)],
            vec![count("again"), goto(0, 0, 1)],
        ],
    ));
    let mut seen = Vec::new();
    it.update(json!({"again": 1}));
    for _ in 0..6 {
        let id = it.run.open()[0].id.to_string();
        assert!(!seen.contains(&id), "{id} came twice");
        it.submit(&id, json!({}));
        seen.push(id);
    }
    assert_eq!(seen, ["a#1", "0/a@2@1#1", "0/0/a@2@1#1", "a@2#1", "0/a@2@2#1", "0/0/a@2@2#1"]);
    it.stands("succeeded");
}

#[test]
fn an_output_that_cannot_be_made_fails_the_run() {
    let plan = with_output(line(vec![noop("a")]), "x", text("${inputs.none}"));
    Drive::start(plan)
        .done("a#1", json!({}))
        .stands("failed: output `x` cannot be made: `inputs` has no `none`");
}
