//! What is told of failures in plans that are made now: the first cause stays, books are kept of loops and forks as well, and
//! an item that gives no task is a task that failed.

use super::rounds::{newest, task_fork, tasks};
use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Books, Expr, Node, OnError, OnFailure, Tasks, WriteKind};
use kernel::{FailureKind, News, Plan, TaskStage};
use serde_json::json;

scenarios![
    what_fails_after_a_failure_does_not_hide_it,
    a_catch_inside_of_a_catch_has_its_own_cause,
    books_are_kept_of_a_loop_past_its_bound,
    books_of_loops_may_ask_first,
    an_item_that_gives_no_task_is_one_that_failed,
    an_item_without_a_name_fails_all,
];

fn tries(body: u32, catch: Option<u32>) -> Node {
    Node::Try { body, catch }
}

#[test]
fn what_fails_after_a_failure_does_not_hide_it() {
    let steps = vec![noop("work"), noop("mourn")];
    let bodies = vec![vec![tries(1, Some(2))], vec![act(0)], vec![act(1), Node::Raise]];
    let mut it = Drive::start(newest(sequence(steps.clone(), bodies.clone())));
    it.fails("work#1", FailureKind::TimedOut).fails("mourn#1", FailureKind::Operation);
    it.stands("failed: step `work`: it broke");
    // Plans of before say what failed last.
    let mut it = Drive::start(layered(sequence(steps, bodies)));
    it.fails("work#1", FailureKind::TimedOut).fails("mourn#1", FailureKind::Operation);
    it.stands("failed: step `mourn`: it broke");
}

#[test]
fn a_catch_inside_of_a_catch_has_its_own_cause() {
    let steps = vec![noop("work"), noop("mourn"), agent("after")];
    let note = set(vec![layer("raw.note", WriteKind::Set, text("${error.step}"))]);
    let bodies = vec![
        vec![tries(1, Some(2)), act(2)],
        vec![act(0)],
        vec![tries(3, Some(4))],
        vec![act(1)],
        vec![note],
    ];
    let mut it = Drive::start(newest(sequence(steps, bodies)));
    it.fails("work#1", FailureKind::TimedOut).fails("mourn#1", FailureKind::Operation);
    it.expect(&["offer after#1"]).state("raw.note", json!("mourn"));
    it.finish();
}

/// A loop of three rounds that is tried, with books, and a step after it.
fn looping() -> Plan {
    let steps = vec![control("loop", &[]), agent("after"), noop("a")];
    let bodies = vec![vec![tries(1, None), act(1)], vec![within(0, whilst("true", 2, 3))], vec![act(2)]];
    let mut plan = newest(sequence(steps, bodies));
    let errors = Some(vec!["raw.errors".to_owned()]);
    let failed = Some(vec!["raw.failed".to_owned()]);
    plan.state.books =
        Some(Books { completed: None, failed, retries: None, last_error: None, errors, stacks: false });
    plan
}

#[test]
fn books_are_kept_of_a_loop_past_its_bound() {
    let mut it = Drive::start(looping());
    it.done("a#1", json!({})).done("a@2#1", json!({})).done("a@3#1", json!({})).expect(&["offer after#1"]);
    it.state("raw.failed", json!(["loop"]));
    it.state(
        "raw.errors",
        json!([{
            "message": "a loop went past its bound of 3 rounds", "type": "limit", "step": "loop",
            "timestamp": "1970-01-01T00:00:01.000Z",
        }]),
    );
    let told =
        it.turn.news.iter().any(
            |news| matches!(news, News::Ended { key, failure: Some(_), step: 0, .. } if key == "loop@2"),
        );
    assert!(told);
    it.finish();
}

#[test]
fn books_of_loops_may_ask_first() {
    let mut plan = looping();
    plan.state.computed = vec![transform("computed.n", &["raw.errors"], "count", OnError::Null)];
    let mut it = Drive::new(plan).evaluating(|_, _| Ok(json!(1))).started(json!({}));
    it.done("a#1", json!({})).done("a@2#1", json!({})).done("a@3#1", json!({})).expect(&["offer after#1"]);
    it.state("computed.n", json!(1));
    let told = it.turn.news.iter().filter(|news| matches!(news, News::Ended { step: 0, .. })).count();
    assert_eq!(told, 1);
    it.finish();
    // What cannot be written is told, and hides nothing.
    let mut it = Drive::start(with_state(looping(), json!({"raw.errors": 1})));
    it.done("a#1", json!({})).done("a@2#1", json!({})).done("a@3#1", json!({})).expect(&["offer after#1"]);
    assert!(it.turn.news.iter().any(|news| matches!(news, News::Warned { .. })));
    it.finish();
}

fn needing(id: Expr, on_failure: OnFailure) -> Plan {
    let errors = Some(vec!["raw.errors".to_owned()]);
    let given = vec![("file".to_owned(), js("item.file", &["item"]))];
    let mut node = task_fork(&["a", "b", "c"], 1, 1, Tasks { id, given, errors, ..tasks(1, "t") });
    if let Node::Within { node, .. } = &mut node
        && let Node::Fork { on_failure: rule, .. } = node.as_mut()
    {
        *rule = on_failure;
    }
    newest(sequence(
        vec![agent("w"), control("all", &[]), agent("after")],
        vec![vec![node, act(2)], vec![act(0)]],
    ))
}

fn start(plan: Plan) -> Drive {
    let asked = Drive::new(plan).evaluating(|source, scope| {
        let item = scope["item"].inline().and_then(serde_json::Value::as_str).expect("a text").to_owned();
        if source == "item.file" && item == "b" {
            Err("the item has no `file`".into())
        } else {
            Ok(item.into())
        }
    });
    asked.started(json!({}))
}

#[test]
fn an_item_that_gives_no_task_is_one_that_failed() {
    let mut it = start(needing(js("item", &["item"]), OnFailure::Continue));
    let stages: Vec<TaskStage> = it.run.forking()[0].tasks.iter().map(|task| task.stage).collect();
    assert_eq!(stages, [TaskStage::Running, TaskStage::Failed, TaskStage::Waiting]);
    it.submit("1/w@1#1", json!({})).expect(&["offer 2/w@1#1"]);
    it.submit("2/w@1#1", json!({})).expect(&["offer after#1"]);
    let error =
        json!({"task_id": "b", "message": "the item has no `file`", "type": "expression", "attempts": 1});
    it.state("raw.errors", json!([error]));
    it.finish();
    let mut it = start(needing(js("item", &["item"]), OnFailure::Fail));
    it.submit("1/w@1#1", json!({})).submit("2/w@1#1", json!({}));
    it.stands("failed: step `all`: the item has no `file`");
}

#[test]
fn an_item_without_a_name_fails_all() {
    let nameless = start(needing(js("item.file", &["item"]), OnFailure::Continue));
    let mut it = nameless;
    it.stands("failed: step `all`: Expression error: task 2 of 3: the item has no `file`");
}
