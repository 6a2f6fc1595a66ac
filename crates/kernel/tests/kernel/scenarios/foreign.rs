//! Foreign expressions: asked all at once, answered within the turn, and a failure of nothing but their step.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::Fields;
use kernel::language::Path;
use kernel::plan::{Expr, Foreign, Language, OnFailure};
use serde_json::json;

scenarios![
    all_expressions_of_a_step_are_asked_at_once,
    what_an_expression_reads_is_loaded_first,
    whole_content_goes_to_the_evaluator_unopened_and_text_asks_a_second_round,
    two_languages_are_asked_one_after_the_other,
    an_error_fails_the_step_and_nothing_else,
    a_dead_evaluator_fails_the_step,
    conditions_of_blocks_that_ask_do_not_stop_the_others,
    a_loop_asks_again_for_every_round,
    lanes_ask_in_their_order_and_nothing_is_done_twice,
    a_machine_asks_for_its_ways_and_writes,
    outputs_and_verification_ask_at_once,
    an_expression_of_the_first_state_may_fail_the_run,
    odd_names_stay_apart,
];

fn both() -> Vec<(&'static str, Expr)> {
    let list = Expr::List(vec![js("a + 1", &["state.a"]), just(json!(0)), js("b + 1", &["state.b"])]);
    vec![("x", list), ("y", js("a + b", &["state.a", "state.b"]))]
}

