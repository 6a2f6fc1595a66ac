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

const MANY: &str = "name: many\nversion: \"1.0.0\"\nsteps:\n  - {id: each, type: foreach, items: \"{{ range(1, 101) | list }}\", task: one, agent: \"@task\", output_to: r}\ntasks:\n  one:\n    steps:\n      - {id: a, type: shell, command: \"a {{ item }}\", output_to: x}\n      - {id: g, type: return, needs_state: [x], value: \"{{ state.x.stdout }}\"}\n";

// covers: A-123
#[test]
fn a_hundred_sub_agents_at_once_are_all_heard() {
    let world = World::with(&[("many", MANY)]);
    let mut client = world.client();
    let started = client.good("start_workflow", json!({"workflow": "many"}));
    let items = started["action"]["parameters"]["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), 100, "{started:#}");
    // All are on their way before the first is answered.
    let asked: Vec<u64> = items
        .iter()
        .map(|item| client.begin("get_next_step", json!({"workflow_id": item["workflow_id"]}), Value::Null))
        .collect();
    for id in asked {
        assert_eq!(client.called(id).0["step_id"], "a");
    }
    let given = |item: &Value| {
        let result = json!({"exit_code": 0, "stdout": item["input"].to_string()});
        json!({"workflow_id": item["workflow_id"], "step_id": "a", "attempt": 1, "result": result})
    };
    let given: Vec<u64> =
        items.iter().map(|item| client.begin("submit_step_result", given(item), Value::Null)).collect();
    for id in given {
        assert_eq!(client.called(id).0["status"], "complete");
    }
    let run = &started["workflow_id"];
    let ended = client.good("get_workflow_status", json!({"workflow_id": run, "wait_seconds": 30}));
    let results: Vec<Value> = (1..=100).map(|number| number.to_string().into()).collect();
    assert_eq!(ended["final_result"]["r"], Value::Array(results), "{ended:#}");
}
