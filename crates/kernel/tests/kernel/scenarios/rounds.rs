//! Tasks of plans that are made now: steps of a task that begins again, or whose name does, are numbered on, so that no result
//! of an earlier round counts for a later one; and all tasks begin, whatever becomes of others.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Node, OnFailure, REVISION, Tasks, WriteKind};
use kernel::{Plan, Refusal};
use serde_json::json;

scenarios![
    a_task_that_begins_again_numbers_its_steps_on,
    a_loop_around_tasks_numbers_their_steps_on,
    tasks_within_tasks_are_numbered_on,
    all_tasks_begin_whatever_becomes_of_others,
];

pub(super) fn tasks(step: u32, task: &str) -> Tasks {
    let id = text("${item}");
    Tasks { step, task: task.into(), id, given: vec![], prompt: None, retries_max: 0, errors: None }
}

pub(super) fn task_fork(items: &[&str], width_max: u32, body: u32, tasks: Tasks) -> Node {
    let (items, variable, on_failure, collect) = (just(json!(items)), "item".into(), OnFailure::Fail, None);
    let step = tasks.step;
    let tasks = Some(Box::new(tasks));
    within(step, Node::Fork { items, variable, body, width_max, on_failure, collect, tasks })
}

pub(super) fn newest(mut plan: Plan) -> Plan {
    plan.revision = REVISION;
    layered(plan)
}

fn refused(it: &mut Drive, effect: &str, result: serde_json::Value) -> Refusal {
    it.refuse(crate::drive::submission(effect, result))
}

#[test]
fn a_task_that_begins_again_numbers_its_steps_on() {
    let again = Tasks { retries_max: 2, ..tasks(2, "t") };
    let steps = vec![agent("one"), noop("two"), control("all", &[]), agent("after")];
    let bodies = vec![vec![task_fork(&["a"], 2, 1, again), act(3)], vec![act(0), act(1)]];
    let mut it = Drive::start(newest(sequence(steps, bodies)));
    it.submit("1/one@1#1", json!({"result": "first"}));
    it.fails("1/two@1#1", kernel::FailureKind::Operation).expect(&["offer 2/one@2#1"]);
    let same = refused(&mut it, "1/one@1#1", json!({"result": "first"}));
    assert!(matches!(same, Refusal::Repeated { .. }), "{same:?}");
    it.submit("2/one@2#1", json!({})).expect(&["perform 2/two@2#1"]);
    it.fails("2/two@2#1", kernel::FailureKind::Operation).expect(&["offer 3/one@3#1"]);
    it.submit("3/one@3#1", json!({})).done("3/two@3#1", json!({})).expect(&["offer after#1"]);
    it.finish();
}

#[test]
fn a_loop_around_tasks_numbers_their_steps_on() {
    let count = set(vec![layer("raw.n", WriteKind::Increment, just(json!(1)))]);
    let steps = vec![agent("w"), control("all", &[])];
    let bodies = vec![
        vec![whilst("${raw.n} < 2", 1, 5)],
        vec![task_fork(&["x", "y"], 1, 2, tasks(1, "t")), count],
        vec![act(0)],
    ];
    let mut it = Drive::start(with_state(newest(sequence(steps, bodies)), json!({"raw.n": 0})));
    it.expect(&["offer 1/w@1#1"]);
    // Those that begin later in the same round have the same number.
    it.submit("1/w@1#1", json!({"result": 1})).expect(&["offer 2/w@1#1"]);
    it.submit("2/w@1#1", json!({})).expect(&["offer 3/w@2#1"]);
    let same = refused(&mut it, "1/w@1#1", json!({"result": 1}));
    assert!(matches!(same, Refusal::Repeated { .. }), "{same:?}");
    it.submit("3/w@2#1", json!({})).submit("4/w@2#1", json!({})).stands("succeeded");
}

#[test]
fn tasks_within_tasks_are_numbered_on() {
    let again = Tasks { retries_max: 1, ..tasks(1, "outer") };
    let steps = vec![agent("w"), control("all", &[]), control("inner", &[]), noop("check")];
    let inner = task_fork(&["x"], 1, 2, tasks(2, "in"));
    let bodies = vec![vec![task_fork(&["a"], 1, 1, again)], vec![inner, act(3)], vec![act(0)]];
    let mut it = Drive::start(newest(sequence(steps, bodies)));
    it.expect(&["offer 2/w@1#1"]).submit("2/w@1#1", json!({}));
    it.fails("1/check@1#1", kernel::FailureKind::Operation).expect(&["offer 4/w@2#1"]);
    it.submit("4/w@2#1", json!({})).done("3/check@2#1", json!({})).stands("succeeded");
}

#[test]
fn all_tasks_begin_whatever_becomes_of_others() {
    let steps = vec![noop("w"), control("all", &[])];
    let bodies = vec![vec![task_fork(&["a", "b", "c"], 1, 1, tasks(1, "t"))], vec![act(0)]];
    let mut it = Drive::start(newest(sequence(steps, bodies)));
    it.fails("1/w@1#1", kernel::FailureKind::Operation).expect(&["perform 2/w@1#1"]);
    it.done("2/w@1#1", json!({})).expect(&["perform 3/w@1#1"]);
    it.done("3/w@1#1", json!({})).stands("failed: step `all`: step `w`: it broke");
}
