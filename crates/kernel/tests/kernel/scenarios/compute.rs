//! Fields that an evaluator computes: one question for all that follow from a change, each by its own rule, and a trace of
//! every computation.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, human};
use kernel::plan::{OnError, REVISION, WriteKind};
use kernel::{Command, Data, FailureKind, News, Plan};
use serde_json::{Value, json};
use std::collections::BTreeMap;

scenarios![
    all_that_follows_is_asked_for_at_once,
    only_what_a_change_touches_is_asked_for,
    what_follows_from_what_comes_out_the_same_stays,
    a_field_without_all_it_follows_from_is_not_set,
    each_failure_follows_its_own_rule,
    a_dead_evaluator_is_a_failure_of_each_field,
    an_answer_of_another_form_is_a_failure_of_each_field,
    every_computation_leaves_a_trace,
    what_is_read_beside_the_input_is_sent_and_does_not_trigger,
    a_field_that_cannot_be_computed_any_more_is_gone,
    a_propagated_failure_stops_the_write,
    large_values_are_kept_as_content,
    a_turn_makes_only_so_much,
];

/// `input` plus one, the length of lists, and what is `bad` fails.
fn arithmetic(source: &str, scope: &BTreeMap<String, Data>) -> Result<Value, String> {
    let input = scope["input"].inline().ok_or("it is stored")?;
    match source {
        "plus one" => Ok(json!(input.as_i64().ok_or("not a number")? + 1)),
        "sum" => {
            Ok(input.as_array().ok_or("not a list")?.iter().filter_map(Value::as_i64).sum::<i64>().into())
        }
        "parity" => Ok(json!(input.as_i64().ok_or("not a number")? % 2)),
        "with" => Ok(json!([input, scope.get("other").and_then(Data::inline)])),
        "long" => Ok(json!("x".repeat(20_000))),
        other => Err(format!("{other} (line 3, column 5)")),
    }
}

fn reactive(initial: Value, computed: Vec<kernel::plan::Computed>) -> Plan {
    let mut plan = with_state(layered(line(vec![agent("a")])), initial);
    plan.state.computed = computed;
    plan
}

fn cascade(on_error: OnError) -> Vec<kernel::plan::Computed> {
    vec![
        transform("computed.b", &["raw.a"], "plus one", on_error.clone()),
        transform("computed.c", &["computed.b"], "plus one", on_error.clone()),
        transform("computed.d", &["raw.a", "computed.c"], "sum", on_error.clone()),
        transform("computed.e", &["raw.other"], "plus one", on_error),
    ]
}

fn write(it: &mut Drive, field: &str, value: Value) {
    let values = fields(json!({ field: value }));
    it.give(Command::Update { values, changes: vec![], by: human(false), key: None });
}

#[test]
fn all_that_follows_is_asked_for_at_once() {
    let plan = reactive(json!({"raw.a": 1, "raw.other": 8}), cascade(OnError::Null));
    let mut it = Drive::new(plan).evaluating(arithmetic).started(json!({}));
    it.asks(&[&["compute computed.b; computed.c; computed.d; computed.e with raw.a=1, raw.other=8"]]);
    it.state("computed.b", json!(2)).state("computed.c", json!(3)).state("computed.d", json!(4));
    it.state("computed.e", json!(9));
}

#[test]
fn only_what_a_change_touches_is_asked_for() {
    let plan = reactive(json!({"raw.a": 1, "raw.other": 8}), cascade(OnError::Null));
    let mut it = Drive::new(plan).evaluating(arithmetic).started(json!({}));
    write(&mut it, "raw.other", json!(1));
    it.asks(&[&["compute computed.e with raw.other=1"]]).state("computed.e", json!(2));
    write(&mut it, "raw.other", json!(1));
    it.asks(&[]);
    let values = fields(json!({"raw.a": 5, "raw.other": 6}));
    it.give(Command::Update { values, changes: vec![], by: human(false), key: None });
    it.asks(&[&["compute computed.b; computed.c; computed.d; computed.e with raw.a=5, raw.other=6"]]);
    it.state("computed.d", json!(12));
}

