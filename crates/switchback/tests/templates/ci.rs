//! The group `ci`.

use crate::tools::Package;
use crate::world::World;
use serde_json::json;

const DEPLOY: &str = "printf 'to %s' \"$ENVIRONMENT\"; touch deployed";

// covers: D-83, D-98
#[test]
fn it_is_deployed_only_after_tests_that_passed_and_only_where_it_is_meant() {
    let world = World::new();
    let commands = [("test_command", "test \"$ENVIRONMENT\" = production"), ("deploy_command", DEPLOY)];
    let production =
        world.run("conditional-deploy", &[commands[0], commands[1], ("environment", "production")]);
    let expected = json!({"deployed": true, "tests_passed": true, "environment": "production",
        "reason": "the tests passed and the environment is production", "deploy_output": "to production"});
    assert_eq!(*production.outputs(), expected);
    std::fs::remove_file(world.path("deployed")).unwrap();
    let staging = world.run("conditional-deploy", &[("test_command", "true"), commands[1]]);
    let expected = json!({"deployed": false, "tests_passed": true, "environment": "staging",
        "reason": "the tests passed, but the environment is staging and not production", "deploy_output": null});
    assert_eq!(*staging.outputs(), expected);
    assert_eq!(staging.block("deploy"), "skipped");
    assert!(!world.path("deployed").exists());
}

#[test]
fn failing_tests_fail_the_run_and_nothing_is_deployed() {
    let world = World::new();
    let inputs = [("test_command", "exit 3"), ("deploy_command", DEPLOY), ("environment", "production")];
    let failed = world.run("conditional-deploy", &inputs);
    assert!(failed.error().contains("the tests failed, so nothing was deployed"), "{}", failed.error());
    assert_eq!((failed.block("run_tests"), failed.block("deploy")), ("failure", "skipped"));
    assert!(!world.path("deployed").exists());
}

#[test]
fn a_deployment_that_fails_fails_the_run() {
    let world = World::new();
    let deploy = "echo 'no room' >&2; exit 4";
    let inputs = [("test_command", "true"), ("deploy_command", deploy), ("environment", "production")];
    let failed = world.run("conditional-deploy", &inputs);
    assert!(failed.error().contains("`deploy` exited with 4: no room"), "{}", failed.error());
    assert_eq!(failed.block("deployed"), "skipped");
}

/// A Python project whose code and tests are in order.
fn project() -> Option<World> {
    let world = World::new().with("PYTHONPATH", Package::Pytest.folder()?);
    world.write("good.py", "WORD = 1\n");
    world.write("test_good.py", "import good\n\n\ndef test_good():\n    assert good.WORD\n");
    // It is there already, so that nothing has to be fetched.
    world.shell("python3 -m venv --without-pip .venv");
    Some(world)
}

// covers: D-101
#[test]
fn a_pipeline_sets_up_lints_and_tests() {
    let Some(world) = project() else { return };
    let passed = world.run("python-ci-pipeline", &[("project_path", "."), ("python_path", "python3")]);
    let outputs = passed.outputs();
    assert_eq!((&outputs["tests_passed"], &outputs["passed_count"]), (&json!(true), &json!("1")));
    assert!(["ruff", "flake8", "compileall"].contains(&outputs["linter"].as_str().unwrap()));
    assert!(outputs["python_path"].as_str().unwrap().ends_with("/.venv/bin/python"));
    let quick = world.run("python-ci-pipeline", &[("lint", "false"), ("args", "-k good")]);
    assert_eq!((&quick.outputs()["linter"], quick.block("lint")), (&json!(null), "skipped"));
}

#[test]
fn a_pipeline_fails_with_what_was_found() {
    let Some(world) = project() else { return };
    world.write("test_bad.py", "def test_bad():\n    assert False\n");
    let failed = world.run("python-ci-pipeline", &[]);
    assert!(
        failed.error().contains("`tests_failed` exited with 1: 1 tests failed, 0 broke, 1 passed"),
        "{}",
        failed.error()
    );
    assert!(failed.error().contains("FAILED test_bad.py::test_bad"), "{}", failed.error());
    std::fs::remove_file(world.path("test_bad.py")).unwrap();
    world.write("broken.py", "def (\n");
    let found = world.run("python-ci-pipeline", &[]);
    assert!(found.error().contains("`lint_failed` exited with 1: "), "{}", found.error());
    assert!(found.error().contains("broken.py"), "{}", found.error());
    let setup = world.run("python-ci-pipeline", &[("requirements", "no-such.txt")]);
    assert!(setup.error().contains("there is no no-such.txt in ."), "{}", setup.error());
    assert_eq!((setup.block("lint"), setup.block("test")), ("skipped", "skipped"));
}

#[test]
fn a_pipeline_stands_only_for_tests_that_were_run() {
    let Some(world) = project() else { return };
    for args in ["--collect-only", "--version"] {
        let none = world.run("python-ci-pipeline", &[("lint", "false"), ("args", args)]);
        let told = "`tests_failed` exited with 1: no test passed: 0 failed, 0 broke, 0 were skipped";
        assert!(none.error().contains(told), "{}", none.error());
    }
}

#[test]
fn nothing_is_deployed_without_a_command_that_tests() {
    let world = World::new();
    for blank in ["", " \n", "# later\n"] {
        let inputs = [("test_command", blank), ("deploy_command", DEPLOY), ("environment", "production")];
        let refused = world.run("conditional-deploy", &inputs);
        assert!(refused.error().contains("test_command"), "{}", refused.error());
        assert!(!world.path("deployed").exists());
    }
}
