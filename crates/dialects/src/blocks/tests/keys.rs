//! Keys of mappings: they are written out, and a reference in one is told.

use super::{blocks, codes, good, told};
use kernel::plan::{Expr, Work};
use serde_json::json;

#[test]
fn a_reference_in_a_key_is_told_where_it_stands() {
    insta::assert_snapshot!(told("keys.yaml", include_str!("inputs/keys.yaml")));
}

#[test]
fn every_key_beside_a_value_is_looked_at() {
    let key = "{\"${inputs.x}\": 1}";
    let block = |rest: &str| blocks(&[rest]);
    for text in [
        block(&format!("id: a, type: WriteJSONState, inputs: {{path: s.json, state: {key}}}")),
        block(&format!("id: a, type: WriteJSONState, inputs: {{path: s.json, state: {{x: [{key}]}}}}")),
        block(&format!("id: a, type: MergeJSONState, inputs: {{path: s.json, updates: {key}}}")),
        block(&format!("id: a, type: CreateFile, inputs: {{path: s.json, content: {key}}}")),
        block(&format!("id: a, type: RenderTemplate, inputs: {{template: x, variables: {{v: {key}}}}}")),
        block(&format!("id: a, type: Agent, inputs: {{instructions: x, context: {{v: {key}}}}}")),
        block(&format!("id: a, type: Prompt, inputs: {{prompt: x, details: {key}}}")),
        block(&format!("id: a, type: Shell, inputs: {{command: x, env: {{V: {key}}}}}")),
        block(&format!("id: a, type: Shell, for_each: [{key}], inputs: {{command: x}}")),
        block(&format!("id: a, type: ExecuteWorkflow, inputs: {{workflow: other, inputs: {key}}}")),
        block(&format!("id: a, type: ExecuteWorkflow, inputs: {{workflow: other, inputs: {{v: {key}}}}}")),
        block("id: a, type: Shell, inputs: {command: x}") + "outputs: " + key,
        block("id: a, type: Shell, inputs: {command: x}") + "outputs: {o: " + key + "}",
    ] {
        assert_eq!(codes(&text), ["misplaced-reference"], "{text}");
    }
    // These are names, and narrower still.
    for text in [
        block(&format!("id: a, type: Shell, inputs: {{command: x, env: {key}}}")),
        block(&format!("id: a, type: RenderTemplate, inputs: {{template: x, variables: {key}}}")),
        block(&format!("id: a, type: Agent, inputs: {{instructions: x, context: {key}}}")),
    ] {
        assert_eq!(codes(&text), ["bad-name"], "{text}");
    }
}

#[test]
fn two_dollars_write_a_key_with_a_brace() {
    let block =
        "id: a, type: WriteJSONState, inputs: {path: s.json, state: {\"$${x} $y\": {\"a$${b}\": \"$${c}\"}}}";
    let read = good(&(blocks(&[block]) + "outputs: {\"$${o}\": 1}"));
    let Work::Server { inputs, .. } = &read.plan.steps[0].work else { panic!("{:?}", read.plan) };
    let state = inputs.iter().find(|(name, _)| name == "state").map(|(_, value)| value);
    assert_eq!(state, Some(&Expr::Const(json!({"${x} $y": {"a${b}": "${c}"}}))));
    assert_eq!(read.plan.outputs[0].0, "${o}");
}
