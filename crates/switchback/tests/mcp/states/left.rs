//! A run goes on when its client goes away, and what comes of it is kept all the same.

use super::{TOOLSETS, open, state};
use crate::client::{Client, Era};
use crate::world::World;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

// covers: T-111, T-114
#[test]
fn a_definition_is_kept_although_nobody_waits_for_its_run() {
    let world = World::new();
    let serve =
        || Client::connect(world.command("project", &["serve", "--toolsets", TOOLSETS]), Era::Handshake);
    let definition = json!({"name": "slow", "initial_state": "open", "states": {
        "open": open("say"),
        "say": state("send_input", json!({"input_text": "touch begun; until [ -e go ]; do sleep 0.05; done; echo it is $((1 + 1))\n"}), "wait"),
        "wait": state("await_output", json!({"pattern": "it is 2", "timeout": 60}), "close"),
        "close": {"action": {"tool": "exit_terminal", "params": {"session_id": "{open_session_id}"}}},
    }});
    let mut client = serve();
    client.begin("run_workflow", json!({"workflow_definition": definition}), json!({}));
    await_file(&world, "begun");
    client.die();
    let file = ".terminal_control_workflows/slow.json";
    assert!(!world.project().join(file).exists(), "it has not succeeded yet");
    world.write("project/go", "");
    await_file(&world, file);
    let kept: Value = serde_json::from_slice(&std::fs::read(world.project().join(file)).unwrap()).unwrap();
    assert_eq!((&kept["definition"], &kept["metadata"]["total_states"]), (&definition, &json!(4)));
    let mut client = serve();
    let told = client.good("run_workflow", json!({"workflow_name": "slow"}));
    assert_eq!(
        (&told["success"], &told["available_workflows"]),
        (&json!(true), &json!(["slow"])),
        "{told:#}"
    );
}

fn await_file(world: &World, path: &str) {
    let begun = Instant::now();
    while !world.project().join(path).exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "`{path}` does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}
