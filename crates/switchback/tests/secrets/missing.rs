//! A secret without a value: nothing starts, and every door says the same.

use crate::flows::{ONE, STAY};
use crate::world::World;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

const WORDS: [&str; 4] = ["`TOKEN`", "secrets.toml", "not lent by a client", "switchback secret set TOKEN"];

#[test]
fn nothing_starts_and_the_places_are_named() {
    let world = World::new();
    world.define("one", ONE);
    for args in [&["run", "one"][..], &["run", "one", "--no-daemon"]] {
        let output = world.run(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(WORDS.iter().all(|word| said.contains(word)), "{said}");
        world.run(&["stop", "--now"]);
    }
    let mut client = world.connect("pipe.log");
    let answer = client.call("execute_workflow", json!({ "workflow": "one" }));
    assert_eq!(answer["code"], "missing-secret", "{answer}");
    let said = answer["error"].as_str().unwrap();
    assert!(WORDS.iter().all(|word| said.contains(word)), "{said}");
    client.hang_up();
    let runs: serde_json::Value = serde_json::from_slice(&world.run(&["runs", "--json"]).stdout).unwrap();
    assert_eq!(runs["runs"], json!([]));
    assert!(!world.project().join("ran").exists());
    assert!(world.set("TOKEN", "a-value").status.success());
    assert!(world.run(&["run", "one"]).status.success());
}

#[test]
fn a_value_that_went_away_fails_the_step_that_wants_it() {
    let world = World::new();
    let next = "\n  - {id: next, type: Shell, depends_on: [stay], inputs: {command: 'true', \
                env: {TOKEN: \"${secrets.TOKEN}\"}}}\n";
    world.define("stay", &format!("{}{next}", STAY.trim_end()));
    assert!(world.set("TOKEN", "a-value").status.success());
    let run =
        world.command(&["run", "stay", "--json", "--no-daemon"]).stdout(std::process::Stdio::piped()).spawn();
    while !world.project().join("stays").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(world.run(&["secret", "remove", "TOKEN"]).status.success());
    world.write("go", "");
    let output = run.unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(100));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("switchback secret set TOKEN"), "{said}");
}

#[test]
fn a_file_that_others_may_read_is_refused_with_what_mends_it() {
    let world = World::new();
    world.define("one", ONE);
    assert!(world.set("TOKEN", "a-value").status.success());
    let file = world.data().join("secrets.toml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    for args in [&["run", "one"][..], &["secret", "list"], &["secret", "remove", "TOKEN"]] {
        let output = world.run(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(&format!("chmod 600 '{}'", file.display())), "{args:?}: {said}");
    }
    let doctor = String::from_utf8_lossy(&world.run(&["doctor"]).stdout).into_owned();
    assert!(doctor.contains("fail    secrets: file") && doctor.contains("chmod 600"), "{doctor}");
}

#[test]
fn a_secret_of_a_called_workflow_is_missed_before_anything_runs() {
    let world = World::new();
    world.define("one", ONE);
    world.define(
        "outer",
        "name: outer\nblocks:\n  - {id: first, type: Shell, inputs: {command: touch first}}\n  \
         - {id: call, type: ExecuteWorkflow, depends_on: [first], inputs: {workflow: one}}\n",
    );
    let output = world.run(&["run", "outer"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("switchback secret set TOKEN"), "{said}");
    assert!(!world.project().join("first").exists());
    assert!(world.set("TOKEN", "a-value").status.success());
    assert!(world.run(&["run", "outer"]).status.success());
}
