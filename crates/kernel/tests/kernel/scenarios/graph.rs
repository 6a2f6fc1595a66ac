//! The graph flow: readiness, conditions, skipping, room, and what makes the run fail in the end.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Flow, GateLevel};
use kernel::{FailureKind, News, Plan};
use serde_json::json;

scenarios![
    a_block_is_ready_when_all_it_waits_for_has_ended,
    an_empty_graph_succeeds_at_once,
    a_failed_block_skips_what_depends_on_it_and_fails_the_run,
    a_failure_that_something_looks_at_is_handled,
    a_crash_is_never_handled,
    a_condition_decides_alone,
    a_block_whose_inputs_cannot_be_made_has_crashed,
    there_is_room_for_so_many_and_skipped_blocks_take_none,
    where_a_run_is_carried_out_there_may_be_less_room,
    what_waits_takes_no_room_of_what_works,
    so_many_wait_at_once,
    what_a_block_gave_can_be_read_where_it_is_kept,
    all_that_a_block_gave_may_be_kept,
    a_block_that_did_not_run_gave_nothing,
    an_output_that_a_block_did_not_give_is_missed,
    metadata_says_how_a_block_stands,
    blocks_may_be_actions_children_and_waits,
    odd_names_make_odd_but_different_keys,
];

fn watched(mut plan: Plan, block: usize) -> Plan {
    if let Flow::Graph(graph) = &mut plan.flow {
        graph.blocks[block].watched = true;
    }
    plan
}

#[test]
fn a_block_is_ready_when_all_it_waits_for_has_ended() {
    let mut it = Drive::start(graph(vec![
        (noop("a"), &[], None),
        (noop("b"), &[], None),
        (noop("c"), &[0, 1], None),
        (noop("d"), &[2], None),
    ]));
    it.expect(&["perform a#1", "perform b#1"]);
    it.done("b#1", json!({})).expect(&[]);
    it.done("a#1", json!({})).expect(&["perform c#1"]);
    it.done("c#1", json!({})).expect(&["perform d#1"]);
    it.done("d#1", json!({})).stands("succeeded");
}

#[test]
fn an_empty_graph_succeeds_at_once() {
    Drive::start(graph(vec![])).stands("succeeded");
}

#[test]
fn a_failed_block_skips_what_depends_on_it_and_fails_the_run() {
    let mut it = Drive::start(graph(vec![
        (noop("a"), &[], None),
        (noop("b"), &[0], None),
        (noop("c"), &[1], None),
        (noop("d"), &[], None),
    ]));
    it.fails("a#1", FailureKind::Operation).expect(&[]).stands("running");
    let skipped: Vec<_> = it.turn.news.iter().filter(|news| matches!(news, News::Skipped { .. })).collect();
    assert_eq!(
        format!("{skipped:?}"),
        "[Skipped { step: 1, reason: \"`a` failed\" }, \
        Skipped { step: 2, reason: \"`b` was skipped\" }]"
    );
    it.done("d#1", json!({})).stands("failed: `a` it broke");
}

#[test]
fn a_failure_that_something_looks_at_is_handled() {
    let failed = "${blocks.a.metadata.failed}";
    let plan = graph(vec![(noop("a"), &[], None), (noop("b"), &[0], Some(failed))]);
    let mut it = Drive::start(watched(plan, 0));
    it.fails("a#1", FailureKind::Operation).expect(&["perform b#1"]);
    it.done("b#1", json!({})).stands("succeeded");
    for kind in [FailureKind::Child, FailureKind::Declined, FailureKind::Unverified] {
        let mut it = Drive::start(watched(graph(vec![(noop("a"), &[], None)]), 0));
        it.fails("a#1", kind).stands("succeeded");
    }
}

#[test]
fn a_crash_is_never_handled() {
    for kind in [FailureKind::Crashed, FailureKind::TimedOut, FailureKind::Limit] {
        let mut it = Drive::start(watched(graph(vec![(noop("a"), &[], None)]), 0));
        it.fails("a#1", kind).stands("failed: `a` it broke");
    }
}

