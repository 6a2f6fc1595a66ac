//! Machines with variables: what results leave behind, and what is said with it.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{InputKind, Test};
use kernel::{Command, Data, EffectId, Fields, News, Plan};
use serde_json::{Value, json};

scenarios![
    a_result_leaves_variables_behind,
    names_of_states_win_over_standard_ones,
    null_changes_nothing,
    some_fields_leave_nothing,
    values_have_their_json_form,
    what_was_given_at_the_start_is_text,
    one_pass_and_unknown_names_stay,
    nested_values_are_said_too,
    whole_names_have_the_type_that_is_wanted,
    long_variables_are_cut,
    stored_text_stays_where_it_is,
    a_state_of_its_own_leaves_nothing,
    what_was_left_is_told,
    where_a_machine_is_can_be_read,
];

fn goes() -> Vec<Test> {
    vec![Test::Equals { field: "success".into(), value: json!(true) }]
}

/// Two states: what the second is given is said with what the first left.
fn said(inputs: Inputs<'_>) -> Plan {
    scripted(vec![(noop("a"), vec![(goes(), 1)]), (noop_with("b", inputs), vec![])])
}

fn given(plan: Plan) -> Plan {
    with_input(plan, "initial_variables")
}

fn shows(it: &Drive) -> Vec<&News> {
    it.turn.news.iter().filter(|news| matches!(news, News::Left { .. })).collect()
}

