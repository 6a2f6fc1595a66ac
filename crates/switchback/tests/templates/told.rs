//! Nothing is said to have happened that did not: what is empty is not run, what is no tool is none, and a tool that is missing is named.

use crate::tools::has;
use crate::world::World;
use std::os::unix::fs::symlink;

const EMPTY: [&str; 3] = ["", " \n\t", "\n"];

#[test]
fn a_deployment_needs_all_that_it_is_told() {
    let world = World::new();
    let given = [
        ("test_command", "true"),
        ("deploy_command", "touch deployed"),
        ("environment", "production"),
        ("deploy_to", "production"),
    ];
    for (at, (name, _)) in given.iter().enumerate() {
        for empty in EMPTY {
            let mut inputs = given;
            inputs[at].1 = empty;
            let refused = world.run("conditional-deploy", &inputs);
            assert!(refused.error().contains(&format!("{name} is empty: say ")), "{name}: {refused:?}");
            assert!(!world.path("deployed").exists(), "{name}");
        }
    }
    // Nowhere is no place to deploy to, though both say so.
    let nowhere = [given[0], given[1], ("environment", ""), ("deploy_to", "")];
    assert!(world.run("conditional-deploy", &nowhere).error().contains("environment is empty"));
    assert!(!world.path("deployed").exists());
}

#[test]
fn an_empty_command_is_not_run_for_items() {
    let world = World::new();
    for empty in EMPTY.into_iter().chain(["# only a remark"]) {
        let refused = world.run("parallel-map", &[("items", "[1, 2]"), ("command", empty)]);
        assert!(
            refused.error().contains("command is empty: say what is to be done"),
            "{empty:?}: {refused:?}"
        );
    }
}

#[test]
fn a_feature_is_not_begun_that_cannot_be_ended() {
    if !has("git") {
        return;
    }
    let world = World::new();
    world.shell("git init -q . && git commit -q --allow-empty -m first");
    for empty in EMPTY {
        let command = [("feature_name", "x"), ("command", empty), ("message", "x")];
        let refused = world.run("worktree-feature", &command);
        assert!(refused.error().contains("command is empty: say what is to be done"), "{refused:?}");
        let message = [("feature_name", "x"), ("command", "touch ran"), ("message", empty)];
        let refused = world.run("worktree-feature", &message);
        assert!(refused.error().contains("message is empty: say what was done"), "{refused:?}");
    }
    assert_eq!(world.shell("git branch --list; ls -A"), "* main\n.git");
}

/// With nothing but these in its path.
fn with_tools(tools: &[&str]) -> World {
    let world = World::new();
    let bin = world.beside("bin");
    std::fs::create_dir(&bin).unwrap();
    for tool in tools {
        symlink(world.shell(&format!("command -v {tool}")), bin.join(tool)).unwrap();
    }
    world.with("PATH", bin)
}

#[test]
fn a_missing_git_is_not_a_missing_repository() {
    let world = with_tools(&["sh", "tr", "grep"]);
    for (name, inputs) in [
        ("commit-and-push", &[("message", "x")][..]),
        ("git-checkout-branch", &[("branch", "x")]),
        ("review-with-agent", &[]),
        ("worktree-feature", &[("feature_name", "x"), ("command", "true"), ("message", "x")]),
    ] {
        let refused = world.run(name, inputs);
        assert!(refused.error().contains("there is no git here: install it"), "{name}: {refused:?}");
    }
}

#[test]
fn what_is_no_python_has_found_nothing() {
    let world = World::new();
    world.write("a.py", "def (\n");
    for python in ["true", "echo", ".", "/", "-x", "a.py"] {
        for name in ["lint-python", "run-pytest"] {
            let refused = world.run(name, &[("python_path", python)]);
            let told = format!("there is no {python} here: run setup-python-env");
            assert!(refused.error().contains(&told), "{name}, {python}: {refused:?}");
        }
    }
}