#[test]
fn a_condition_decides_alone() {
    let mut it = Drive::start(graph(vec![
        (noop("a"), &[], Some("false")),
        (noop("b"), &[0], Some("${blocks.a.metadata.skipped}")),
        (noop("c"), &[], Some("${blocks.b.metadata.what}")),
        (noop("d"), &[2], None),
    ]));
    it.expect(&["perform b#1"]);
    it.done("b#1", json!({}))
        .stands("failed: `c` its condition cannot be evaluated: a block has no `metadata.what`");
}

#[test]
fn a_block_whose_inputs_cannot_be_made_has_crashed() {
    let bad = noop_with("a", &[("x", text("${inputs.none}"))]);
    let mut it = Drive::start(graph(vec![(bad, &[], None), (noop("b"), &[0], None)]));
    it.stands("failed: `a` `inputs` has no `none`");
}

#[test]
fn there_is_room_for_so_many_and_skipped_blocks_take_none() {
    let mut it = Drive::start(graph_of_width(
        2,
        vec![
            (noop("a"), &[], Some("false")),
            (noop("b"), &[], Some("false")),
            (noop("c"), &[], None),
            (noop("d"), &[], None),
            (noop("e"), &[], None),
            (noop("f"), &[], Some("false")),
            (noop("g"), &[], None),
        ],
    ));
    it.expect(&["perform c#1", "perform d#1"]);
    it.done("d#1", json!({})).expect(&["perform e#1"]);
    it.done("c#1", json!({})).expect(&["perform g#1"]);
    it.done("e#1", json!({})).done("g#1", json!({})).stands("succeeded");
}

#[test]
fn where_a_run_is_carried_out_there_may_be_less_room() {
    let plan = || graph(vec![(noop("a"), &[], None), (noop("b"), &[], None), (noop("c"), &[], None)]);
    let mut it = Drive::within(plan(), Some(2));
    it.expect(&["perform a#1", "perform b#1"]).done("a#1", json!({})).expect(&["perform c#1"]);
    Drive::within(plan(), Some(0)).expect(&["perform a#1"]);
    Drive::within(plan(), Some(9)).expect(&["perform a#1", "perform b#1", "perform c#1"]);
}

#[test]
fn what_waits_takes_no_room_of_what_works() {
    let blocks = vec![
        (agent("a"), &[][..], None),
        (gate("b", GateLevel::Ask), &[], None),
        (wait("c", just(json!(9))), &[], None),
        (child("d", &[]), &[], None),
        (child("e", &[]), &[], None),
        (noop("f"), &[], None),
        (noop("g"), &[], None),
    ];
    let mut it = Drive::start(graph_of_width(1, blocks));
    it.expect(&[
        "offer a#1",
        "offer b#1 message=\"sure?\"",
        "timer c#1/due at 1009",
        "child d#1 other depth 1",
        "perform f#1",
    ]);
    it.done("f#1", json!({})).expect(&["perform g#1"]);
    it.done("g#1", json!({})).expect(&[]);
}

#[test]
fn so_many_wait_at_once() {
    let questions = |count: u32| (0..count).map(|_| (agent("x"), &[][..], None)).collect::<Vec<_>>();
    let named = |count| {
        let mut blocks = questions(count);
        blocks.iter_mut().zip(0..).for_each(|((step, ..), number)| step.id = format!("q{number}"));
        blocks.push((noop("last"), &[], None));
        blocks
    };
    let mut it = Drive::start(graph_of_width(1, named(33)));
    assert_eq!(it.effects.len(), 33);
    it.submit("q0#1", json!({})).expect(&["offer q32#1"]);
    assert_eq!(Drive::start(graph_of_width(40, named(41))).effects.len(), 41);
}