#[test]
fn what_follows_from_what_comes_out_the_same_stays() {
    let computed = vec![
        transform("computed.p", &["raw.a"], "parity", OnError::Null),
        transform("computed.q", &["computed.p"], "plus one", OnError::Null),
        transform("computed.r", &["computed.q"], "plus one", OnError::Null),
        transform("computed.s", &["raw.a", "computed.q"], "sum", OnError::Null),
    ];
    let plan = Plan { revision: REVISION, ..reactive(json!({"raw.a": 1}), computed) };
    let mut it = Drive::new(plan).evaluating(arithmetic).started(json!({}));
    let traced = |it: &Drive| -> Vec<String> {
        let news = it.turn.news.iter();
        let field = |news: &News| match news {
            News::Computed { field, .. } => Some(field.clone()),
            _ => None,
        };
        news.filter_map(field).collect()
    };
    write(&mut it, "raw.a", json!(3));
    it.asks(&[&["compute computed.p; computed.q; computed.r; computed.s with computed.q=2, raw.a=3"]]);
    assert_eq!(traced(&it), ["computed.p", "computed.s"]);
    it.state("computed.q", json!(2)).state("computed.r", json!(3)).state("computed.s", json!(5));
    write(&mut it, "raw.a", json!(4));
    assert_eq!(traced(&it), ["computed.p", "computed.q", "computed.r", "computed.s"]);
    it.state("computed.q", json!(1)).state("computed.r", json!(2)).state("computed.s", json!(5));
}

#[test]
fn a_field_without_all_it_follows_from_is_not_set() {
    let mut it = Drive::new(reactive(json!({"raw.other": 1}), cascade(OnError::Null)))
        .evaluating(arithmetic)
        .started(json!({}));
    it.asks(&[&["compute computed.e with raw.other=1"]]);
    assert!(it.run.state_field("computed.b").is_none());
    let inner = vec![transform("computed.t", &["raw.config.timeout"], "plus one", OnError::Null)];
    let mut it =
        Drive::new(reactive(json!({"raw.config": {}}), inner)).evaluating(arithmetic).started(json!({}));
    it.asks(&[&["compute computed.t with "]]);
    assert!(it.run.state_field("computed.t").is_none());
    write(&mut it, "raw.config", json!({"timeout": 4}));
    it.asks(&[&["compute computed.t with raw.config.timeout=4"]]).state("computed.t", json!(5));
}

#[test]
fn each_failure_follows_its_own_rule() {
    let rules = [
        ("computed.f", OnError::Fallback(json!(0))),
        ("computed.i", OnError::Ignore),
        ("computed.n", OnError::Null),
    ];
    let computed = rules.map(|(name, rule)| transform(name, &["raw.a"], "plus one", rule)).to_vec();
    let after = transform("computed.after", &["computed.f", "computed.i"], "sum", OnError::Null);
    let computed = [computed, vec![after]].concat();
    let mut it =
        Drive::new(reactive(json!({"raw.a": 1}), computed)).evaluating(arithmetic).started(json!({}));
    it.state("computed.after", json!(4));
    write(&mut it, "raw.a", json!("text"));
    it.asks(&[&[
        "compute computed.f; computed.i; computed.n; computed.after with computed.i=2, raw.a=\"text\"",
    ]]);
    it.state("computed.f", json!(0)).state("computed.i", json!(2)).state("computed.n", json!(null));
    it.state("computed.after", json!(2)).stands("waiting: agent a");
}

#[test]
fn a_dead_evaluator_is_a_failure_of_each_field() {
    let computed = vec![
        transform("computed.f", &["raw.a"], "plus one", OnError::Fallback(json!("none"))),
        transform("computed.i", &["raw.a"], "plus one", OnError::Ignore),
        transform("computed.n", &["computed.f"], "plus one", OnError::Null),
    ];
    let mut it = Drive::new(reactive(json!({"raw.a": 1}), computed)).silent().started(json!({}));
    it.state("computed.f", json!("none")).state("computed.n", json!(null)).stands("waiting: agent a");
    assert!(it.run.state_field("computed.i").is_none());
    let errors = it.turn.news.iter().filter(
        |news| matches!(news, News::Computed { error: Some(error), .. } if error == "the evaluator died"),
    );
    assert_eq!(errors.count(), 3);
}

#[test]
fn an_answer_of_another_form_is_a_failure_of_each_field() {
    let computed = vec![transform("computed.n", &["raw.a"], "plus one", OnError::Null)];
    let plan = reactive(json!({"raw.a": 1}), computed);
    let mut run = kernel::Run::new(plan.into(), kernel::RunId::new("run"), None, 0);
    let event = run.admit(Command::Start { inputs: Default::default() }, 1).unwrap();
    assert_eq!(run.apply(event).questions.len(), 1);
    let turn = run.answer(vec![kernel::Answer::Computed(vec![])]);
    let error = "the evaluator's answer does not fit the question";
    assert!(
        turn.news
            .iter()
            .any(|news| { matches!(news, News::Computed { error: Some(told), .. } if told == error) })
    );
    assert_eq!(run.state_field("computed.n"), Some(&json!(null).into()));
}

