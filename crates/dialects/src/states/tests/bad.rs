//! Bad definitions and the exact text a person sees.

use super::{codes, one, said, told, when};
use crate::states::Entry;

// covers: T-45, T-53, C-65, C-66
#[test]
fn every_mistake_has_its_place() {
    insta::assert_snapshot!(told("mistakes.yaml", include_str!("inputs/mistakes.yaml"), Entry::Inline));
}

// covers: T-57, T-58, T-59, C-68, C-69
#[test]
fn sentences_of_the_source_are_exact() {
    let text = "name: t\ninitial_state: nonexistent_state\nstates:\n  a:\n    action: {tool: exit_terminal, params: {}}\n    \
                on_timeout: x\n    transitions: [{condition: {success: true}, next_state: y}]\n";
    let common =
        ["Initial state 'nonexistent_state' not found in states", "State 'a' timeout target 'x' not found"];
    assert_eq!(
        said(text, Entry::Inline),
        [common[0], common[1], "State 'a' references non-existent state 'y'"]
    );
    let text = text.replace("name: t\n", "name: t\ndescription: d\n");
    assert_eq!(
        said(&text, Entry::Create),
        [common[0], common[1], "State 'a' transition target 'y' not found"]
    );
}

// covers: T-49, T-71, T-145, C-60, C-61
#[test]
fn tools_that_are_not_there_are_named() {
    let with = |tool: &str| one(&format!("action: {{tool: {tool}, params: {{workflow_name: x}}}}"));
    assert_eq!(said(&with("invalid_tool"), Entry::Inline), ["Unknown tool: invalid_tool"]);
    let known =
        "await_output, exit_terminal, get_screen_content, list_terminal_sessions, open_terminal, send_input";
    for tool in ["invalid_tool", "run_workflow"] {
        let wanted = format!("Tool '{tool}' not supported. Available tools: {known}");
        assert_eq!(said(&with(tool), Entry::Create), [wanted]);
    }
    assert_eq!(said(&with("run_workflow"), Entry::Inline), Vec::<String>::new());
}

// covers: T-41, T-42, T-48, T-50, T-52, T-54
#[test]
fn what_is_missing_as_a_whole_is_told() {
    let state = "a: {action: {tool: exit_terminal, params: {}}}";
    for (text, code) in [
        (format!("initial_state: a\nstates: {{{state}}}"), "missing-key"),
        (format!("name: t\nstates: {{{state}}}"), "missing-key"),
        ("name: t\ninitial_state: a\nkind: states".to_owned(), "missing-key"),
        (format!("name: t\ninitial_state: a\nextra: 1\nstates: {{{state}}}"), "unknown-key"),
        (format!("name: t\ninitial_state: a\nstates: {{{state}, {state}}}"), "duplicate-key"),
        (one("action: {tool: exit_terminal}"), "missing-key"),
        (one("action: {params: {}}"), "missing-key"),
        (one("action: {tool: send_input, params: {}}"), "missing-key"),
        (one("action: {tool: run_workflow, params: {}}"), "neither-given"),
        (one("action: {tool: exit_terminal, params: {}}, when: x"), "unknown-key"),
        (one("action: {tool: exit_terminal, params: {}}, timeout: 0.05"), "bad-value"),
        (one("action: {tool: exit_terminal, params: {}}, timeout: \"5\""), "bad-value"),
        (one("action: {tool: exit_terminal, params: {}}, timeout: 5, timeout_seconds: 6"), "two-times"),
        (when("[]"), "wrong-type"),
        (when("{}"), "empty-condition"),
        (when("{field_equals: {}}"), "empty-condition"),
        (when("{field_contains: {a: [x]}}"), "wrong-type"),
        (when("{success: \"true\"}"), "wrong-type"),
        (when("{unlike: 1}"), "unknown-key"),
        (when("maybe"), "unknown-condition"),
        (when("pattern_match"), "missing-key"),
        (when("{success: true}, pattern: x"), "unknown-key"),
        (when("{pattern_match: \"(\"}"), "bad-pattern"),
        (when(&format!("{{pattern_match: \"{}\"}}", "x".repeat(4_097))), "bad-pattern"),
        (when(&format!("{{description: \"{}\"}}", "x".repeat(201))), "too-long"),
    ] {
        let found: Vec<&str> =
            codes(&text, Entry::Inline).into_iter().filter(|code| *code != "unknown-state").collect();
        assert_eq!(found, [code], "{text}");
    }
}

// covers: T-15, T-16
#[test]
fn a_workflow_in_a_state_is_held_to_the_same_rules() {
    let run = |params: &str| one(&format!("action: {{tool: run_workflow, params: {{{params}}}}}"));
    let inner =
        |states: &str| format!("workflow_definition: {{name: b, initial_state: b, states: {states}}}");
    for (params, expected) in [
        (String::new(), "Either 'workflow_definition' or 'workflow_name' must be provided"),
        (
            format!(
                "workflow_name: x, {}",
                inner("{b: {action: {tool: list_terminal_sessions, params: {}}}}")
            ),
            "Provide either 'workflow_definition' OR 'workflow_name', not both",
        ),
        (inner("{c: {action: {tool: exit_terminal, params: {}}}}"), "Initial state 'b' not found in states"),
        (inner("{b: {action: {tool: dance, params: {}}}}"), "Unknown tool: dance"),
    ] {
        assert_eq!(said(&run(&params), Entry::Inline), [expected], "{params}");
    }
    let text = said(&run("workflow_definition: \"{given}\""), Entry::Inline);
    assert!(text.len() == 1 && text[0].contains("`workflow_definition`"), "{text:?}");
}