#[test]
fn what_a_block_gave_can_be_read_where_it_is_kept() {
    let keeps = noop_with("a", &[("n", just(json!(5)))]).keeps(&["outputs.x", "inputs.n"]);
    let reads = [
        ("x", text("${blocks.a.outputs.x}")),
        ("n", text("${blocks.a.inputs.n}")),
        ("all", text("${blocks.a.outputs}")),
        ("took", text("${blocks.a.metadata.execution_time_ms}")),
        ("deep", text("${blocks.a.outputs.x.k[0]}")),
    ];
    let mut it = Drive::start(graph(vec![(keeps, &[], None), (noop_with("b", &reads), &[0], None)]));
    it.now += 30;
    it.done("a#1", json!({"x": {"k": [1]}, "y": 2}));
    it.expect(&[r#"perform b#1 all={"x":{"k":[1]}} deep=1 n=5 took=30 x={"k":[1]}"#]);
}

#[test]
fn all_that_a_block_gave_may_be_kept() {
    let step = noop("a").keeps(&["outputs"]);
    let read = noop_with("b", &[("all", text("${blocks.a.outputs}"))]);
    let mut it = Drive::start(graph(vec![(step, &[], None), (read, &[0], None)]));
    it.done("a#1", json!({"x": 1, "y": 2})).expect(&[r#"perform b#1 all={"x":1,"y":2}"#]);
}

#[test]
fn a_block_that_did_not_run_gave_nothing() {
    let keeps = noop("a").keeps(&["outputs.x"]);
    let reads = noop_with("b", &[("x", text("${blocks.a.outputs.x}"))]);
    let mut it = Drive::start(graph(vec![(keeps, &[], Some("false")), (reads, &[0], Some("true"))]));
    it.expect(&["perform b#1 x=null"]);
}

#[test]
fn an_output_that_a_block_did_not_give_is_missed() {
    let reads = noop_with("b", &[("x", text("${blocks.a.outputs.x}"))]);
    let mut it = Drive::start(graph(vec![(noop("a"), &[], None), (reads, &[0], None)]));
    it.done("a#1", json!({})).stands("failed: `b` the block gave no `outputs.x`");
}

#[test]
fn metadata_says_how_a_block_stands() {
    let names = ["succeeded", "failed", "skipped", "status", "outcome", "result", "error"];
    let reads: Vec<_> =
        ["a", "b", "c", "d"].iter().flat_map(|block| names.iter().map(move |name| (block, name))).collect();
    let named: Vec<(String, _)> = reads
        .iter()
        .map(|(block, name)| {
            (format!("{block}.{name}"), text(&format!("${{blocks.{block}.metadata.{name}}}")))
        })
        .collect();
    let inputs: Vec<(&str, _)> = named.iter().map(|(name, expr)| (name.as_str(), expr.clone())).collect();
    let mut it = Drive::start(graph(vec![
        (noop("a"), &[], None),
        (noop("b"), &[], None),
        (noop("c"), &[], None),
        (noop("d"), &[], Some("false")),
        (noop_with("e", &inputs), &[0, 1, 2, 3], Some("true")),
    ]));
    it.done("a#1", json!({})).fails("b#1", FailureKind::Operation).fails("c#1", FailureKind::Crashed);
    it.expect(&["perform e#1 a.error=null a.failed=false a.outcome=\"success\" a.result=\"success\" \
        a.skipped=false a.status=\"completed\" a.succeeded=true b.error=\"it broke\" b.failed=true \
        b.outcome=\"failure\" b.result=\"failure\" b.skipped=false b.status=\"completed\" b.succeeded=false \
        c.error=\"it broke\" c.failed=true c.outcome=\"n/a\" c.result=\"crashed\" c.skipped=false \
        c.status=\"failed\" c.succeeded=false d.error=\"its condition does not hold\" d.failed=false \
        d.outcome=\"n/a\" d.result=\"skipped\" d.skipped=true d.status=\"skipped\" d.succeeded=false"]);
}

#[test]
fn blocks_may_be_actions_children_and_waits() {
    let mut it = Drive::start(graph(vec![
        (agent("a"), &[], None),
        (child("b", &[]), &[], None),
        (wait("c", just(json!(5))), &[], None),
    ]));
    it.stands("waiting: agent a, child b, clock c 1005");
    it.fire("c#1/due").submit("a#1", json!({})).end_child("b#1", crate::drive::succeeded(json!({})));
    it.stands("succeeded");
}

#[test]
fn odd_names_make_odd_but_different_keys() {
    let mut it = Drive::start(graph(vec![(noop("a@2"), &[], None), (noop("1/a#1"), &[], None)]));
    it.expect(&["perform a@2#1", "perform 1/a#1#1"]).done("1/a#1#1", json!({})).done("a@2#1", json!({}));
}