// covers: T-88, T-92
#[test]
fn a_result_leaves_variables_behind() {
    let mut it = Drive::start(said(&[("x", braced("{session_id} {a_session_id} {a_other} {other}"))]));
    it.done("a@1#1", json!({"session_id": "s1", "other": "o"}));
    it.expect(&[r#"perform b@2#1 x="s1 s1 o {other}""#]);
    it.state("session_id", json!("s1")).state("a_other", json!("o")).state("success", json!("true"));
    it.done("b@2#1", json!({})).stands("succeeded");
}

// covers: T-93
#[test]
fn names_of_states_win_over_standard_ones() {
    let plan = || {
        scripted(vec![
            (noop("workflow"), vec![(goes(), 1)]),
            (noop("other"), vec![(goes(), 2)]),
            (noop("c"), vec![]),
        ])
    };
    let mut it = Drive::start(plan());
    it.done("workflow@1#1", json!({"final_state": "one"})).state("workflow_final_state", json!("one"));
    it.done("other@2#1", json!({"final_state": "two"})).state("other_final_state", json!("two"));
    it.state("workflow_final_state", json!("one"));
    let mut it = Drive::start(plan());
    it.done("workflow@1#1", json!({})).done("other@2#1", json!({"final_state": "two"}));
    it.state("workflow_final_state", json!("two"));
    let mut it = Drive::new(given(plan())).started(json!({"initial_variables": {"session_id": "first"}}));
    it.done("workflow@1#1", json!({"session_id": "second"})).state("session_id", json!("second"));
}

// covers: T-91
#[test]
fn null_changes_nothing() {
    let mut it = Drive::start(scripted(vec![(noop("a"), vec![(goes(), 0)])]));
    it.done("a@1#1", json!({"session_id": "s1"})).done("a@2#1", json!({"session_id": null}));
    it.state("session_id", json!("s1")).state("a_session_id", json!("s1"));
}

#[test]
fn some_fields_leave_nothing() {
    let mut it = Drive::start(scripted(vec![(noop("a"), vec![(goes(), 0)])]));
    it.done("a@1#1", json!({"final_variables": {"x": "y"}}));
    assert_eq!(it.run.state_field("a_final_variables"), None);
}

// covers: T-90
#[test]
fn values_have_their_json_form() {
    let mut it = Drive::start(scripted(vec![(noop("a"), vec![(goes(), 0)])]));
    it.done("a@1#1", json!({"n": 2, "list": [1, "x"], "map": {"k": null}, "yes": true, "half": 0.5}));
    it.state("n", json!("2")).state("a_list", json!(r#"[1,"x"]"#)).state("a_map", json!(r#"{"k":null}"#));
    it.state("a_yes", json!("true")).state("a_half", json!("0.5"));
}

// covers: T-17, T-87
#[test]
fn what_was_given_at_the_start_is_text() {
    let plan = given(scripted(vec![(noop_with("a", &[("x", braced("{env}-{n}-{yes}-{none}"))]), vec![])]));
    let variables = json!({"env": "prod", "n": 3, "yes": true, "none": null});
    Drive::new(plan.clone())
        .started(json!({"initial_variables": variables}))
        .expect(&[r#"perform a@1#1 x="prod-3-true-{none}""#]);
    let mut it = Drive::new(plan);
    let stored = it.store(json!({"env": "e".repeat(20_000)}));
    it.start_with(Fields::from([("initial_variables".to_owned(), stored)]));
    it.asks(&[&["load"], &["gather 0"], &["load"], &["gather 0"]]);
}

// covers: T-86, T-94
#[test]
fn one_pass_and_unknown_names_stay() {
    let text = "{x} ${HOME} awk '{print}' \\{x} {nobody}";
    let plan = given(scripted(vec![(noop_with("a", &[("t", braced(text))]), vec![])]));
    Drive::new(plan)
        .started(json!({"initial_variables": {"x": "{y}", "y": "SECRET"}}))
        .expect(&[r#"perform a@1#1 t="{y} ${HOME} awk '{print}' {x} {nobody}""#]);
}

// covers: T-85
#[test]
fn nested_values_are_said_too() {
    let params = kernel::plan::Expr::Object(vec![
        ("list".into(), kernel::plan::Expr::List(vec![braced("<{success}>"), just(json!(7))])),
        ("whole".into(), braced("{a_n}")),
    ]);
    let mut it = Drive::start(said(&[("params", params)]));
    it.done("a@1#1", json!({"n": 1}));
    it.expect(&[r#"perform b@2#1 params={"list":["<true>",7],"whole":"1"}"#]);
}

#[test]
fn whole_names_have_the_type_that_is_wanted() {
    let inputs = &[("i", braced_as("{n}", InputKind::Integer)), ("t", braced("{n}"))];
    let mut it = Drive::start(said(inputs));
    it.done("a@1#1", json!({"n": 30})).expect(&[r#"perform b@2#1 i=30 t="30""#]);
    let mut it = Drive::start(said(inputs));
    it.done("a@1#1", json!({"n": "many"}));
    it.stands("failed: `{n}` must be of type integer here, and the variable says \"many\"");
    let around = &[("i", braced_as("{n}{n}", InputKind::Integer))];
    let mut it = Drive::start(said(around));
    it.done("a@1#1", json!({"n": 3})).expect(&[r#"perform b@2#1 i="33""#]);
}

#[test]
fn long_variables_are_cut() {
    let mut it = Drive::start(said(&[]));
    let stored = it.store(json!("x".repeat(40_010)));
    let report = kernel::event::Report::Done { outputs: Fields::from([("session_id".to_owned(), stored)]) };
    it.give(Command::Report { effect: EffectId::new("a@1#1"), report });
    let data = it.run.state_field("session_id").unwrap().clone();
    let value = it.value(&data);
    let text = value.as_str().unwrap();
    assert!(text.ends_with("x\n[cut: 10 more bytes]"), "{}", &text[39_990..]);
    assert!(matches!(data, Data::Stored(_)), "what is long is content");
}

#[test]
fn stored_text_stays_where_it_is() {
    let mut it = Drive::start(said(&[("x", braced("{session_id}"))]));
    let stored = it.store(json!("y".repeat(20_000)));
    let report =
        kernel::event::Report::Done { outputs: Fields::from([("session_id".to_owned(), stored.clone())]) };
    it.give(Command::Report { effect: EffectId::new("a@1#1"), report }).asks(&[]);
    assert_eq!(it.run.state_field("session_id"), Some(&stored));
    it.expect(&["perform b@2#1 x=<yyyyyyyy>"]);
    let mut it = Drive::start(said(&[("x", braced("<{session_id}>"))]));
    let stored = it.store(json!("y".repeat(200_000)));
    let report = kernel::event::Report::Done { outputs: Fields::from([("session_id".to_owned(), stored)]) };
    it.give(Command::Report { effect: EffectId::new("a@1#1"), report });
    it.asks(&[&["load"], &["gather 0"], &["load"], &["gather 0"]]);
}

#[test]
fn a_state_of_its_own_leaves_nothing() {
    let mut plan = with_input(said(&[]), "max_states");
    state_of(&mut plan, 0).own = true;
    let mut it = Drive::new(plan).started(json!({"max_states": 1}));
    it.expect(&["perform a@0#1"]).done("a@0#1", json!({"session_id": "s"})).expect(&["perform b@1#1"]);
    assert_eq!(it.run.state_field("session_id"), None);
    it.done("b@1#1", json!({})).stands("succeeded");
}

#[test]
fn what_was_left_is_told() {
    let mut it = Drive::start(said(&[]));
    it.done("a@1#1", json!({"n": 1}));
    let told = serde_json::to_value(shows(&it)).unwrap();
    let inline = |value: Value| json!({ "inline": value });
    let wanted = json!([{"left": {
        "key": "a@1",
        "step": 0,
        "result": {"n": inline(json!(1)), "success": inline(json!(true))},
        "variables": {
            "n": inline(json!("1")), "a_n": inline(json!("1")),
            "success": inline(json!("true")), "a_success": inline(json!("true")),
        },
        "way": [{"transition": 0}, 1],
    }}]);
    assert_eq!(told, wanted);
}

#[test]
fn where_a_machine_is_can_be_read() {
    let plan = with_output(said(&[]), "final_state", text("${machine.state}"));
    let plan = with_output(with_output(plan, "count", text("${machine.visits}")), "all", text("${state}"));
    let mut it = Drive::start(with_output(plan, "depth", text("${machine.depth}")));
    it.done("a@1#1", json!({})).done("b@2#1", json!({"n": 1}));
    it.stands(concat!(
        r#"succeeded all={"a_success":"true","b_n":"1","b_success":"true","n":"1","success":"true"} "#,
        r#"count=2 depth=0 final_state="b""#
    ));
    let plan = with_output(said(&[]), "none", text("${machine.none}"));
    let mut it = Drive::start(plan);
    it.done("a@1#1", json!({})).done("b@2#1", json!({}));
    it.stands("failed: output `none` cannot be made: `machine.none` is not there");
}
