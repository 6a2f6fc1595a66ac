//! Shell blocks whose command is read by something else than `sh`.

use super::{blocks, codes, good, told};
use kernel::plan::{Expr, Work};
use serde_json::Value;

#[test]
fn every_mistake_of_an_interpreter_is_told() {
    insta::assert_snapshot!(told("interpreters.yaml", include_str!("inputs/interpreters.yaml")));
}

/// The inputs that the adapter of the only block is given, as far as they are constants.
fn constants(block: &str) -> Vec<(String, String)> {
    let read = good(&blocks(&[block]));
    let Work::Server { inputs, .. } = &read.plan.steps[0].work else { panic!("{block}") };
    let constant = |(name, value): &(String, Expr)| match value {
        Expr::Const(Value::String(text)) => Some((name.clone(), text.clone())),
        _ => None,
    };
    inputs.iter().filter_map(constant).collect()
}

#[test]
fn a_program_is_given_as_it_is_written_but_for_its_own_braces() {
    let found = constants("id: a, type: Shell, inputs: {shell: node, command: \"`$${inputs.n} ${x}`\"}");
    let [script, command, shell] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((script.1.as_str(), command.1.as_str()), ("`${inputs.n} ${x}`", "`$${inputs.n} ${x}`"));
    assert_eq!(shell, &("shell".to_owned(), "node".to_owned()));
}

#[test]
fn another_posix_shell_has_its_values_as_variables() {
    let found =
        constants("id: a, type: Shell, inputs: {shell: /bin/dash, command: \"echo ${metadata.run_id}\"}");
    assert_eq!(found[0], ("script".to_owned(), "echo \"${SB_1}\"".to_owned()));
    assert_eq!(found.last(), Some(&("shell".to_owned(), "/bin/dash".to_owned())));
    assert!(constants("id: a, type: Shell, inputs: {command: x}").iter().all(|(name, _)| name != "shell"));
}

#[test]
fn a_variable_whose_text_is_run_is_warned_of() {
    let env =
        |env: &str| codes(&blocks(&[&format!("id: a, type: Shell, inputs: {{command: x, env: {{{env}}}}}")]));
    let of_programs =
        ["GIT_SSH_COMMAND", "LD_PRELOAD", "PERL5OPT", "NODE_OPTIONS", "RUBYOPT", "EDITOR", "SHELL"];
    let of_tools = [
        "MAKEFLAGS",
        "GNUMAKEFLAGS",
        "GIT_CONFIG_GLOBAL",
        "GIT_EXEC_PATH",
        "GIT_TEMPLATE_DIR",
        "RSYNC_RSH",
        "TAR_OPTIONS",
        "RUSTC_WRAPPER",
        "CC",
        "LUA_INIT",
        "PYTEST_ADDOPTS",
        "npm_config_script_shell",
    ];
    let searched = ["PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB"];
    let settings = [
        "HOME",
        "XDG_CONFIG_HOME",
        "GIT_DIR",
        "GIT_CONFIG_VALUE_0",
        "CARGO_HOME",
        "KUBECONFIG",
        "DOCKER_HOST",
    ];
    let of_shells = ["BASH_ENV", "PS4", "PROMPT_COMMAND", "ZDOTDIR"];
    for name in of_shells.into_iter().chain(of_programs).chain(of_tools).chain(searched).chain(settings) {
        assert_eq!(env(&format!("{name}: \"${{inputs.x}}\"")), ["value-may-become-code"], "{name}");
        assert_eq!(env(&format!("{name}: fixed, NAME: \"${{inputs.x}}\"")), [""; 0], "{name}");
    }
    for usual in ["ENV", "GIT_AUTHOR_NAME", "MY_PATH", "CFLAGS"] {
        assert_eq!(env(&format!("{usual}: \"${{inputs.x}}\"")), [""; 0], "{usual}");
    }
}
