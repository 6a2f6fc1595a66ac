//! Bad definitions and the exact text a person sees.

use super::{bad, blocks, codes, told};
use crate::diagnostic::Severity;
use std::collections::BTreeSet;

#[test]
fn fifteen_mistakes_get_fifteen_diagnostics() {
    let text = include_str!("inputs/fifteen.yaml");
    let found = bad(text);
    assert_eq!((found.count(Severity::Error), found.count(Severity::Warning)), (15, 0));
    let codes: BTreeSet<&str> = found.iter().map(|one| one.code).collect();
    assert_eq!(codes.len(), 15, "{codes:?}");
    insta::assert_snapshot!(told("release.yaml", text));
}

#[test]
fn every_reference_that_cannot_be_read_is_told() {
    insta::assert_snapshot!(told("references.yaml", include_str!("inputs/references.yaml")));
}

#[test]
fn every_dependency_that_cannot_hold_is_told() {
    insta::assert_snapshot!(told("dependencies.yaml", include_str!("inputs/dependencies.yaml")));
}

#[test]
fn every_value_of_the_wrong_form_is_told() {
    insta::assert_snapshot!(told("values.yaml", include_str!("inputs/values.yaml")));
}

#[test]
fn references_where_the_shell_cannot_have_them_are_told() {
    insta::assert_snapshot!(told("shell.yaml", include_str!("inputs/shell.yaml")));
}

#[test]
fn references_that_a_shell_would_evaluate_are_told() {
    insta::assert_snapshot!(told("evaluated.yaml", include_str!("inputs/evaluated.yaml")));
}

#[test]
fn references_that_may_become_code_are_warned_of() {
    let source = super::source("code.yaml", include_str!("inputs/may-become-code.yaml"));
    let read = crate::read(&source).unwrap();
    insta::assert_snapshot!(read.warnings.render(&[source], crate::diagnostic::Look::default()));
}

#[test]
fn a_check_that_is_what_it_checks_is_warned_of() {
    let warned = |check: &str| {
        let text = format!(
            "name: n\ninputs: {{c: {{type: string}}}}\nblocks:\n  - id: a\n    type: Agent\n    inputs: {{instructions: x}}\n    verify: {check}\n"
        );
        let read = crate::read(&super::source("n.yaml", &text)).unwrap();
        read.warnings
            .iter()
            .map(|warning| warning.code)
            .filter(|code| *code != "unused-input")
            .collect::<Vec<_>>()
    };
    assert_eq!(warned("\"${result.response}\""), ["value-may-become-code"]);
    assert_eq!(warned("{command: \" ${result.response} \"}"), ["value-may-become-code"]);
    assert_eq!(warned("\"${inputs.c}\""), [""; 0]);
    assert_eq!(warned("test -s \"${result.response}\""), [""; 0]);
}

#[test]
fn warnings_stop_nothing() {
    let source = super::source("warnings.yaml", include_str!("inputs/warnings.yaml"));
    let read = crate::read(&source).unwrap();
    insta::assert_snapshot!(read.warnings.render(&[source], crate::diagnostic::Look::default()));
}

#[test]
fn what_is_missing_as_a_whole_is_told() {
    for (text, code) in [
        ("name: a\nkind: blocks", "missing-key"),
        ("name: a\nblocks:", "no-blocks"),
        ("name: a\nblocks: []", "no-blocks"),
        ("name: a\nblocks: {}", "wrong-type"),
        ("name: a\nblocks: text", "wrong-type"),
        ("blocks: [{id: a, type: Shell, inputs: {command: x}}]", "missing-key"),
        ("name:\nblocks: [{id: a, type: Shell, inputs: {command: x}}]", "missing-key"),
        ("nam: a\nblocks: [{id: a, type: Shell, inputs: {command: x}}]", "unknown-key"),
        (
            "name: a\ninputs: [x]\nblocks: [{id: a, type: Shell, inputs: {command: \"${inputs.x}\"}}]",
            "wrong-type",
        ),
        ("name: a\nblocks: {}\noutputs: {x: \"${blocks.a.stdout}\"}", "wrong-type"),
        ("", "empty"),
        ("- a", "not-a-mapping"),
        ("name: [", "bad-yaml"),
    ] {
        assert_eq!(codes(text), [code], "{text}");
    }
}

