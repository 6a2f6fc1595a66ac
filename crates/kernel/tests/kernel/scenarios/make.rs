//! Nobody's work: what a step gives follows from what it is given, within its turn.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::Expr;
use kernel::{Data, Fields, News, Plan};
use serde_json::{Value, json};

scenarios![
    what_it_gives_is_made_in_its_turn_and_nothing_leaves,
    it_sees_the_names_it_is_given_and_is_asked_alone,
    stored_content_goes_to_the_evaluator_unopened,
    what_cannot_be_made_fails_the_block_and_its_inputs_are_known,
    what_it_is_given_cannot_be_made,
    what_need_not_be_there_is_nothing_if_it_is_not,
    what_must_be_whole_is_not_made_of_a_part,
    a_list_that_is_needed_has_something_in_it,
    a_text_that_somebody_reads_says_something,
    what_it_is_given_must_find_room,
    a_name_may_be_a_foreign_expression_of_its_own,
    it_may_be_a_step_of_a_sequence_a_state_and_a_cleanup,
];

fn upper(inputs: Inputs<'_>) -> kernel::plan::Step {
    make("m", inputs, &[("out", text("<${result.x}>"))]).keeps(&["outputs.out", "inputs.x"])
}

/// Answers with all that is seen.
fn seen(source: &str, scope: &std::collections::BTreeMap<String, Data>) -> Result<Value, String> {
    let scope: Vec<String> =
        scope.iter().map(|(name, data)| format!("{name}={}", crate::say::data(data))).collect();
    Ok(json!(format!("{source}: {}", scope.join(" "))))
}

fn ended(it: &Drive, step: u32) -> (Fields, Option<String>) {
    let mut found = (Fields::new(), None);
    for news in &it.turn.news {
        match news {
            News::Began { step: began, inputs, .. } if *began == step => found.0 = inputs.clone(),
            News::Ended { step: over, failure, .. } if *over == step => {
                found.1 = failure.as_ref().map(|failure| failure.message.clone());
            }
            _ => {}
        }
    }
    found
}

