//! What the pages of this dialect show runs as it stands there.

use super::TOOLSETS;
use crate::client::{Client, Era};
use crate::world::World;
use serde_json::{Value, json};
use std::path::Path;

/// The definition that a page shows, where it is found by its name.
fn with_definition_of(page: &str, name: &str) -> World {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = std::fs::read_to_string(docs.join(page)).unwrap();
    let definition = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(definition.starts_with(&format!("name: {name}\n")), "{definition}");
    let world = World::new();
    world.write(&format!("project/.terminal_control_workflows/{name}.yaml"), definition);
    world
}

fn client(world: &World) -> Client {
    world.client_with(Era::Handshake, &["--toolsets", TOOLSETS])
}

/// Calls a tool of terminals, whose text is plain.
fn terminal(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let result = client.request("tools/call", json!({"name": tool, "arguments": arguments})).unwrap();
    assert_eq!(result["structuredContent"]["success"], true, "{result:#}");
    result["structuredContent"].clone()
}

// covers: T-123, T-14
#[test]
fn the_machine_of_the_page_runs() {
    let world = with_definition_of("states.md", "run_tests");
    world.write("project/Makefile", "good:\n\t@echo 3 passed\nbad:\n\t@echo all failed\n");
    let mut client = client(&world);
    for (target, states) in [
        ("good", vec!["open", "type", "wait", "close"]),
        ("bad", vec!["open", "type", "wait", "look", "close"]),
    ] {
        let variables = json!({"target": target});
        let told = client
            .good("run_workflow", json!({"workflow_name": "run_tests", "initial_variables": variables}));
        assert_eq!((&told["success"], &told["final_state"]), (&json!(true), &json!("close")), "{told:#}");
        assert_eq!(told["states_executed"], states.len(), "{target}: {told:#}");
    }
}

// covers: C-104, C-107
#[test]
fn the_contract_of_the_page_is_held() {
    let world = with_definition_of("contracts.md", "build_project");
    world.write("project/sources/Makefile", "all:\n\t@echo built\n");
    let mut client = client(&world);
    let shell = json!({"shell": "bash --norc --noprofile", "environment": {"PS1": "$ "}});
    let session = terminal(&mut client, "open_terminal", shell)["session_id"].clone();
    let run = json!({"workflow_name": "build_project", "session_id": session});
    let told = client.good("run_workflow", run.clone());
    assert_eq!(told["final_state"], "validation_failed", "{told:#}");
    let export = json!({"session_id": session, "input_text": "export PROJECT_ROOT=\"$PWD/sources\"\n"});
    terminal(&mut client, "send_input", export);
    let told = client.good("run_workflow", run);
    assert_eq!((&told["success"], &told["final_state"]), (&json!(true), &json!("completed")), "{told:#}");
    terminal(
        &mut client,
        "send_input",
        json!({"session_id": session, "input_text": "echo \"<$BUILD_STATUS>\"\n"}),
    );
    let read = terminal(
        &mut client,
        "await_output",
        json!({"session_id": session, "pattern": "<0>", "timeout": 20}),
    );
    assert_eq!(read["match_text"], "<0>", "{read:#}");
    terminal(&mut client, "exit_terminal", json!({"session_id": session}));
}
