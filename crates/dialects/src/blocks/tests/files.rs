//! File blocks: the steps they become, and what can be read of them.

use super::{blocks, codes, good};
use crate::blocks::file::{FILE_TIMEOUT_MS, READ_BYTES_MAX};
use kernel::plan::{Adapter, Deadline, OnInterrupt, Plan, Work};
use serde_json::{Value, json};

/// The inputs of the file adapter for a plan's block.
fn inputs(plan: &Plan, block: usize) -> Value {
    match &plan.steps[block].work {
        Work::Server { adapter: Adapter::File, inputs, .. } => json!(inputs),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_block_is_done_again_after_an_interruption_and_takes_a_minute_at_most() {
    let plan = good(&blocks(&[
        "id: a, type: CreateFile, inputs: {path: 'out/${inputs.x}', content: '${inputs.x}', permissions: 0o600}",
        "id: b, type: ReadFile, timeout: 5, on_interrupt: ask, inputs: {path: a}",
    ]))
    .plan;
    let given = inputs(&plan, 0);
    assert_eq!(given[0], json!(["operation", {"const": "create"}]));
    assert_eq!(given[3], json!(["permissions", {"const": "0600"}]));
    let [first, second] = [&plan.steps[0], &plan.steps[1]];
    assert_eq!((first.on_interrupt, first.timeout), (OnInterrupt::Retry, Deadline::After(FILE_TIMEOUT_MS)));
    assert_eq!((second.on_interrupt, second.timeout), (OnInterrupt::Ask, Deadline::After(5_000)));
}

#[test]
fn a_template_is_carried_out_like_any_other_work() {
    let plan = good(&blocks(&[
        "id: a, type: RenderTemplate, timeout: 7s, inputs: {template: x}",
        "id: b, type: RenderTemplate, inputs: {template: x, target: t}",
        "id: c, type: RenderTemplate, retry: 2, inputs: {template_path: t}",
    ]))
    .plan;
    assert_eq!(plan.steps[0].timeout, Deadline::After(7_000));
    assert_eq!(inputs(&plan, 0)[2], json!(["source", {"const": "x"}]));
    assert_eq!(inputs(&plan, 1)[0], json!(["operation", {"const": "render"}]));
    assert_eq!(inputs(&plan, 2)[1], json!(["template_path", {"const": "t"}]));
    assert_eq!(plan.steps[2].retry.attempts_max, 2);
}

#[test]
fn what_writes_a_file_is_told_whether_it_is_whole() {
    let plan = good(&blocks(&[
        "id: a, type: Shell, inputs: {command: x}",
        "id: t, type: RenderTemplate, depends_on: [a], inputs: {template: '${blocks.a.stderr}'}",
        "id: u, type: RenderTemplate, depends_on: [t], inputs: {template: '${blocks.t.rendered} ${blocks.a.exit_code}'}",
        "id: c, type: CreateFile, depends_on: [u], inputs: {path: c, content: ['${blocks.a.stdout}', '${blocks.u.rendered}']}",
        "id: d, type: CreateFile, depends_on: [a], inputs: {path: d, content: '${blocks.a.exit_code}'}",
    ]))
    .plan;
    let names = |block| {
        let given = inputs(&plan, block);
        given.as_array().unwrap().iter().map(|one| one[0].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let told = &inputs(&plan, 3)[3];
    assert_eq!((&told[0], told[1]["object"].as_array().unwrap().len()), (&json!("left_out"), 2), "{told}");
    for block in [1, 2, 4] {
        assert!(!names(block).contains(&"left_out".to_owned()), "{block}");
    }
    for field in ["stdout_left_out_bytes", "stderr_left_out_bytes"] {
        assert!(plan.steps[0].keeps.contains(&format!("outputs.{field}")), "{field}");
    }
}

#[test]
fn what_goes_through_other_blocks_is_followed_to_the_command() {
    let told = |writes: &str| {
        let plan = good(&blocks(&[
            "id: a, type: Shell, inputs: {command: x}",
            "id: b, type: Shell, inputs: {command: y}",
            "id: r, type: RenderTemplate, depends_on: [a, b], inputs: {template: 'is ${blocks.b.stdout}', variables: {x: '${blocks.a.stdout}'}}",
            writes,
        ]))
        .plan;
        let inputs = inputs(&plan, 3);
        let told = inputs.as_array().unwrap().iter().find(|one| one[0] == "left_out");
        let names = told.iter().flat_map(|told| told[1]["object"].as_array().unwrap());
        names.map(|one| one[0].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let file = |more: &str, content: &str| {
        told(&format!(
            "id: c, type: CreateFile, depends_on: [r], {more}inputs: {{path: c, content: '{content}'}}"
        ))
    };
    assert_eq!(file("", "${blocks.a.outputs}"), ["blocks.a.stderr", "blocks.a.stdout"]);
    assert_eq!(file("for_each: ['${blocks.a.stdout}'], ", "${each.item}"), ["blocks.a.stdout"]);
    assert_eq!(file("", "${blocks.r.inputs.variables.x}"), ["blocks.a.stdout"]);
    assert_eq!(file("", "${blocks.r.rendered}"), ["blocks.a.stdout", "blocks.b.stdout"]);
    assert_eq!(file("", "${blocks.a.exit_code}"), [""; 0]);
}

#[test]
fn a_gate_needs_what_it_shows_whole_and_a_question_tells_of_it() {
    let asked = |gate: &str| {
        let plan = good(&blocks(&[
            "id: a, type: Shell, inputs: {command: x}",
            &format!("id: p, type: Prompt, {gate}depends_on: [a], inputs: {{prompt: 'is ${{blocks.a.stderr}}', choices: [a, '${{blocks.a.stdout}}'], details: '${{blocks.a.exit_code}}'}}"),
        ]))
        .plan;
        let kept = ["stdout", "stderr"]
            .map(|name| plan.steps[0].keeps.contains(&format!("outputs.{name}_left_out_bytes")));
        assert_eq!(kept, [true; 2]);
        serde_json::to_value(&plan.steps[1].work).unwrap()["action"]["inputs"].clone()
    };
    let gate = asked("gate: ask, ");
    let texts = |input: usize| gate[input][1]["whole"]["texts"][0][0].clone();
    assert_eq!((texts(1), texts(2)), (json!("${blocks.a.stderr}"), json!("${blocks.a.stdout}")), "{gate}");
    assert!(gate[3][1].get("whole").is_none() && gate.as_array().unwrap().len() == 4, "{gate}");
    let plain = asked("");
    assert_eq!((&plain[4][0], plain[1][1].get("whole")), (&json!("left_out"), None), "{plain}");
}

#[test]
fn a_state_has_parts_and_other_outputs_have_none() {
    let read = "id: a, type: ReadJSONState, inputs: {path: s.json}";
    let uses = |path: &str| {
        let used = format!(
            "id: b, type: Shell, depends_on: [a], inputs: {{command: \"echo ${{blocks.a.{path}}}\"}}"
        );
        codes(&blocks(&[read, &used]))
    };
    for path in ["state", "state.k", "outputs.state.k.l[0]", "exists", "path"] {
        assert!(uses(path).is_empty(), "{path}");
    }
    for path in ["path.k", "stat", "size_bytes", "inputs.required"] {
        assert_eq!(uses(path), ["unresolved-reference"], "{path}");
    }
}

#[test]
fn the_bound_of_a_file_has_an_edge() {
    let reads = |bytes: u64| {
        codes(&blocks(&[&format!("id: a, type: ReadFile, inputs: {{path: a, max_bytes: {bytes}}}")]))
    };
    assert!(reads(1).is_empty() && reads(READ_BYTES_MAX).is_empty());
    assert_eq!((reads(0), reads(READ_BYTES_MAX + 1)), (vec!["bad-value"], vec!["bad-value"]));
}
