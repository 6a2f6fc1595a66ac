//! Blocks that are done for each item of a list.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, failed, succeeded};
use kernel::event::Resolution;
use kernel::plan::{Expr, OnInterrupt, Step};
use kernel::{FailureKind, News, Plan};
use serde_json::{Value, json};

scenarios![
    one_after_the_other,
    as_many_at_once_as_it_says,
    items_take_the_room_that_no_block_wants,
    items_that_wait_leave_the_room_to_others,
    the_block_with_the_fewest_items_at_work_goes_first,
    a_failed_item_stops_no_other,
    a_crashed_item_makes_the_block_crash,
    no_items,
    what_is_no_list,
    the_number_of_items_has_an_edge,
    the_condition_comes_first_and_once,
    items_are_told,
    each_item_is_tried_again_on_its_own,
    each_item_is_interrupted_on_its_own,
    items_may_be_actions_children_and_waits,
    what_is_made_for_each_item,
    a_claimed_result_of_an_item_is_checked,
    the_run_closes_between_items,
    an_item_that_cannot_begin,
    blocks_with_the_names_of_items,
    none_at_once_is_broken,
];

/// What a step is given for an item.
pub(super) fn item() -> Vec<(&'static str, Expr)> {
    vec![("i", text("${each.index}")), ("x", text("${each.item}"))]
}

pub(super) fn work() -> Step {
    noop_with("a", &item())
}

pub(super) fn over(items: Value, width_max: Option<u32>) -> Plan {
    with_items(graph(vec![(work(), &[], None)]), 0, just(items), width_max)
}

/// The rows are given by the run.
pub(super) fn with_rows(plan: Plan) -> Plan {
    let mut plan = with_output(plan, "rows", text("${blocks.a.outputs.results}"));
    plan.steps[0].keeps.insert("outputs.results".into());
    plan
}

