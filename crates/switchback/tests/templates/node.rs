//! The group `node`, with a real Node and npm. Nothing is fetched: the projects need nothing, or a folder beside them.

use crate::tools::has;
use crate::world::World;
use serde_json::json;

/// A project with these scripts.
fn project(scripts: &str) -> Option<World> {
    (has("node") && has("npm")).then_some(())?;
    let world = World::new();
    world.write("package.json", &format!(r#"{{"name": "it", "version": "1.0.0", "scripts": {scripts}}}"#));
    Some(world)
}

#[test]
fn a_project_is_installed_linted_tested_and_built() {
    let Some(world) = project(
        r#"{"lint": "echo l >>ran", "test": "echo t >>ran && node -e 'process.exit(process.env.CI ? 0 : 1)'",
            "build": "echo b >>ran"}"#,
    ) else {
        return;
    };
    let ran = world.run("node-ci", &[]);
    let outcome =
        json!({"installed": "npm install", "lint": "success", "test": "success", "build": "success"});
    assert_eq!(*ran.outputs(), outcome);
    let order = world.read("ran");
    assert!(order.ends_with("b\n") && order.len() == 6, "{order}");
    // By now there is a lock file, and it is kept to.
    assert_eq!(world.run("node-ci", &[]).outputs()["installed"], "npm ci");
    assert_eq!(world.run("node-ci", &[("install", "false")]).outputs()["installed"], "not asked for");
}

#[test]
fn scripts_that_a_project_does_not_have_are_left_out() {
    let Some(world) = project(r#"{"build": "true", "prelint": "exit 1"}"#) else { return };
    let ran = world.run("node-ci", &[]);
    let outputs = ran.outputs();
    let told = ["lint", "test", "build"].map(|script| outputs[script].as_str().unwrap());
    assert_eq!(told, ["n/a", "n/a", "success"]);
}

#[test]
fn a_project_without_any_of_the_scripts_is_not_said_to_be_checked() {
    let none = r#"{"test": "echo \"Error: no test specified\" && exit 1", "prelint": "exit 1"}"#;
    for scripts in ["{}", none] {
        let Some(world) = project(scripts) else { return };
        let refused = world.run("node-ci", &[]);
        let told = "package.json has none of the scripts lint, test and build, so nothing would be checked";
        assert!(refused.error().contains(told), "{}", refused.error());
        assert_eq!(refused.block("install"), "skipped");
        let asked = world.run("node-ci", &[("allow_no_scripts", "true")]);
        let outputs = asked.outputs();
        assert_eq!(["lint", "test", "build"].map(|script| outputs[script].as_str().unwrap()), ["n/a"; 3]);
    }
}

#[test]
fn a_script_that_fails_is_named_and_stops_the_build() {
    let Some(world) = project(r#"{"lint": "exit 3", "test": "exit 1", "build": "touch built"}"#) else {
        return;
    };
    let failed = world.run("node-ci", &[("install", "false")]);
    assert!(failed.error().contains("the script lint failed\nthe script test failed"), "{}", failed.error());
    assert!(!world.path("built").exists());
    world.write("package.json", r#"{"scripts": {"build": "exit 1"}}"#);
    let built = world.run("node-ci", &[("install", "false")]);
    assert!(built.error().contains("the script build failed"), "{}", built.error());
}

#[test]
fn a_project_that_cannot_be_read_or_installed_says_why() {
    let Some(world) = project("{}") else { return };
    world.write(
        "package.json",
        r#"{"name": "it", "version": "1.0.0", "scripts": {"lint": "true"}, "dependencies": {"beside": "file:./no-such.tgz"}}"#,
    );
    let install = world.run("node-ci", &[]);
    assert!(install.error().contains("`install` exited with"), "{}", install.error());
    assert!(install.error().contains("no-such.tgz"), "{}", install.error());
    world.write("package.json", "{");
    let broken = world.run("node-ci", &[]);
    assert!(broken.error().contains("package.json cannot be read"), "{}", broken.error());
    std::fs::remove_file(world.path("package.json")).unwrap();
    assert!(world.run("node-ci", &[]).error().contains("there is no package.json in ."));
}
