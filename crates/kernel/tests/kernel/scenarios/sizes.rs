//! What the state has and what the run holds of it; names that writes read of each other; the time and the item.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::data::weight_of;
use kernel::plan::{Dialect, Write};
use kernel::{Data, Fields, Plan};
use serde_json::{Value, json};

scenarios![
    a_stored_field_counts_with_all_it_has,
    many_fields_count_together,
    a_crowded_run_holds_its_state_as_content,
    what_grows_too_large_to_be_inline_becomes_content,
    writes_that_read_nothing_of_each_other_are_asked_together,
    a_write_reads_earlier_ones_by_their_bare_names,
    a_write_that_fails_leaves_those_before_it_unwritten,
    a_variable_hides_a_bare_name,
    the_time_is_that_of_the_event,
    the_item_is_an_input,
    state_and_inputs_can_be_looked_at,
];

const MIB: u64 = 1024 * 1024;

fn roomy(mut plan: Plan) -> Plan {
    plan.limits.state_bytes_max = MIB;
    plan
}

/// A plan that puts what agents give into fields, one after the other.
fn taking(count: u32) -> Plan {
    let steps = (0..count).map(|step| agent(&format!("s{step}"))).collect();
    let body = (0..count).map(|step| act_into(step, &format!("f{step}"), "${result.result}")).collect();
    roomy(sequence(steps, vec![body]))
}

fn submit(it: &mut Drive, step: u32, result: Data) {
    it.give(submission(step, result));
}

/// What does not fit into the state is refused, and can be handed in again, shorter.
fn too_large(it: &mut Drive, step: u32, result: Data) {
    let refusal = it.refuse(submission(step, result));
    let name = "the state with the result".to_owned();
    assert_eq!(refusal, kernel::Refusal::TooLarge { name, size: MIB + 1, max: MIB });
    submit(it, step, Data::Inline(json!("x")));
    it.stands("succeeded");
}

fn submission(step: u32, result: Data) -> kernel::Command {
    kernel::Command::Submit {
        effect: kernel::EffectId::new(format!("s{step}#1")),
        result: Fields::from([("result".to_owned(), result)]),
        by: kernel::command::Caller::Agent("a".into()),
        claim: kernel::event::Claim::default(),
    }
}

/// What a field of this name has beside its value.
fn around(name: &str) -> usize {
    usize::try_from(weight_of(&fields(json!({name: null}))) - 4).expect("small")
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).expect("small")
}

#[test]
fn a_stored_field_counts_with_all_it_has() {
    for (more, fits) in [(0, true), (1, false)] {
        let mut it = Drive::start(taking(1));
        let large = it.store(json!("x".repeat(size(MIB) - around("f0") + more)));
        if fits {
            submit(&mut it, 0, large);
            it.stands("succeeded");
            assert!(it.run.weight() < 2_000, "{}", it.run.weight());
        } else {
            too_large(&mut it, 0, large);
        }
    }
}

#[test]
fn many_fields_count_together() {
    let first: serde_json::Map<String, Value> =
        (0..127).map(|field| (format!("g{field}"), json!("x".repeat(8_100)))).collect();
    for (more, fits) in [(0, true), (1, false)] {
        let mut it = Drive::start(with_state(taking(1), Value::Object(first.clone())));
        it.asks(&[&["gather 0"]]);
        let has: u64 = it.run.state().values().map(Data::bytes).sum();
        let names: usize = it.run.state().keys().map(|name| around(name)).sum();
        let large = it.store(json!("x".repeat(size(MIB - has) - names - around("f0") + more)));
        if fits {
            submit(&mut it, 0, large);
            it.stands("succeeded");
        } else {
            too_large(&mut it, 0, large);
        }
        assert!(it.run.weight() < 64 * 1024, "{}", it.run.weight());
    }
}

#[test]
fn a_crowded_run_holds_its_state_as_content() {
    let mut it = Drive::start(taking(12));
    for step in 0..12 {
        submit(&mut it, step, Data::Inline(json!("x".repeat(16_000))));
    }
    it.stands("succeeded");
    let inline = it.run.state().values().filter(|data| data.inline().is_some()).count();
    assert_eq!(inline, 8, "half of what may be held is held inline");
    assert!(it.run.weight() < 136 * 1024, "{}", it.run.weight());
    let values: Vec<Value> = it.run.state().values().map(|data| it.value(data)).collect();
    assert_eq!(values, vec![json!("x".repeat(16_000)); 12]);
}

