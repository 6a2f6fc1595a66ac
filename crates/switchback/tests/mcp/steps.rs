//! Results that no file of a case can hold: far too large, nested without end, and the same a hundred times, at once too.

use crate::world::World;
use serde_json::{Value, json};

const TWO: &str = "name: two\nversion: \"1.0.0\"\nsteps:\n  - {id: a, type: mcp_call, tool: t, output_to: x}\n  - {id: b, type: shell, command: \"true\"}\n";

fn started(client: &mut crate::client::Client) -> String {
    let run = client.good("start_workflow", json!({"workflow": "two"}));
    run["workflow_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_result_that_is_far_too_large_or_deep_moves_nothing() {
    let world = World::with(&[("two", TWO)]);
    let mut client = world.client();
    let run = started(&mut client);
    let hand_in = |result: Value| json!({"workflow_id": run, "step_id": "a", "attempt": 1, "result": result});
    let problem = client.bad("submit_result", hand_in("x".repeat(5_000_000).into()));
    assert_eq!(problem["code"], "too-large", "{problem:#}");
    assert_eq!(problem["due"], json!({"step_id": "a", "attempt": 1}));
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let problem = client.bad("submit_result", hand_in(deep));
    assert_eq!(problem["code"], "malformed-result", "{problem:#}");
    // The largest that fits: the state has room for a little less than a mebibyte.
    let next = client.good("submit_result", hand_in("x".repeat(1_040_000).into()));
    assert_eq!(next["action"]["step_id"], "b", "{next:#}");
}

#[test]
fn the_same_result_a_hundred_times_is_one() {
    let world = World::with(&[("two", TWO)]);
    let mut client = world.client();
    let run = started(&mut client);
    let result = json!({"workflow_id": run, "step_id": "a", "attempt": 1, "result": {"n": 1}});
    for _ in 0..100 {
        assert_eq!(client.good("submit_result", result.clone())["action"]["step_id"], "b");
    }
    let other = json!({"workflow_id": run, "step_id": "a", "attempt": 1, "result": {"n": 2}});
    assert_eq!(client.bad("submit_result", other)["code"], "already-answered");
    let shown = world.command("project", &["verify", &run]).output().unwrap();
    let told = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(told.contains("2 entries"), "{told}");
}
