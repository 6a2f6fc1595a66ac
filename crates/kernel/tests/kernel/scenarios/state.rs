//! The state: writes all or none, computed fields, access rules, changes from outside.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::command::Caller;
use kernel::plan::{Access, Computed, Expr, Node, OnError, OnFailure, Step, Write, WriteKind};
use kernel::{Command, Fields, News, Plan, Refusal};
use serde_json::{Value, json};

scenarios![
    every_kind_of_write,
    writes_are_all_or_none,
    first_values_may_read_inputs_and_each_other,
    computed_fields_follow_in_order_and_only_where_something_changed,
    a_computed_field_that_stays_the_same_wakes_nobody,
    a_failed_computation_follows_its_rule,
    a_computation_that_fails_may_fail_the_write,
    a_change_from_outside_that_fails_changes_nothing_and_the_run_goes_on,
    a_field_that_reads_what_is_not_there_waits_for_it,
    nobody_writes_a_computed_field,
    a_step_sees_only_what_it_declared,
    an_access_violation_is_never_passed_by,
    a_write_that_fails_is_a_failure_of_its_step,
    floats_survive_being_stored,
    an_update_without_values_changes_nothing,
];

fn computed(mut plan: Plan, name: &str, from: &[&str], value: Expr, on_error: OnError) -> Plan {
    let from = from.iter().map(|name| (*name).to_owned()).collect();
    plan.state.computed.push(Computed { name: name.into(), from, value, on_error, transform: None });
    plan
}

/// A plan that makes these writes and then waits.
fn writing(writes: Vec<Write>) -> Plan {
    sequence(vec![agent("z")], vec![vec![set(writes), act(0)]])
}

fn access(step: Step, names: &[&str]) -> Step {
    Step { access: Access::Fields(names.iter().map(|name| (*name).to_owned()).collect()), ..step }
}

/// `double` is made by an evaluator; how often it was asked can be seen.
fn doubled(on_error: OnError) -> Plan {
    let plan = with_state(line(vec![agent("z")]), json!({"n": 1, "m": 1}));
    let plan = computed(plan, "double", &["n"], js("n * 2", &["state.n"]), on_error);
    computed(
        plan,
        "more",
        &["double", "m"],
        js("double + m", &["state.double", "state.m"]),
        OnError::Propagate,
    )
}

fn arithmetic(
    source: &str,
    scope: &std::collections::BTreeMap<String, kernel::Data>,
) -> Result<Value, String> {
    let number = |name: &str| scope[name].inline().and_then(Value::as_i64).ok_or("no number".to_owned());
    match source {
        "n * 2" => Ok(json!(number("state.n")? * 2)),
        _ => Ok(json!(number("state.double")? + number("state.m")?)),
    }
}

#[test]
fn every_kind_of_write() {
    let mut it = Drive::start(with_state(
        writing(vec![
            put("set", just(json!(2))),
            change("list", WriteKind::Append, just(json!(2))),
            change("new_list", WriteKind::Append, just(json!(1))),
            change("n", WriteKind::Increment, just(json!(2))),
            change("new_n", WriteKind::Increment, just(json!(2))),
            change("f", WriteKind::Increment, just(json!(0.5))),
            change("map", WriteKind::Merge, just(json!({"b": 2}))),
            change("new_map", WriteKind::Merge, just(json!({"b": 2}))),
            change("deep.er.n", WriteKind::Increment, just(json!(1))),
            put("seen", text("${state.n}")),
        ]),
        json!({"set": 1, "list": [1], "n": 1, "f": 1, "map": {"a": 1}, "deep": {"x": 0}}),
    ));
    it.state("set", json!(2)).state("list", json!([1, 2])).state("new_list", json!([1])).state("n", json!(3));
    it.state("new_n", json!(2)).state("f", json!(1.5)).state("map", json!({"a": 1, "b": 2}));
    it.state("new_map", json!({"b": 2}))
        .state("deep", json!({"x": 0, "er": {"n": 1}}))
        .state("seen", json!(3));
}