#[test]
fn what_grows_too_large_to_be_inline_becomes_content() {
    let append = kernel::plan::WriteKind::Append;
    let grow = || set(vec![change("list", append, text("${state.text}"))]);
    let plan =
        with_state(sequence(vec![], vec![vec![grow(), grow(), grow()]]), json!({"text": "x".repeat(8_000)}));
    let mut it = Drive::start(roomy(plan));
    it.asks(&[&["gather 0"]]).stands("succeeded");
    let list = it.run.state_field("list").expect("a list");
    assert!(list.inline().is_none());
    assert_eq!(it.value(list), json!(vec!["x".repeat(8_000); 3]));
}

fn answered(plan: Plan) -> Drive {
    Drive::new(plan).evaluating(|source, _| Ok(json!(source.len()))).started(json!({}))
}

fn setting(writes: Vec<Write>) -> Plan {
    with_state(sequence(vec![], vec![vec![set(writes)]]), json!({"n": 1}))
}

#[test]
fn writes_that_read_nothing_of_each_other_are_asked_together() {
    let mut it = answered(setting(vec![
        put("a", js("one", &["state.n"])),
        put("b", js("three", &["inputs.x"])),
        put("c", just(json!(1))),
        put("d", js("so many", &["a", "state.n"])),
        put("e", js("and more", &["state.d"])),
    ]));
    it.asks(&[
        &["one; three with state.n=1"],
        &["so many with a=3, state.n=1"],
        &["and more with state.d=7"],
    ]);
    it.state("e", json!(8)).stands("succeeded");
    let mut it = answered(setting(vec![put("a", js("one", &[])), put("b", js("all", &["state"]))]));
    it.asks(&[&["one with "], &[r#"all with state={"a":3,"n":1}"#]]);
    let mut it = answered(setting(vec![put("n", just(json!("k"))), put("b", text("${state[${state.n}]}"))]));
    it.stands("failed: the state has no `k`");
}

#[test]
fn a_write_reads_earlier_ones_by_their_bare_names() {
    let plan = setting(vec![
        put("total", just(json!({"sum": 4}))),
        put("half", text("${total.sum}/2")),
        put("n", text("${half}")),
        put("seen", text("${state.n}")),
    ]);
    Drive::start(plan).state("half", json!("4/2")).state("n", json!("4/2")).state("seen", json!("4/2"));
    let mut it = Drive::start(setting(vec![put("a", text("${later}")), put("later", just(json!(1)))]));
    it.stands("failed: nothing is called `later` here");
    let after =
        sequence(vec![], vec![vec![set(vec![put("a", just(json!(1)))]), set(vec![put("b", text("${a}"))])]]);
    Drive::start(after).stands("failed: nothing is called `a` here");
}

#[test]
fn a_write_that_fails_leaves_those_before_it_unwritten() {
    let plan = setting(vec![put("n", just(json!(2))), put("b", text("${n}")), put("c", js("bad", &["b"]))]);
    let mut it = Drive::new(plan).evaluating(|_, _| Err("`x` is undefined".into())).started(json!({}));
    it.state("n", json!(1)).stands("failed: `x` is undefined");
    assert_eq!(it.run.state_field("b"), None);
}

#[test]
fn a_variable_hides_a_bare_name() {
    let body = vec![set(vec![put("it", just(json!("written"))), put("seen", text("${it}"))])];
    let plan = sequence(vec![], vec![vec![each(just(json!(["item"])), "it", 1)], body]);
    Drive::start(plan).state("seen", json!("item"));
}

#[test]
fn the_time_is_that_of_the_event() {
    let step = agent_with("a", &[("at", text("${now}"))]);
    let plan = sequence(vec![step.clone()], vec![vec![act(0), set(vec![put("later", text("${now}"))])]]);
    let mut it = Drive::start(plan);
    it.expect(&["offer a#1 at=1"]);
    it.now = 7_999;
    it.submit("a#1", json!({})).state("later", json!(7));
    let mut it = Drive::start(graph(vec![(step, &[], None)]));
    it.stands("failed: `a` nothing is called `now` here");
}

#[test]
fn the_item_is_an_input() {
    let plan = with_input(sequence(vec![], vec![vec![set(vec![put("seen", text("${item.k}"))])]]), "@item");
    Drive::new(plan.clone()).started(json!({"@item": {"k": 5}})).state("seen", json!(5)).stands("succeeded");
    let plan = Plan { dialect: Dialect::Steps, inputs: vec![], ..plan };
    Drive::start(plan).stands("failed: nothing is called `item` here");
}

#[test]
fn state_and_inputs_can_be_looked_at() {
    let it =
        Drive::new(with_input(with_state(line(vec![agent("a")]), json!({"n": 1})), "x")).started(json!({}));
    assert_eq!(it.run.state(), &fields(json!({"n": 1})));
    assert_eq!(it.run.inputs(), &fields(json!({"x": null})));
}
