//! Bodies that may fail: what is done then, and what is not caught; exits, warnings, loops that are left at their bound.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Access, Node, OnFailure, Step, WriteKind};
use kernel::{FailureKind, News, Plan};
use serde_json::json;

scenarios![
    a_failure_is_caught_with_what_it_was,
    a_failure_that_may_be_is_passed_by,
    what_was_caught_fails_again,
    a_failure_inside_of_a_catch_goes_further_out,
    expressions_and_loops_fail_as_steps_do,
    what_was_not_declared_is_never_caught,
    a_retry_goes_back_and_then_gives_up,
    what_failed_is_done_again_where_it_stands,
    what_follows_a_failure_is_not_done_again,
    a_failure_leaves_the_list_it_was_at,
    a_lane_catches_its_own_failures,
    changes_follow_a_failure_whether_the_lane_goes_on_or_not,
    changes_that_cannot_follow_are_told,
    an_exit_ends_the_run_with_its_outputs,
    an_exit_asks_for_outputs_before_anything_else_goes_on,
    a_warning_is_told,
    a_loop_is_left_at_its_bound,
    turns_of_layered_plans_are_short,
];

fn attempt_of(body: u32, catch: Option<u32>) -> Node {
    Node::Try { body, catch }
}

fn note(value: &str) -> Node {
    set(vec![layer("raw.note", WriteKind::Set, text(value))])
}

/// A body of one step, what is done after its failure, and a step after both.
fn tries(catch: Vec<Node>) -> Plan {
    let steps = vec![noop("work"), agent("after"), agent("repair")];
    layered(sequence(steps, vec![vec![attempt_of(1, Some(2)), act(1)], vec![act(0)], catch]))
}

#[test]
fn a_failure_is_caught_with_what_it_was() {
    let mut it = Drive::start(tries(vec![note("${error.step}: ${error.message} (${error.type})"), act(2)]));
    it.expect(&["perform work#1"]);
    it.fails("work#1", FailureKind::TimedOut).expect(&["offer repair#1"]);
    it.state("raw.note", json!("work: it broke (timed_out)"));
    it.submit("repair#1", json!({})).expect(&["offer after#1"]);
    it.finish();
    let mut it = Drive::start(tries(vec![act(2)]));
    it.done("work#1", json!({})).expect(&["offer after#1"]);
    it.finish();
}

/// A loop of two rounds in a body in which what fails is done again after a repair.
fn again(times_max: u32) -> Plan {
    let steps = vec![noop("work"), agent("after"), agent("repair")];
    let twice = each(text("${inputs.items}"), "item", 3);
    let again = Node::Again { body: 1, catch: 2, times_max };
    let plan = layered(sequence(steps, vec![vec![again, act(1)], vec![twice], vec![act(2)], vec![act(0)]]));
    with_input(plan, "items")
}

#[test]
fn what_failed_is_done_again_where_it_stands() {
    let mut it = Drive::new(again(1)).started(json!({"items": [1, 2]}));
    it.done("work#1", json!({})).expect(&["perform work@2#1"]);
    it.fails("work@2#1", FailureKind::Operation).expect(&["offer repair#1"]);
    it.submit("repair#1", json!({})).expect(&["perform work@3#1"]);
    it.done("work@3#1", json!({})).expect(&["offer after#1"]);
    it.finish();
    let mut it = Drive::new(again(1)).started(json!({"items": [1]}));
    it.fails("work#1", FailureKind::Operation).submit("repair#1", json!({}));
    it.fails("work@2#1", FailureKind::Operation).stands("failed: step `work`: it broke");
}

#[test]
fn what_follows_a_failure_is_not_done_again() {
    let mut plan = again(9);
    plan.steps[2] = noop("repair");
    let mut it = Drive::new(plan).started(json!({"items": [1]}));
    it.fails("work#1", FailureKind::Operation).expect(&["perform repair#1"]);
    it.fails("repair#1", FailureKind::Operation).stands("failed: step `repair`: it broke");
}

#[test]
fn a_failure_that_may_be_is_passed_by() {
    let plan =
        sequence(vec![noop("a"), noop("b")], vec![vec![attempt_of(1, None), act(1)], vec![act(0), act(1)]]);
    let mut it = Drive::start(plan);
    it.fails("a#1", FailureKind::Crashed).expect(&["perform b#1"]);
    it.done("b#1", json!({})).stands("succeeded");
}

#[test]
fn what_was_caught_fails_again() {
    let mut it = Drive::start(tries(vec![act(2), Node::Raise]));
    it.fails("work#1", FailureKind::Operation).expect(&["offer repair#1"]);
    it.submit("repair#1", json!({})).stands("failed: step `work`: it broke");
}

