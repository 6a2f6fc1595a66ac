//! `lint-python` looks at what it is given, whatever that is called, and says so where its linter does not.

use crate::python::{imports, is_on_the_path, with_package};
use crate::tools::{Package, has};
use crate::world::World;
use serde_json::json;

/// Mistakes in folders that are passed over where they are not named.
fn made(world: &World) {
    for file in ["build/bad.py", "build/src/a.py", "dist/b.py", ".tools/a.py", "at/build/home/a.py"] {
        world.write(file, "import os\ndef (\n");
    }
}

fn finds_what_is_named(world: &World, python: &[(&str, &str)]) {
    let inside = world.path("at/build/home").display().to_string();
    let all = ["build", "build/", "build/src", "build/bad.py", "dist", ".tools", ".tools/a.py", &inside];
    for paths in all {
        let found = world.run("lint-python", &[&[("paths", paths)], python].concat());
        let outputs = found.outputs();
        assert_eq!(
            (&outputs["clean"], &outputs["exit_code"]),
            (&json!(false), &json!(1)),
            "{paths}: {outputs}"
        );
        let findings = outputs["findings"].as_str().unwrap();
        assert!(findings.contains(".py") && !findings.contains("processed"), "{paths}: {findings}");
    }
    let strict = world.run("lint-python", &[&[("paths", "dist"), ("strict", "true")], python].concat());
    assert!(strict.error().contains("found mistakes"), "{}", strict.error());
}

#[test]
fn the_compiler_looks_at_what_is_named() {
    if !has("python3") || is_on_the_path("ruff") {
        return;
    }
    let world = World::new();
    made(&world);
    let python = world.shell("python3 -c 'import sys; print(sys.executable)'");
    if ["ruff", "flake8"].iter().any(|module| imports(&world, &python, module)) {
        return;
    }
    finds_what_is_named(&world, &[("python_path", &python)]);
    // Below what is named they are passed over.
    world.write("at/good.py", "");
    let above = world.run("lint-python", &[("paths", "at"), ("python_path", &python)]);
    assert_eq!(above.outputs()["clean"], true);
    let both = world.run("lint-python", &[("paths", "build/bad.py at"), ("python_path", &python)]);
    assert_eq!(both.outputs()["clean"], false);
}

#[test]
fn flake8_looks_at_what_is_named() {
    if is_on_the_path("ruff") {
        return;
    }
    let Some(world) = with_package(Package::Flake8) else { return };
    made(&world);
    finds_what_is_named(&world, &[]);
    world.write("good/a.py", "");
    let both = world.run("lint-python", &[("paths", "dist good build/src")]);
    let findings = both.outputs()["findings"].as_str().unwrap();
    assert!(findings.starts_with("dist/b.py:") && findings.contains("\nbuild/src/a.py:"), "{findings}");
    world.write("setup.cfg", "[flake8]\nexclude = dist/*\noutput-file = found.txt\n");
    let none = world.run("lint-python", &[("paths", "good dist")]);
    assert!(none.error().contains("flake8 looks at no file in dist: correct paths"), "{}", none.error());
    assert_eq!(world.run("lint-python", &[("paths", "good")]).outputs()["clean"], true);
    assert!(!world.path("found.txt").exists());
}

#[test]
fn ruff_looks_at_what_is_named() {
    let Some(world) = with_package(Package::Ruff) else { return };
    made(&world);
    finds_what_is_named(&world, &[]);
    world.write("good/a.py", "");
    world.write(
        "dist/pyproject.toml",
        "[project]\nname = \"x\"\nversion = \"1\"\n[tool.ruff]\nexclude = [\"*.py\"]\n",
    );
    let none = world.run("lint-python", &[("paths", "good dist")]);
    assert!(none.error().contains("ruff looks at no file in dist: correct paths"), "{}", none.error());
    world.write("ruff.toml", "force-exclude = true\nexclude = [\"build\"]\n");
    let none = world.run("lint-python", &[("paths", "build/bad.py")]);
    assert!(none.error().contains("ruff looks at no file in build/bad.py"), "{}", none.error());
}
