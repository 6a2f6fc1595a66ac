//! Good definitions and their plans.

use super::{codes, good, in_folder, steps};
use kernel::Plan;
use kernel::plan::{Expr, Flow, Node, OnFailure, Work};

fn bodies(plan: &Plan) -> &[Vec<Node>] {
    match &plan.flow {
        Flow::Sequence(sequence) => &sequence.bodies,
        other => panic!("{other:?}"),
    }
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

/// A plan as a reviewer wants to read it: one fact a line.
fn shown(plan: &Plan) -> String {
    use std::fmt::Write;
    let mut out = format!("{} {:?} ({})\n", plan.name, plan.version, plan.dialect.as_str());
    for (name, value) in &plan.state.initial {
        writeln!(out, "first {name} {}", json(value)).unwrap();
    }
    for field in &plan.state.computed {
        writeln!(out, "computed {}", json(field)).unwrap();
    }
    if let Some(books) = &plan.state.books {
        writeln!(out, "books {}", json(books)).unwrap();
    }
    for step in &plan.steps {
        writeln!(out, "\n{} {} {:?} retry {}", step.kind, step.id, step.timeout, json(&step.retry)).unwrap();
        writeln!(out, "  {}", json(&step.work)).unwrap();
        if let Some(verify) = &step.verify {
            writeln!(out, "  verify {}", json(verify)).unwrap();
        }
    }
    for (number, body) in bodies(plan).iter().enumerate() {
        writeln!(out, "\nbody {number}").unwrap();
        for node in body {
            let within =
                if let Node::Within { step, .. } = node { format!("{step}: ") } else { String::new() };
            writeln!(out, "  {within}{}", json(node.inner())).unwrap();
        }
    }
    for (name, value) in &plan.outputs {
        writeln!(out, "output {name} {}", json(value)).unwrap();
    }
    out
}

#[test]
fn every_type_becomes_a_plan() {
    let text = include_str!("inputs/every_type.yaml");
    assert_eq!(codes(text), Vec::<&str>::new());
    insta::assert_snapshot!(shown(&good(text).plan));
}

#[test]
fn shared_parts_and_workflows_are_imported() {
    let read = in_folder(&[
        ("main.yaml", include_str!("inputs/imports.yaml")),
        ("shared/tasks.yaml", include_str!("inputs/shared_tasks.yaml")),
        ("shared/check.yaml", include_str!("inputs/shared_check.yaml")),
    ]);
    let read = read.unwrap_or_else(|found| panic!("{}", found.render(&[], Default::default())));
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    assert_eq!(read.tasks.len(), 1);
    assert_eq!(read.plan.pinned.get("shared:check"), Some(&read.tasks[0].digest()));
    insta::assert_snapshot!(format!("{:#?}\n{}", read.imports, shown(&read.plan)));
}

#[test]
fn steps_can_be_handed_out() {
    use crate::read::{HandOut, ReadOptions, read_with};
    let text = steps(&[
        "id: list, type: shell_command, command: 'git diff {{ inputs.x }}', output_format: lines, state_update: {path: raw.files}",
        "id: set, type: state_update, path: raw.count, value: '{{ files.length }}'",
    ]);
    let hand_out = HandOut { shell_command: true, state_update: true };
    let options = ReadOptions { hand_out, ..ReadOptions::default() };
    let plan =
        read_with(&crate::text::Source::new("a.yaml", text), &crate::known::Nobody, options).unwrap().plan;
    assert!(plan.steps.iter().all(|step| matches!(step.work, Work::Action { .. })));
    insta::assert_snapshot!(shown(&plan));
}

#[test]
fn rules_for_unhandled_failures_stand_around_the_steps() {
    let with = |rule: &str| {
        let text = steps(&[
            "id: a, type: shell_command, command: 'false'",
            "type: state_update, path: raw.count, value: 1",
        ]);
        shown(&good(&format!("{text}error_handling: {{on_error: {rule}, on_failure: [{{type: user_message, message: '{{{{ error.message }}}}'}}]}}\n")).plan)
    };
    insta::assert_snapshot!(
        ["checkpoint_and_fail", "continue", "retry_workflow"].map(with).join("\n-----\n")
    );
}

#[test]
fn names_of_steps_are_unique() {
    let text = steps(&[
        "type: user_message, message: a",
        "id: user_message_2, type: exit",
        "type: user_message, message: b",
        "type: exit",
    ]);
    let plan = good(&text).plan;
    let ids: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(ids, ["user_message_1", "user_message_2", "user_message_3", "exit_1"]);
}

#[test]
fn an_input_of_a_task_is_read_by_its_name_and_among_the_inputs() {
    let text = steps(&["type: parallel_foreach, items: '{{ files }}', sub_agent_task: t"])
        + "sub_agent_tasks:\n  t: {inputs: {file: {type: string}}, steps: [{type: user_message, message: 'at {{ inputs.file }} of {{ inputs.x }} and {{ file.length }}'}]}\n";
    let plan = good(&text).plan;
    let Work::Action { inputs, .. } = &plan.steps[1].work else { panic!() };
    let Expr::Foreign(message) = &inputs[0].1 else { panic!("{inputs:?}") };
    assert_eq!(message.source, "`at ${text(inputs.file)} of ${text(inputs.x)} and ${text(file.length)}`");
    assert_eq!(
        message.reads.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["inputs.file", "inputs.x", "file"]
    );
}

//
#[test]
fn no_two_steps_have_one_name_whatever_names_are_given() {
    let call = "type: mcp_call, mcp: {method: x}";
    let tasks = "sub_agent_tasks:\n  t: {steps: [{id: same, type: user_message, message: a}]}\n";
    let fork = "{id: fork, type: parallel_foreach, items: '{{ [1] }}', sub_agent_task: t}";
    for (steps, expected) in [
        (format!("[{{{call}}}, {{id: mcp_call_1, {call}}}]"), vec!["mcp_call_2", "mcp_call_1"]),
        (
            format!(
                "[{{{call}}}, {{id: w, type: while, condition: 'false', body: [{{id: mcp_call_1, {call}}}]}}]"
            ),
            vec!["mcp_call_2", "w", "mcp_call_1"],
        ),
        (
            format!(
                "[{{{call}}}, {{id: c, type: conditional, condition: 'true', then: [], else: [{{id: mcp_call_1, {call}}}]}}]"
            ),
            vec!["mcp_call_2", "c", "mcp_call_1"],
        ),
        (
            format!("[{{id: same, {call}}}, {{id: t.same, {call}}}, {fork}]"),
            vec!["same", "t.same", "fork", "t.same.2"],
        ),
    ] {
        let plan = good(&format!("name: n\nkind: reactive\nsteps: {steps}\n{tasks}")).plan;
        let ids: Vec<&str> = plan.steps.iter().map(|step| step.id.as_str()).collect();
        assert!(expected.iter().all(|id| ids.contains(id)), "{steps}: {ids:?}");
        plan.check().unwrap();
    }
}

#[test]
fn the_last_attempt_follows_the_rule_of_the_workflow() {
    let rule_of = |rule: &str, step: &str| {
        let text = format!(
            "name: \"a:b\"\ndefault_state: {{raw: {{x: 1}}}}\nerror_handling: {{on_error: {rule}}}\nsteps:\n  - {{id: s, type: \
             shell_command, command: ls, {step}}}\n"
        );
        let plan = good(&text).plan;
        let all = bodies(&plan).iter().flatten();
        let found = all.filter_map(|node| match node.inner() {
            Node::Do { on_failure, .. } => Some(*on_failure),
            _ => None,
        });
        found.collect::<Vec<_>>()
    };
    assert_eq!(rule_of("continue", "on_error: retry, retry_count: 1"), [OnFailure::Continue]);
    assert_eq!(rule_of("continue", "on_error: fail"), [OnFailure::Fail]);
    assert_eq!(rule_of("checkpoint_and_fail", "on_error: retry"), [OnFailure::Fail]);
}
