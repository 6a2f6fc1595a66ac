//! As many items as a block may have, all of them read: a run holds them all the same.

use crate::build::*;
use crate::drive::Drive;
use kernel::{Limits, Outcome, Status};
use serde_json::json;

#[test]
fn the_results_of_ten_thousand_items_are_held() {
    let count = Limits::default().items_max as usize;
    let step = make("a", &[("x", text("${each.item}"))], &[("y", text("${result.x}${each.index}"))]);
    let plan = graph(vec![(step.keeps(&["outputs.results"]), &[], None)]);
    let mut plan = with_items(plan, 0, just(json!(vec![7; count])), Some(3));
    plan = with_output(plan, "all", text("${blocks.a.outputs.results}"));
    plan = with_output(plan, "last", text("${blocks.a.outputs.results[9999].outputs.y}"));
    let it = Drive::start(plan);
    let Status::Ended(Outcome::Succeeded { outputs }) = it.run.status() else {
        panic!("{:?}", it.run.status())
    };
    assert_eq!(outputs["last"].inline(), Some(&json!("79999")));
    let all = it.value(&outputs["all"]);
    let indexes = all.as_array().expect("a list").iter().map(|row| row["index"].as_u64().expect("a number"));
    assert!(indexes.eq(0..count as u64));
}

#[test]
fn no_more_is_under_way_than_can_be_held() {
    let items = json!((0..700).map(|index| format!("folder/file-{index}")).collect::<Vec<_>>());
    let step = noop_with("a", &[("path", text("${each.item}")), ("content", just(json!("x")))]);
    let plan = graph_of_width(1_000, vec![(step, &[], None)]);
    let mut it = Drive::start(with_items(plan, 0, just(items), None));
    let begun = it.turn.effects.len();
    assert!((100..700).contains(&begun), "{begun}");
    // Whoever ends makes room for others.
    it.done("a[0]#1", json!({}));
    assert!((1..700 - begun).contains(&it.turn.effects.len()), "{}", it.turn.effects.len());
}