#[test]
fn what_it_gives_is_made_in_its_turn_and_nothing_leaves() {
    let after = noop_with("b", &[("x", text("${blocks.m.outputs.out} ${blocks.m.inputs.x}"))]);
    let plan = graph(vec![(upper(&[("x", text("${inputs.x}"))]), &[], None), (after, &[0], None)]);
    let mut it = Drive::new(with_input(plan, "x")).started(json!({"x": "a"}));
    it.expect(&[r#"perform b#1 x="<a> a""#]);
    it.done("b#1", json!({})).stands("succeeded");
    Drive::start(graph(vec![(upper(&[("x", just(json!(1)))]), &[], None)])).stands("succeeded");
}

#[test]
fn it_sees_the_names_it_is_given_and_is_asked_alone() {
    let given = |value: i64| jinja("t", &[("who", just(json!(value))), ("y", text("${result.x}"))]);
    let step =
        make("m", &[("x", just(json!("a")))], &[("p", given(1)), ("q", js("f", &[])), ("r", given(2))]);
    let plan =
        with_output(graph(vec![(step.keeps(&["outputs"]), &[], None)]), "all", text("${blocks.m.outputs}"));
    let mut it = Drive::new(plan).evaluating(seen).started(json!({}));
    it.asks(&[&[r#"t with who=1, y="a""#], &[r#"t with who=2, y="a""#], &["f with "]]);
    it.stands(r#"succeeded all={"p":"t: who=1 y=\"a\"","q":"f: ","r":"t: who=2 y=\"a\""}"#);
}

#[test]
fn stored_content_goes_to_the_evaluator_unopened() {
    let step =
        make("m", &[("big", text("${inputs.big}"))], &[("out", jinja("t", &[("b", text("${result.big}"))]))]);
    let mut it = Drive::new(with_input(graph(vec![(step, &[], None)]), "big")).evaluating(seen);
    let big = it.store(json!("long"));
    it.start_with(Fields::from([("big".into(), big)]));
    it.asks(&[&["t with b=<long>"]]).stands("succeeded");
}

#[test]
fn what_cannot_be_made_fails_the_block_and_its_inputs_are_known() {
    let step = make("m", &[("x", just(json!("a")))], &[("out", jinja("t", &[("x", text("${result.x}"))]))]);
    let it = &mut Drive::start(graph(vec![(step.retry(3, 10), &[], None), (noop("b"), &[0], None)]));
    assert_eq!(ended(it, 0), (fields(json!({"x": "a"})), Some("nobody knows `t`".into())));
    it.expect(&[]).stands("failed: `m` nobody knows `t`");
}

#[test]
fn what_it_is_given_cannot_be_made() {
    let none = Expr::Needed(kernel::language::Path::of("inputs", &["x"]));
    let plan = with_input(graph(vec![(upper(&[("x", none)]), &[], None)]), "x");
    let mut it = Drive::new(plan).started(json!({"x": null}));
    assert_eq!(ended(&it, 0).0, Fields::new());
    it.stands("failed: `m` `inputs.x` has no value, and one is needed here");
}

#[test]
fn what_need_not_be_there_is_nothing_if_it_is_not() {
    let field = |name: &str| Expr::Optional(kernel::language::Path::of("blocks", &["a", "outputs", name]));
    let first = noop("a").keeps(&["outputs.x", "outputs.y"]);
    let step = make("m", &[("x", field("x")), ("y", field("y"))], &[]);
    let mut it = Drive::start(graph(vec![(first, &[], None), (step, &[0], None)]));
    it.done("a#1", json!({"x": 7}));
    assert_eq!(ended(&it, 1), (fields(json!({"x": 7, "y": null})), None));
}

#[test]
fn what_must_be_whole_is_not_made_of_a_part() {
    for (left_out, stands) in
        [(json!({}), None), (json!({"n": 0}), None), (json!({"n": 5}), Some("5 bytes of its middle"))]
    {
        let texts = vec![("${x}".to_owned(), kernel::language::Path::of("blocks", &["a", "outputs", "n"]))];
        let whole = Expr::Whole { texts, value: Box::new(Expr::Const(json!(1))) };
        let first = noop("a").keeps(&["outputs.n"]);
        let mut it =
            Drive::start(graph(vec![(first, &[], None), (make("m", &[("x", whole)], &[]), &[0], None)]));
        it.done("a#1", left_out);
        match stands {
            None => assert_eq!(ended(&it, 1), (fields(json!({"x": 1})), None)),
            Some(words) => assert!(ended(&it, 1).1.unwrap().contains(words)),
        }
    }
}

#[test]
fn a_text_that_somebody_reads_says_something() {
    let words = || text("${inputs.x}").words("prompt");
    let plan = || with_input(graph(vec![(make("m", &[("x", words())], &[]), &[], None)]), "x");
    for said in [json!("a"), json!(" a\n"), json!(0), json!(["a"])] {
        Drive::new(plan()).started(json!({"x": said})).stands("succeeded");
    }
    for said in ["", " ", "\t\n"] {
        Drive::new(plan()).started(json!({"x": said})).stands(
            "failed: `m` `prompt` is empty: what its reference gives says nothing to whoever is asked",
        );
    }
}

#[test]
fn a_list_that_is_needed_has_something_in_it() {
    let list = || Expr::Items(kernel::language::Path::of("inputs", &["x"]));
    let plan = || with_input(graph(vec![(make("m", &[("x", list())], &[]), &[], None)]), "x");
    Drive::new(plan()).started(json!({"x": [1]})).stands("succeeded");
    Drive::new(plan()).started(json!({"x": []})).stands("failed: `m` `inputs.x` is an empty list");
    let mut it = Drive::new(plan()).started(json!({"x": "a"}));
    it.stands("failed: `m` `inputs.x` must be a list, and this is text");
}

#[test]
fn what_it_is_given_must_find_room() {
    let plan = |bytes: u64| {
        let step =
            make("m", &[("x", just(json!("x".repeat(250)))), ("y", just(json!("y".repeat(250))))], &[]);
        let plan = graph(vec![(step, &[], None)]);
        let limits = kernel::Limits { held_bytes_max: bytes, ..plan.limits.clone() };
        Plan { limits, ..plan }
    };
    let needed = |bytes: u64| ended(&Drive::start(plan(bytes)), 0).1.is_none();
    let least = (600..4_000).find(|bytes| needed(*bytes)).expect("there is room at last");
    assert!(least > 1_000 && !needed(least - 1) && needed(least));
}

#[test]
fn a_name_may_be_a_foreign_expression_of_its_own() {
    let inner = jinja("inner", &[("n", just(json!(1)))]);
    let plan = with_output(graph(vec![]), "o", jinja("outer", &[("x", inner)]));
    let mut it = Drive::new(plan).evaluating(|source, _| Ok(json!(source))).started(json!({}));
    it.asks(&[&["inner with n=1"], &[r#"outer with x="inner""#]]).stands(r#"succeeded o="outer""#);
}

#[test]
fn it_may_be_a_step_of_a_sequence_a_state_and_a_cleanup() {
    let step = |id: &str| make(id, &[("x", just(json!("a")))], &[("out", text("<${result.x}>"))]);
    let mut it = Drive::start(with_state(
        sequence(vec![step("m")], vec![vec![act_into(0, "f", "${result.out}")]]),
        json!({"f": 0}),
    ));
    it.state("f", json!("<a>")).stands("succeeded");
    let mut it = Drive::start(machine(vec![(step("m"), &[("true", 1)]), (noop("b"), &[])]));
    it.expect(&["perform b@2#1"]).done("b@2#1", json!({})).stands("succeeded");
    let plan = sequence(vec![noop("a"), step("m")], vec![vec![act(0)]]);
    let mut it = Drive::start(Plan { cleanup: vec![1], ..plan });
    it.done("a#1", json!({})).expect(&[]).stands("succeeded");
}