#[test]
fn writes_are_all_or_none() {
    for (write, message) in [
        (change("text", WriteKind::Append, just(json!(1))), "nothing can be appended to text"),
        (change("text", WriteKind::Increment, just(json!(1))), "only numbers grow, and this is text"),
        (change("n", WriteKind::Increment, just(json!("x"))), "a number grows by a number, and this is text"),
        (
            change("n", WriteKind::Increment, just(json!(null))),
            "a number grows by a number, and this is nothing",
        ),
        (change("n", WriteKind::Increment, just(json!(i64::MAX))), "the number grows too large"),
        (change("huge", WriteKind::Increment, just(json!(1e308))), "the number grows too large"),
        (change("text", WriteKind::Merge, just(json!({}))), "only objects merge, and this is text"),
        (change("map", WriteKind::Merge, just(json!(1))), "only objects merge, and this is a number"),
        (change("text.k", WriteKind::Set, just(json!(1))), "`k` cannot be set in text"),
        (put("x", text("${state.none}")), "the state has no `none`"),
    ] {
        let plan = writing(vec![put("first", just(json!(1))), write]);
        let mut it = Drive::start(with_state(plan, json!({"text": "t", "n": 1, "map": {}, "huge": 1e308})));
        it.stands(&format!("failed: {message}"));
        assert_eq!(it.run.state_field("first"), None);
    }
}

#[test]
fn first_values_may_read_inputs_and_each_other() {
    let mut plan = with_input(line(vec![agent("z")]), "n");
    plan.state.initial = vec![("a".into(), text("${inputs.n}")), ("b".into(), text("<${state.a}>"))];
    Drive::new(plan).started(json!({"n": 4})).state("b", json!("<4>"));
}

#[test]
fn computed_fields_follow_in_order_and_only_where_something_changed() {
    let mut it = Drive::new(doubled(OnError::Propagate)).evaluating(arithmetic).started(json!({}));
    it.asks(&[&["n * 2 with state.n=1"], &["double + m with state.double=2, state.m=1"]]);
    it.state("double", json!(2)).state("more", json!(3));
    it.update(json!({"m": 5}))
        .asks(&[&["double + m with state.double=2, state.m=5"]])
        .state("more", json!(7));
    it.update(json!({"n": 3, "m": 1}));
    it.asks(&[&["n * 2 with state.n=3"], &["double + m with state.double=6, state.m=1"]]);
    it.update(json!({"other": 1})).asks(&[]);
    it.update(json!({"n": 3, "m": 1})).asks(&[]);
}

#[test]
fn a_computed_field_that_stays_the_same_wakes_nobody() {
    let plan = with_state(line(vec![agent("z")]), json!({"n": 1}));
    let plan = computed(plan, "big", &["n"], cond("${state.n} > 10"), OnError::Propagate);
    let plan = computed(plan, "alarm", &["big"], js("alarm", &["state.big"]), OnError::Propagate);
    let mut it = Drive::new(plan).evaluating(|_, _| Ok(json!("!"))).started(json!({}));
    it.asks(&[&["alarm with state.big=false"]]);
    it.update(json!({"n": 2})).asks(&[]);
    it.update(json!({"n": 11})).asks(&[&["alarm with state.big=true"]]);
}

#[test]
fn a_failed_computation_follows_its_rule() {
    let rules: [(OnError, Value); 2] = [(OnError::Fallback(json!(0)), json!(0)), (OnError::Ignore, json!(2))];
    for (rule, value) in rules {
        let mut it = Drive::new(doubled(rule)).evaluating(arithmetic).started(json!({}));
        it.update(json!({"n": "x"})).state("double", value).state("n", json!("x"));
    }
}

#[test]
fn a_computation_that_fails_may_fail_the_write() {
    let plan = sequence(vec![agent("z")], vec![vec![set(vec![put("n", just(json!("x")))])]]);
    let plan = with_state(plan, json!({"n": 1}));
    let plan = computed(plan, "double", &["n"], js("n * 2", &["state.n"]), OnError::Propagate);
    let mut it = Drive::new(plan).evaluating(arithmetic).started(json!({}));
    it.state("n", json!(1)).stands("failed: computed field `double`: no number");
}