#[test]
fn every_computation_leaves_a_trace() {
    let plan = reactive(json!({"raw.a": 1, "raw.other": 8}), cascade(OnError::Null));
    let mut it = Drive::new(plan).evaluating(arithmetic).started(json!({}));
    write(&mut it, "raw.a", json!("x"));
    let traces: Vec<_> = it
        .turn
        .news
        .iter()
        .filter_map(|news| match news {
            News::Computed { field, trigger, input, output, took_us, error } => {
                assert!(input.is_some() && *took_us == 7);
                Some((field.as_str(), trigger.as_str(), output.clone(), error.as_deref()))
            }
            _ => None,
        })
        .collect();
    let null = || Some(Data::Inline(json!(null)));
    assert_eq!(
        traces,
        [
            ("computed.b", "raw.a", null(), Some("not a number")),
            ("computed.c", "computed.b", null(), Some("not a number")),
            ("computed.d", "computed.c, raw.a", Some(json!(0).into()), None),
        ]
    );
    let News::Changed { fields, .. } = it.turn.news.last().unwrap() else { panic!() };
    assert_eq!(fields.join(" "), "computed.b computed.c computed.d raw.a");
}

#[test]
fn what_is_read_beside_the_input_is_sent_and_does_not_trigger() {
    let mut first = transform("computed.other", &["raw.a"], "plus one", OnError::Null);
    let mut second = transform("computed.w", &["raw.a"], "with", OnError::Null);
    for field in [&mut first, &mut second] {
        let transform = field.transform.as_mut().unwrap();
        transform.reads = vec![kernel::language::Path::of("other", &[])];
    }
    let plan = reactive(json!({"raw.a": 1, "raw.other": 8}), vec![first, second]);
    let mut it = Drive::new(plan).evaluating(arithmetic).started(json!({}));
    it.asks(&[&["compute computed.other; computed.w with other=8, raw.a=1"]]);
    it.state("computed.w", json!([1, 2]));
    write(&mut it, "raw.other", json!(9));
    it.asks(&[]);
}

#[test]
fn a_field_that_cannot_be_computed_any_more_is_gone() {
    let computed = vec![
        transform("computed.t", &["raw.config.timeout"], "plus one", OnError::Null),
        transform("computed.u", &["computed.t"], "plus one", OnError::Null),
        transform("computed.keeps", &["raw.config.timeout"], "plus one", OnError::Ignore),
    ];
    let mut it = Drive::new(reactive(json!({"raw.config": {"timeout": 1}}), computed))
        .evaluating(arithmetic)
        .started(json!({}));
    it.state("computed.u", json!(3));
    write(&mut it, "raw.config", json!({}));
    assert!(it.run.state_field("computed.t").is_none() && it.run.state_field("computed.u").is_none());
    it.state("computed.keeps", json!(2));
    write(&mut it, "raw.config", json!({"timeout": 5}));
    it.state("computed.u", json!(7));
}

#[test]
fn a_propagated_failure_stops_the_write() {
    let computed = vec![transform("computed.p", &["raw.a"], "plus one", OnError::Propagate)];
    let mut plan = reactive(json!({"raw.a": 1}), computed);
    let write = layer("raw.a", WriteKind::Set, just(json!("text")));
    plan.flow = sequence(vec![], vec![vec![act(0), set(vec![write])]]).flow;
    let mut it = Drive::new(plan).evaluating(arithmetic).started(json!({}));
    it.submit("a#1", json!({})).stands("failed: computed field `computed.p`: not a number");
    it.state("raw.a", json!(1));
}

#[test]
fn large_values_are_kept_as_content() {
    let computed = vec![
        transform("computed.l", &["raw.a"], "long", OnError::Null),
        transform("computed.after", &["computed.l"], "with", OnError::Null),
    ];
    let mut it =
        Drive::new(reactive(json!({"raw.a": 1}), computed)).evaluating(arithmetic).started(json!({}));
    let data = it.run.state_field("computed.l").unwrap().clone();
    assert!(data.inline().is_none() && it.value(&data) == json!("x".repeat(20_000)));
    write(&mut it, "raw.a", json!(2));
    it.stands("waiting: agent a");
}

#[test]
fn a_turn_makes_only_so_much() {
    let write = layer("raw.x", WriteKind::Set, js("large", &["index"]));
    let items = just((0..9).collect::<Value>());
    let plan = layered(sequence(
        vec![agent("a")],
        vec![vec![each(items, "item", 1), act(0)], vec![set(vec![write])]],
    ));
    let mut plan = with_state(plan, json!({}));
    plan.limits.state_bytes_max = 10 * 1024 * 1024;
    let it = Drive::new(plan).evaluating(|_, _| Ok(json!("x".repeat(4 * 1024 * 1024)))).started(json!({}));
    let kernel::Outcome::Failed { failure } = it.run.outcome().unwrap() else { panic!() };
    assert_eq!(failure.kind, FailureKind::Limit);
    assert_eq!(
        failure.message,
        "expressions made more than 16 MiB of values at once, without a step between them"
    );
}
