//! Every reason to refuse a command. The driver checks that a refusal leaves no trace.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, cancellation, human, submission};
use kernel::command::Caller;
use kernel::event::{Report, Resolution};
use kernel::plan::{Deadline, Input, InputKind, OnInterrupt, Step};
use kernel::{Command, Digest, EffectId, FailureKind, Fields, Plan, Refusal};
use serde_json::{Value, json};

scenarios![
    an_update_names_its_caller,
    before_the_start_and_after_the_end,
    inputs_must_fit,
    inputs_of_every_type,
    what_is_not_open,
    what_is_due_is_named,
    an_old_attempt,
    the_wrong_kind_of_command,
    an_interrupted_step_waits_for_a_word,
    only_the_name_of_the_action_counts,
    a_timer_before_its_time,
    time_does_not_go_backwards,
    every_refusal_says_something,
];

fn report(effect: &str) -> Command {
    Command::Report { effect: EffectId::new(effect), report: Report::Done { outputs: Fields::new() } }
}

fn fire(timer: &str) -> Command {
    Command::Fire { timer: EffectId::new(timer) }
}

fn resolve(effect: &str) -> Command {
    Command::Resolve { effect: EffectId::new(effect), resolution: Resolution::Retry, by: human(false) }
}

fn start(inputs: Value) -> Command {
    Command::Start { inputs: fields(inputs) }
}

fn with_typed(mut plan: Plan, name: &str, kind: InputKind, required: bool, default: Option<Value>) -> Plan {
    plan.inputs.push(Input {
        name: name.into(),
        description: String::new(),
        kind,
        required,
        default,
        rules: None,
    });
    plan
}

fn is_not_open(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NotOpen { .. })
}

#[test]
fn before_the_start_and_after_the_end() {
    let mut it = Drive::new(line(vec![noop("a")]));
    for command in [report("a#1"), cancellation(), Command::Acknowledge, fire("run/timeout")] {
        assert_eq!(it.refuse(command), Refusal::NotStarted);
    }
    it.give(start(json!({})));
    assert_eq!(it.refuse(start(json!({}))), Refusal::AlreadyStarted);
    assert_eq!(it.refuse(Command::Acknowledge), Refusal::Over);
    it.done("a#1", json!({}));
    assert_eq!(it.refuse(start(json!({}))), Refusal::AlreadyStarted);
    for command in
        [report("a#1"), cancellation(), submission("a#1", json!({})), fire("run/close"), resolve("a#1")]
    {
        assert_eq!(it.refuse(command), Refusal::Over);
    }
}

#[test]
fn inputs_must_fit() {
    let plan = with_typed(line(vec![agent("z")]), "a", InputKind::Integer, true, None);
    let plan = with_typed(plan, "b", InputKind::String, true, Some(json!("d")));
    let mut it = Drive::new(with_typed(plan, "c", InputKind::Boolean, false, None));
    assert_eq!(it.refuse(start(json!({}))), Refusal::MissingInputs(vec!["a".into()]));
    assert_eq!(
        it.refuse(start(json!({"a": 1, "d": 1}))),
        Refusal::UnknownInput { name: "d".into(), known: vec!["a".into(), "b".into(), "c".into()] }
    );
    for (given, got) in
        [(json!("x"), "text (\"x\")"), (json!(1.5), "a number (1.5)"), (json!(null), "nothing")]
    {
        let wrong = Refusal::WrongInput { name: "a".into(), expected: "integer".into(), got: got.into() };
        assert_eq!(it.refuse(start(json!({"a": given}))), wrong);
    }
    it.give(start(json!({"a": 1})));
}

#[test]
fn inputs_of_every_type() {
    let samples = [
        (InputKind::String, json!("x")),
        (InputKind::Integer, json!(1)),
        (InputKind::Number, json!(1.5)),
        (InputKind::Boolean, json!(true)),
        (InputKind::List, json!([])),
        (InputKind::Object, json!({})),
    ];
    for (kind, _) in &samples {
        let it = Drive::new(with_typed(line(vec![noop("a")]), "x", *kind, false, None));
        let fits =
            samples.iter().filter(|(_, value)| it.run.admit(start(json!({"x": value})), 1_000).is_ok());
        assert_eq!(fits.count(), if *kind == InputKind::Number { 2 } else { 1 }, "{kind:?}");
    }
}

#[test]
fn what_is_not_open() {
    let mut it = Drive::start(line(vec![noop("a")]));
    for id in ["b#1", "a", "a#1/verify", "a#1/due", "a#x", "a#01", "a#+1", "run/timeout", "run/close", ""] {
        assert!(is_not_open(&it.refuse(report(id))), "{id}");
        assert!(is_not_open(&it.refuse(fire(id))), "{id}");
    }
    assert_eq!(
        it.refuse(report("b#1")),
        Refusal::NotOpen { effect: EffectId::new("b#1"), due: vec![EffectId::new("a#1")] }
    );
    assert!(is_not_open(&it.refuse(report("a#2"))));
    assert!(is_not_open(&it.refuse(fire("a#1"))));
    it.done("a#1", json!({}));
}

#[test]
fn what_is_due_is_named() {
    let mut it = Drive::start(graph(vec![
        (Step { verify: verified(1, &[]), ..agent("a") }, &[], None),
        (wait("b", just(json!(5))), &[], None),
        (noop("c").retry(2, 5), &[], None),
    ]));
    it.submit("a#1", json!({})).fails("c#1", FailureKind::Crashed);
    let due = ["a#1/verify", "b#1/due", "c#1/retry"].map(EffectId::new).to_vec();
    assert_eq!(it.refuse(report("d#1")), Refusal::NotOpen { effect: EffectId::new("d#1"), due });
}

