//! The account of steps that a run keeps by itself.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Books, Node, OnFailure};
use kernel::{FailureKind, News, Plan};
use serde_json::json;

scenarios![steps_are_booked_as_they_end, books_that_cannot_be_kept_are_told];

fn booked(mut plan: Plan) -> Plan {
    let field = |name: &str| Some(vec![format!("raw.{name}")]);
    plan.state.books = Some(Books {
        completed: field("completed"),
        failed: field("failed"),
        retries: field("retries"),
        last_error: field("last"),
        errors: Some(vec!["raw.errors".into(), "all".into()]),
        stacks: true,
    });
    plan
}

fn plan() -> Plan {
    let may_fail = Node::Do { step: 1, writes: vec![], on_failure: OnFailure::Continue, otherwise: vec![] };
    let steps = vec![agent("a"), noop("b").retry(3, 5), agent("c"), control("if", &[])];
    let body = vec![act(0), within(3, when("true", 1, None)), act(2)];
    booked(layered(sequence(steps, vec![body, vec![may_fail]])))
}

#[test]
fn steps_are_booked_as_they_end() {
    let mut it = Drive::start(plan());
    it.submit("a#1", json!({})).state("raw.completed", json!(["a"]));
    it.fails("b#1", FailureKind::Operation).fire("b#1/retry");
    it.fails("b#2", FailureKind::Operation).fire("b#2/retry").fails("b#3", FailureKind::TimedOut);
    it.expect(&["offer c#1"]);
    let error = json!({
        "message": "it broke", "type": "timed_out", "step": "b", "timestamp": "1970-01-01T00:00:01.010Z",
        "stack": ["b", "if"],
    });
    it.state("raw.failed", json!(["b"]))
        .state("raw.retries", json!({"b": 2}))
        .state("raw.last", error.clone());
    it.state("raw.errors", json!({"all": [error]}));
    it.submit("c#1", json!({})).stands("succeeded").state("raw.completed", json!(["a", "c"]));
}

#[test]
fn books_that_cannot_be_kept_are_told() {
    let mut it = Drive::start(with_state(plan(), json!({"raw.completed": "a text", "raw.failed": 1})));
    it.submit("a#1", json!({})).expect(&["perform b#1"]).state("raw.completed", json!("a text"));
    let told = |it: &Drive| {
        it.turn.news.iter().any(|news| {
            matches!(news, News::Warned { message, .. } if message.starts_with("the account of steps cannot be kept"))
        })
    };
    assert!(told(&it));
    it.fails("b#1", FailureKind::Operation).fire("b#1/retry");
    it.fails("b#2", FailureKind::Operation).fire("b#2/retry").fails("b#3", FailureKind::Operation);
    it.expect(&["offer c#1"]).state("raw.failed", json!(1));
    assert!(told(&it));
}
