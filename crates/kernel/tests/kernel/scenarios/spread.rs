//! A child run for each item of a list: how many at once, what each is given, what becomes of what they gave.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, failed, succeeded};
use kernel::plan::{Expr, Node, OnFailure, Spread};
use kernel::{Data, Limits, News, Outcome, Plan, Status};
use serde_json::{Value, json};

scenarios![
    every_item_has_a_child_and_results_keep_their_order,
    no_more_children_than_allowed_are_open,
    a_list_of_nothing_gives_an_empty_list,
    an_item_is_given_by_name_or_as_the_single_input,
    a_large_item_is_given_as_content,
    a_stored_list_is_read_item_by_item,
    a_failed_child_fails_the_run_when_all_have_ended,
    a_failed_child_may_leave_an_entry_and_no_more,
    a_child_that_cannot_start_is_a_failed_item,
    the_second_time_children_have_names_of_their_own,
    children_are_told_of_like_items,
    without_a_place_results_are_not_kept,
    many_rows_become_one_piece,
    large_results_are_held_as_content,
    results_that_cannot_be_held_fail_the_run,
    a_list_that_is_none_fails_the_run,
    there_is_a_bound_to_the_items,
    a_run_that_closes_stops_its_children,
    a_forked_lane_waits_for_its_own_children,
    a_hundred_children_fit,
    a_list_past_the_state_fails_the_run,
];

fn plan_of(spread: Spread) -> Plan {
    sequence(vec![child("s", &[]), agent("b")], vec![vec![within(0, Node::Spread(spread)), act(1)]])
}

fn plan(items: Value, width_max: u32) -> Plan {
    plan_of(spread(0, just(items), width_max))
}

fn list(it: &Drive) -> Value {
    it.value(it.run.state_field("list").expect("a list"))
}

fn end(it: &mut Drive, item: u32, result: Value) {
    it.end_child(&format!("s/child_{item}_task#1"), succeeded(json!({ "result": result })));
}

#[test]
fn every_item_has_a_child_and_results_keep_their_order() {
    let mut it = Drive::start(plan(json!(["p", "q", 7]), 9));
    it.expect(&[
        r#"child s/child_1_task#1 other depth 1 @item="p" x="p""#,
        r#"child s/child_2_task#1 other depth 1 @item="q" x="q""#,
        "child s/child_3_task#1 other depth 1 @item=7 x=7",
    ]);
    it.stands("waiting: child s/child_1_task, child s/child_2_task, child s/child_3_task");
    end(&mut it, 3, json!({"last": true}));
    end(&mut it, 1, json!("first"));
    it.expect(&[]);
    it.end_child("s/child_2_task#1", succeeded(json!({"a": 1, "b": [2]}))).expect(&["offer b#1"]);
    it.state("list", json!(["first", {"a": 1, "b": [2]}, {"last": true}]));
}

#[test]
fn no_more_children_than_allowed_are_open() {
    let mut it = Drive::start(plan(json!([1, 2, 3]), 2));
    it.expect(&[
        "child s/child_1_task#1 other depth 1 @item=1 x=1",
        "child s/child_2_task#1 other depth 1 @item=2 x=2",
    ]);
    end(&mut it, 2, json!("b"));
    it.expect(&["child s/child_3_task#1 other depth 1 @item=3 x=3"]);
    let mut one = Drive::start(plan(json!([1, 2]), 1));
    one.expect(&["child s/child_1_task#1 other depth 1 @item=1 x=1"]);
    end(&mut one, 1, json!("a"));
    one.expect(&["child s/child_2_task#1 other depth 1 @item=2 x=2"]);
    end(&mut one, 2, json!("b"));
    one.expect(&["offer b#1"]).state("list", json!(["a", "b"]));
}

#[test]
fn a_list_of_nothing_gives_an_empty_list() {
    let mut it = Drive::start(plan(json!([]), 5));
    it.expect(&["offer b#1"]).state("list", json!([]));
    let ended = |news: &News| matches!(news, News::Ended { key, .. } if key == "s");
    assert_eq!(it.turn.news.iter().filter(|news| ended(news)).count(), 1);
}

