//! Good definitions and their plans.

use super::{codes, good, machine, one, said, state, when};
use crate::states::Entry;
use kernel::Plan;
use kernel::plan::{Deadline, Expr, Test, Work, Workflow};
use serde_json::json;

/// A plan as a reviewer wants to read it: one fact a line.
fn shown(plan: &Plan) -> String {
    use std::fmt::Write;
    fn say<T: serde::Serialize>(value: &T) -> String {
        serde_json::to_string(value).unwrap()
    }
    let mut out = format!("{} ({})\n", plan.name, plan.dialect.as_str());
    writeln!(out, "begins in {}", machine(plan).initial).unwrap();
    for input in &plan.inputs {
        writeln!(out, "input {}", say(input)).unwrap();
    }
    for (position, step) in plan.steps.iter().enumerate() {
        writeln!(out, "\n{position} {} {} {:?} {:?}", step.kind, step.id, step.timeout, step.on_interrupt)
            .unwrap();
        writeln!(out, "  {}", say(&step.work)).unwrap();
        if let Some(state) = machine(plan).states.get(position) {
            writeln!(out, "  {}", say(state)).unwrap();
        }
    }
    for (name, value) in &plan.outputs {
        writeln!(out, "output {name} {}", say(value)).unwrap();
    }
    writeln!(out, "notes {}", say(&plan.notes)).unwrap();
    out
}

#[test]
fn a_machine_becomes_a_plan() {
    let read = good(include_str!("inputs/branching.yaml"));
    insta::assert_snapshot!(shown(&read.plan));
    let said: Vec<&str> = read.warnings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(said, ["Warning: Unreachable states detected: call"]);
}

#[test]
fn a_contract_stands_around_its_states() {
    insta::assert_snapshot!(shown(&good(include_str!("inputs/contract.yaml")).plan));
}

// covers: C-63, C-64, C-70, C-71
#[test]
fn conditions_are_tests() {
    let success = |value: bool| Test::Equals { field: "success".into(), value: json!(value) };
    let found = |pattern: &str, found| Test::Found { pattern: pattern.into(), found };
    for (written, tests) in [
        ("{success: false}", vec![success(false)]),
        ("success", vec![success(true)]),
        ("failure", vec![success(false)]),
        ("timeout", vec![Test::TimedOut(true)]),
        ("{timeout_occurred: false}", vec![Test::TimedOut(false)]),
        ("{pattern_match: a, pattern_not_match: b}", vec![found("a", true), found("b", false)]),
        ("{pattern_no_match: b}", vec![found("b", false)]),
        ("pattern_match, pattern: a", vec![found("a", true)]),
        ("pattern_no_match, pattern: a", vec![found("a", false)]),
        ("pattern_not_match, pattern: a", vec![found("a", false)]),
        ("{description: it went well}", vec![success(true)]),
        ("{description: it went well, success: false}", vec![success(false)]),
        (
            "{field_equals: {a: 0, b: [x]}}",
            vec![
                Test::Equals { field: "a".into(), value: json!(0) },
                Test::Equals { field: "b".into(), value: json!(["x"]) },
            ],
        ),
        (
            "{field_contains: {a: x, n: 5}}",
            vec![
                Test::Contains { field: "a".into(), text: "x".into() },
                Test::Contains { field: "n".into(), text: "5".into() },
            ],
        ),
    ] {
        let read = good(&when(written));
        assert_eq!(state(&read.plan, "a").1.transitions[0].tests, tests, "{written}");
    }
}

// covers: T-55, C-67
#[test]
fn a_state_has_time_for_its_tool() {
    let time = |state: &str| good(&one(state)).plan.steps[0].timeout;
    let wait = |more: &str| time(&format!("action: {{tool: await_output, params: {{pattern: x{more}}}}}"));
    assert_eq!(time("action: {tool: list_terminal_sessions}"), Deadline::After(30_000));
    assert_eq!(time("timeout: 0.1, action: {tool: list_terminal_sessions}"), Deadline::After(100));
    assert_eq!(
        time("timeout: 2, timeout_seconds: 2.0, action: {tool: exit_terminal}"),
        Deadline::After(2_000)
    );
    assert_eq!([wait(""), wait(", timeout: 60")], [Deadline::After(30_000), Deadline::After(65_000)]);
    assert_eq!(wait(", timeout: \"{t}\""), Deadline::After(305_000));
    assert_eq!(time("action: {tool: run_workflow, params: {workflow_name: b}}"), Deadline::Never);
}

// covers: T-56
#[test]
fn what_waits_for_output_falls_back_to_its_time_out() {
    let on = |tool: &str| {
        let text = one(&format!("action: {{tool: {tool}, params: {{pattern: x}}}}, on_timeout: a"));
        let read = good(&text);
        let (_, state) = state(&read.plan, "a");
        (state.on_timeout, state.on_failure)
    };
    assert_eq!(on("await_output"), (Some(0), Some(0)));
    assert_eq!(on("list_terminal_sessions"), (Some(0), None));
}

// covers: T-60, T-61
#[test]
fn states_that_nothing_leads_to_are_warned_of() {
    let text = "name: t\ninitial_state: a\nstates:\n  a: {action: {tool: exit_terminal}, on_timeout: c}\n  \
                b: {action: {tool: exit_terminal}}\n  c: {action: {tool: exit_terminal}}\n  d: {action: {tool: exit_terminal}}\n";
    assert_eq!(said(text, Entry::Any), ["Warning: Unreachable states detected: b, d"]);
}

#[test]
fn parameters_that_a_tool_has_not_are_warned_of() {
    let text = one("action: {tool: get_screen_content, params: {sesion_id: x}}");
    assert_eq!(codes(&text, Entry::Any), ["unknown-parameter"]);
}

const CALLS: &str = "name: outer\ninitial_state: a\nstates:\n  a:\n    action:\n      tool: run_workflow\n      params:\n        \
    initial_variables: {who: \"{name}\"}\n        max_states: 7\n        workflow_definition:\n          name: inner\n          \
    initial_state: b\n          states:\n            b: {action: {tool: exit_terminal, params: {session_id: \"{session_id}\"}}}\n";

// covers: T-95, T-99, T-100
#[test]
fn a_workflow_may_stand_in_a_state() {
    let read = good(CALLS);
    let [inner] = read.tasks.as_slice() else { panic!("one plan stands in it: {:?}", read.tasks) };
    let Work::Child { workflow, inputs } = &read.plan.steps[0].work else { panic!("it runs a workflow") };
    assert_eq!(workflow, &Workflow::Pinned { name: "inner".into(), plan: inner.digest() });
    let names: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["initial_variables", "max_states", "save_on_success"]);
    // What is in braces there is its own, and is not put in by the one around it.
    let own = good(
        "name: inner\ninitial_state: b\nstates:\n  b: {action: {tool: exit_terminal, params: {session_id: \"{session_id}\"}}}\n",
    );
    assert_eq!(inner.steps[0], own.plan.steps[0]);
    let unsaved = good(&CALLS.replace("max_states: 7", "save_on_success: false"));
    let Work::Child { inputs, .. } = &unsaved.plan.steps[0].work else { panic!("it runs a workflow") };
    assert!(inputs.contains(&("save_on_success".into(), Expr::Const(false.into()))), "{inputs:?}");
}