#[test]
fn a_number_that_json_cannot_hold_is_not_called_text() {
    for (written, what) in [
        ("99999999999999999999999", "a number that JSON cannot hold"),
        ("-99999999999999999999999", "a number that JSON cannot hold"),
        ("0xFFFFFFFFFFFFFFFFFFFF", "a number that JSON cannot hold"),
        ("1e999", "a number that JSON cannot hold"),
        (".nan", "a number that JSON cannot hold"),
        ("-.Inf", "a number that JSON cannot hold"),
        ("\"99999999999999999999999\"", "text"),
        ("infinity", "text"),
        (".5x", "text"),
    ] {
        let text = format!(
            "name: a\ninputs: {{n: {{type: number, default: {written}}}}}\nblocks: [{{id: a, type: Shell, inputs: {{command: x}}}}]\n"
        );
        let told = told("bad.yaml", &text);
        let first = format!("error[wrong-type]: `n` is declared as number, and its default is {what}\n");
        assert!(told.starts_with(&first), "{told}");
    }
}

#[test]
fn a_block_without_a_name_is_called_by_its_number() {
    for (rest, said) in [
        ("type: Shell, inputs: {}", "block 1 (Shell) has no `command`"),
        ("type: Shell", "block 1 (Shell) has no `command`"),
        ("type: Prompt, inputs: {}", "block 1 (Prompt) has no `prompt`"),
        ("type: ExecuteWorkflow, inputs: {}", "block 1 (ExecuteWorkflow) has no `workflow`"),
        ("type: CreateFile, inputs: {content: x}", "block 1 (CreateFile) has no `path`"),
        ("type: RenderTemplate, inputs: {}", "block 1 (RenderTemplate) has no `template`"),
        ("type: CreateWorktree, inputs: {}", "block 1 (CreateWorktree) has no `path`"),
        ("id: b, type: Shell, inputs: {}", "the Shell block `b` has no `command`"),
    ] {
        let told = told("bad.yaml", &blocks(&[rest]));
        assert!(told.contains(&format!("error[missing-key]: {said}\n")), "{told}");
    }
}

#[test]
fn one_mistake_makes_no_other() {
    let shell = "type: Shell, inputs: {command: x}";
    let block = |rest: &str| blocks(&[&format!("id: a, {shell}"), rest]);
    for (text, code) in [
        // The key that was meant is not missing, the type that was meant is known.
        (block("ids: b, type: Shell, inputs: {command: x}"), "unknown-key"),
        (block("id: b, typ: Shell, inputs: {command: x}"), "unknown-key"),
        (block("id: b, type: Shell, inputs: {commnd: x}"), "unknown-key"),
        (block("id: b, type: Shell, command: x"), "unknown-key"),
        (
            block("id: b, type: Shel, depends_on: [a], inputs: {command: \"${blocks.a.stdout}\"}"),
            "unknown-type",
        ),
        // Of a block whose type is not known, any output may be there.
        (
            block("id: b, type: Zebra") + "outputs: {o: \"${blocks.b.stripes} ${blocks.b.inputs.y}\"}",
            "unknown-type",
        ),
        // A block without a name may be the one that is meant.
        (
            block("type: Shell, inputs: {command: x}") + "outputs: {o: \"${blocks.zebra.stdout}\"}",
            "missing-key",
        ),
        (blocks(&[shell, &format!("id: b, depends_on: [zebra], {shell}")]), "missing-key"),
        // A block that is there twice is known once.
        (block(&format!("id: a, {shell}")) + "outputs: {o: \"${blocks.a.stdout}\"}", "duplicate-id"),
        // A circle is one mistake, and what is read along it is none.
        (
            blocks(&[
                "id: a, type: Shell, depends_on: [b], inputs: {command: \"${blocks.b.stdout}\"}",
                "id: b, type: Shell, depends_on: [a], inputs: {command: \"${blocks.a.stdout}\"}",
            ]),
            "dependency-cycle",
        ),
        // A default of a type that is misspelt is judged by the type that was meant.
        (
            "name: a\ninputs: {n: {type: integr, default: 3}}\nblocks: [{id: a, ".to_owned() + shell + "}]",
            "unknown-type",
        ),
    ] {
        assert_eq!(codes(&text), [code], "{text}");
    }
}

#[test]
fn no_mistake_hides_another() {
    for (text, expected) in [
        (blocks(&["id: a, type: Shel, inputs: {command: \"${inputs.y}\", workdir: b}"]), 3),
        (blocks(&["id: a, type: Zebra, inputs: {any: [\"${inputs.y}\"]}"]), 2),
        (blocks(&["type: Shell, id: b c, inputs: {command: \"${blocks.q.stdout}\"}"]), 2),
        (blocks(&["id: a, type: Shell, condition: \"${inputs.y} == == 1\", inputs: {command: x}"]), 2),
        (blocks(&["id: a, type: Shell, inputs: {command: \"${inputs.y} ${inputs.z} ${inputs\"}"]), 3),
        (blocks(&["id: a, type: Shell, id: b, depends_on: [c], inputs: {command: x}"]), 2),
    ] {
        assert_eq!(codes(&text).len(), expected, "{text} {:?}", codes(&text));
    }
}

