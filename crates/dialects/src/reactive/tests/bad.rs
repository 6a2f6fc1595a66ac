//! Mistakes and the exact text that a person sees.

use super::{codes, in_folder, steps, told};
use crate::diagnostic::Look;
use crate::reactive::{COMPUTED_MAX, STEPS_MAX};

#[test]
fn mistakes_of_the_head_are_told() {
    insta::assert_snapshot!(told(include_str!("inputs/bad_head.yaml")));
}

#[test]
fn mistakes_of_computed_fields_are_told() {
    insta::assert_snapshot!(told(include_str!("inputs/bad_computed.yaml")));
}

#[test]
fn mistakes_of_steps_are_told() {
    insta::assert_snapshot!(told(include_str!("inputs/bad_steps.yaml")));
}

#[test]
fn mistakes_of_includes_are_told() {
    let check = "name: check\nkind: reactive\ninputs: {files: {type: array, required: true}, depth: {type: number}}\nsteps: [{type: exit}]\n";
    let main = "name: main\nimports: [check.yaml]\nsteps:\n\
                \x20 - {type: include_workflow, workflow: \"../other.yaml\", inputs: [a]}\n\
                \x20 - {type: include_workflow, file: other.yaml}\n\
                \x20 - {type: include_workflow, workflow: chek}\n\
                \x20 - {type: include_workflow, workflow: check, inputs: {file: [], depth: deep}}\n\
                \x20 - {type: include_workflow, workflow: check}\n\
                \x20 - {type: user_message, message: \"{{ result }} {{ included.include_workflow_1 }} {{ console }}\"}\n";
    insta::assert_snapshot!(folder(&[("main.yaml", main), ("check.yaml", check)]));
}

#[test]
fn a_file_of_shared_parts_cannot_run() {
    insta::assert_snapshot!(told("sub_agent_tasks:\n  a: {steps: [{type: user_message, message: x}]}\n"));
}

#[test]
fn doubts_do_not_stop_a_definition() {
    let text = steps(&[
        "type: shell_command, command: ls, retry_count: 3",
        "type: state_update, path: raw.total, value: 1",
        "type: parallel_foreach, items: '{{ files }}', sub_agent_task: t",
        "type: user_message, message: a, on_overdue: fail",
    ]) + "sub_agent_tasks:\n  t: {steps: [{type: user_message, message: '{{ unheard_of }}'}]}\n  u: {steps: [{type: user_message, message: x}]}\n";
    insta::assert_snapshot!(told(&text));
}

fn folder(files: &[(&'static str, &'static str)]) -> String {
    let found = in_folder(files).map_or_else(|found| found, |read| read.warnings);
    found.render(&[crate::text::Source::new("main.yaml", files[0].1)], Look::default())
}

const MAIN: &str = "name: main\nimports: [a.yaml]\nsteps:\n  - {type: parallel_foreach, items: '{{ files }}', sub_agent_task: look}\n";

#[test]
fn mistakes_of_imported_files_are_told_with_their_places() {
    let broken_workflow = "name: b\nkind: reactive\nsteps: [{type: exit, cond: 1}]\n";
    insta::assert_snapshot!(
        [
            folder(&[("main.yaml", MAIN)]),
            folder(&[
                ("main.yaml", MAIN),
                (
                    "a.yaml",
                    "sub_agent_tasks:\n  look: {step: []}\nstate_schema: {raw: {files: list}}\ninputs: {}\n"
                )
            ]),
            folder(&[("main.yaml", MAIN), ("a.yaml", "sub_agent_tasks: [")]),
            folder(&[
                ("main.yaml", MAIN),
                ("a.yaml", "imports: [b.yaml]\nsub_agent_tasks: {}\n"),
                ("b.yaml", broken_workflow)
            ]),
            folder(&[
                ("main.yaml", MAIN),
                ("a.yaml", "imports: [b.yaml]\n"),
                ("b.yaml", "imports: [a.yaml]\n")
            ]),
            folder(&[("main.yaml", MAIN), ("a.yaml", "imports: [main.yaml, 3]\n")]),
        ]
        .join("\n-----\n")
    );
}