#[test]
fn one_after_the_other() {
    let mut it = Drive::start(over(json!(["p", {"k": [1]}, null]), Some(1)));
    it.expect(&[r#"perform a[0]#1 i=0 x="p""#]);
    it.done("a[0]#1", json!({})).expect(&[r#"perform a[1]#1 i=1 x={"k":[1]}"#]).stands("running");
    it.done("a[1]#1", json!({})).expect(&["perform a[2]#1 i=2 x=null"]);
    it.done("a[2]#1", json!({})).stands("succeeded");
}

#[test]
fn as_many_at_once_as_it_says() {
    let mut it = Drive::start(over(json!([10, 11, 12, 13]), Some(3)));
    it.expect(&["perform a[0]#1 i=0 x=10", "perform a[1]#1 i=1 x=11", "perform a[2]#1 i=2 x=12"]);
    it.done("a[1]#1", json!({})).expect(&["perform a[3]#1 i=3 x=13"]);
    it.done("a[3]#1", json!({})).done("a[0]#1", json!({})).expect(&[]).stands("running");
    it.done("a[2]#1", json!({})).stands("succeeded");
    let mut it = Drive::start(over(json!([1, 2, 3, 4, 5]), None));
    assert_eq!(it.effects.len(), 4);
    it.done("a[3]#1", json!({})).expect(&["perform a[4]#1 i=4 x=5"]);
}

#[test]
fn items_take_the_room_that_no_block_wants() {
    let plan =
        graph_of_width(2, vec![(noop("a"), &[], None), (noop("b"), &[], None), (noop("c"), &[], None)]);
    let mut it = Drive::start(with_items(plan, 0, just(json!([1, 2, 3])), None));
    it.expect(&["perform b#1", "perform a[0]#1"]);
    it.done("a[0]#1", json!({})).expect(&["perform a[1]#1"]);
    it.done("b#1", json!({})).expect(&["perform c#1"]);
    it.done("c#1", json!({})).expect(&["perform a[2]#1"]);
    it.done("a[1]#1", json!({})).expect(&[]).done("a[2]#1", json!({})).stands("succeeded");
}

#[test]
fn items_that_wait_leave_the_room_to_others() {
    let plan =
        graph_of_width(1, vec![(agent("a"), &[], None), (noop("b"), &[], None), (noop("c"), &[], None)]);
    let mut it = Drive::start(with_items(plan, 0, just(json!([1, 2, 3])), Some(2)));
    it.expect(&["perform b#1", "offer a[0]#1", "offer a[1]#1"]);
    it.done("b#1", json!({})).expect(&["perform c#1"]);
    it.submit("a[1]#1", json!({})).expect(&["offer a[2]#1"]);
    it.done("c#1", json!({})).submit("a[0]#1", json!({})).submit("a[2]#1", json!({})).stands("succeeded");
}

#[test]
fn the_block_with_the_fewest_items_at_work_goes_first() {
    let plan = graph_of_width(5, vec![(noop("a"), &[], None), (noop("b"), &[], None)]);
    let plan = with_items(plan, 0, just(json!([1, 2, 3, 4])), None);
    let mut it = Drive::start(with_items(plan, 1, just(json!([1, 2, 3, 4])), Some(2)));
    it.expect(&["perform a[0]#1", "perform a[1]#1", "perform a[2]#1", "perform a[3]#1", "perform b[0]#1"]);
    it.done("a[0]#1", json!({})).expect(&["perform b[1]#1"]);
    it.done("a[1]#1", json!({})).expect(&[]).done("b[0]#1", json!({})).expect(&["perform b[2]#1"]);
    it.done("b[1]#1", json!({})).expect(&["perform b[3]#1"]);
}

#[test]
fn a_failed_item_stops_no_other() {
    let plan = graph(vec![(work(), &[], None), (noop("b"), &[0], None)]);
    let mut it = Drive::start(with_rows(with_items(plan, 0, just(json!([1, 2, 3])), Some(1))));
    it.fails("a[0]#1", FailureKind::Operation).expect(&["perform a[1]#1 i=1 x=2"]);
    it.done("a[1]#1", json!({})).fails("a[2]#1", FailureKind::Operation);
    it.stands("failed: `a` 2 of 3 items failed: `a[0]` it broke");
    let skipped = |news: &News| matches!(news, News::Skipped { step: 1, reason } if reason == "`a` failed");
    assert!(it.turn.news.iter().any(skipped));
}

#[test]
fn a_crashed_item_makes_the_block_crash() {
    let reads = noop_with(
        "b",
        &[("s", text("${blocks.a.metadata.status}")), ("n", text("${blocks.a.outputs.failed_count}"))],
    );
    let mut plan =
        graph(vec![(work().keeps(&["outputs.failed_count"]), &[], None), (reads, &[0], Some("true"))]);
    plan = with_items(plan, 0, just(json!([1, 2, 3])), Some(1));
    let mut it = Drive::start(plan);
    it.fails("a[0]#1", FailureKind::Operation).fails("a[1]#1", FailureKind::TimedOut);
    it.fails("a[2]#1", FailureKind::Crashed).expect(&[r#"perform b#1 n=3 s="failed""#]);
    it.done("b#1", json!({})).stands("failed: `a` 3 of 3 items failed: `a[1]` it broke");
}

#[test]
fn no_items() {
    let reads = [("r", text("${blocks.a.outputs.results}")), ("n", text("${blocks.a.outputs.count}"))];
    let step = work().keeps(&["outputs.results", "outputs.count"]);
    let plan = graph(vec![(step, &[], None), (noop_with("b", &reads), &[0], None)]);
    let mut it = Drive::start(with_items(plan, 0, just(json!([])), None));
    it.expect(&["perform b#1 n=0 r=[]"]);
}

#[test]
fn what_is_no_list() {
    for (items, what) in [(json!({"k": 1}), "an object"), (json!("text"), "text"), (json!(null), "nothing")] {
        let mut it = Drive::start(over(items, None));
        it.expect(&[]).stands(&format!("failed: `a` `for_each` needs a list, and this is {what}"));
    }
    let plan = with_items(graph(vec![(work(), &[], None)]), 0, text("${inputs.none}"), None);
    Drive::start(plan).stands("failed: `a` `inputs` has no `none`");
}

#[test]
fn the_number_of_items_has_an_edge() {
    assert_eq!(kernel::Limits::default().items_max, 10_000);
    let plan = |count: usize| {
        let mut plan = over(json!(vec![1; count]), Some(1));
        plan.limits.items_max = 5;
        plan
    };
    Drive::start(plan(5)).stands("running");
    Drive::start(plan(6)).stands("failed: `a` `for_each` has 6 items; at most 5 are allowed");
}

#[test]
fn the_condition_comes_first_and_once() {
    let plan = |condition| with_items(graph(vec![(work(), &[], condition)]), 0, just(json!([1, 2])), Some(1));
    Drive::start(plan(Some("false"))).expect(&[]).stands("succeeded");
    let mut it = Drive::start(plan(Some("${each.item} == 1")));
    it.stands("failed: `a` its condition cannot be evaluated: nothing is called `each` here");
}

#[test]
fn items_are_told() {
    let mut it = Drive::start(over(json!(["p", "q"]), Some(1)));
    let told = |it: &Drive| -> Vec<String> {
        let news = it.turn.news.iter().map(|news| match news {
            News::Item { key, index, item, .. } => format!("item {key} {index} {}", crate::say::data(item)),
            News::Began { key, .. } => format!("began {key}"),
            News::Ended { key, .. } => format!("ended {key}"),
            other => format!("{other:?}"),
        });
        news.collect()
    };
    assert_eq!(told(&it), [r#"item a[0] 0 "p""#, "began a[0]"]);
    it.done("a[0]#1", json!({}));
    assert_eq!(told(&it), ["ended a[0]", r#"item a[1] 1 "q""#, "began a[1]"]);
    it.done("a[1]#1", json!({}));
    assert_eq!(&told(&it)[..2], ["ended a[1]", "ended a"]);
}

#[test]
fn each_item_is_tried_again_on_its_own() {
    let plan = graph(vec![(work().retry(2, 50), &[], None)]);
    let mut it = Drive::start(with_items(plan, 0, just(json!([1, 2])), Some(1)));
    it.fails("a[0]#1", FailureKind::Operation).expect(&["timer a[0]#1/retry at 1050"]);
    it.stands("waiting: clock a[0] 1050").fire("a[0]#1/retry").expect(&["perform a[0]#2 i=0 x=1"]);
    it.done("a[0]#2", json!({})).expect(&["perform a[1]#1 i=1 x=2"]);
    it.fails("a[1]#1", FailureKind::Operation).fire("a[1]#1/retry").fails("a[1]#2", FailureKind::Operation);
    it.stands("failed: `a` 1 of 2 items failed: `a[1]` it broke");
}

#[test]
fn each_item_is_interrupted_on_its_own() {
    let mut it = Drive::start(over(json!([1, 2]), None));
    it.interrupt("a[0]#1")
        .stands("running")
        .interrupt("a[1]#1")
        .stands("waiting: decision a[0], decision a[1]");
    let open: Vec<String> = it.run.open().into_iter().map(|open| open.step).collect();
    assert_eq!(open, ["a[0]", "a[1]"]);
    it.resolve("a[1]#1", Resolution::Retry).expect(&["perform a[1]#2 i=1 x=2"]);
    it.resolve("a[0]#1", Resolution::Done { outputs: fields(json!({})) }).done("a[1]#2", json!({}));
    it.stands("succeeded");
    let plan = graph(vec![(work().interrupt(OnInterrupt::Retry), &[], None)]);
    let mut it = Drive::start(with_items(plan, 0, just(json!([1])), None));
    it.interrupt("a[0]#1").expect(&["perform a[0]#2 i=0 x=1"]);
}

#[test]
fn items_may_be_actions_children_and_waits() {
    let blocks = vec![
        (agent_with("a", &item()), &[][..], None),
        (child("b", &item()), &[], None),
        (wait("c", text("${each.item}")), &[], None),
    ];
    let mut plan = graph_of_width(9, blocks);
    for block in 0..3 {
        plan = with_items(plan, block, just(json!([5, 6])), None);
    }
    let mut it = Drive::start(plan);
    it.stands("waiting: agent a[0], agent a[1], child b[0], child b[1], clock c[0] 1005, clock c[1] 1006");
    it.submit("a[1]#1", json!({})).submit("a[0]#1", json!({})).fire("c[1]#1/due").fire("c[0]#1/due");
    it.end_child("b[0]#1", succeeded(json!({}))).end_child("b[1]#1", failed());
    it.stands("failed: `b` 1 of 2 items failed: `b[1]` Child workflow failed: run `run/b[1]#1`: it broke");
}

#[test]
fn what_is_made_for_each_item() {
    let given = [("n", text("${each.item}"))];
    let step = make(
        "a",
        &given,
        &[("t", jinja("say", &[("n", text("${result.n}")), ("i", text("${each.index}"))]))],
    );
    let plan = with_rows(with_items(graph(vec![(step, &[], None)]), 0, just(json!(["p", "q"])), Some(1)));
    let mut it = Drive::new(plan).evaluating(|_, scope| {
        let said = |name: &str| scope[name].inline().cloned().unwrap_or(Value::Null);
        Ok(json!(format!("{}{}", said("n"), said("i"))))
    });
    it.start_with(kernel::Fields::new());
    let kernel::Status::Ended(kernel::Outcome::Succeeded { outputs }) = it.run.status() else {
        panic!("ended")
    };
    let made: Vec<Value> = it
        .value(&outputs["rows"])
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["outputs"]["t"].clone())
        .collect();
    assert_eq!(made, [json!("\"p\"0"), json!("\"q\"1")]);
}

#[test]
fn a_claimed_result_of_an_item_is_checked() {
    let mut step = agent_with("a", &item());
    step.verify = verified(2, &[("x", text("${each.item}")), ("y", text("${result.y}"))]);
    let mut it = Drive::start(with_items(graph(vec![(step, &[], None)]), 0, just(json!(["p"])), None));
    it.submit("a[0]#1", json!({"y": 1})).expect(&[r#"perform a[0]#1/verify x="p" y=1"#]);
    it.done("a[0]#1/verify", json!({})).stands("succeeded");
}

#[test]
fn the_run_closes_between_items() {
    let mut it = Drive::start(with_rows(over(json!([1, 2, 3]), Some(2))));
    it.done("a[0]#1", json!({}));
    it.cancel().expect(&["withdraw a[1]#1", "withdraw a[2]#1", "timer run/close at 31000"]).stands("closing");
    let ended = |news: &News| matches!(news, News::Ended { key, failure: Some(_), .. } if key == "a");
    assert!(it.turn.news.iter().any(ended), "{:?}", it.turn.news);
    it.done("a[1]#1", json!({})).done("a[2]#1", json!({})).stands("cancelled: enough");
}

#[test]
fn an_item_that_cannot_begin() {
    let step = noop_with("a", &[("k", text("${each.item.k}"))]);
    let mut it =
        Drive::start(with_items(graph(vec![(step, &[], None)]), 0, just(json!([{"k": 1}, 2])), Some(1)));
    it.done("a[0]#1", json!({}));
    it.stands("failed: `a` 1 of 2 items failed: `a[1]` `each.item.k` is not there: 2 has no such part");
}

#[test]
fn blocks_with_the_names_of_items() {
    let plan = graph(vec![(noop("a"), &[], None), (noop("a[0]"), &[], None)]);
    let mut it = Drive::start(with_items(plan, 0, just(json!([1])), None));
    it.expect(&["perform a[0]@#1", "perform a[0]#1"]);
    it.done("a[0]#1", json!({})).done("a[0]@#1", json!({})).stands("succeeded");
}

#[test]
fn none_at_once_is_broken() {
    assert_eq!(over(json!([]), Some(0)).check().unwrap_err().0, "no item may run at once");
}
