//! A state with layers: what is read where, keys that are made, changes from outside, and what is told of them.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, human};
use kernel::event::Change;
use kernel::news::ChangedBy;
use kernel::plan::{Expr, Key, Write, WriteKind};
use kernel::{Command, Data, News, Plan, Refusal};
use serde_json::{Value, json};

scenarios![
    a_layer_is_read_by_its_name,
    a_bare_name_is_what_the_first_layer_has,
    what_stands_around_comes_before_the_state,
    time_seed_and_name_of_the_run_can_be_read,
    a_key_is_made_and_kept_as_it_is,
    a_key_that_is_none_changes_nothing,
    writes_that_read_each_other_see_what_was_written,
    first_values_are_asked_for_at_once,
    changes_from_outside_are_all_made_or_none,
    only_open_layers_are_written_from_outside,
    every_change_has_a_version_and_whoever_made_it,
    a_result_whose_changes_were_made_already_is_not_written_again,
];

fn plan(initial: Value, shown: Expr) -> Plan {
    let step = agent_with("a", &[("x", shown)]);
    with_state(layered(line(vec![step])), initial)
}

fn shows(initial: Value, shown: Expr, expected: Value) {
    let mut it = Drive::start(plan(initial, shown));
    it.expect(&[&format!("offer a#1 x={expected}")]);
}

#[test]
fn a_layer_is_read_by_its_name() {
    let both = || json!({"raw.n": {"k": 1}, "state.n": 2});
    shows(both(), text("${raw.n.k}"), json!(1));
    shows(both(), text("${state.n}"), json!(2));
    shows(both(), text("${raw}"), json!({"n": {"k": 1}}));
    shows(both(), Expr::Optional(kernel::language::Path::of("raw", &["none"])), json!(null));
}

#[test]
fn a_bare_name_is_what_the_first_layer_has() {
    shows(json!({"raw.n": 1, "state.n": 2}), text("${n}"), json!(1));
    shows(json!({"state.n": 2, "included.n": 3}), text("${n}"), json!(2));
    shows(json!({"included.n": 3, "raw.blocks": 4}), text("${n}${blocks}"), json!("34"));
    shows(json!({"raw.result": 5}), text("${result}"), json!(5));
}

#[test]
fn what_stands_around_comes_before_the_state() {
    let step = agent_with("a", &[("x", text("${item.n} ${n} ${index} ${m}"))]);
    let items = just(json!([{"n": "one"}, {"n": "two"}]));
    let plan = layered(sequence(vec![step], vec![vec![each(items, "item", 1)], vec![act(0)]]));
    let mut it = Drive::start(with_state(plan, json!({"raw.n": "raw", "raw.m": "m"})));
    it.expect(&["offer a#1 x=\"one one 0 m\""]);
    it.submit("a#1", json!({})).expect(&["offer a@2#1 x=\"two two 1 m\""]);
    it.finish();
}

#[test]
fn time_seed_and_name_of_the_run_can_be_read() {
    shows(json!({}), text("${now} ${workflow_id}"), json!("1000 run"));
    let seeds = vec![layer("raw.a", WriteKind::Set, text("${seed}"))];
    let more = vec![layer("raw.b", WriteKind::Set, text("${seed}"))];
    let loops = each(just(json!([1, 2])), "item", 1);
    let append = set(vec![layer("raw.all", WriteKind::Append, text("${seed}"))]);
    let bodies = vec![vec![set(seeds), set(more), loops, act(0)], vec![append]];
    let it = Drive::start(layered(sequence(vec![agent("x")], bodies)));
    let field = |name: &str| it.run.state_field(name).unwrap().inline().unwrap().clone();
    let all = field("raw.all");
    let mut seeds = vec![field("raw.a"), field("raw.b"), all[0].clone(), all[1].clone()];
    seeds.dedup();
    assert_eq!(seeds.len(), 4, "{seeds:?}");
    it.finish();
}

