//! Data by reference: content is loaded where it must be looked at, and nowhere else.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Expr, OnFailure};
use kernel::{Data, Fields, Plan};
use serde_json::{Value, json};

scenarios![
    a_whole_reference_is_handed_on_unopened,
    text_around_content_opens_it,
    a_part_of_content_opens_it,
    a_condition_opens_content_once,
    lists_and_objects_around_content_are_gathered,
    all_inputs_at_once_are_gathered,
    a_loop_over_content_opens_it_in_every_turn,
    later_lanes_of_a_narrow_fork_open_it_again,
    content_that_lanes_give_is_collected,
    content_that_is_gone_fails_the_step,
    content_is_no_list_of_a_loop_unless_it_is,
    a_part_of_the_state_is_changed_by_reference_too,
    a_wait_may_be_stored,
    names_may_be_numbers,
    what_is_not_there_is_said,
    an_output_that_cannot_be_made_is_named,
    metadata_can_be_read,
];

/// A run whose input `big` is stored.
fn with_big(plan: Plan, value: Value) -> Drive {
    let mut it = Drive::new(with_input(plan, "big"));
    let big = it.store(value);
    it.start_with(Fields::from([("big".into(), big)]));
    it
}

#[test]
fn a_whole_reference_is_handed_on_unopened() {
    let mut it = with_big(line(vec![noop_with("a", &[("x", text("${inputs.big}"))])]), json!("long text"));
    it.asks(&[]).expect(&["perform a#1 x=<long tex>"]);
}