#[test]
fn all_expressions_of_a_step_are_asked_at_once() {
    let plan = with_state(line(vec![noop_with("s", &both())]), json!({"a": 1, "b": 2}));
    let mut it = Drive::new(plan).evaluating(|source, _| Ok(json!(source))).started(json!({}));
    it.asks(&[&["a + 1; b + 1; a + b with state.a=1, state.b=2"]]);
    it.expect(&[r#"perform s#1 x=["a + 1",0,"b + 1"] y="a + b""#]);
}

#[test]
fn what_an_expression_reads_is_loaded_first() {
    let step =
        noop_with("s", &[("x", js("f", &["inputs.big.k", "inputs.none"])), ("y", text("<${inputs.big}>"))]);
    let mut it =
        Drive::new(with_input(line(vec![step]), "big")).evaluating(|_, scope| Ok(json!(scope.len())));
    let big = it.store(json!({"k": 1}));
    it.start_with(Fields::from([("big".into(), big)]));
    it.asks(&[&["load"], &["f with inputs.big.k=1"]]);
    it.expect(&[r#"perform s#1 x=1 y="<{\"k\":1}>""#]);
}

#[test]
fn whole_content_goes_to_the_evaluator_unopened_and_text_asks_a_second_round() {
    let step = noop_with("s", &[("x", js("f", &["inputs.big"])), ("y", text("<${inputs.big}>"))]);
    let mut it = Drive::new(with_input(line(vec![step]), "big")).evaluating(|_, _| Ok(json!(1)));
    let big = it.store(json!("b"));
    it.start_with(Fields::from([("big".into(), big)]));
    it.asks(&[&["f with inputs.big=<b>"], &["load"]]).expect(&[r#"perform s#1 x=1 y="<b>""#]);
}

#[test]
fn two_languages_are_asked_one_after_the_other() {
    let jinja = Expr::Foreign(Foreign {
        language: Language::Jinja,
        source: "j".into(),
        reads: vec![],
        given: vec![],
        origin: None,
    });
    let step = noop_with("s", &[("x", jinja.clone()), ("y", js("f", &[])), ("z", jinja)]);
    let mut it = Drive::new(line(vec![step])).evaluating(|source, _| Ok(json!(source))).started(json!({}));
    it.asks(&[&["j; j with "], &["f with "]]).expect(&[r#"perform s#1 x="j" y="f" z="j""#]);
}

#[test]
fn an_error_fails_the_step_and_nothing_else() {
    let mut plan = sequence(vec![noop_with("s", &both()), noop("t")], vec![vec![attempt(0), act(1)]]);
    plan = with_state(plan, json!({"a": 1, "b": 2}));
    let known = |source: &str| if source == "b + 1" { Err("b is odd".into()) } else { Ok(json!(1)) };
    let mut it = Drive::new(plan).evaluating(move |source, _| known(source)).started(json!({}));
    it.expect(&["perform t#1"]);
    assert!(it.turn.news.iter().any(|news| format!("{news:?}").contains("b is odd")));
}

#[test]
fn a_dead_evaluator_fails_the_step() {
    let mut it = Drive::new(line(vec![noop_with("s", &[("x", js("f", &[]))])])).silent().started(json!({}));
    it.stands("failed: step `s`: the evaluator died");
}

#[test]
fn conditions_of_blocks_that_ask_do_not_stop_the_others() {
    let mut plan = graph(vec![(noop("a"), &[], None), (noop("b"), &[], None), (noop("c"), &[], None)]);
    if let kernel::plan::Flow::Graph(graph) = &mut plan.flow {
        graph.blocks[0].condition = Some(js("p", &[]));
        graph.blocks[1].condition = Some(js("q", &[]));
    }
    let mut it = Drive::new(plan).evaluating(|source, _| Ok(json!(source == "q"))).started(json!({}));
    it.asks(&[&["p with ", "q with "]]).expect(&["perform c#1", "perform b#1"]);
    it.done("c#1", json!({})).done("b#1", json!({})).stands("succeeded");
}

#[test]
fn a_loop_asks_again_for_every_round() {
    let looped = kernel::plan::Node::While {
        condition: js("n < 2", &["state.n"]),
        body: 1,
        iterations_max: 9,
        leave: false,
    };
    let plan = with_state(sequence(vec![], vec![vec![looped], vec![count("n")]]), json!({"n": 0}));
    let mut it = Drive::new(plan)
        .evaluating(|_, scope| Ok(json!(*crate::say::data(&scope["state.n"]) < *"2")))
        .started(json!({}));
    it.asks(&[&["n < 2 with state.n=0"], &["n < 2 with state.n=1"], &["n < 2 with state.n=2"]]);
    it.state("n", json!(2)).stands("succeeded");
}

#[test]
fn lanes_ask_in_their_order_and_nothing_is_done_twice() {
    let plan = sequence(
        vec![noop_with("a", &[("x", js("f", &["item"]))])],
        vec![
            vec![fork_with(just(json!([1, 2])), 1, 2, OnFailure::Continue, Some("all"))],
            vec![
                count("n"),
                act_into(0, "last", "${result.x}"),
                kernel::plan::Node::Give { value: js("g", &["item"]) },
            ],
        ],
    );
    let mut it = Drive::new(with_state(plan, json!({"n": 0})))
        .evaluating(|source, scope| Ok(json!(format!("{source}{}", crate::say::data(&scope["item"])))))
        .started(json!({}));
    it.asks(&[&["f with item=1"], &["f with item=2"]]);
    it.state("n", json!(2)).expect(&[r#"perform 1/a@1#1 x="f1""#, r#"perform 2/a@1#1 x="f2""#]);
    it.done("2/a@1#1", json!({"x": 1})).asks(&[&["g with item=2"]]);
    it.done("1/a@1#1", json!({"x": 1})).asks(&[&["g with item=1"]]).state("all", json!(["g1", "g2"]));
}

#[test]
fn a_machine_asks_for_its_ways_and_writes() {
    let mut plan = machine(vec![(noop("a"), &[("false", 1)]), (noop("b"), &[])]);
    let state = state_of(&mut plan, 0);
    state.transitions[0].when = js("go", &["result.x"]);
    state.writes = vec![put("w", js("w", &["result.x"]))];
    let mut it = Drive::new(plan).evaluating(|source, _| Ok(json!(source == "go"))).started(json!({}));
    it.done("a@1#1", json!({"x": 1})).asks(&[&["w with result.x=1"], &["go with result.x=1"]]);
    it.expect(&["perform b@2#1"]).state("w", json!(false));
}

#[test]
fn outputs_and_verification_ask_at_once() {
    let step = kernel::plan::Step { verify: verified(1, &[("v", js("v", &["result.x"]))]), ..agent("a") };
    let plan = with_output(with_output(line(vec![step]), "p", js("p", &[])), "q", js("q", &[]));
    let mut it = Drive::new(plan).evaluating(|source, _| Ok(json!(source))).started(json!({}));
    it.submit("a#1", json!({"x": 1})).asks(&[&["v with result.x=1"]]);
    it.done("a#1/verify", json!({})).asks(&[&["p; q with "]]).stands(r#"succeeded p="p" q="q""#);
}

#[test]
fn an_expression_of_the_first_state_may_fail_the_run() {
    let mut plan = line(vec![noop("a")]);
    plan.state.initial = vec![("x".into(), js("x", &[])), ("y".into(), text("${state.x}"))];
    Drive::new(plan.clone()).started(json!({})).stands("failed: nobody knows `x`");
    Drive::new(plan).evaluating(|_, _| Ok(json!(4))).started(json!({})).state("y", json!(4));
}

#[test]
fn odd_names_stay_apart() {
    let odd = Path { root: "inputs".into(), segments: vec![kernel::language::Segment::Key("a.b".into())] };
    let mut reads = vec![odd];
    reads.push(Path::of("inputs", &["a", "b"]));
    let f = Expr::Foreign(Foreign {
        language: Language::Jinja,
        source: "f".into(),
        reads,
        given: vec![],
        origin: None,
    });
    let plan = with_input(with_input(line(vec![noop_with("s", &[("x", f)])]), "a.b"), "a");
    let mut it = Drive::new(plan).evaluating(|_, _| Ok(json!(0))).started(json!({"a.b": 1, "a": {"b": 2}}));
    it.asks(&[&["f with inputs.a.b=2, inputs['a.b']=1"]]);
}
