//! Good definitions and their plans.

use super::{codes, good, inferred, steps};
use crate::steps::{STATE_BYTES_MAX, TIMEOUT_MS, TIMEOUT_MS_OF_DELEGATE};
use kernel::Plan;
use kernel::plan::{
    Access, Deadline, Dialect, Expr, Flow, InputKind, Node, OnFailure, Sequence, Spread, Step, Work, Workflow,
};
use std::fmt::Write;

pub(super) fn sequence(plan: &Plan) -> &Sequence {
    match &plan.flow {
        Flow::Sequence(sequence) => sequence,
        other => panic!("{other:?}"),
    }
}

/// The node of a step, without what it is within.
pub(super) fn node<'p>(plan: &'p Plan, id: &str) -> &'p Node {
    let step = plan.steps.iter().position(|step| step.id == id).unwrap();
    let mut nodes = sequence(plan).bodies.iter().flatten();
    nodes.find(|node| matches!(node, Node::Within { step: of, .. } if *of as usize == step)).unwrap().inner()
}

pub(super) fn step<'p>(plan: &'p Plan, id: &str) -> &'p Step {
    plan.steps.iter().find(|step| step.id == id).unwrap()
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

/// A digest says nothing to a reader: the plan it means does.
fn work(work: &Work, tasks: &[&Plan]) -> String {
    let Work::Child { workflow: Workflow::Pinned { name, plan }, inputs } = work else { return json(work) };
    let of = tasks.iter().find(|task| task.digest() == *plan).unwrap();
    format!("child {name} (agent {:?}) {}", of.agent, json(inputs))
}

/// A plan as a reviewer wants to read it: one fact a line.
pub(super) fn shown(plan: &Plan, tasks: &[&Plan]) -> String {
    let mut out =
        format!("{} {:?} ({}): {}\n", plan.name, plan.version, plan.dialect.as_str(), plan.description);
    writeln!(out, "agent {:?}, deadline {:?}", plan.agent, plan.deadline).unwrap();
    for input in &plan.inputs {
        let default = input.default.as_ref().map_or(String::new(), |value| format!(" = {value}"));
        let required = if input.required { ", required" } else { "" };
        let rules = input.rules.as_ref().map_or(String::new(), |rules| format!(" {rules}"));
        writeln!(out, "input {}: {}{required}{default}{rules}", input.name, input.kind.as_str()).unwrap();
    }
    for (name, value) in &plan.state.initial {
        writeln!(out, "state {name} {}", json(value)).unwrap();
    }
    for step in &plan.steps {
        writeln!(out, "\n{} {} {:?}", step.kind, step.id, step.timeout).unwrap();
        if let Access::Fields(fields) = &step.access
            && !fields.is_empty()
        {
            writeln!(out, "  reads {fields:?}").unwrap();
        }
        if step.retry.attempts_max > 1 {
            writeln!(out, "  {:?}", step.retry).unwrap();
        }
        writeln!(out, "  {:?} {}", step.on_overdue, work(&step.work, tasks)).unwrap();
    }
    for (body, number) in sequence(plan).bodies.iter().zip(0..) {
        writeln!(out, "\nbody {number}").unwrap();
        for node in body {
            let Node::Within { step, when, node } = node else { panic!("{node:?}") };
            let when = when.as_ref().map_or(String::new(), |when| format!(" when {}", json(when)));
            writeln!(out, "  {}{when}\n    {}", plan.steps[*step as usize].id, json(node)).unwrap();
        }
    }
    for (name, value) in &plan.outputs {
        writeln!(out, "\noutput {name} {}", json(value)).unwrap();
    }
    out
}

#[test]
fn everything_becomes_a_plan() {
    let read = good(include_str!("inputs/everything.yaml"));
    let codes: Vec<&str> = read.warnings.iter().map(|one| one.code).collect();
    assert_eq!(codes, ["prompt-in-task"]);
    let tasks: Vec<&Plan> = read.tasks.iter().map(AsRef::as_ref).collect();
    insta::assert_snapshot!(shown(&read.plan, &tasks));
    for (task, number) in tasks.iter().zip(1..) {
        let name = format!(
            "task-{number}-{}-{}",
            task.name,
            task.agent.as_deref().unwrap_or("none").trim_start_matches('@')
        );
        insta::assert_snapshot!(name, shown(task, &tasks));
    }
}