fn keyed(key: Expr, value: Expr) -> Plan {
    let keys = vec![Key::Made(key), Key::Name("lint".into())];
    let write = Write { path: vec!["raw.files".into()], keys, kind: WriteKind::Set, value };
    let bodies = vec![vec![set(vec![write]), act(0)]];
    with_state(layered(sequence(vec![agent("a")], bodies)), json!({"raw.files": {"old": 1}}))
}

#[test]
fn a_key_is_made_and_kept_as_it_is() {
    let mut it = Drive::new(keyed(js("path", &[]), just(json!("ok"))))
        .evaluating(|_, _| Ok(json!("src/a.b/c d.ts")))
        .started(json!({}));
    it.asks(&[&["path with "]]);
    it.state("raw.files", json!({"old": 1, "src/a.b/c d.ts": {"lint": "ok"}}));
    let mut it = Drive::start(keyed(just(json!(7)), just(json!("ok"))));
    it.state("raw.files", json!({"old": 1, "7": {"lint": "ok"}}));
}

#[test]
fn a_key_that_is_none_changes_nothing() {
    let why = |key: Value| {
        let mut it = Drive::start(keyed(just(key), just(json!("ok"))));
        it.state("raw.files", json!({"old": 1}));
        crate::say::status(&it.run.status())
    };
    assert_eq!(why(json!(null)), "failed: a key in a path must be text or a number, and this is nothing");
    assert_eq!(why(json!({})), "failed: a key in a path must be text or a number, and this is an object");
    assert_eq!(why(json!("")), "failed: a key in a path is empty");
}

#[test]
fn writes_that_read_each_other_see_what_was_written() {
    let writes = vec![
        layer("raw.a", WriteKind::Set, js("one", &[])),
        layer("raw.b", WriteKind::Set, js("two", &["raw.c"])),
        layer("raw.c", WriteKind::Set, js("sum", &["a", "raw.b"])),
    ];
    let plan = layered(sequence(vec![agent("x")], vec![vec![set(writes), act(0)]]));
    let mut it = Drive::new(plan).evaluating(|source, _| Ok(json!(source.len()))).started(json!({}));
    it.asks(&[&["one; two with "], &["sum with a=3, raw.b=3"]]);
    it.state("raw.c", json!(3));
}

#[test]
fn first_values_are_asked_for_at_once() {
    let mut plan = layered(line(vec![agent("x")]));
    plan.state.initial =
        vec![("raw.at".into(), js("now()", &["now"])), ("state.id".into(), js("uuid()", &["seed"]))];
    let mut it = Drive::new(plan).evaluating(|source, _| Ok(json!(source))).started(json!({}));
    it.asks(&[&["now(); uuid() with now=1000, seed=\"run/1000/0//\""]]);
    it.state("raw.at", json!("now()"));
}

fn update(changes: &[(&str, &[&str], WriteKind, Value)]) -> Command {
    let changes = changes.iter().map(|(field, below, kind, value)| Change {
        path: std::iter::once(field).chain(*below).map(|key| (*key).to_owned()).collect(),
        kind: *kind,
        value: Data::Inline(value.clone()),
    });
    Command::Update { values: Default::default(), changes: changes.collect(), by: human(false), key: None }
}

#[test]
fn changes_from_outside_are_all_made_or_none() {
    let mut it = Drive::start(plan(json!({"raw.n": 1, "raw.list": ["a"], "raw.text": "t"}), just(json!(1))));
    it.give(update(&[
        ("raw.n", &[], WriteKind::Increment, json!(2)),
        ("raw.list", &[], WriteKind::Append, json!("b")),
        ("raw.map", &["k.v"], WriteKind::Set, json!(true)),
        ("state.map", &[], WriteKind::Merge, json!({"a": 1})),
        ("state.map", &[], WriteKind::Merge, json!({"b": 2})),
    ]));
    it.state("raw.n", json!(3)).state("raw.list", json!(["a", "b"]));
    it.state("raw.map", json!({"k.v": true})).state("state.map", json!({"a": 1, "b": 2}));
    let before = it.run.state().clone();
    it.give(update(&[
        ("raw.n", &[], WriteKind::Increment, json!(2)),
        ("raw.text", &[], WriteKind::Append, json!("x")),
    ]));
    let [News::NotUpdated { failure }] = it.turn.news.as_slice() else { panic!("{:?}", it.turn.news) };
    assert_eq!(failure.message, "nothing can be appended to text");
    assert_eq!(*it.run.state(), before);
    it.finish();
}