#[test]
fn an_item_is_given_by_name_or_as_the_single_input() {
    let step = child("s", &[("y", text("${state.n}")), ("x", just(json!("none")))]);
    let node = Node::Spread(spread(0, just(json!([{"x": 1, "z": 2}, {"k": 3}])), 9));
    let plan = with_state(sequence(vec![step], vec![vec![node]]), json!({"n": 5}));
    Drive::start(plan).expect(&[
        r#"child s/child_1_task#1 other depth 1 @item={"x":1,"z":2} x=1 y=5"#,
        r#"child s/child_2_task#1 other depth 1 @item={"k":3} x={"k":3} y=5"#,
    ]);
}

#[test]
fn a_large_item_is_given_as_content() {
    let mut it = Drive::start(plan(json!(["a".repeat(510), "b".repeat(511)]), 1));
    let a = "a".repeat(510);
    it.expect(&[&format!(r#"child s/child_1_task#1 other depth 1 @item="{a}" x="{a}""#)]);
    end(&mut it, 1, json!(1));
    it.asks(&[&["gather 0"]]).expect(&["child s/child_2_task#1 other depth 1 @item=<bbbbbbbb> x=<bbbbbbbb>"]);
}

#[test]
fn a_stored_list_is_read_item_by_item() {
    let plan = with_input(plan_of(spread(0, text("${inputs.all}"), 1)), "all");
    let mut it = Drive::new(plan);
    let all = it.store(json!(["p", "q"]));
    it.start_with([("all".to_owned(), all)].into());
    it.asks(&[&["load"]]).expect(&[r#"child s/child_1_task#1 other depth 1 @item="p" x="p""#]);
    end(&mut it, 1, json!(1));
    it.asks(&[&["load"]]).expect(&[r#"child s/child_2_task#1 other depth 1 @item="q" x="q""#]);
}

#[test]
fn a_failed_child_fails_the_run_when_all_have_ended() {
    let mut it = Drive::start(plan(json!(["p", "q", "r", "t"]), 2));
    it.end_child("s/child_2_task#1", failed());
    it.expect(&[r#"child s/child_3_task#1 other depth 1 @item="r" x="r""#]);
    end(&mut it, 1, json!("one"));
    end(&mut it, 3, json!("three"));
    it.stands("waiting: child s/child_4_task");
    it.end_child("s/child_4_task#1", Outcome::Cancelled { reason: "so".into() });
    let why = "run `run/s/child_2_task#1`: it broke";
    it.stands(&format!("failed: step `s`: Child workflow failed: 2 of 4: {why}"));
    it.state(
        "list",
        json!([
            "one",
            {"error": format!("Child workflow failed: {why}"), "item": "q", "success": false},
            "three",
            {"error": "Child workflow was cancelled: run `run/s/child_4_task#1`: so", "item": "t", "success": false},
        ]),
    );
}

#[test]
fn a_failed_child_may_leave_an_entry_and_no_more() {
    let spread = Spread { on_failure: OnFailure::Continue, ..spread(0, just(json!([1, 2])), 9) };
    let mut it = Drive::start(plan_of(spread));
    it.end_child("s/child_1_task#1", failed());
    end(&mut it, 2, json!("two"));
    it.expect(&["offer b#1"]);
    let error = "Child workflow failed: run `run/s/child_1_task#1`: it broke";
    it.state("list", json!([{"error": error, "item": 1, "success": false}, "two"]));
}

#[test]
fn a_child_that_cannot_start_is_a_failed_item() {
    let mut it = Drive::start(plan(json!([1]), 9));
    it.fails("s/child_1_task#1", kernel::FailureKind::Crashed);
    it.stands("failed: step `s`: Child workflow failed: 1 of 1: it broke");
    it.state("list", json!([{"error": "Child workflow failed: it broke", "item": 1, "success": false}]));
    // Where the depth is used up, none can even be asked for.
    let mut it = Drive::of(plan(json!([1]), 9), None, Limits::default().depth_max).started(json!({}));
    it.expect(&[])
        .stands("failed: step `s`: Child workflow failed: 1 of 1: workflows call workflows more than 5 deep");
}

#[test]
fn the_second_time_children_have_names_of_their_own() {
    let bodies = vec![
        vec![each(just(json!([1, 2])), "round", 1)],
        vec![within(0, Node::Spread(spread(0, just(json!(["p"])), 9)))],
    ];
    let mut it = Drive::start(sequence(vec![child("s", &[])], bodies));
    end(&mut it, 1, json!(1));
    it.expect(&[r#"child s@2/child_1_task#1 other depth 1 @item="p" x="p""#]);
    it.end_child("s@2/child_1_task#1", succeeded(json!({"result": 2}))).stands("succeeded");
}

#[test]
fn children_are_told_of_like_items() {
    let mut it = Drive::start(plan(json!(["p"]), 9));
    let given = |outputs: &kernel::Fields| {
        outputs.values().map(|data| format!(" {}", crate::say::data(data))).collect::<String>()
    };
    let said = |it: &Drive| -> Vec<String> {
        let said = it.turn.news.iter().filter_map(|news| match news {
            News::Began { key, .. } => Some(format!("began {key}")),
            News::Item { key, index, item, .. } => {
                Some(format!("item {index} {key} {}", crate::say::data(item)))
            }
            News::Nested { key, child, .. } => Some(format!("{key} is {child}")),
            News::Ended { key, outputs, .. } => Some(format!("ended {key}{}", given(outputs))),
            _ => None,
        });
        said.collect()
    };
    let told = ["began s", r#"item 0 s/child_1_task "p""#, "began s/child_1_task"];
    assert_eq!(said(&it)[..3], told);
    assert_eq!(said(&it)[3], "s/child_1_task is run/s/child_1_task#1");
    end(&mut it, 1, json!("r"));
    assert_eq!(said(&it), [r#"ended s/child_1_task "r""#, r#"ended s ["r"]"#, "began b"]);
}

#[test]
fn without_a_place_results_are_not_kept() {
    let mut it = Drive::start(plan_of(Spread { collect: None, ..spread(0, just(json!([1, 2])), 9) }));
    end(&mut it, 1, json!("one"));
    it.end_child("s/child_2_task#1", failed());
    it.stands("failed: step `s`: Child workflow failed: 1 of 2: run `run/s/child_2_task#1`: it broke");
    assert_eq!(it.run.state_field("list"), None);
}

#[test]
fn many_rows_become_one_piece() {
    let items: Vec<u32> = (1..=66).collect();
    let mut it = Drive::start(plan(json!(items), 66));
    for item in items.iter().rev() {
        end(&mut it, *item, json!(format!("gave {item}")));
    }
    it.expect(&["offer b#1"]);
    let gave: Vec<String> = items.iter().map(|item| format!("gave {item}")).collect();
    assert_eq!(list(&it), json!(gave));
}

#[test]
fn large_results_are_held_as_content() {
    let mut it = Drive::start(plan(json!([1, 2, 3]), 9));
    end(&mut it, 1, json!("x".repeat(600)));
    it.asks(&[&["gather 0"]]);
    let weight = it.run.weight();
    let large = it.store(json!("y".repeat(30_000)));
    let given = Outcome::Succeeded { outputs: [("result".to_owned(), large)].into() };
    it.end_child("s/child_2_task#1", given).asks(&[&["gather 1"]]);
    assert!(it.run.weight() < weight, "{} and {weight}", it.run.weight());
    end(&mut it, 3, json!(3));
    assert!(it.run.weight() < weight, "{} and {weight}", it.run.weight());
    assert_eq!(list(&it), json!(["x".repeat(600), "y".repeat(30_000), 3]));
}

#[test]
fn results_that_cannot_be_held_fail_the_run() {
    let plan = |held_bytes_max: u64| {
        let spread = Spread { on_failure: OnFailure::Continue, ..spread(0, just(json!([1])), 1) };
        let mut plan = plan_of(spread);
        plan.limits.held_bytes_max = held_bytes_max;
        plan
    };
    let weight = Drive::start(plan(9_000)).run.weight();
    let mut it = Drive::start(plan(weight));
    end(&mut it, 1, json!("y".repeat(500)));
    let Status::Ended(Outcome::Failed { failure }) = it.run.status() else { panic!("{:?}", it.run.status()) };
    assert!(failure.message.starts_with("step `s`: what its items gave cannot be held: "), "{failure}");
    assert_eq!(it.run.state_field("list"), None);
}

#[test]
fn a_list_that_is_none_fails_the_run() {
    let mut it = Drive::start(plan(json!("p"), 9));
    it.stands("failed: step `s`: Expression error: a loop needs a list, and this is text");
    let mut it = Drive::start(plan_of(spread(0, text("${state.gone}"), 9)));
    it.stands("failed: step `s`: Expression error: the state has no `gone`");
}

#[test]
fn there_is_a_bound_to_the_items() {
    let limited = |items: Expr| {
        let mut plan = plan_of(spread(0, items, 1));
        plan.limits.items_max = 2;
        Drive::start(plan)
    };
    limited(just(json!([1, 2]))).expect(&["child s/child_1_task#1 other depth 1 @item=1 x=1"]);
    limited(just(json!([1, 2, 3]))).stands("failed: step `s`: there are 3 items; at most 2 are allowed");
}

#[test]
fn a_run_that_closes_stops_its_children() {
    let mut it = Drive::start(plan(json!([1, 2, 3]), 2));
    end(&mut it, 1, json!(1));
    it.cancel().expect(&[
        "cancel s/child_2_task#1: the parent closes",
        "cancel s/child_3_task#1: the parent closes",
        "timer run/close at 31000",
    ]);
    let ended = |news: &News| matches!(news, News::Ended { key, failure: Some(_), .. } if key == "s");
    assert!(it.turn.news.iter().any(ended));
    it.end_child("s/child_2_task#1", failed()).end_child("s/child_3_task#1", failed());
    it.stands("cancelled: enough");
}

#[test]
fn a_forked_lane_waits_for_its_own_children() {
    let bodies = vec![
        vec![fork(just(json!(["p", "q"])), 1, 2), act(1)],
        vec![within(0, Node::Spread(spread(0, Expr::List(vec![text("${item}")]), 9)))],
    ];
    let mut it = Drive::start(sequence(vec![child("s", &[]), agent("b")], bodies));
    it.expect(&[
        r#"child 1/s@1/child_1_task#1 other depth 1 @item="p" x="p""#,
        r#"child 2/s@1/child_1_task#1 other depth 1 @item="q" x="q""#,
    ]);
    it.end_child("2/s@1/child_1_task#1", succeeded(json!({"result": 2})));
    it.end_child("1/s@1/child_1_task#1", failed());
    it.stands("failed: step `s`: Child workflow failed: 1 of 1: run `run/1/s@1/child_1_task#1`: it broke");
}

#[test]
fn a_hundred_children_fit() {
    let items: Vec<String> = (0..101).map(|item| format!("{item:03}{}", "x".repeat(500))).collect();
    let mut it = Drive::start(plan(json!(items), 100));
    assert_eq!(it.effects.len(), 100);
    end(&mut it, 50, json!("r".repeat(500)));
    assert_eq!(it.effects.len(), 1, "the last one begins when there is room");
    assert!(it.effects[0].starts_with("child s/child_101_task#1 "), "{:?}", it.effects);
}

#[test]
fn a_list_past_the_state_fails_the_run() {
    let mut plan = plan(json!([1]), 9);
    plan.limits.state_bytes_max = 200;
    let mut it = Drive::start(plan);
    end(&mut it, 1, json!("r".repeat(190)));
    let Status::Ended(Outcome::Failed { failure }) = it.run.status() else { panic!("{:?}", it.run.status()) };
    assert!(failure.message.starts_with("step `s`: the state would have "), "{failure}");
    assert_eq!(it.run.state_field("list").map(Data::bytes), None);
}