#[test]
fn a_change_from_outside_that_fails_changes_nothing_and_the_run_goes_on() {
    let mut it = Drive::new(doubled(OnError::Propagate)).evaluating(arithmetic).started(json!({}));
    it.update(json!({"n": "x", "m": 9})).state("n", json!(1)).state("m", json!(1)).stands("waiting: agent z");
    assert!(matches!(&it.turn.news[..], [News::NotUpdated { .. }]));
    it.update(json!({"m": 9})).state("m", json!(9));
}

#[test]
fn a_field_that_reads_what_is_not_there_waits_for_it() {
    let plan = computed(
        line(vec![agent("z")]),
        "c",
        &["a", "b"],
        cond("${state.a} == ${state.b}"),
        OnError::Propagate,
    );
    let mut it = Drive::start(plan);
    it.update(json!({"a": 1}));
    assert_eq!(it.run.state_field("c"), None);
    it.update(json!({"b": 1})).state("c", json!(true));
}

#[test]
fn nobody_writes_a_computed_field() {
    let mut it = Drive::new(doubled(OnError::Propagate)).evaluating(arithmetic).started(json!({}));
    let update = Command::Update {
        values: fields(json!({"double": 1})),
        by: Caller::Server,
        changes: Vec::new(),
        key: None,
    };
    assert_eq!(it.refuse(update), Refusal::NotWritable("double".into()));
}

#[test]
fn a_step_sees_only_what_it_declared() {
    let reads = [("x", text("${state.a}")), ("all", text("${state}"))];
    let plan = |names: &[&str]| {
        with_state(line(vec![access(noop_with("s", &reads), names)]), json!({"a": 1, "b": 2}))
    };
    Drive::start(plan(&["a"])).expect(&[r#"perform s#1 all={"a":1} x=1"#]);
    let mut it = Drive::start(plan(&["b"]));
    it.stands("failed: step `s`: `state.a` was not declared in needs_state");
}

#[test]
fn an_access_violation_is_never_passed_by() {
    let step = access(noop_with("s", &[("x", js("a", &["state.a"]))]), &[]);
    let plan = with_state(sequence(vec![step], vec![vec![attempt(0)]]), json!({"a": 1}));
    Drive::start(plan).stands("failed: step `s`: `state.a` was not declared in needs_state");
    let step = access(noop("s"), &[]);
    let written = Node::Do {
        step: 0,
        writes: vec![put("b", text("${state.a}"))],
        on_failure: OnFailure::Continue,
        otherwise: Vec::new(),
    };
    let bodies = vec![vec![fork_with(just(json!([1])), 1, 1, OnFailure::Continue, None)], vec![written]];
    let mut it = Drive::start(with_state(sequence(vec![step], bodies), json!({"a": 1})));
    it.done("1/s@1#1", json!({})).stands("failed: step `s`: `state.a` was not declared in needs_state");
}

#[test]
fn a_write_that_fails_is_a_failure_of_its_step() {
    let written = |rule| Node::Do {
        step: 0,
        writes: vec![put("x", text("${result.none}"))],
        on_failure: rule,
        otherwise: Vec::new(),
    };
    let plan = |rule| sequence(vec![noop("s"), noop("t")], vec![vec![written(rule), act(1)]]);
    Drive::start(plan(OnFailure::Fail))
        .done("s#1", json!({}))
        .stands("failed: step `s`: `result` has no `none`");
    Drive::start(plan(OnFailure::Continue)).done("s#1", json!({})).expect(&["perform t#1"]);
}

#[test]
fn floats_survive_being_stored() {
    let plan = with_state(line(vec![agent("z")]), json!({}));
    let mut it = Drive::start(plan);
    for n in [0.1 + 0.2, 1.0 / 3.0, 5e-324, 1.797_693_134_862_315_7e308, 122.416_294_033_786_59, -0.0] {
        it.update(json!({"n": n}));
    }
}

#[test]
fn an_update_without_values_changes_nothing() {
    let mut it = Drive::start(line(vec![agent("z")]));
    it.give(Command::Update { values: Fields::new(), by: Caller::Server, changes: Vec::new(), key: None })
        .expect(&[]);
}