#[test]
fn an_old_attempt() {
    let mut it = Drive::start(line(vec![noop("a").interrupt(OnInterrupt::Retry)]));
    it.interrupt("a#1");
    let stale = Refusal::Stale { effect: EffectId::new("a#1"), due: EffectId::new("a#2") };
    assert_eq!(it.refuse(report("a#1")), stale);
    assert_eq!(it.refuse(Command::Interrupt { effect: EffectId::new("a#1") }), stale);
}

#[test]
fn the_wrong_kind_of_command() {
    let mut it = Drive::start(graph(vec![
        (noop("a"), &[], None),
        (agent("b"), &[], None),
        (child("c", &[]), &[], None),
        (wait("w", just(json!(9))), &[], None),
    ]));
    let kinds = [
        (report("b#1"), "a result"),
        (report("c#1"), "the end of a child run"),
        (submission("a#1", json!({})), "a report"),
        (submission("c#1", json!({})), "the end of a child run"),
        (resolve("a#1"), "a report"),
        (resolve("b#1"), "a result"),
        (Command::Interrupt { effect: EffectId::new("b#1") }, "a result"),
        (answer("a#1"), "a report"),
        (answer("b#1"), "a result"),
        (report("w#1"), "the clock"),
    ];
    for (command, waits_for) in kinds {
        let refusal = it.refuse(command.clone());
        assert!(
            matches!(&refusal, Refusal::WrongKind { waits_for: it, .. } if *it == waits_for),
            "{command:?}: {refusal:?}"
        );
    }
}

#[test]
fn an_interrupted_step_waits_for_a_word() {
    let mut it = Drive::start(line(vec![noop("a")]));
    it.interrupt("a#1");
    let refusal = it.refuse(report("a#1"));
    assert!(
        matches!(refusal, Refusal::WrongKind { waits_for, .. } if waits_for == "a word on what became of it")
    );
    assert!(is_not_open(&it.refuse(resolve("a#1/due"))));
    let large = Resolution::Done { outputs: fields(json!({"x": "y".repeat(20_000)})) };
    let resolve = Command::Resolve { effect: EffectId::new("a#1"), resolution: large, by: human(false) };
    assert!(matches!(it.refuse(resolve), Refusal::TooLarge { .. }));
}

#[test]
fn only_the_name_of_the_action_counts() {
    let mut it = Drive::start(line(vec![agent("a").timeout(5)]));
    for id in ["a#1/due", "a#1/verify", "a#1/retry"] {
        assert!(is_not_open(&it.refuse(submission(id, json!({})))), "{id}");
    }
}

#[test]
fn a_timer_before_its_time() {
    let mut it =
        Drive::start(Plan { deadline: Deadline::After(50), ..line(vec![wait("w", just(json!(5)))]) });
    let early = |timer: &str, due| Refusal::TooEarly { timer: EffectId::new(timer), due };
    assert_eq!(it.refuse(fire("w#1/due")), early("w#1/due", 1_005));
    assert_eq!(it.refuse(fire("run/timeout")), early("run/timeout", 1_050));
    it.now += 4;
    assert_eq!(it.refuse(fire("w#1/due")), early("w#1/due", 1_005));
    it.now += 1;
    it.give(fire("w#1/due"));
}

#[test]
fn time_does_not_go_backwards() {
    let mut it = Drive::start(line(vec![noop("a")]));
    it.now = 999;
    assert_eq!(it.refuse(report("a#1")), Refusal::BackInTime { last: 1_000 });
}

#[test]
fn every_refusal_says_something() {
    let effect = EffectId::new("a#1");
    for refusal in [
        Refusal::AlreadyStarted,
        Refusal::NotStarted,
        Refusal::Over,
        Refusal::MissingInputs(vec!["x".into()]),
        Refusal::UnknownInput { name: "x".into(), known: vec![] },
        Refusal::WrongInput { name: "x".into(), expected: "list".into(), got: "text".into() },
        Refusal::NotOpen { effect: effect.clone(), due: vec![] },
        Refusal::NotOpen { effect: effect.clone(), due: vec![effect.clone()] },
        Refusal::Stale { effect: effect.clone(), due: effect.clone() },
        Refusal::Repeated { effect: effect.clone() },
        Refusal::AlreadyAnswered { effect: effect.clone() },
        Refusal::WrongKind { effect: effect.clone(), waits_for: "a report".into() },
        Refusal::HumansOnly { effect: effect.clone() },
        Refusal::ProofNeeded { effect: effect.clone() },
        Refusal::ShownChanged { effect: effect.clone() },
        Refusal::TooEarly { timer: effect, due: 1 },
        Refusal::WrongChild { child: kernel::RunId::new("x") },
        Refusal::TooLarge { name: "x".into(), size: 2, max: 1 },
        Refusal::BackInTime { last: 1 },
        Refusal::NotWritable("x".into()),
    ] {
        assert!(refusal.to_string().len() > 10);
    }
}

fn answer(effect: &str) -> Command {
    let (effect, shown) = (EffectId::new(effect), Digest::of(b""));
    Command::Answer { effect, approved: true, result: Fields::new(), shown, by: human(true) }
}

#[test]
fn an_update_names_its_caller() {
    assert_eq!(Caller::Agent("a".into()).label(), json!("agent a").into());
    assert_eq!(Caller::Server.label(), json!("server").into());
}
