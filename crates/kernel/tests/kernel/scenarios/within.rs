//! Nodes that are steps of a definition: their rights, their `when`, their lines and the words of their failures. And
//! what fails, and what says no and counts all the same.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Expr, Foreign, Language, Node, OnFailure, Place, Step};
use kernel::{Data, FailureKind, News, Plan};
use serde_json::{Value, json};

scenarios![
    a_step_whose_when_does_not_hold_is_passed_by,
    a_when_is_asked_before_anything_else,
    what_holds_within_a_step_holds_as_in_python,
    what_holds_elsewhere_is_true_or_false,
    every_step_has_a_line_each_time,
    a_control_step_reads_what_it_may,
    a_loop_within_a_step_reads_what_it_may,
    the_whole_state_comes_with_what_was_declared,
    an_expression_that_reads_more_than_it_may_fails_the_run,
    failures_say_what_the_expression_was_for,
    failures_of_other_kinds_only_name_the_step,
    a_run_fails_where_its_definition_says_so,
    a_message_must_be_text,
    what_says_no_may_count_as_done,
    what_could_not_be_done_does_not_count,
];

fn whole(source: &str, reads: &[&str]) -> Expr {
    let reads = reads.iter().map(|path| kernel::language::Path::parse(path, 0).expect("a path")).collect();
    Expr::Foreign(Foreign {
        language: Language::Jinja,
        source: source.into(),
        reads,
        given: vec![],
        origin: None,
    })
}

/// The lines that ended in the last turn, and those that were passed by.
fn lines(it: &Drive) -> Vec<String> {
    let said = it.turn.news.iter().filter_map(|news| match news {
        News::Ended { key, failure: Some(failure), .. } => Some(format!("{key} failed: {failure}")),
        News::Ended { key, outputs, .. } => {
            let given = outputs.get("result").map(crate::say::data).map(|said| format!(" {said}"));
            Some(format!("{key}{}", given.unwrap_or_default()))
        }
        News::Skipped { step, reason } => Some(format!("skipped {step}: {reason}")),
        _ => None,
    });
    said.collect()
}

#[test]
fn a_step_whose_when_does_not_hold_is_passed_by() {
    let steps = vec![agent_with("a", &[("x", text("${inputs.none}"))]), control("b", &[]), agent("c")];
    let body = vec![
        within_when(0, just(json!(false)), act_into(0, "never", "${result.x}")),
        within_when(1, just(json!([])), set(vec![put("never", just(json!(1)))])),
        within_when(2, just(json!("yes")), act(2)),
        within_when(2, just(json!(true)), act(2)),
    ];
    let mut it = Drive::start(sequence(steps, vec![body]));
    it.expect(&["offer c#1"]);
    let why = "its `when` does not hold";
    assert_eq!(lines(&it), [format!("skipped 0: {why}"), format!("skipped 1: {why}")]);
    it.submit("c#1", json!({})).expect(&["offer c@2#1"]);
    assert_eq!(it.run.state_field("never"), None);
}