#[test]
fn a_failure_inside_of_a_catch_goes_further_out() {
    let steps = vec![noop("a"), noop("b"), agent("c")];
    let bodies = vec![
        vec![attempt_of(1, Some(3))],
        vec![attempt_of(2, Some(4)), act(2)],
        vec![act(0)],
        vec![note("${error.step}"), act(2)],
        vec![act(1)],
    ];
    let mut it = Drive::start(layered(sequence(steps, bodies)));
    it.fails("a#1", FailureKind::Operation).expect(&["perform b#1"]);
    it.fails("b#1", FailureKind::Operation).expect(&["offer c#1"]).state("raw.note", json!("b"));
    it.submit("c#1", json!({})).stands("succeeded");
}

#[test]
fn expressions_and_loops_fail_as_steps_do() {
    let broken = [
        set(vec![layer("raw.x", WriteKind::Append, text("${none}"))]),
        each(just(json!(1)), "item", 1),
        whilst("${raw.n} > 'x'", 1, 3),
        Node::Fail { message: just(json!("so it is said")) },
        Node::Give { value: text("${none}") },
        fork(just(json!("no list")), 3, 1),
    ];
    for node in broken {
        let bodies = vec![
            vec![attempt_of(1, Some(2))],
            vec![node.clone()],
            vec![note("${error.message}"), act(0)],
            vec![],
        ];
        let bodies = bodies.into_iter().collect::<Vec<_>>();
        let node = node;
        let mut plan = layered(sequence(vec![agent("a")], bodies));
        if let (kernel::plan::Flow::Sequence(it), Node::Foreach { .. } | Node::While { .. }) =
            (&mut plan.flow, &node)
        {
            let mut node = node.clone();
            if let Node::Foreach { body, .. } | Node::While { body, .. } = &mut node {
                *body = 3;
            }
            it.bodies[1] = vec![node];
        }
        let mut it = Drive::start(plan);
        it.expect(&["offer a#1"]);
        assert!(it.run.state_field("raw.note").is_some(), "{node:?}");
        it.finish();
    }
}

#[test]
fn what_was_not_declared_is_never_caught() {
    let step =
        Step { access: Access::Fields(Default::default()), ..noop_with("a", &[("x", text("${state.y}"))]) };
    let plan = sequence(vec![step], vec![vec![attempt_of(1, None)], vec![act(0)]]);
    let mut it = Drive::start(with_state(plan, json!({"y": 1})));
    it.stands("failed: step `a`: `state.y` was not declared in needs_state");
}

#[test]
fn a_retry_goes_back_and_then_gives_up() {
    let back = Node::Goto { to: kernel::plan::Place { body: 0, position: 0 }, iterations_max: 2 };
    let bodies = vec![
        vec![attempt_of(1, Some(2)), act(1)],
        vec![act(0)],
        vec![attempt_of(3, None), Node::Raise],
        vec![back],
    ];
    let mut it = Drive::start(layered(sequence(vec![noop("work"), agent("after")], bodies)));
    it.fails("work#1", FailureKind::Operation).expect(&["perform work@2#1"]);
    it.fails("work@2#1", FailureKind::Operation).expect(&["perform work@3#1"]);
    it.fails("work@3#1", FailureKind::Operation).stands("failed: step `work`: it broke");
}

#[test]
fn a_failure_leaves_the_list_it_was_at() {
    let steps = vec![noop("a"), agent("b")];
    let bodies =
        vec![vec![attempt_of(1, Some(2))], vec![fork(just(json!([1, 2])), 3, 1)], vec![act(1)], vec![act(0)]];
    let mut it = Drive::start(sequence(steps, bodies));
    it.expect(&["perform 1/a@1#1"]);
    it.fails("1/a@1#1", FailureKind::Operation).expect(&["offer b#1"]);
    it.submit("b#1", json!({})).stands("succeeded");
}

#[test]
fn a_lane_catches_its_own_failures() {
    let steps = vec![noop("a"), agent("b")];
    let bodies =
        vec![vec![fork(just(json!([1, 2])), 1, 2)], vec![attempt_of(2, Some(3))], vec![act(0)], vec![act(1)]];
    let mut it = Drive::start(sequence(steps, bodies));
    it.fails("1/a@1#1", FailureKind::Operation).expect(&["offer 1/b@1#1"]);
    it.done("2/a@1#1", json!({})).expect(&[]);
    it.submit("1/b@1#1", json!({})).stands("succeeded");
}

fn with_otherwise(on_failure: OnFailure, otherwise: Vec<kernel::plan::Write>) -> Plan {
    let node = Node::Do { step: 0, writes: vec![], on_failure, otherwise };
    layered(sequence(vec![noop("a").retry(2, 5), agent("b")], vec![vec![node, act(1)]]))
}

