//! Secrets: where they may stand, and what is said of all other places.

use super::{blocks, codes, good, told};
use crate::secrets::SECRETS_MAX;
use kernel::plan::Work;

/// The secrets of the one step of a workflow, and the names of its inputs.
fn lowered(text: &str) -> (Vec<(String, String)>, Vec<String>) {
    let plan = good(text).plan;
    let Work::Server { secrets, inputs, .. } = &plan.steps[0].work else { panic!("no command") };
    (secrets.clone().into_iter().collect(), inputs.iter().map(|(name, _)| name.clone()).collect())
}

fn declared(secrets: &str, env: &str) -> String {
    let block = format!("id: a, type: Shell, inputs: {{command: x, env: {{{env}}}}}");
    format!("{}secrets: {secrets}\n", blocks(&[&block]))
}

#[test]
fn a_secret_is_named_by_the_step_and_is_none_of_its_inputs() {
    for secrets in ["[TOKEN]", "{TOKEN: {description: opens the door}}", "{TOKEN: }"] {
        let (secrets, inputs) =
            lowered(&declared(secrets, r#"KEY: "${secrets.TOKEN}", AGAIN: "${ secrets.TOKEN }", X: y"#));
        let pair = |name: &str| (name.to_owned(), "TOKEN".to_owned());
        assert_eq!(secrets, [pair("AGAIN"), pair("KEY")]);
        assert_eq!(inputs, ["script", "command", "env.X"]);
    }
}

#[test]
fn every_other_place_is_refused() {
    insta::assert_snapshot!(told("secrets.yaml", include_str!("inputs/secrets.yaml")));
}

#[test]
fn what_is_declared_and_not_used_is_doubtful() {
    assert_eq!(codes(&declared("[TOKEN, OLD]", r#"KEY: "${secrets.TOKEN}""#)), ["unused-secret"]);
    assert_eq!(codes(&declared("[]", "KEY: plain")), [""; 0]);
    // Two dollars write a plain one: that is no secret.
    assert_eq!(codes(&declared("[TOKEN]", r#"KEY: "$${secrets.TOKEN}""#)), ["unused-secret"]);
}

#[test]
fn declarations_of_the_wrong_form_are_told_once() {
    for (secrets, code) in [
        ("TOKEN", "wrong-type"),
        ("{TOKEN: value}", "wrong-type"),
        ("{TOKEN: {value: x}}", "unknown-key"),
        ("[[TOKEN]]", "wrong-type"),
        ("[7]", "wrong-type"),
        ("[TOKEN, TOKEN]", "duplicate-secret"),
    ] {
        assert_eq!(codes(&declared(secrets, r#"KEY: "${secrets.TOKEN}""#)), [code], "{secrets}");
    }
}

#[test]
fn the_number_of_secrets_has_an_edge() {
    let text = |count: usize| {
        let names: Vec<String> = (0..count).map(|number| format!("S{number}")).collect();
        let env: Vec<String> = names.iter().map(|name| format!("{name}: \"${{secrets.{name}}}\"")).collect();
        declared(&format!("[{}]", names.join(", ")), &env.join(", "))
    };
    assert_eq!(codes(&text(SECRETS_MAX)), [""; 0]);
    assert!(codes(&text(SECRETS_MAX + 1)).contains(&"too-many-secrets"));
}
