//! Wherever the daemon is killed, a machine ends as it would have, or says what it has lost. A terminal ends with the daemon that
//! holds it; nothing is typed into another one behind the back of the definition.

use super::{TOOLSETS, five};
use crate::client::{Client, Era};
use crate::reactive::killed::at_every_point;
use crate::world::World;
use serde_json::{Value, json};

fn client_of_daemon(world: &World) -> Client {
    Client::connect(world.command("project", &["serve", "--toolsets", TOOLSETS]), Era::Stateless)
}

/// What was kept in the project, and how often it was counted.
fn kept(world: &World) -> Value {
    let path = world.project().join(".terminal_control_workflows/five.json");
    let Ok(text) = std::fs::read(path) else { return Value::Null };
    let file: Value = serde_json::from_slice(&text).unwrap();
    json!([file["definition"]["name"], file["metadata"]["success_count"]])
}

/// The machine of five, in which whatever fails begins again.
fn routed() -> Value {
    let mut machine = five();
    for name in ["say", "wait", "look", "close"] {
        let state = machine["states"][name].as_object_mut().unwrap();
        let ways = state.entry("transitions").or_insert_with(|| json!([]));
        ways.as_array_mut().unwrap().push(json!({"condition": {"success": false}, "next_state": "open"}));
    }
    machine
}

// covers: T-10, T-114
#[test]
fn a_machine_that_routes_its_failures_ends_the_same_wherever_the_daemon_is_killed() {
    at_every_point(20, World::new, |world| {
        let mut client = client_of_daemon(world);
        let told = client.good("run_workflow", json!({"workflow_definition": routed()}));
        assert_eq!(told["success"], true, "{told:#}");
        json!({
            "final_state": told["final_state"],
            "saved": told["saved_workflow_name"],
            "matched": told["final_variables"]["wait_match_text"],
            "kept": kept(world),
        })
    });
}

// covers: T-72, T-76
#[test]
fn one_that_routes_nothing_ends_well_or_says_which_session_is_lost() {
    at_every_point(20, World::new, |world| {
        let mut client = client_of_daemon(world);
        let told = client.good("run_workflow", json!({"workflow_definition": five()}));
        if told["success"] == true {
            assert_eq!(
                (&told["final_state"], &kept(world)),
                (&json!("close"), &json!(["five", 1])),
                "{told:#}"
            );
        } else {
            let error = told["error"].as_str().unwrap();
            assert!(error.contains("`t1`"), "it does not say what is lost: {error}");
            assert_eq!((&told["workflow_saved"], &kept(world)), (&json!(false), &Value::Null), "{told:#}");
        }
        let params = json!({"name": "list_terminal_sessions", "arguments": {}});
        let listed = client.request("tools/call", params).unwrap();
        let sessions = listed["structuredContent"]["sessions"].as_array().unwrap();
        // Nothing of it runs on.
        assert!(sessions.iter().all(|session| session["status"] != "running"), "{listed:#}");
        Value::Null
    });
}