#[test]
fn the_same_text_gives_the_same_plans() {
    let text = include_str!("inputs/everything.yaml");
    let (one, two) = (good(text), good(text));
    assert_eq!(one.plan.digest(), two.plan.digest());
    assert_eq!(one.tasks, two.tasks);
}

#[test]
fn what_is_not_said_has_a_default() {
    let plan = good(&steps(&[
        "id: a, type: shell, command: x",
        "id: b, type: mcp_call, tool: x",
        "id: c, type: delegate, instructions: x",
        "id: d, type: prompt, message: x",
        "id: e, type: goto, target: a",
    ]))
    .plan;
    assert_eq!(step(&plan, "a").timeout, Deadline::After(TIMEOUT_MS));
    assert_eq!(step(&plan, "b").timeout, Deadline::After(TIMEOUT_MS));
    assert_eq!(step(&plan, "c").timeout, Deadline::After(TIMEOUT_MS_OF_DELEGATE));
    assert_eq!(step(&plan, "d").timeout, Deadline::Never);
    assert_eq!((TIMEOUT_MS, TIMEOUT_MS_OF_DELEGATE), (30_000, 300_000));
    assert!(matches!(node(&plan, "e"), Node::Goto { iterations_max: 3, .. }));
    assert!(plan.steps.iter().all(|step| step.access == Access::Fields(std::collections::BTreeSet::new())));
    assert_eq!((plan.dialect, plan.limits.state_bytes_max), (Dialect::Steps, STATE_BYTES_MAX));
    assert_eq!(STATE_BYTES_MAX, 1 << 20);
    assert_eq!((plan.inputs[0].kind, plan.inputs[0].required), (InputKind::String, false));
}

#[test]
fn what_is_declared_can_be_read_and_nothing_else() {
    let plan = good(&steps(&["id: a, type: shell, needs_state: [a, b], command: \"{{ state.a }}\""])).plan;
    assert_eq!(step(&plan, "a").access, Access::Fields(["a".to_owned(), "b".to_owned()].into()));
    // All of the state is all that is declared.
    assert_eq!(
        codes(&steps(&["id: a, type: shell, command: \"{{ state }} {{ state[inputs.x] }}\""])),
        [""; 0]
    );
}

#[test]
fn what_is_read_is_allowed_where_that_is_said() {
    let text = steps(&[
        "id: a, type: shell, needs_state: [b], command: \"{{ state.a }} {{ state.b }} {{ state.a }}\"",
    ]);
    assert_eq!(codes(&text), ["undeclared-state"]);
    for read in [inferred(&text).unwrap(), good(&format!("infer_needs_state: true\n{text}"))] {
        let told: Vec<&str> = read.warnings.iter().map(|one| one.code).collect();
        assert_eq!(told, ["inferred-state"]);
        assert_eq!(step(&read.plan, "a").access, Access::Fields(["a".to_owned(), "b".to_owned()].into()));
    }
}

const TASK: &str =
    "tasks: {t: {inputs: {p: {type: string, required: true}}, steps: [{id: s, type: shell, command: x}]}}\n";

fn spread(rest: &str) -> (Plan, Spread) {
    let text = format!(
        "{}{TASK}",
        steps(&[&format!("id: f, type: foreach, task: t, items: [1], output_to: r, {rest}")])
    );
    let plan = good(&text).plan;
    let Node::Spread(spread) = node(&plan, "f").clone() else { panic!() };
    (plan, spread)
}

#[test]
fn the_modes_of_a_foreach_differ_in_width_and_agent() {
    for (rest, width, agent) in [
        ("agent: null", 50, None),
        ("agent: \"@task\"", 100, Some("@task")),
        ("agent: \"@security-analyzer\"", 100, Some("@security-analyzer")),
        ("sequential: true", 1, None),
        ("sequential: true, agent: \"@task\"", 1, Some("@task")),
        ("sequential: false", 50, None),
    ] {
        let text = format!(
            "{}{TASK}",
            steps(&[&format!("id: f, type: foreach, task: t, items: [1], output_to: r, {rest}")])
        );
        let read = good(&text);
        let (plan, spread) = spread(rest);
        assert_eq!(spread.width_max, width, "{rest}");
        assert_eq!(spread.on_failure, OnFailure::Fail);
        assert_eq!(read.tasks.len(), 1);
        assert_eq!(read.tasks[0].agent.as_deref(), agent, "{rest}");
        let Work::Child { workflow: Workflow::Pinned { name, plan: digest }, .. } = &plan.steps[0].work
        else {
            panic!()
        };
        assert_eq!((name.as_str(), *digest), ("t", read.tasks[0].digest()));
    }
    assert_eq!(spread("continue_on_error: true").1.on_failure, OnFailure::Continue);
}

