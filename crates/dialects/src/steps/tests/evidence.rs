//! Evidence, and commands that the server runs: what becomes of them, and the exact text of what is wrong with them.

use super::{codes, good, source, told};
use crate::known::Nobody;
use crate::read::{Read, ReadOptions, read_with};
use kernel::plan::{Adapter, Deadline, Expr, Flow, Node, OnFailure, OnInterrupt, Verify, Work};

/// A workflow whose commands the server runs.
fn server(steps: &[&str]) -> String {
    super::steps(steps).replacen("kind: steps", "kind: steps\nshell: server", 1)
}

fn verify(evidence: &str) -> Verify {
    let read = good(&super::steps(&[&format!(
        "id: a, type: shell, needs_state: [a], command: x, verify: {evidence}"
    )]));
    read.plan.steps[0].verify.clone().unwrap()
}

/// The inputs of a step that the server carries out, each with what an evaluator would be asked.
fn inputs(read: &Read) -> Vec<(String, String)> {
    let Work::Server { adapter: Adapter::Process, inputs, .. } = &read.plan.steps[0].work else {
        panic!("no command")
    };
    asked(inputs)
}

fn asked(inputs: &[(String, Expr)]) -> Vec<(String, String)> {
    let told = |expr: &Expr| match expr {
        Expr::Const(value) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        Expr::Foreign(foreign) => {
            let reads: Vec<String> = foreign.reads.iter().map(ToString::to_string).collect();
            let given: Vec<&str> = foreign.given.iter().map(|(name, _)| name.as_str()).collect();
            format!("{} of {} and {}", foreign.source, reads.join(", "), given.join(", "))
        }
        other => format!("{other:?}"),
    };
    inputs.iter().map(|(name, expr)| (name.clone(), told(expr))).collect()
}

fn pairs(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn every_mistake_of_commands_and_evidence_is_told() {
    insta::assert_snapshot!(told("server.yaml", include_str!("inputs/server.yaml")));
}

#[test]
fn each_value_of_a_command_is_a_variable_and_each_different_one_once() {
    let command = r#"id: a, type: shell, needs_state: [a], command: "echo {{ inputs.x }} '{{ state.a }}' {{inputs.x}}{# no #}""#;
    let read = good(&server(&[command]));
    assert_eq!(
        pairs(&inputs(&read)),
        [
            ("script", "echo \"${SB_1}\" ''\"${SB_2}\"'' \"${SB_1}\""),
            ("command", "echo {{ inputs.x }} '{{ state.a }}' {{inputs.x}}{# no #}"),
            ("env.SB_1", "{{ inputs.x }}{# #} of inputs.x and "),
            ("env.SB_2", "{{ state.a }}{# #} of state.a and "),
        ]
    );
}

#[test]
fn a_command_of_the_server_is_like_that_of_an_agent() {
    let step = "id: a, type: shell, command: x, output_to: out, on_interrupt: retry, retry: 2, working_dir: \"{{ inputs.x }}\", \
                env: {N: 3, T: \"{{ inputs.x }}\"}";
    let read = good(&server(&[step]));
    assert_eq!(
        pairs(&inputs(&read)),
        [
            ("script", "x"),
            ("command", "x"),
            ("working_dir", "{{ inputs.x }}{# #} of inputs.x and "),
            ("env.N", "3"),
            ("env.T", "{{ inputs.x }}{# #} of inputs.x and "),
        ]
    );
    let (step, Flow::Sequence(flow)) = (&read.plan.steps[0], &read.plan.flow) else { panic!() };
    assert_eq!((step.timeout, step.retry.attempts_max), (Deadline::After(30_000), 2));
    assert_eq!((step.on_interrupt, step.kind.as_str()), (OnInterrupt::Retry, "shell"));
    let Node::Within { node, .. } = &flow.bodies[0][0] else { panic!() };
    let Node::Do { writes, on_failure: OnFailure::Take, .. } = &**node else { panic!("{node:?}") };
    let Expr::Whole { value, .. } = &writes[0].value else { panic!() };
    let Expr::Object(gives) = value.as_ref() else { panic!() };
    let gives: Vec<&str> = gives.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(gives, ["stdout", "stderr", "exit_code", "duration"]);
}

#[test]
fn the_file_says_who_runs_commands_and_else_the_setting() {
    let of = |shell: &str, server_shell| {
        let text = super::steps(&["id: a, type: shell, command: x"]);
        let text = text.replacen("kind: steps", &format!("kind: steps\n{shell}"), 1);
        let options = ReadOptions { server_shell, ..ReadOptions::default() };
        let read = read_with(&source("some.yaml", &text), &Nobody, options).unwrap();
        matches!(read.plan.steps[0].work, Work::Server { .. })
    };
    assert_eq!([of("", false), of("", true)], [false, true]);
    assert_eq!([of("shell: agent", true), of("shell: server", false)], [false, true]);
}

#[test]
fn a_secret_is_named_by_the_step_and_is_none_of_its_inputs() {
    let step =
        "id: a, type: shell, command: x, env: {KEY: \"{{ secrets.TOKEN }}\", T: \"{{ secrets['my-key'] }}\"}";
    let text = server(&[step]) + "secrets: [TOKEN, my-key]\n";
    let read = good(&text);
    let Work::Server { secrets, .. } = &read.plan.steps[0].work else { panic!() };
    let pairs: Vec<(&str, &str)> =
        secrets.iter().map(|(name, secret)| (name.as_str(), secret.as_str())).collect();
    assert_eq!(pairs, [("KEY", "TOKEN"), ("T", "my-key")]);
    assert_eq!(inputs(&read).len(), 2);
    assert_eq!(codes(&text), [""; 0]);
}

#[test]
fn evidence_reads_what_was_handed_in_by_name_and_never_as_text() {
    let found = verify(r#""test {{ result.exit_code }} = {{ state.a }}""#);
    assert_eq!(
        (found.adapter, found.attempts_max, found.timeout),
        (Adapter::Process, 3, Deadline::After(120_000))
    );
    assert_eq!(
        pairs(&asked(&found.inputs)),
        [
            ("script", "test \"${SB_1}\" = \"${SB_2}\""),
            ("command", "test {{ result.exit_code }} = {{ state.a }}"),
            ("env.SB_1", "{{ result.exit_code }}{# #} of  and result"),
            ("env.SB_2", "{{ state.a }}{# #} of state.a and "),
        ]
    );
    let found = verify(r#"{file: "{{ result.path }}", attempts: 1, timeout: 5}"#);
    assert_eq!(
        (found.adapter, found.attempts_max, found.timeout),
        (Adapter::File, 1, Deadline::After(5_000))
    );
    assert_eq!(
        pairs(&asked(&found.inputs)),
        [("operation", "look"), ("path", "{{ result.path }}{# #} of  and result")]
    );
    let found = verify("{schema: {type: object}, max_attempts: 2}");
    assert_eq!((found.adapter, found.attempts_max), (Adapter::Schema, 2));
    assert_eq!(found.inputs[0], ("schema".to_owned(), Expr::Const(serde_json::json!({"type": "object"}))));
}

#[test]
fn the_number_of_attempts_has_an_edge() {
    let of = |attempts: &str| {
        codes(&super::steps(&[&format!(
            "id: a, type: shell, command: x, verify: {{command: x, {attempts}}}"
        )]))
    };
    assert_eq!(of("attempts: 100"), [""; 0]);
    assert_eq!(of("max_attempts: 1"), [""; 0]);
    assert_eq!(of("max_attempts: 101"), ["bad-value"]);
    assert_eq!(of("attempts: 0"), ["bad-value"]);
}
