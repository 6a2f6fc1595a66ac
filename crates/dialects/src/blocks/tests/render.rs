//! RenderTemplate: what its plan asks of an evaluator, and what a reader is told.

use super::{bad, blocks, codes, good, told};
use crate::blocks::TEMPLATE_BYTES_MAX;
use crate::blocks::view;
use crate::view::{State, Timeline};
use kernel::command::Command;
use kernel::event::Report;
use kernel::plan::{Adapter, Expr, Plan, Work};
use kernel::{Data, Effect, Failure, FailureKind, Fields, Outcome, Run, RunId, Status};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a plan's block is given.
fn given(plan: &Plan, block: usize) -> &[(String, Expr)] {
    match &plan.steps[block].work {
        Work::Server { adapter: Adapter::File, inputs, .. } => inputs,
        other => panic!("{other:?}"),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

fn render(template: &str) -> String {
    format!("id: a, type: RenderTemplate, inputs: {{template: {}}}", json!(template))
}

/// Plays a plan: every command prints `v1`, every template is rendered by a function of its source and variables.
fn play(plan: Plan, evaluate: impl Fn(&str, &Value) -> Result<Value, String>) -> (Timeline, Outcome) {
    let mut run = Run::new(Arc::new(plan), RunId::new("test"), None, 0);
    let mut timeline = Timeline::new(run.plan());
    let mut commands = vec![Command::Start { inputs: Fields::new() }];
    let mut seq = 0;
    while let Some(command) = commands.pop() {
        seq += 1;
        let event = run.admit(command, seq * 1_000).unwrap_or_else(|refusal| panic!("{refusal:?}"));
        let at = event.at;
        let turn = run.apply(event);
        assert!(turn.questions.is_empty(), "nothing is asked within a turn");
        timeline.turn(seq, at, &turn.news);
        commands.extend(turn.effects.into_iter().filter_map(|effect| match effect {
            Effect::Perform(perform) => {
                let report = carried_out(&perform.inputs, &evaluate);
                Some(Command::Report { effect: perform.id, report })
            }
            _ => None,
        }));
    }
    match run.status() {
        Status::Ended(outcome) => (timeline, outcome),
        other => panic!("{other:?}"),
    }
}

fn carried_out(inputs: &Fields, evaluate: &impl Fn(&str, &Value) -> Result<Value, String>) -> Report {
    let value = |data: &Data| data.inline().cloned().unwrap();
    let done = |outputs: &[(&str, Value)]| {
        let outputs = outputs.iter().map(|(name, value)| ((*name).to_owned(), Data::Inline(value.clone())));
        Report::Done { outputs: outputs.collect() }
    };
    let Some(source) = inputs.get("source").map(value) else {
        return done(&[("stdout", json!("v1")), ("stderr", json!("")), ("exit_code", json!(0))]);
    };
    let seen = inputs.iter().filter_map(|(name, data)| Some((name.strip_prefix("variables.")?, value(data))));
    let seen: serde_json::Map<String, Value> = seen.map(|(name, value)| (name.to_owned(), value)).collect();
    match evaluate(source.as_str().unwrap(), &Value::Object(seen)) {
        Ok(text) => done(&[("rendered", text)]),
        Err(words) => {
            let failure = Failure::new(FailureKind::Expression, words);
            Report::Failed { failure, outputs: Fields::new() }
        }
    }
}

#[test]
fn a_template_becomes_an_expression_that_sees_its_variables_and_nothing_else() {
    let plan = good(include_str!("inputs/render.yaml")).plan;
    insta::assert_snapshot!(pretty(&json!({ "inputs": given(&plan, 1), "keeps": plan.steps[1].keeps })));
}

#[test]
fn the_inputs_are_shown_as_they_were_written_and_the_output_alone() {
    let plan = good(include_str!("inputs/render.yaml")).plan;
    let (timeline, outcome) = play(plan, |source, scope| Ok(json!(format!("{source}{scope}"))));
    let shown = view::block(timeline.line("populate").unwrap());
    insta::assert_snapshot!(pretty(&json!({ "inputs": shown["inputs"], "outputs": shown["outputs"] })));
    let Outcome::Succeeded { outputs } = outcome else { panic!("{outcome:?}") };
    assert_eq!(outputs["text"].inline(), Some(&shown["outputs"]["rendered"]));
}

#[test]
fn a_template_that_cannot_be_rendered_fails_the_block() {
    let plan = good(include_str!("inputs/render.yaml")).plan;
    let (timeline, outcome) = play(plan, |_, _| Err("line 1, column 6: `who` is undefined".to_owned()));
    let line = timeline.line("populate").unwrap();
    assert_eq!(line.state, State::Crashed);
    assert!(line.inputs.contains_key("template"));
    let Outcome::Failed { failure } = outcome else { panic!("{outcome:?}") };
    assert_eq!(failure.message, "`populate` line 1, column 6: `who` is undefined");
}

#[test]
fn what_has_no_value_cannot_be_put_in() {
    for template in ["<${inputs.none}>", "{{ ${inputs.none} }}", "{{ '${inputs.none}' }}"] {
        let text = blocks(&[&render(template)]).replace("inputs: {x:", "inputs: {none: {type: string}, x:");
        let (_, outcome) = play(good(&text).plan, |_, _| panic!("nobody asks"));
        let Outcome::Failed { failure } = outcome else { panic!("{template}") };
        assert!(failure.message.contains("`inputs.none` has no value"), "{failure}");
    }
}

#[test]
fn every_mistake_of_a_template_is_told() {
    insta::assert_snapshot!(told("render-bad.yaml", include_str!("inputs/render-bad.yaml")));
}

#[test]
fn what_means_nothing_is_doubtful() {
    assert_eq!(codes(&blocks(&[&render("${inputs.x}")])), ["nothing-to-render"]);
}

#[test]
fn a_template_has_a_bound() {
    good(&blocks(&[&render(&"x".repeat(TEMPLATE_BYTES_MAX))]));
    let found = bad(&blocks(&[&render(&"x".repeat(TEMPLATE_BYTES_MAX + 1))]));
    let messages: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(messages, ["this template has 16385 bytes, and 16384 are allowed"]);
}

#[test]
fn the_words_of_an_expression_are_looked_at_where_no_reference_is_among_them() {
    for template in [
        "{{ x | uper }}",
        "{{ 1 + }}",
        "{{ a b }}",
        "{% if x = 1 %}{% endif %}",
        "{{ x is odddd }}",
        "{{ (x }}",
    ] {
        assert_eq!(codes(&blocks(&[&render(template)])), ["bad-template"], "{template}");
    }
    for template in [
        "{{ x | upper }}",
        "{% for a in x %}{{ a }}{% endfor %}",
        "{{ x ~ 'a' if x is defined }}",
        "a { b } %",
    ] {
        assert_eq!(codes(&blocks(&[&render(template)])), [""; 0], "{template}");
    }
    let text = "name: a\nblocks:\n  - id: a\n    type: RenderTemplate\n    inputs:\n      template: |\n        costs $${a}\n        {{ x | uper }}\n";
    let said = told("some.yaml", text);
    assert!(said.contains("some.yaml:8:16"), "{said}");
}