#[test]
fn an_item_becomes_the_inputs_of_its_task() {
    let given = |inputs: &str| {
        let text = format!(
            "{}tasks: {{t: {{inputs: {{{inputs}}}, steps: [{{id: s, type: shell, command: x}}]}}}}\n",
            steps(&["id: f, type: foreach, task: t, items: \"{{ inputs.x }}\", output_to: r"])
        );
        let read = good(&text);
        let Node::Spread(spread) = node(&read.plan, "f").clone() else { panic!() };
        (
            spread.given.required,
            spread.given.single,
            read.warnings.iter().map(|one| one.code).collect::<Vec<_>>(),
        )
    };
    let text = |name: &str| name.to_owned();
    assert_eq!(given(""), (vec![], None, vec![]));
    assert_eq!(given("a: {type: string}"), (vec![], Some(text("a")), vec![]));
    assert_eq!(given("a: {type: string}, b: {type: any}"), (vec![], None, vec![]));
    let one = "a: {type: string, required: true}, b: {type: any, required: true, default: 1}";
    assert_eq!(given(one), (vec![text("a")], Some(text("a")), vec![]));
    let two = "a: {type: string, required: true}, b: {type: any, required: true}";
    assert_eq!(given(two), (vec![text("a"), text("b")], None, vec!["items-by-name"]));
}

#[test]
fn a_task_is_one_plan_for_each_way_it_is_used() {
    let uses = [("a", "null"), ("b", "\"@task\""), ("c", "\"@task\""), ("d", "\"@other\"")];
    let lines: Vec<String> = uses
        .iter()
        .map(|(id, agent)| {
            format!("id: {id}, type: foreach, task: t, items: [1], output_to: r, agent: {agent}")
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let read = good(&format!("{}{TASK}", steps(&lines)));
    let agents: Vec<Option<&str>> = read.tasks.iter().map(|task| task.agent.as_deref()).collect();
    assert_eq!(agents, [None, Some("@task"), Some("@other")]);
    assert!(read.plan.pinned.is_empty(), "tasks are nobody else's names");
    read.tasks.iter().for_each(|task| assert_eq!(task.inputs.last().unwrap().name, "@item"));
}

#[test]
fn the_one_result_goes_where_it_is_wanted() {
    let plan =
        good(&steps(&["id: a, type: shell, command: x, output_to: out", "id: b, type: shell, command: x"]))
            .plan;
    let Node::Do { writes, .. } = node(&plan, "a") else { panic!() };
    assert_eq!(
        serde_json::to_value(&writes[0].value).unwrap()["template"]["parts"][0]["reference"]["root"],
        "result"
    );
    assert_eq!(writes[0].path, ["out"]);
    let Node::Do { writes, .. } = node(&plan, "b") else { panic!() };
    assert!(writes.is_empty());
}

#[test]
fn texts_without_code_are_constants() {
    let plan = good(&steps(&[
        "id: a, type: mcp_call, tool: x, parameters: {a: \"{ x }\", b: [1, {c: d}], e: null}",
    ]))
    .plan;
    let Work::Action { inputs, .. } = &plan.steps[0].work else { panic!() };
    assert!(inputs.iter().all(|(_, value)| matches!(value, Expr::Const(_))), "{inputs:?}");
}

#[test]
fn first_values_are_taken_as_they_are() {
    let text = steps(&["id: a, type: shell, command: x"]).replace("{a: 1, b: 2}", "{a: {x: [\"{{ 1 }}\"]}}");
    assert_eq!(codes(&text), ["not-evaluated"]);
    assert_eq!(
        good(&text).plan.state.initial,
        [("a".to_owned(), Expr::Const(serde_json::json!({"x": ["{{ 1 }}"]})))]
    );
}
