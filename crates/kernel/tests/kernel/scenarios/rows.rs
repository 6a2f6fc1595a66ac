//! What the items of a block gave: rows in their order, and what a run holds of them.

use super::each::{over, with_rows, work};
use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::Flow;
use kernel::{FailureKind, News, Plan};
use serde_json::json;

scenarios![
    rows_are_in_the_order_of_the_items,
    nobody_reads_the_rows,
    large_rows_become_content,
    rows_of_many_items_become_few_pieces,
    rows_that_cannot_be_held,
    items_that_cannot_be_held,
    stored_items,
];

trait Wide {
    fn wide(self, width_max: u32) -> Plan;
}

impl Wide for Plan {
    fn wide(mut self, width_max: u32) -> Plan {
        let Flow::Graph(graph) = &mut self.flow else { panic!("a graph") };
        graph.width_max = width_max;
        self
    }
}

#[test]
fn rows_are_in_the_order_of_the_items() {
    let mut it = Drive::start(with_rows(over(json!(["p", "q"]), None)));
    it.done("a[1]#1", json!({"y": 1})).done("a[0]#1", json!({"y": 2}));
    it.stands(
        r#"succeeded rows=[{"index":0,"item":"p","succeeded":true,"outputs":{"y":2},"error":null},{"index":1,"item":"q","succeeded":true,"outputs":{"y":1},"error":null}]"#,
    );
    let mut plan =
        with_output(with_rows(over(json!(["p"]), None)), "one", text("${blocks.a.outputs.results[0].error}"));
    let Flow::Graph(graph) = &mut plan.flow else { panic!("a graph") };
    graph.blocks[0].watched = true;
    let mut it = Drive::start(plan);
    it.fails("a[0]#1", FailureKind::Operation);
    it.stands(
        r#"succeeded one="it broke" rows=[{"index":0,"item":"p","succeeded":false,"outputs":{},"error":"it broke"}]"#,
    );
}

#[test]
fn nobody_reads_the_rows() {
    let mut it = Drive::start(over(json!(vec![0; 200]), Some(1)));
    let before = it.run.weight();
    for item in 0..199 {
        it.done(&format!("a[{item}]#1"), json!({"y": "x".repeat(16_000)}));
    }
    assert!(it.run.weight() < before + 10, "{} was {before}", it.run.weight());
    it.done("a[199]#1", json!({})).stands("succeeded");
    let Some(News::Ended { outputs, .. }) =
        it.turn.news.iter().rev().find(|news| matches!(news, News::Ended { .. }))
    else {
        panic!("the block has ended")
    };
    assert_eq!(outputs, &fields(json!({"count": 200, "failed_count": 0})));
}

#[test]
fn large_rows_become_content() {
    let mut it = Drive::start(with_rows(over(json!([1, 2, 3]), None)));
    let stored = it.store(json!("y".repeat(20_000)));
    let outputs = kernel::Fields::from([("o/~".to_owned(), stored)]);
    let report = kernel::event::Report::Done { outputs };
    let effect = kernel::EffectId::new("a[0]#1");
    it.give(kernel::Command::Report { effect, report }).asks(&[&["gather 1"]]);
    it.done("a[1]#1", json!({"o": "x".repeat(600)})).asks(&[&["gather 0"]]);
    assert!(it.run.weight() < 3_000, "{}", it.run.weight());
    it.done("a[2]#1", json!({"o": 1})).asks(&[&["gather 2"]]).stands("succeeded rows=<[{\"index>");
    let plan =
        with_output(with_rows(over(json!([1]), None)), "o", text("${blocks.a.outputs.results[0].outputs.o}"));
    let mut it = Drive::start(plan);
    it.done("a[0]#1", json!({"o": "x".repeat(600)}));
    let kernel::Status::Ended(kernel::Outcome::Succeeded { outputs }) = it.run.status() else {
        panic!("ended")
    };
    assert_eq!(outputs["o"].inline(), Some(&json!("x".repeat(600))));
}

#[test]
fn rows_of_many_items_become_few_pieces() {
    let mut it = Drive::start(with_rows(over(json!(vec![0; 200]), Some(70))).wide(70));
    for item in (0..200).rev().filter(|item| *item < 70).chain(70..200) {
        it.done(&format!("a[{item}]#1"), json!({"y": format!("{item}{}", "x".repeat(500))}));
    }
    let kernel::Status::Ended(kernel::Outcome::Succeeded { outputs }) = it.run.status() else {
        panic!("ended")
    };
    let rows = it.value(&outputs["rows"]);
    let indexes: Vec<u64> =
        rows.as_array().unwrap().iter().map(|row| row["index"].as_u64().unwrap()).collect();
    assert_eq!(indexes, (0..200).collect::<Vec<u64>>());
}

#[test]
fn rows_that_cannot_be_held() {
    let plan = || with_rows(over(json!([1, 2]), Some(1)));
    let needed = {
        let mut it = Drive::start(plan());
        it.done("a[0]#1", json!({"y": "x".repeat(420)}));
        it.run.weight()
    };
    let limited = |less: u64| {
        let mut plan = plan();
        plan.limits.held_bytes_max = needed - less;
        plan
    };
    let mut it = Drive::start(limited(0));
    it.done("a[0]#1", json!({"y": "x".repeat(420)})).stands("running");
    let mut it = Drive::start(limited(380));
    it.done("a[0]#1", json!({"y": "x".repeat(420)})).expect(&["perform a[1]#1 i=1 x=2"]);
    it.done("a[1]#1", json!({}));
    let said = format!("{:?}", it.run.status());
    assert!(said.contains("`a` what its items gave cannot be held: the run would hold"), "{said}");
}

#[test]
fn items_that_cannot_be_held() {
    let mut plan = over(json!(["x".repeat(2_000)]), None);
    plan.limits.held_bytes_max = 2_000;
    let mut it = Drive::new(plan);
    it.start_with(kernel::Fields::new());
    let said = format!("{:?}", it.run.status());
    assert!(said.contains("`a` the run would hold"), "{said}");
}

#[test]
fn stored_items() {
    let plan =
        with_input(with_items(graph(vec![(work(), &[], None)]), 0, text("${inputs.big}"), Some(2)), "big");
    let mut it = Drive::new(plan);
    let big = it.store(json!([["p"], "q", 3]));
    it.start_with(kernel::Fields::from([("big".to_owned(), big)]));
    it.asks(&[&["load"]]).expect(&[r#"perform a[0]#1 i=0 x=["p"]"#, r#"perform a[1]#1 i=1 x="q""#]);
    it.done("a[0]#1", json!({})).asks(&[&["load"]]).expect(&["perform a[2]#1 i=2 x=3"]);
    it.done("a[1]#1", json!({})).done("a[2]#1", json!({})).stands("succeeded");
}