#[test]
fn changes_follow_a_failure_whether_the_lane_goes_on_or_not() {
    let marker = || vec![layer("raw.marker", WriteKind::Set, text("${error.message} in ${error.step}"))];
    for (rule, stands) in
        [(OnFailure::Continue, "waiting: agent b"), (OnFailure::Fail, "failed: step `a`: it broke")]
    {
        let mut it = Drive::start(with_otherwise(rule, marker()));
        it.fails("a#1", FailureKind::Operation);
        assert!(it.run.state_field("raw.marker").is_none(), "only after the last attempt");
        it.fire("a#1/retry").fails("a#2", FailureKind::Operation).stands(stands);
        it.state("raw.marker", json!("it broke in a"));
    }
    let asked = vec![layer("raw.marker", WriteKind::Set, js("fallback", &["error.message"]))];
    let mut it = Drive::new(with_otherwise(OnFailure::Continue, asked))
        .evaluating(|_, _| Ok(json!(3)))
        .started(json!({}));
    it.fails("a#1", FailureKind::Operation).fire("a#1/retry").fails("a#2", FailureKind::Operation);
    it.asks(&[&["fallback with error.message=\"it broke\""]]).state("raw.marker", json!(3));
}

#[test]
fn changes_that_cannot_follow_are_told() {
    let broken = vec![layer("raw.marker", WriteKind::Set, text("${error.none}"))];
    let mut it = Drive::start(with_otherwise(OnFailure::Continue, broken));
    it.fails("a#1", FailureKind::Operation).fire("a#1/retry").fails("a#2", FailureKind::Operation);
    it.stands("waiting: agent b");
    assert!(it.turn.news.iter().any(|news| {
        matches!(news, News::Warned { step: Some(step), message } if step == "a" && message.contains("error.none"))
    }));
    it.finish();
}

#[test]
fn an_exit_ends_the_run_with_its_outputs() {
    let bodies = vec![
        vec![attempt_of(1, None), act(1)],
        vec![when("true", 2, None), act(1)],
        vec![note("x"), Node::Exit],
    ];
    let plan = with_output(layered(sequence(vec![agent("a"), agent("b")], bodies)), "note", text("${note}"));
    let mut it = Drive::start(plan);
    it.expect(&[]).stands("succeeded note=\"x\"");
}

#[test]
fn an_exit_asks_for_outputs_before_anything_else_goes_on() {
    let bodies = vec![
        vec![fork(just(json!([1, 2, 3])), 1, 3)],
        vec![when("${item} == 2", 2, None), act(0)],
        vec![Node::Exit],
    ];
    let plan = with_output(layered(sequence(vec![noop("a")], bodies)), "x", js("out", &[]));
    let mut it = Drive::new(plan).evaluating(|_, _| Ok(json!(1))).started(json!({}));
    it.asks(&[&["out with "]]).expect(&[]);
    it.stands("succeeded x=1");
}

#[test]
fn a_warning_is_told() {
    let warn = |message| Node::Warn { message };
    let body = vec![within(0, warn(text("${n} left"))), warn(just(json!({"a": 1}))), act(1)];
    let plan =
        with_state(layered(sequence(vec![control("w", &[]), agent("a")], vec![body])), json!({"raw.n": 3}));
    let it = Drive::start(plan);
    let warned: Vec<_> = it
        .turn
        .news
        .iter()
        .filter_map(|news| match news {
            News::Warned { step, message } => Some((step.as_deref(), message.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(warned, [(Some("w"), "3 left"), (None, "{\"a\":1}")]);
    it.finish();
}

#[test]
fn a_loop_is_left_at_its_bound() {
    let run = |iterations_max| {
        let condition = cond("true");
        let count = set(vec![layer("raw.n", WriteKind::Increment, just(json!(1)))]);
        let node = Node::While { condition, body: 1, iterations_max, leave: true };
        let bodies = vec![vec![within(1, node), act(0)], vec![count]];
        Drive::start(with_state(
            layered(sequence(vec![agent("a"), control("w", &[])], bodies)),
            json!({"raw.n": 0}),
        ))
    };
    let mut it = run(3);
    it.expect(&["offer a#1"]).state("raw.n", json!(3));
    let told = "a loop was left at its bound of 3 rounds, and its condition still holds";
    assert!(it.turn.news.iter().any(|news| {
        matches!(news, News::Warned { step: Some(step), message } if step == "w" && message == told)
    }));
    run(0).expect(&["offer a#1"]).state("raw.n", json!(0));
}

#[test]
fn turns_of_layered_plans_are_short() {
    let many = || just((0..200).collect::<serde_json::Value>());
    let bodies = vec![vec![each(many(), "item", 1), act(0)], vec![each(many(), "item", 2)], vec![note("x")]];
    let mut it = Drive::start(layered(sequence(vec![agent("a")], bodies)));
    it.stands("failed: loops took more than 20000 moves without a step");
}