#[test]
fn only_open_layers_are_written_from_outside() {
    let mut plan = plan(json!({"raw.n": 1}), just(json!(1)));
    plan.state.computed = vec![transform("computed.c", &["raw.n"], "c", kernel::plan::OnError::Null)];
    let mut it = Drive::new(plan).evaluating(|_, _| Ok(json!(1))).started(json!({}));
    for field in ["computed.c", "included.x", "n", "raw.", "other.x", ""] {
        let refused = it.refuse(update(&[(field, &[], WriteKind::Set, json!(1))]));
        assert_eq!(refused, Refusal::NotWritable(field.to_owned()));
    }
    let values = fields(json!({"computed.c": 1}));
    let command = Command::Update { values, changes: vec![], by: human(false), key: None };
    assert_eq!(it.refuse(command), Refusal::NotWritable("computed.c".into()));
    let long = json!("x".repeat(20_000));
    assert!(matches!(
        it.refuse(update(&[("raw.n", &[], WriteKind::Set, long)])),
        Refusal::TooLarge { name, .. } if name == "raw.n"
    ));
    it.finish();
}

#[test]
fn every_change_has_a_version_and_whoever_made_it() {
    let node = set(vec![layer("raw.n", WriteKind::Increment, just(json!(1)))]);
    let mut plan =
        layered(sequence(vec![agent("a"), control("s", &[])], vec![vec![act(0), within(1, node)]]));
    plan.state.initial = vec![("raw.n".into(), just(json!(0)))];
    let changed = |it: &Drive| {
        it.turn.news.iter().find_map(|news| match news {
            News::Changed { fields, by, version } => Some((fields.join(","), by.clone(), *version)),
            _ => None,
        })
    };
    let mut it = Drive::start(plan);
    assert_eq!(changed(&it), Some(("raw.n".into(), ChangedBy::Run, 1)));
    it.give(update(&[("raw.n", &[], WriteKind::Set, json!(0))]));
    assert_eq!(changed(&it), None, "nothing is different");
    it.give(update(&[("raw.n", &[], WriteKind::Set, json!(5))]));
    assert_eq!(changed(&it), Some(("raw.n".into(), ChangedBy::Caller(human(false)), 2)));
    assert_eq!(it.run.state_version(), 2);
    it.submit("a#1", json!({})).stands("succeeded");
    assert_eq!(changed(&it), Some(("raw.n".into(), ChangedBy::Step("s".into()), 3)));
}

#[test]
fn a_result_whose_changes_were_made_already_is_not_written_again() {
    let node = kernel::plan::Node::Do {
        step: 0,
        writes: vec![layer("raw.list", WriteKind::Append, text("${result.x}"))],
        on_failure: kernel::plan::OnFailure::Fail,
        otherwise: vec![],
    };
    let plan = layered(sequence(vec![agent("a"), agent("b")], vec![vec![node.clone(), node, act(1)]]));
    let mut it = Drive::start(plan);
    it.give(update(&[("raw.list", &[], WriteKind::Append, json!(1))]));
    let claim = kernel::event::Claim { written: true, ..Default::default() };
    let Command::Submit { effect, result, by, .. } = crate::drive::submission("a#1", json!({})) else {
        panic!()
    };
    it.give(Command::Submit { effect, result, by, claim }).expect(&["offer a@2#1"]);
    it.state("raw.list", json!([1]));
    it.submit("a@2#1", json!({"x": 2})).state("raw.list", json!([1, 2]));
    it.finish();
}
