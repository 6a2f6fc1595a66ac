//! Bad definitions and the exact text a person sees.

use super::{bad, codes, steps, told};
use crate::diagnostic::Severity;
use crate::steps::{DEPTH_MAX, STEPS_MAX};
use std::fmt::Write;

#[test]
fn every_mistake_is_told_at_its_place() {
    insta::assert_snapshot!(told("mistakes.yaml", include_str!("inputs/mistakes.yaml")));
}

#[test]
fn what_is_doubtful_stops_nothing() {
    insta::assert_snapshot!(told("doubtful.yaml", include_str!("inputs/doubtful.yaml")));
}

#[test]
fn what_is_missing_as_a_whole_is_told() {
    let step = "steps: [{id: a, type: shell, command: x}]";
    for (text, expected) in [
        ("name: a\nversion: 1.0.0\nkind: steps".to_owned(), ["missing-key"].as_slice()),
        ("name: a\nversion: 1.0.0\nkind: steps\nsteps:".to_owned(), &["no-steps"]),
        ("name: a\nversion: 1.0.0\nkind: steps\nsteps: []".to_owned(), &["no-steps"]),
        ("name: a\nversion: 1.0.0\nkind: steps\nsteps: {}".to_owned(), &["wrong-type"]),
        (format!("name: a\n{step}"), &["missing-key"]),
        (format!("version: 1.0.0\n{step}"), &["missing-key"]),
        (step.to_owned(), &["missing-key", "missing-key"]),
        (format!("nam: a\nversion: 1.0.0\n{step}"), &["unknown-key"]),
        (format!("name: a\nversion: 1.0\n{step}"), &["wrong-type"]),
        (format!("name: a\nversion: \"1.0\"\n{step}"), &["bad-version"]),
        (format!("name: a\nversion: 1.0.0\ninputs: [x]\n{step}"), &["wrong-type"]),
        (format!("name: a\nversion: 1.0.0\ninitial_state: started\n{step}"), &["wrong-type"]),
        (format!("name: a\nversion: 1.0.0\ntasks: [x]\n{step}"), &["wrong-type"]),
    ] {
        assert_eq!(codes(&text), expected, "{text}");
    }
}

#[test]
fn one_mistake_makes_no_other() {
    for (step, code) in [
        // The key that was meant is not missing, the type that was meant is known.
        ("ids: a, type: shell, command: x", "unknown-key"),
        ("id: a, typ: shell, command: x", "missing-key"),
        ("id: a, type: shell, comand: x", "unknown-key"),
        ("id: a, type: shel, command: x", "unknown-type"),
        ("id: a, type: zebra, stripes: 5", "unknown-type"),
        ("id: a, type: foreach, items: [1], taks: t, output_to: r", "unknown-key"),
        ("id: a, type: shell, command: \"{{ state.a }} {{ state.a }} {{ state['a'] }}\"", "undeclared-state"),
        ("id: a, type: shell, needs_state: [state.a], command: \"{{ state.a }}\"", "bad-name"),
        ("id: a, type: shell, needs_state: a, command: \"{{ state.a }}\"", "wrong-type"),
        ("id: a, type: shell, needs_state: [c]", "missing-key"),
    ] {
        let found: Vec<&str> = bad(&steps(&[step]))
            .iter()
            .filter(|one| one.severity == Severity::Error)
            .map(|one| one.code)
            .collect();
        assert_eq!(found, [code], "{step}");
    }
}

#[test]
fn ids_are_one_of_a_kind_in_a_unit() {
    let twice = "id: b, type: condition, if: true, then: [{id: a, type: shell, command: x}]";
    assert_eq!(codes(&steps(&["id: a, type: shell, command: x", twice])), ["duplicate-id"]);
    let both = "id: b, type: condition, if: true, then: [{id: a, type: shell, command: x}], \
                else: [{id: a, type: shell, command: x}]";
    let found = bad(&steps(&[both]));
    let one = found.iter().next().unwrap();
    assert_eq!((one.code, one.related.len()), ("duplicate-id", 1));
    // A task is another unit.
    let task = "tasks: {t: {steps: [{id: f, type: shell, command: x}]}}\n";
    let text = format!("{}{task}", steps(&["id: f, type: foreach, items: [1], task: t, output_to: r"]));
    assert!(codes(&text).is_empty());
}

#[test]
fn a_goto_leads_to_its_own_body_or_one_around_it() {
    let inside = "id: c, type: condition, if: true, then: [{id: d, type: shell, command: x}, {id: e, type: goto, target: TO}]";
    for (to, expected) in [
        ("a", None),
        ("c", None),
        ("d", None),
        ("e", None),
        ("z", None),
        ("f", Some("bad-target")),
        ("q", Some("unknown-step")),
    ] {
        let other = "id: b, type: condition, if: true, then: [{id: f, type: shell, command: x}]";
        let text = steps(&[
            "id: a, type: shell, command: x",
            other,
            &inside.replace("TO", to),
            "id: z, type: shell, command: x",
        ]);
        assert_eq!(codes(&text).first().copied(), expected, "{to}");
    }
}

