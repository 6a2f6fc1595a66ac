//! The group `python`, with a real Python, pytest, ruff and flake8.

use crate::tools::{Package, has, skipped};
use crate::world::World;
use serde_json::{Value, json};

const TESTS: &str = "\
import pytest

def test_good():
    assert 1

def test_bad():
    assert 2 == 3

@pytest.mark.skip
def test_left_out():
    pass

@pytest.fixture
def broken():
    raise OSError

def test_not_set_up(broken):
    pass
";

fn has_python() -> bool {
    has("python3")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub(crate) fn with_package(package: Package) -> Option<World> {
    Some(World::new().with("PYTHONPATH", package.folder()?))
}

/// A wheel of a module `tiny`, as pip takes it without an index.
const WHEEL: &str = r#"
import zipfile
with zipfile.ZipFile("tiny-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("tiny.py", "word = 'tiny'\n")
    about = "tiny-1.0.dist-info/"
    wheel.writestr(about + "METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
    wheel.writestr(about + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    names = ["tiny.py", about + "METADATA", about + "WHEEL", about + "RECORD"]
    wheel.writestr(about + "RECORD", "".join(name + ",,\n" for name in names))
"#;

// covers: D-81
#[test]
fn an_environment_is_made_once_and_installs_what_has_changed() {
    if !has_python() {
        return;
    }
    let world = World::new();
    world.write("make.py", WHEEL);
    world.shell("python3 make.py");
    world.write("requirements.txt", "./tiny-1.0-py3-none-any.whl\n");
    let first = world.run("setup-python-env", &[]);
    let python = world.path(".venv/bin/python").display().to_string();
    let canonical = world.shell("cd .venv/bin && pwd") + "/python";
    let outputs = first.outputs();
    assert!(outputs["python_path"] == python.as_str() || outputs["python_path"] == canonical.as_str());
    assert_eq!(
        (&outputs["found"], &outputs["installed"]),
        (&json!("missing"), &json!("installed requirements.txt"))
    );
    assert_eq!(world.shell(".venv/bin/python -c 'import tiny; print(tiny.word)'"), "tiny");
    world.shell("touch .venv/kept");
    let second = world.run("setup-python-env", &[]);
    assert_eq!(second.outputs()["python_path"], outputs["python_path"]);
    assert_eq!(
        (&second.outputs()["found"], &second.outputs()["installed"]),
        (&json!("ready"), &json!("nothing has changed"))
    );
    world.write("requirements.txt", "# the same, said anew\n./tiny-1.0-py3-none-any.whl\n");
    let third = world.run("setup-python-env", &[]);
    assert_eq!(third.outputs()["installed"], "installed requirements.txt");
    assert!(world.path(".venv/kept").exists());
    // One that is broken is made anew.
    world.shell("rm .venv/kept .venv/bin/python && ln -s /no/such/python .venv/bin/python");
    let mended = world.run("setup-python-env", &[("requirements", "requirements.txt")]);
    assert_eq!(
        (&mended.outputs()["found"], &mended.outputs()["installed"]),
        (&json!("missing"), &json!("installed requirements.txt"))
    );
}

#[test]
fn an_environment_lies_where_it_is_told() {
    if !has_python() {
        return;
    }
    let world = World::new();
    world.write("app/x.py", "");
    let made = world.run("setup-python-env", &[("project_path", "app"), ("venv_path", "env with blank")]);
    assert!(
        made.outputs()["python_path"].as_str().unwrap().ends_with("/project/app/env with blank/bin/python")
    );
    assert_eq!(made.outputs()["installed"], "nothing is required");
}

#[test]
fn an_environment_that_cannot_be_made_says_why() {
    if !has_python() {
        return;
    }
    let world = World::new();
    let python = world.run("setup-python-env", &[("python_path", "python0.9")]);
    assert!(python.error().contains("there is no python0.9 here"), "{}", python.error());
    world.write("src/main.py", "");
    let folder = world.run("setup-python-env", &[("venv_path", "src")]);
    assert!(folder.error().contains("src is there and is no virtual environment"), "{}", folder.error());
    assert!(world.path("src/main.py").exists());
    let project = world.run("setup-python-env", &[("project_path", "no-such")]);
    assert!(project.error().contains("no-such does not exist"), "{}", project.error());
    let list = world.run("setup-python-env", &[("requirements", "wanted.txt")]);
    assert!(list.error().contains("there is no wanted.txt in ."), "{}", list.error());
    world.write("requirements.txt", "./no-such-1.0-py3-none-any.whl\n");
    let package = world.run("setup-python-env", &[]);
    assert!(package.error().contains("`install` exited with 1"), "{}", package.error());
    assert!(package.error().contains("no-such-1.0"), "{}", package.error());
}

#[test]
fn tests_are_run_and_counted() {
    let Some(world) = with_package(Package::Pytest) else { return };
    world.write("tests/test_all.py", TESTS);
    let ran = world.run("run-pytest", &[]);
    let outputs = ran.outputs();
    let counts =
        ["passed_count", "failed_count", "error_count", "skipped_count"].map(|name| text(&outputs[name]));
    assert_eq!(counts, ["1", "1", "1", "1"]);
    assert_eq!((&outputs["tests_passed"], &outputs["exit_code"]), (&json!(false), &json!(1)));
    assert!(outputs["report"].as_str().unwrap().contains("FAILED tests/test_all.py::test_bad"));
    let one =
        world.run("run-pytest", &[("args", "tests -q"), ("keyword", "good and not bad"), ("strict", "true")]);
    assert_eq!((&one.outputs()["tests_passed"], &one.outputs()["passed_count"]), (&json!(true), &json!("1")));
    assert_eq!(one.outputs()["exit_code"], 0);
}

#[test]
fn failing_tests_fail_the_run_where_that_is_asked() {
    let Some(world) = with_package(Package::Pytest) else { return };
    world.write("test_it.py", "def test_bad():\n    assert False\n");
    let strict = world.run("run-pytest", &[("strict", "true")]);
    assert!(strict.error().contains("`verdict` exited with 1: tests failed"), "{}", strict.error());
    assert!(strict.error().contains("FAILED test_it.py::test_bad"), "{}", strict.error());
    world.write("test_it.py", "def test_bad(:\n");
    let unread = world.run("run-pytest", &[]);
    assert_eq!((&unread.outputs()["exit_code"], &unread.outputs()["error_count"]), (&json!(2), &json!("1")));
    std::fs::remove_file(world.path("test_it.py")).unwrap();
    let none = world.run("run-pytest", &[]);
    assert_eq!((&none.outputs()["tests_passed"], &none.outputs()["exit_code"]), (&json!(false), &json!(5)));
    assert!(world.run("run-pytest", &[("strict", "true")]).error().contains("there are no tests that fit"));
    let wrong = world.run("run-pytest", &[("args", "no-such-folder")]);
    assert!(wrong.error().contains("pytest was called in a way it does not know"), "{}", wrong.error());
}

/// What ends pytest with 0 and runs no test.
const NOTHING_RUN: [&str; 6] =
    ["--collect-only", "--help", "--version", "--setup-plan", "--fixtures", "--setup-only"];

#[test]
fn tests_that_were_not_run_have_not_passed() {
    let Some(world) = with_package(Package::Pytest) else { return };
    world.write("test_it.py", "def test_good():\n    pass\n");
    for args in NOTHING_RUN {
        let ran = world.run("run-pytest", &[("args", args)]);
        let outputs = ran.outputs();
        assert_eq!((&outputs["exit_code"], &outputs["passed_count"]), (&json!(0), &json!("0")), "{args}");
        assert_eq!(outputs["tests_passed"], false, "{args}");
    }
    let strict = world.run("run-pytest", &[("args", "--collect-only"), ("strict", "true")]);
    assert!(strict.error().contains("`verdict` exited with 1: no test passed"), "{}", strict.error());
    world.write("test_it.py", "import pytest\n@pytest.mark.skip\ndef test_good():\n    pass\n");
    let skipped = world.run("run-pytest", &[]);
    let outputs = skipped.outputs();
    assert_eq!((&outputs["tests_passed"], &outputs["skipped_count"]), (&json!(false), &json!("1")));
}

#[test]
fn a_code_of_zero_does_not_hide_tests_that_failed() {
    let Some(world) = with_package(Package::Pytest) else { return };
    world.write("test_it.py", "def test_good():\n    pass\ndef test_bad():\n    assert False\n");
    world.write("conftest.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n");
    let ran = world.run("run-pytest", &[]);
    let outputs = ran.outputs();
    assert_eq!((&outputs["exit_code"], &outputs["failed_count"]), (&json!(0), &json!("1")));
    assert_eq!(outputs["tests_passed"], false);
    let strict = world.run("run-pytest", &[("strict", "true")]);
    assert!(strict.error().contains("`verdict` exited with 1: tests failed"), "{}", strict.error());
}

#[test]
fn tests_need_a_python_that_has_pytest() {
    if !has_python() {
        return;
    }
    let world = World::new();
    let missing = world.run("run-pytest", &[("python_path", "python0.9")]);
    assert!(missing.error().contains("there is no python0.9 here"), "{}", missing.error());
    world.shell("python3 -m venv --without-pip .venv");
    let without = world.run("run-pytest", &[]);
    assert!(without.error().contains("/.venv/bin/python has no pytest"), "{}", without.error());
    assert_eq!(without.block("pytest"), "skipped");
}

#[test]
fn an_environment_of_the_project_is_taken_first() {
    let Some(world) = with_package(Package::Pytest) else { return };
    world.shell("python3 -m venv --without-pip .venv");
    let prefix = "import sys\ndef test_it():\n    assert sys.prefix.endswith('/.venv')\n";
    world.write("test_it.py", prefix);
    let ran = world.run("run-pytest", &[("strict", "true")]);
    assert!(ran.outputs()["python_path"].as_str().unwrap().ends_with("/.venv/bin/python"));
}

/// Code with a name that is never used, and one that cannot be read.
fn doubtful(world: &World) {
    world.write("src/good.py", "print(1)\n");
    world.write("src/doubtful.py", "import os\n");
}

fn finds_with(package: Package, linter: &str) {
    let Some(world) = with_package(package) else { return };
    doubtful(&world);
    let found = world.run("lint-python", &[]);
    let outputs = found.outputs();
    assert_eq!((&outputs["clean"], &outputs["linter"]), (&json!(false), &json!(linter)));
    assert_eq!(outputs["exit_code"], 1);
    let findings = outputs["findings"].as_str().unwrap();
    assert!(findings.contains("src/doubtful.py:1:") && findings.contains("F401"), "{findings}");
    let clean = world.run("lint-python", &[("paths", "src/good.py"), ("strict", "true")]);
    assert_eq!((&clean.outputs()["clean"], &clean.outputs()["findings"]), (&json!(true), &json!("")));
    let strict = world.run("lint-python", &[("strict", "true")]);
    assert!(strict.error().contains(&format!("{linter} found mistakes\n")), "{}", strict.error());
    let left = std::fs::read_dir(world.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["src"], "nothing is left behind");
}

#[test]
fn ruff_is_taken_first() {
    finds_with(Package::Ruff, "ruff");
}

#[test]
fn flake8_is_taken_where_there_is_no_ruff() {
    if !is_on_the_path("ruff") {
        finds_with(Package::Flake8, "flake8");
    }
}

#[test]
fn a_linter_that_breaks_fails_the_run() {
    let Some(world) = with_package(Package::Ruff) else { return };
    world.write("ruff.toml", "not = [toml\n");
    world.write("good.py", "");
    let broke = world.run("lint-python", &[]);
    assert!(broke.error().contains("ruff broke with exit code 2"), "{}", broke.error());
}

#[test]
fn without_a_linter_code_is_at_least_compiled() {
    if !has_python() || is_on_the_path("ruff") {
        return;
    }
    let world = World::new();
    doubtful(&world);
    world.write(".venv/lib/broken.py", "def (\n");
    let python = world.shell("python3 -c 'import sys; print(sys.executable)'");
    if ["ruff", "flake8"].iter().any(|module| imports(&world, &python, module)) {
        return;
    }
    let inputs = [("python_path", python.as_str())];
    let clean = world.run("lint-python", &inputs);
    assert_eq!((&clean.outputs()["clean"], &clean.outputs()["linter"]), (&json!(true), &json!("compileall")));
    world.write("src/broken.py", "def (\n");
    let found = world.run("lint-python", &inputs);
    assert_eq!((&found.outputs()["clean"], &found.outputs()["exit_code"]), (&json!(false), &json!(1)));
    assert!(found.outputs()["findings"].as_str().unwrap().contains("SyntaxError"));
    assert_eq!(world.shell("find . -name '*.pyc'"), "");
}

#[test]
fn what_was_not_looked_at_is_not_clean() {
    if !has_python() {
        return;
    }
    let world = World::new();
    world.write("docs/guide.md", "def (\n");
    world.write("app/.venv/lib/other.py", "");
    world.write("app/build/made.py", "");
    world.write("-x/good.py", "");
    world.write("folder/named.py/text", "");
    world.shell("ln -s nowhere folder/gone.py");
    for (paths, bare) in [("docs", "docs"), ("app docs", "app"), ("./-x docs", "docs"), ("folder", "folder")]
    {
        let none = world.run("lint-python", &[("paths", paths)]);
        let told = format!("there is no Python file in {bare}: correct paths");
        assert!(none.error().contains(&told), "{}", none.error());
        assert_eq!(none.block("lint"), "skipped");
    }
    assert_eq!(world.run("lint-python", &[("paths", "./-x")]).outputs()["clean"], true);
    let python = world.shell("python3 -c 'import sys; print(sys.executable)'");
    if is_on_the_path("ruff") || ["ruff", "flake8"].iter().any(|module| imports(&world, &python, module)) {
        return;
    }
    // The compiler passes over what is not called .py.
    let unread = world.run("lint-python", &[("paths", "docs/guide.md"), ("python_path", &python)]);
    assert!(unread.error().contains("compileall does not look through docs/guide.md"), "{}", unread.error());
}

#[test]
fn paths_that_are_not_there_are_told() {
    if !has_python() {
        return;
    }
    let world = World::new();
    let missing = world.run("lint-python", &[("paths", "src no-such")]);
    assert!(missing.error().contains("there is no src in .: correct paths"), "{}", missing.error());
    world.write("a.py", "x = (");
    for paths in ["", " ", "\n\t\n"] {
        let refused = world.run("lint-python", &[("paths", paths)]);
        assert!(
            refused.error().contains("paths is empty: name what to look through"),
            "{paths:?}: {refused:?}"
        );
    }
}

/// Whether a program is there that a test cannot do with; that has been said then.
pub(crate) fn is_on_the_path(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).any(|folder| folder.join(program).exists());
    if found {
        skipped::<()>(&format!("{program} is on the path and would be taken"));
    }
    found
}

/// Whether a python has a module that a test cannot do with; that has been said then.
pub(crate) fn imports(world: &World, python: &str, module: &str) -> bool {
    let found =
        world.shell(&format!("{python} -c 'import {module}' 2>/dev/null && echo yes || echo no")) == "yes";
    if found {
        skipped::<()>(&format!("{python} has {module}, which would be taken"));
    }
    found
}