#[test]
fn imports_have_bounds() {
    let chain: [(&str, &str); 8] = [
        ("main.yaml", "name: main\nimports: [1.yaml]\nsteps: [{type: exit}]\n"),
        ("1.yaml", "imports: [2.yaml]\n"),
        ("2.yaml", "imports: [3.yaml]\n"),
        ("3.yaml", "imports: [4.yaml]\n"),
        ("4.yaml", "imports: [5.yaml]\n"),
        ("5.yaml", "imports: [6.yaml]\n"),
        ("6.yaml", "imports: [7.yaml]\n"),
        ("7.yaml", "default_state: {}\n"),
    ];
    let codes = |files: &[(&'static str, &'static str)]| -> Vec<&'static str> {
        in_folder(files).map_or_else(|found| found.iter().map(|one| one.code).collect(), |_| Vec::new())
    };
    assert_eq!(codes(&chain), ["too-deep"]);
    let workflows: [(&str, &str); 3] = [
        ("main.yaml", "name: main\nkind: reactive\nimports: [1.yaml]\nsteps: [{type: exit}]\n"),
        ("1.yaml", "name: one\nkind: reactive\nimports: [2.yaml]\nsteps: [{type: exit}]\n"),
        ("2.yaml", "name: two\nkind: reactive\nimports: [1.yaml]\nsteps: [{type: exit}]\n"),
    ];
    assert_eq!(codes(&workflows), ["refused-import"]);
    let many: &'static str = Box::leak(
        format!("name: main\nimports: [{}]\nsteps: [{{type: exit}}]\n", vec!["1.yaml"; 70].join(", ")).into(),
    );
    assert_eq!(codes(&[("main.yaml", many), ("1.yaml", "default_state: {}\n")]), ["too-many-imports"]);
}

#[test]
fn sizes_have_bounds() {
    let count = |kind: &str, count: usize| {
        let field = |at: usize| format!("    f{at}: {{from: raw.x, transform: input}}\n");
        let step = |at: usize| format!("  - {{id: s{at}, type: exit}}\n");
        match kind {
            "fields" => {
                let fields: String = (0..count).map(field).collect();
                format!(
                    "name: a\nstate_schema:\n  raw: {{x: any}}\n  computed:\n{fields}steps: [{{type: exit}}]\n"
                )
            }
            _ => format!("name: a\nkind: reactive\nsteps:\n{}", (0..count).map(step).collect::<String>()),
        }
    };
    assert_eq!(codes(&count("fields", COMPUTED_MAX)), Vec::<&str>::new());
    assert_eq!(codes(&count("fields", COMPUTED_MAX + 1)), ["too-many-fields"]);
    assert_eq!(codes(&count("steps", STEPS_MAX)), Vec::<&str>::new());
    assert_eq!(codes(&count("steps", STEPS_MAX + 1)), ["too-many-steps"]);
    let long = format!(
        "name: a\nkind: reactive\nsteps:\n  - {{type: user_message, message: '{{{{ 1 }}}}{}'}}\n",
        "x".repeat(70_000)
    );
    assert_eq!(codes(&long), ["too-large"]);
    let long = format!(
        "name: a\nkind: reactive\nsteps:\n  - {{type: user_message, message: '{{{{ 1{} }}}}'}}\n",
        "+1".repeat(9_000)
    );
    assert_eq!(codes(&long), ["bad-expression"]);
}

#[test]
fn hostile_texts_end_soon() {
    let texts = [
        "{{".repeat(20_000),
        "{{ a }}".repeat(300),
        "{{ '".to_owned() + &"}}".repeat(10_000),
        "{{ ".to_owned() + &"(".repeat(15_000) + " }}",
        "{{ ".to_owned() + &"!".repeat(15_000) + "a }}",
        "{{ a".to_owned() + &".b".repeat(7_000) + " }}",
        "{{ '\u{9b}\u{202e}' }}".to_owned(),
    ];
    for text in texts {
        let found = codes(&format!(
            "name: a\nkind: reactive\nsteps:\n  - {{type: user_message, message: \"{text}\"}}\n"
        ));
        assert!(found.len() <= 1 || found.iter().all(|code| *code == "unknown-name"), "{found:?}");
    }
    let many: String = (0..4_000)
        .map(|at| format!("    f{at}: {{from: computed.f{}, transform: inptu}}\n", (at + 1) % 4_000))
        .collect();
    assert!(
        !codes(&format!("name: a\nstate_schema:\n  computed:\n{many}steps: [{{type: exit}}]\n")).is_empty()
    );
}
