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