#[test]
fn the_variable_of_the_server_is_not_for_definitions() {
    let with =
        |name: &str| blocks(&[&format!("id: a, type: Shell, inputs: {{command: x, env: {{{name}: y}}}}")]);
    assert_eq!(codes(&with("SWITCHBACK_EFFECT")), ["bad-name"]);
    assert!(codes(&with("SWITCHBACK_HOME")).is_empty());
}

#[test]
fn a_nul_byte_that_no_process_can_be_given_is_told() {
    for block in [
        r#"id: a, type: Shell, inputs: {command: "echo \0 x"}"#,
        r#"id: a, type: Shell, inputs: {command: "echo \0 ${inputs.x}"}"#,
        r#"id: a, type: Shell, inputs: {shell: python3, command: "print(1)\0"}"#,
        r#"id: a, type: Shell, inputs: {command: x, env: {A: "b\0${inputs.x}"}}"#,
        r#"id: a, type: Shell, inputs: {command: x, working_dir: "b\0"}"#,
        r#"id: a, type: Agent, inputs: {instructions: x}, verify: "test \0""#,
        r#"id: a, type: ReadFile, inputs: {path: "b\0${inputs.x}"}"#,
    ] {
        assert_eq!(codes(&blocks(&[block])), ["bad-value"], "{block}");
    }
    assert_eq!(codes(&blocks(&[r#"id: a, type: ReadFile, inputs: {path: "b\0"}"#])), ["bad-path"]);
    let content = r#"id: a, type: CreateFile, inputs: {path: b, content: "\0"}"#;
    assert_eq!(codes(&blocks(&[content])), [""; 0]);
    let shown = told("nul.yaml", &blocks(&[r#"id: a, type: Shell, inputs: {command: "echo \0 x"}"#]));
    assert!(shown.contains("a command cannot contain a NUL byte"), "{shown}");
}

#[test]
fn a_value_that_is_forgotten_is_told() {
    for block in [
        "id: a, type: Shell, inputs: {command: x, env: {A: null}}",
        "id: a, type: Shell, inputs: {command: x, env: {A: }}",
        "id: a, type: Shell, inputs: {command: }",
        "id: a, type: Shell, inputs: {command: x, working_dir: }",
        "id: a, type: Shell, inputs: {command: x, shell: }",
        "id: a, type: CreateFile, inputs: {path: p, content: }",
        "id: a, type: WriteJSONState, inputs: {path: p, state: }",
        "id: a, type: MergeJSONState, inputs: {path: p, updates: }",
        "id: a, type: RenderTemplate, inputs: {template: x, target: }",
        "id: a, type: Prompt, inputs: {prompt: p, default: }",
        "id: a, type: Prompt, inputs: {prompt: p, details: }",
        "id: a, type: Agent, inputs: {instructions: i, output_schema: }",
        "id: a, type: Agent, verify: {command: x, working_dir: }, inputs: {instructions: i}",
    ] {
        assert_eq!(codes(&blocks(&[block])), ["wrong-type"], "{block}");
    }
    let env = "name: a\nblocks:\n  - id: a\n    type: Shell\n    inputs:\n      command: x\n      env:\n        A:\n        B: ''\n";
    let said = told("env.yaml", env);
    assert!(
        said.starts_with(
            "error[wrong-type]: the variable `A` has no value, and one is needed here\n --> env.yaml:8:10\n"
        ),
        "{said}"
    );
    assert!(said.contains("write one, `\"\"` for an empty text, or take the variable away"), "{said}");
    let template =
        "id: a, type: RenderTemplate, inputs: {template: '{{ x }}', variables: {x: , y: {z: null}}}";
    assert_eq!(codes(&blocks(&[template])), ["no-value"]);
}

#[test]
fn an_input_that_is_given_and_cannot_be_read_is_told_as_that() {
    for (block, name, can) in [
        ("type: Prompt, inputs: {prompt: p, details: '${inputs.x}'}", "details", "`prompt`"),
        ("type: MergeJSONState, inputs: {path: p, updates: {a: 1}}", "updates", "`path`"),
    ] {
        let read = format!(
            "id: b, type: Shell, depends_on: [a], inputs: {{command: 'echo ${{blocks.a.inputs.{name}}}'}}"
        );
        let said = told("some.yaml", &blocks(&[&format!("id: a, {block}"), &read]));
        let message = format!("`{name}` of `a` cannot be read: it is neither a text nor a value with a name");
        assert!(said.contains(&message), "{said}");
        assert!(said.contains(&format!("what can be read of it: {can}")), "{said}");
    }
}