/// A workflow whose tasks use each other, one after the other.
fn chain(length: usize, last: &str) -> String {
    let mut text = steps(&["id: f, type: foreach, items: [1], task: t1, output_to: r"]);
    text.push_str("tasks:\n");
    for number in 1..=length {
        let next = if number == length { last.to_owned() } else { format!("t{}", number + 1) };
        let uses = format!("{{id: f, type: foreach, items: [1], task: {next}, output_to: r}}");
        let step = if next.is_empty() { "{id: s, type: shell, command: x}".to_owned() } else { uses };
        writeln!(text, "  t{number}: {{steps: [{step}]}}").unwrap();
    }
    text
}

#[test]
fn tasks_use_tasks_so_deep_and_no_deeper() {
    let deepest = DEPTH_MAX as usize;
    assert_eq!(super::good(&chain(deepest, "")).tasks.len(), deepest);
    let found = bad(&chain(deepest + 1, ""));
    let told: Vec<(&str, &str)> = found.iter().map(|one| (one.code, one.message.as_str())).collect();
    let message = "tasks use tasks more than 5 deep: `t1` -> `t2` -> `t3` -> `t4` -> `t5` -> `t6`";
    assert_eq!(told, [("too-deep", message)]);
}

#[test]
fn tasks_that_use_each_other_are_named_in_a_circle() {
    for (length, last, message) in [
        (1, "t1", "tasks use each other in a circle: `t1` -> `t1`"),
        (3, "t2", "tasks use each other in a circle: `t2` -> `t3` -> `t2`"),
    ] {
        let found = bad(&chain(length, last));
        let told: Vec<(&str, &str)> = found.iter().map(|one| (one.code, one.message.as_str())).collect();
        assert_eq!(told, [("task-cycle", message)]);
    }
}

#[test]
fn the_number_of_steps_has_an_edge_and_tasks_count() {
    let of = |main: usize, task: usize| {
        let shell = |number| format!("id: s{number}, type: shell, command: x");
        let mut lines: Vec<String> = (1..main).map(shell).collect();
        lines.push("id: f, type: foreach, items: [1], task: t, output_to: r".to_owned());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let task: Vec<String> = (0..task).map(|number| format!("{{{}}}", shell(number))).collect();
        format!("{}tasks: {{t: {{steps: [{}]}}}}\n", steps(&lines), task.join(", "))
    };
    assert_eq!(super::good(&of(STEPS_MAX - 10, 10)).plan.steps.len(), STEPS_MAX - 10);
    assert_eq!(codes(&of(STEPS_MAX - 10, 11)), ["too-many-steps"]);
    assert_eq!(STEPS_MAX, 1_000);
}

#[test]
fn ways_to_use_tasks_have_an_edge() {
    let of = |count: usize| {
        let lines: Vec<String> = (0..count)
            .map(|number| {
                format!(
                    "id: s{number}, type: foreach, items: [1], task: t, agent: \"@a{number}\", output_to: r"
                )
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        format!("{}tasks: {{t: {{steps: [{{id: s, type: shell, command: x}}]}}}}\n", steps(&lines))
    };
    assert_eq!(super::good(&of(256)).tasks.len(), 256);
    assert_eq!(codes(&of(257)), ["too-many-tasks"]);
}

#[test]
fn a_second_type_is_the_kind_of_a_prompt_and_nothing_else() {
    for (step, expected) in [
        ("id: a, type: prompt, message: x, type: confirm", [].as_slice()),
        ("id: a, type: prompt, type: info, message: x", &[]),
        ("id: a, type: prompt, type: info, prompt_type: info, message: x", &[]),
        ("id: a, type: confirm, type: prompt, message: x", &["duplicate-key"]),
        ("id: a, type: shell, type: shell, command: x", &["duplicate-key"]),
        ("id: a, type: prompt, message: x, message: y", &["duplicate-key"]),
        ("id: a, type: prompt, type: info, prompt_type: text, message: x", &["duplicate-key"]),
    ] {
        assert_eq!(codes(&steps(&[step])), expected, "{step}");
    }
}

#[test]
fn a_variable_whose_value_is_forgotten_is_told() {
    let flow = |env: &str| {
        format!(
            "name: a\nversion: 1.0.0\nshell: server\nsteps: [{{id: a, type: shell, command: x, env: {{{env}}}}}]"
        )
    };
    assert_eq!(codes(&flow("A: , B: \"\"")), ["wrong-type"]);
    assert_eq!(codes(&flow("A: null")), ["wrong-type"]);
    assert_eq!(codes(&flow("A: \"\"")), [""; 0]);
}
