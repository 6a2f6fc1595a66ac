//! Good definitions and their plans.

use super::{blocks, good};
use crate::blocks::{SHELL_TIMEOUT_MS, WIDTH_MAX};
use kernel::Plan;
use kernel::plan::{Deadline, Dialect, Expr, Flow, Graph, InputKind, OnInterrupt, Step, Work};
use std::fmt::Write;

fn graph(plan: &Plan) -> &Graph {
    match &plan.flow {
        Flow::Graph(graph) => graph,
        other => panic!("{other:?}"),
    }
}

fn inputs_of(step: &Step) -> &[(String, Expr)] {
    match &step.work {
        Work::Server { inputs, .. } => inputs,
        other => panic!("{other:?}"),
    }
}

/// A plan as a reviewer wants to read it: one fact a line.
fn shown(plan: &Plan) -> String {
    let json = |expr: &Expr| serde_json::to_string(expr).unwrap();
    let mut out = format!("{} ({}): {}\n", plan.name, plan.dialect.as_str(), plan.description);
    for input in &plan.inputs {
        let default = input.default.as_ref().map_or(String::new(), |value| format!(" = {value}"));
        let required = if input.required { ", required" } else { "" };
        writeln!(out, "input {}: {}{required}{default}", input.name, input.kind.as_str()).unwrap();
    }
    for (step, block) in plan.steps.iter().zip(&graph(plan).blocks) {
        writeln!(out, "\nblock {} after {:?}, before {:?}", step.id, block.depends_on, block.dependents)
            .unwrap();
        writeln!(out, "  {:?}, {:?}, {:?}", step.timeout, step.on_interrupt, step.retry).unwrap();
        writeln!(out, "  watched: {}, keeps: {:?}", block.watched, step.keeps).unwrap();
        if let Some(condition) = &block.condition {
            writeln!(out, "  condition {}", json(condition)).unwrap();
        }
        for (name, expr) in inputs_of(step) {
            writeln!(out, "  {name} {}", json(expr)).unwrap();
        }
    }
    out.push('\n');
    for (name, expr) in &plan.outputs {
        writeln!(out, "output {name} {}", json(expr)).unwrap();
    }
    out
}

#[test]
fn everything_becomes_a_plan() {
    let read = good(include_str!("inputs/everything.yaml"));
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    insta::assert_snapshot!(shown(&read.plan));
}

#[test]
fn json_under_one_key_becomes_a_plan() {
    let plan = good(include_str!("inputs/minimal.json")).plan;
    insta::assert_snapshot!(shown(&plan));
    assert_eq!(plan.dialect, Dialect::Blocks);
    assert_eq!(graph(&plan).width_max, WIDTH_MAX);
}

#[test]
fn the_same_text_gives_the_same_plan() {
    let text = include_str!("inputs/everything.yaml");
    assert_eq!(good(text).plan.digest(), good(text).plan.digest());
}

#[test]
fn what_is_not_said_has_a_default() {
    let plan = good(&blocks(&["id: a, type: Shell, inputs: {command: x}"])).plan;
    assert_eq!(plan.steps[0].timeout, Deadline::After(SHELL_TIMEOUT_MS));
    assert_eq!(plan.steps[0].on_interrupt, OnInterrupt::Ask);
    assert_eq!(plan.steps[0].retry.attempts_max, 1);
    let plan = good("name: a\ninputs: {x: }\nblocks: [{id: a, type: Shell, inputs: {command: x}}]").plan;
    assert_eq!((plan.inputs[0].kind, plan.inputs[0].required), (InputKind::Any, false));
}

#[test]
fn a_time_out_may_stand_in_either_place() {
    for block in [
        "id: a, type: Shell, timeout: 5, inputs: {command: x}",
        "id: a, type: Shell, inputs: {command: x, timeout: 5s}",
        "id: a, type: Shell, timeout: 5s, inputs: {command: x, timeout: 5000ms}",
    ] {
        assert_eq!(good(&blocks(&[block])).plan.steps[0].timeout, Deadline::After(5_000), "{block}");
    }
}

#[test]
fn only_who_learns_of_a_failure_watches() {
    let watched = |reads: &str, output: &str| {
        let second = format!("id: b, type: Shell, depends_on: [a], inputs: {{command: x}}, {reads}");
        let text = blocks(&["id: a, type: Shell, inputs: {command: x}", &second]);
        let plan = good(&format!("{text}outputs: {{o: \"{output}\"}}\n")).plan;
        graph(&plan).blocks[0].watched
    };
    let words =
        ["succeeded", "failed", "status", "outcome", "exit_code", "outputs.success", "metadata.result"];
    for word in words {
        assert!(watched("description: d", &format!("${{blocks.a.{word}}}")), "{word}");
        let condition = format!("condition: \"${{blocks.a.{word}}} == 1\"");
        assert!(watched(&condition, ""), "{word}");
    }
    assert!(watched("description: d", "${blocks.a.outputs}"));
    for word in ["stdout", "stderr", "skipped", "metadata.error", "inputs.command"] {
        assert!(!watched("description: d", &format!("${{blocks.a.{word}}}")), "{word}");
    }
}

#[test]
fn all_outputs_tell_of_a_failure_only_where_an_exit_code_is_among_them() {
    for (block, watches) in [
        ("id: a, type: Shell, inputs: {command: x}", true),
        ("id: a, type: ReadFile, inputs: {path: x}", false),
        ("id: a, type: Prompt, gate: ask, inputs: {prompt: Well?}", false),
        ("id: a, type: ReadFile, for_each: [x], inputs: {path: \"${each.item}\"}", true),
    ] {
        let plan = good(&format!("{}outputs: {{o: \"${{blocks.a.outputs}}\"}}\n", blocks(&[block]))).plan;
        assert_eq!(graph(&plan).blocks[0].watched, watches, "{block}");
    }
}

#[test]
fn a_command_does_not_watch() {
    let read = "id: b, type: Shell, depends_on: [a], inputs: {command: \"echo ${blocks.a.exit_code}\"}";
    let plan = good(&blocks(&["id: a, type: Shell, inputs: {command: x}", read])).plan;
    assert!(!graph(&plan).blocks[0].watched);
    assert!(plan.steps[0].keeps.contains("outputs.exit_code"));
}

#[test]
fn one_value_travels_in_one_variable() {
    let block =
        "id: a, type: Shell, inputs: {command: \"echo ${inputs.x} '${inputs.x}' ${metadata.run_id}\"}";
    let plan = good(&blocks(&[block])).plan;
    let names: Vec<&str> = inputs_of(&plan.steps[0]).iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["script", "command", "env.SB_1", "env.SB_2"]);
}

#[test]
fn anchors_repeat_what_they_name() {
    let text = "\
name: anchored
blocks:
  - &first {id: a, type: Shell, inputs: &in {command: \"echo ${metadata.run_id}\"}}
  - {id: b, type: Shell, inputs: *in}
";
    let plan = good(text).plan;
    assert_eq!(inputs_of(&plan.steps[0]), inputs_of(&plan.steps[1]));
}