#[test]
fn text_around_content_opens_it() {
    let mut it = with_big(line(vec![noop_with("a", &[("x", text("<${inputs.big}>"))])]), json!("long"));
    it.asks(&[&["load"]]).expect(&[r#"perform a#1 x="<long>""#]);
}

#[test]
fn a_part_of_content_opens_it() {
    let plan = line(vec![noop_with("a", &[("x", text("${inputs.big.list[1]}"))])]);
    with_big(plan, json!({"list": [1, 2]})).asks(&[&["load"]]).expect(&["perform a#1 x=2"]);
}

#[test]
fn a_condition_opens_content_once() {
    let both = [("x", cond("${inputs.big} == 'yes'")), ("y", cond("'e' in ${inputs.big}"))];
    let mut it = with_big(line(vec![noop_with("a", &both)]), json!("yes"));
    it.asks(&[&["load"]]).expect(&["perform a#1 x=true y=true"]);
    let body = vec![act(0)];
    let plan = sequence(vec![noop("a")], vec![vec![when("${inputs.big} == 'yes'", 1, None)], body]);
    with_big(plan, json!("yes")).asks(&[&["load"]]).expect(&["perform a#1"]);
}

#[test]
fn lists_and_objects_around_content_are_gathered() {
    let object = Expr::Object(vec![("k".into(), Expr::List(vec![text("${inputs.big}"), just(json!(1))]))]);
    let mut it = with_big(line(vec![noop_with("a", &[("x", object)])]), json!([0]));
    it.asks(&[&["gather 1"]]).expect(&[r#"perform a#1 x={"k":[[0],1]}"#]);
}

#[test]
fn all_inputs_at_once_are_gathered() {
    let mut it = with_big(line(vec![noop_with("a", &[("x", text("${inputs}"))])]), json!([0]));
    it.asks(&[&["gather 1"]]).expect(&[r#"perform a#1 x={"big":[0]}"#]);
}

#[test]
fn a_loop_over_content_opens_it_in_every_turn() {
    let plan = sequence(
        vec![noop_with("a", &[("x", text("${it}"))])],
        vec![vec![each(text("${inputs.big}"), "it", 1)], vec![act(0)]],
    );
    let mut it = with_big(plan, json!(["p", "q"]));
    it.asks(&[&["load"]]).expect(&[r#"perform a#1 x="p""#]);
    it.done("a#1", json!({})).asks(&[&["load"]]).expect(&[r#"perform a@2#1 x="q""#]);
    it.done("a@2#1", json!({})).asks(&[]).stands("succeeded");
}

#[test]
fn later_lanes_of_a_narrow_fork_open_it_again() {
    let plan = sequence(
        vec![noop_with("a", &[("x", text("${item}"))])],
        vec![vec![fork(text("${inputs.big}"), 1, 1)], vec![act(0)]],
    );
    let mut it = with_big(plan, json!(["p", "q", "r"]));
    it.asks(&[&["load"]]).expect(&[r#"perform 1/a@1#1 x="p""#]);
    it.done("1/a@1#1", json!({})).asks(&[&["load"]]).expect(&[r#"perform 2/a@1#1 x="q""#]);
    it.done("2/a@1#1", json!({})).asks(&[&["load"]]).expect(&[r#"perform 3/a@1#1 x="r""#]);
    it.done("3/a@1#1", json!({})).asks(&[]).stands("succeeded");
}

#[test]
fn content_that_lanes_give_is_collected() {
    let plan = sequence(
        vec![noop("a")],
        vec![
            vec![fork_with(just(json!([1, 2])), 1, 2, OnFailure::Fail, Some("all"))],
            vec![
                act_into(0, "last", "${result.x}"),
                kernel::plan::Node::Give { value: text("${state.last}") },
            ],
        ],
    );
    let mut it = Drive::start(plan);
    let big = it.store(json!("one"));
    let report = |x: Data| kernel::event::Report::Done { outputs: Fields::from([("x".into(), x)]) };
    let command =
        |id: &str, x: Data| kernel::Command::Report { effect: kernel::EffectId::new(id), report: report(x) };
    it.give(command("1/a@1#1", big)).asks(&[]);
    it.give(command("2/a@1#1", json!("two").into())).asks(&[&["gather 1"]]);
    it.state("all", json!(["one", "two"])).stands("succeeded");
}

#[test]
fn content_that_is_gone_fails_the_step() {
    let mut it = Drive::new(with_input(line(vec![noop_with("a", &[("x", text("<${inputs.big}>"))])]), "big"));
    let (big, _) = crate::say::stored(&json!("gone"));
    it.start_with(Fields::from([("big".into(), big)]));
    it.stands("failed: step `a`: the content is gone");
}

#[test]
fn content_is_no_list_of_a_loop_unless_it_is() {
    let plan = sequence(vec![], vec![vec![each(text("${inputs.big}"), "it", 1)], vec![]]);
    with_big(plan, json!("text")).stands("failed: a loop needs a list, and this is text");
}

#[test]
fn a_part_of_the_state_is_changed_by_reference_too() {
    let write = change("big.deep.k", kernel::plan::WriteKind::Set, text("${inputs.big.n}"));
    let plan = sequence(vec![], vec![vec![set(vec![put("big", text("${inputs.big}")), write])]]);
    with_big(plan, json!({"n": 1, "deep": {}})).state("big", json!({"n": 1, "deep": {"k": 1}}));
}

#[test]
fn a_wait_may_be_stored() {
    with_big(line(vec![wait("w", text("${inputs.big}"))]), json!(7)).expect(&["timer w#1/due at 1007"]);
}

#[test]
fn names_may_be_numbers() {
    let step = noop_with(
        "a",
        &[("x", text("${inputs.7}")), ("y", text("${inputs.o.0}")), ("z", text("${inputs.o[0]}"))],
    );
    let plan = with_input(with_input(line(vec![step]), "7"), "o");
    let mut it = Drive::new(plan).started(json!({"7": "seven", "o": {"0": "zero"}}));
    it.expect(&[r#"perform a#1 x="seven" y="zero" z="zero""#]);
}

#[test]
fn what_is_not_there_is_said() {
    for (path, message) in [
        ("${inputs.o.k}", "`inputs.o.k` is not there: {\"a\":1} has no such part"),
        ("${blocks.a.outputs.x}", "there are no blocks here"),
        ("${result.x}", "there is no result here"),
        ("${nobody}", "nothing is called `nobody` here"),
        ("${metadata.what}", "`metadata.what` is not there"),
        ("${state.none}", "the state has no `none`"),
        (
            "<${inputs.n}>",
            "`inputs.n` has no value, so it cannot be part of a text: only a reference that stands alone may have none",
        ),
    ] {
        let plan = with_input(with_input(line(vec![noop_with("a", &[("x", text(path))])]), "o"), "n");
        let mut it = Drive::new(plan).started(json!({"o": {"a": 1}}));
        it.stands(&format!("failed: step `a`: {message}"));
    }
}

#[test]
fn an_output_that_cannot_be_made_is_named() {
    let plan = with_input(line(vec![]), "n");
    let plan = with_output(with_output(plan, "fine", text("${inputs.n}")), "e", text("<${inputs.n}>"));
    let mut it = Drive::new(plan).started(json!({}));
    it.stands(
        "failed: output `e` cannot be made: `inputs.n` has no value, so it cannot be part of a text: only a reference that \
         stands alone may have none",
    );
}

#[test]
fn metadata_can_be_read() {
    let names = ["workflow_name", "run_id", "start_time"];
    let step = noop_with("a", &names.map(|name| (name, text(&format!("${{metadata.{name}}}")))));
    let mut it = Drive::start(line(vec![step]));
    it.expect(&[r#"perform a#1 run_id="run" start_time="1970-01-01T00:00:01.000Z" workflow_name="test""#]);
}
