//! Contracts: what may be agreed, and what is said of what may not.

use super::{codes, machine, one, read_as, said, state};
use crate::states::Entry;

fn with(contract: &str) -> String {
    format!("{}{contract}\n", one("action: {tool: exit_terminal, params: {}}"))
}

// covers: C-50, C-55, C-57
#[test]
fn sentences_of_the_source_are_exact() {
    assert_eq!(
        said(&with("arguments: {project_root: x}"), Entry::Create),
        [
            "Environment variable 'project_root' must be uppercase, start with letter, contain only letters, numbers, and underscores"
        ]
    );
    assert_eq!(
        said(&with("arguments: {A: x, B: y, C: z}\nreturn_values: {B: y, A: x}"), Entry::Create),
        ["Environment variables cannot be both arguments and return values: A, B"]
    );
    let text = one("action: {tool: exit_terminal}").replace("name: test", "name: My-Flow");
    assert_eq!(
        said(&text, Entry::Create),
        ["Workflow name 'My-Flow' must be lowercase with only letters, numbers, and underscores"]
    );
}

// covers: C-52, C-53, C-54, C-56, C-103
#[test]
fn variables_have_a_form() {
    let long = |count: usize| "X".repeat(count);
    let many = |count: usize| {
        let all: Vec<String> = (0..count).map(|n| format!("V{n}: x")).collect();
        with(&format!("arguments: {{{}}}", all.join(", ")))
    };
    for (text, wanted) in [
        (with("arguments: {A: x}"), &[][..]),
        (with("arguments: {A: {description: x, required: false}}"), &[]),
        (with("arguments:"), &[]),
        (with(&format!("arguments: {{{}: x}}", long(64))), &[]),
        (with(&format!("arguments: {{{}: x}}", long(65))), &["bad-variable"]),
        (with("arguments: {9A: x}"), &["bad-variable"]),
        (with("arguments: {A: \"\"}"), &["too-long"]),
        (with(&format!("arguments: {{A: {}}}", long(200))), &[]),
        (with(&format!("arguments: {{A: {}}}", long(201))), &["too-long"]),
        (with("arguments: {A: {name: B, description: x}}"), &["two-names"]),
        (with("arguments: {A: {name: A}}"), &["missing-key"]),
        (with("arguments: {A: {description: x, default: y}}"), &["unknown-key"]),
        (with("arguments: {A: {description: x, required: 1}}"), &["wrong-type"]),
        (with("arguments: {A: 5}"), &["wrong-type"]),
        (with("arguments: [A]"), &["wrong-type"]),
        (many(20), &[]),
        (many(21), &["too-many"]),
    ] {
        assert_eq!(codes(&text, Entry::Create), wanted, "{text}");
    }
}

// covers: C-84, C-85
#[test]
fn only_what_is_agreed_is_checked() {
    let ids = |contract: &str| {
        let plan = read_as(&with(contract), Entry::Any).unwrap().plan;
        let ids: Vec<String> = plan.steps.iter().map(|step| step.id.clone()).collect();
        (plan.steps[machine(&plan).initial as usize].id.clone(), ids.join(" "))
    };
    let pair = |begin: &str, all: &str| (begin.to_owned(), all.to_owned());
    assert_eq!(ids(""), pair("a", "a @keep @close"));
    assert_eq!(ids("arguments: {A: x}"), pair("@arguments", "a @arguments @keep @close"));
    assert_eq!(ids("return_values: {A: x}"), pair("a", "a @return_values @keep @close"));
    assert_eq!(
        ids("arguments: {B: y}\nreturn_values: {A: x}"),
        pair("@arguments", "a @return_values @arguments @keep @close")
    );
    let plan = read_as(&with("return_values: {A: x}"), Entry::Any).unwrap().plan;
    let session = plan.inputs.iter().find(|input| input.name == "session_id").unwrap();
    assert!(session.required && state(&plan, "@return_values").1.own);
}