#[test]
fn a_when_is_asked_before_anything_else() {
    let inputs = [("x", whole("{{ x }}", &["state.n"]))];
    let step = Step { access: fields_only(&["n"]), ..agent_with("a", &inputs) };
    let plan = |step: &Step| {
        let body = vec![within_when(0, whole("{{ n > 1 }}", &["state.n"]), act(0))];
        with_state(sequence(vec![step.clone()], vec![body]), json!({"n": 2}))
    };
    let answers = |source: &str, _: &_| Ok(if source == "{{ x }}" { json!("made") } else { json!(true) });
    let mut it = Drive::new(plan(&step)).evaluating(answers).started(json!({}));
    it.asks(&[&["{{ n > 1 }} with state.n=2"], &["{{ x }} with state.n=2"]])
        .expect(&[r#"offer a#1 x="made""#]);
    let mut it = Drive::new(plan(&step)).evaluating(|_, _| Ok(json!(0))).started(json!({}));
    it.asks(&[&["{{ n > 1 }} with state.n=2"]]).stands("succeeded");
    let mut it = Drive::new(plan(&step)).evaluating(|_, _| Err("`n` is undefined".into())).started(json!({}));
    it.stands("failed: step `a`: Expression error: `n` is undefined");
    assert_eq!(lines(&it), ["a failed: Expression error: `n` is undefined"]);
}

#[test]
fn what_holds_within_a_step_holds_as_in_python() {
    let taken = |value: Value| {
        let arms = vec![(text("${inputs.n}"), 1)];
        let bodies = vec![
            vec![within(0, Node::Branch { arms, otherwise: Some(2) })],
            vec![set(vec![put("held", just(json!(true)))])],
            vec![set(vec![put("held", just(json!(false)))])],
        ];
        let plan = with_input(sequence(vec![control("if", &[])], bodies), "n");
        let it = Drive::new(plan).started(json!({"n": value}));
        it.run.state_field("held").and_then(Data::inline).cloned()
    };
    for yes in
        [json!(true), json!(-1), json!(0.5), json!([0]), json!({"k": null}), json!("text"), json!("YES")]
    {
        assert_eq!(taken(yes.clone()), Some(json!(true)), "{yes}");
    }
    for no in [json!(null), json!(false), json!(0), json!(0.0), json!([]), json!({}), json!(""), json!("No")]
    {
        assert_eq!(taken(no.clone()), Some(json!(false)), "{no}");
    }
}

#[test]
fn what_holds_elsewhere_is_true_or_false() {
    let plan =
        |node: Node| with_state(sequence(vec![control("if", &[])], vec![vec![node], vec![]]), json!({}));
    let branch = |value: Value| Node::Branch { arms: vec![(just(value), 1)], otherwise: None };
    let mut it = Drive::start(plan(branch(json!([]))));
    it.stands("failed: a condition needs true or false, and [] is a list");
    let mut it = Drive::start(plan(within(0, branch(json!("x == y")))));
    it.stands(
        "failed: step `if`: Expression error: a condition must come out as true or false, and this is the text \
         \"x == y\": write one `{{ .. }}` around all of it",
    );
}

#[test]
fn every_step_has_a_line_each_time() {
    let steps = ["once", "if", "set", "back", "end"].map(|id| control(id, &["n"]));
    let more = Node::Branch { arms: vec![(cond("${state.n} < 2"), 1)], otherwise: None };
    let bodies = vec![
        vec![
            within(0, set(vec![put("n", just(json!(0)))])),
            within(2, count("n")),
            within(1, more),
            within(4, Node::Return { value: text("${state.n}") }),
        ],
        vec![within(3, Node::Goto { to: Place { body: 0, position: 1 }, iterations_max: 3 })],
    ];
    let mut it = Drive::start(sequence(steps.to_vec(), bodies));
    it.stands("succeeded result=2");
    assert_eq!(lines(&it), ["once", "set", "if true", "back", "set@2", "if@2 false", "end 2"]);
    let over = it.turn.news.iter().position(|news| matches!(news, News::Closing { .. }));
    let end = it.turn.news.iter().position(|news| matches!(news, News::Ended { key, .. } if key == "end"));
    assert!(end < over, "a return ends before its run does");
}

#[test]
fn a_control_step_reads_what_it_may() {
    let plan = |node: Node| {
        with_state(sequence(vec![control("s", &["a"])], vec![vec![node], vec![]]), json!({"a": 1, "b": 2}))
    };
    let denied =
        "failed: State access violation: step `s` reads `state.b`, which its needs_state does not name";
    let branch = |path: &str| Node::Branch { arms: vec![(text(path), 1)], otherwise: None };
    Drive::start(plan(within(0, branch("${state.a}")))).stands("succeeded");
    Drive::start(plan(branch("${state.b}")))
        .stands("failed: a condition needs true or false, and 2 is a number");
    for node in [
        within(0, branch("${state.b}")),
        within(0, set(vec![put("c", text("${state.b}"))])),
        within(0, Node::Return { value: text("${state.b}") }),
        within(0, Node::Fail { message: text("${state.b}") }),
        within_when(0, text("${state.b}"), set(vec![])),
        within(0, each(text("${state.b}"), "it", 1)),
        within(0, fork(text("${state.b}"), 1, 1)),
    ] {
        Drive::start(plan(node)).stands(denied);
    }
    let mut it = Drive::start(plan(within(0, Node::Return { value: text("${state}") })));
    it.stands(r#"succeeded result={"a":1}"#);
}

#[test]
fn a_loop_within_a_step_reads_what_it_may() {
    let whilst = Node::While {
        condition: whole("{{ any }}", &["state.a", "state"]),
        body: 1,
        iterations_max: 9,
        leave: false,
    };
    let body = vec![set(vec![put("a", just(json!(0)))])];
    let plan = sequence(vec![control("s", &["a"])], vec![vec![within(0, whilst)], body]);
    let plan = with_state(plan, json!({"a": 1, "b": 2}));
    let truth = |_: &str, scope: &std::collections::BTreeMap<String, Data>| {
        Ok(scope["state.a"].inline().cloned().unwrap_or_default())
    };
    let mut it = Drive::new(plan).evaluating(truth).started(json!({}));
    let asked = |n: u8| format!("{{{{ any }}}} with state={{\"a\":{n}}}, state.a={n}, state?=[\"a\"]");
    it.asks(&[&[asked(1).as_str()], &[asked(0).as_str()]]).stands("succeeded");
}

#[test]
fn the_whole_state_comes_with_what_was_declared() {
    let plan = |reads: &[&str], step: Step| {
        let node = set(vec![put("x", whole("{{ state[name] }}", reads))]);
        with_state(sequence(vec![step], vec![vec![within(0, node)]]), json!({"a": 1, "b": 2}))
    };
    let ask = |plan: Plan| Drive::new(plan).evaluating(|_, _| Ok(json!(1))).started(json!({}));
    let some = ask(plan(&["state"], control("s", &["a", "gone"])));
    assert_eq!(some.asked, [[r#"{{ state[name] }} with state={"a":1}, state?=["a","gone"]"#]]);
    let one = ask(plan(&["state.a"], control("s", &["a"])));
    assert_eq!(one.asked, [["{{ state[name] }} with state.a=1"]]);
    let all = ask(plan(&["state"], make("s", &[], &[])));
    assert_eq!(all.asked, [[r#"{{ state[name] }} with state={"a":1,"b":2}"#]]);
}

#[test]
fn an_expression_that_reads_more_than_it_may_fails_the_run() {
    let said = "State access violation: `state.b` is not in needs_state";
    let node = Node::Do { step: 0, writes: vec![], on_failure: OnFailure::Continue, otherwise: Vec::new() };
    let step = Step {
        access: fields_only(&["a"]),
        ..agent_with("s", &[("x", whole("{{ state[name] }}", &["state"]))])
    };
    let plan = sequence(vec![step], vec![vec![within(0, node.clone())]]);
    let mut it = Drive::new(plan.clone()).evaluating(move |_, _| Err(said.into())).started(json!({}));
    it.stands("failed: State access violation: step `s`: `state.b` is not in needs_state");
    let plain = Plan { flow: sequence(vec![], vec![vec![node]]).flow, ..plan };
    let mut it = Drive::new(plain).evaluating(move |_, _| Err(said.into())).started(json!({}));
    it.stands("failed: step `s`: State access violation: `state.b` is not in needs_state");
}

#[test]
fn failures_say_what_the_expression_was_for() {
    let none = || text("${inputs.none}");
    let fails = |node: Node, told: &str| {
        let mut it = Drive::start(sequence(vec![control("s", &[])], vec![vec![node], vec![]]));
        it.stands(&format!("failed: step `s`: {told}: `inputs` has no `none`"));
        assert_eq!(lines(&it), [format!("s failed: {told}: `inputs` has no `none`")]);
    };
    fails(within(0, set(vec![put("a", none())])), "Invalid expression");
    fails(within(0, Node::Return { value: none() }), "Return expression failed");
    fails(within(0, Node::Branch { arms: vec![(none(), 1)], otherwise: None }), "Expression error");
    fails(within(0, each(none(), "it", 1)), "Expression error");
    fails(within_when(0, none(), set(vec![])), "Expression error");
    let step = agent_with("s", &[("x", none())]);
    let mut it = Drive::start(sequence(vec![step], vec![vec![within(0, act(0))]]));
    it.stands("failed: step `s`: Expression error: `inputs` has no `none`");
    assert_eq!(lines(&it), ["s failed: Expression error: `inputs` has no `none`"]);
}

#[test]
fn failures_of_other_kinds_only_name_the_step() {
    let bodies = vec![vec![within(0, Node::Goto { to: Place { body: 0, position: 0 }, iterations_max: 3 })]];
    let mut it = Drive::start(sequence(vec![control("s", &[])], bodies));
    it.stands("failed: step `s`: a loop went past its bound of 3 rounds");
    assert_eq!(lines(&it), ["s", "s@2", "s@3", "s@4 failed: a loop went past its bound of 3 rounds"]);
}

#[test]
fn a_run_fails_where_its_definition_says_so() {
    let fail = || Node::Fail { message: text("${state.why} is wrong") };
    let plan = |node: Node| {
        with_state(sequence(vec![control("s", &["why"])], vec![vec![node, act(0)]]), json!({"why": "it"}))
    };
    Drive::start(plan(fail())).expect(&[]).stands("failed: it is wrong");
    let mut it = Drive::start(plan(within(0, fail())));
    it.stands("failed: step `s`: it is wrong");
    assert_eq!(lines(&it), ["s failed: it is wrong"]);
}

#[test]
fn a_message_must_be_text() {
    let plan = |message: Expr| sequence(vec![], vec![vec![Node::Fail { message }]]);
    Drive::start(plan(just(json!(1)))).stands("failed: a message is text, and this is a number");
    Drive::start(plan(text("${inputs.none}"))).stands("failed: `inputs` has no `none`");
}

fn taking() -> Plan {
    let node = Node::Do {
        step: 0,
        writes: vec![put("x", text("${result.code}"))],
        on_failure: OnFailure::Take,
        otherwise: Vec::new(),
    };
    with_state(sequence(vec![noop("a"), noop("b")], vec![vec![node, act(1)]]), json!({"x": null}))
}

#[test]
fn what_says_no_may_count_as_done() {
    use kernel::event::Report;
    let report = |outputs: Value| {
        let failure = kernel::Failure::new(FailureKind::Operation, "exit code 3");
        let report = Report::Failed { failure, outputs: fields(outputs) };
        kernel::Command::Report { effect: kernel::EffectId::new("a#1"), report }
    };
    let mut it = Drive::start(taking());
    it.give(report(json!({"code": 3}))).expect(&["perform b#1"]).state("x", json!(3));
    let mut it = Drive::start(taking());
    // Who said nothing beside the no has said nothing that could be taken.
    it.give(report(json!({}))).stands("failed: step `a`: exit code 3");
}

#[test]
fn what_could_not_be_done_does_not_count() {
    for kind in [FailureKind::Crashed, FailureKind::TimedOut, FailureKind::Cancelled] {
        Drive::start(taking())
            .fails("a#1", kind)
            .stands("failed: step `a`: it broke")
            .state("x", json!(null));
    }
}
