//! How a server comes up and goes away.

use crate::client::{Client, Era};
use crate::world::{GREET, World};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

// covers: D-90, D-89
#[test]
fn the_bare_command_serves() {
    for era in Era::ALL {
        let world = World::with(&[("greet", GREET)]).env("SWITCHBACK_NO_DAEMON", "1");
        let mut client = Client::connect(world.command("project", &[]), era);
        assert!(client.good("list_workflows", json!({}))["about"]["greet"].is_object());
        assert!(client.close().success());
    }
}

// covers: D-84, D-85, D-87, D-93
#[test]
fn the_environment_of_a_client_says_where_definitions_lie() {
    let world = World::new().env("WORKFLOWS_TEMPLATE_PATHS", "~/first, ~/second");
    world.write("first/greet.yaml", &GREET.replace("Greets", "First greets"));
    world.write("second/greet.yaml", &GREET.replace("Greets", "Then greets"));
    let mut client = world.client();
    let info = client.good("get_workflow_info", json!({"workflow": "greet"}));
    assert_eq!(info["description"], "Then greets someone.");
    assert_eq!(info["source"]["hides"], json!(["~/first/greet.yaml"]));
}

// covers: D-91, D-92
#[test]
fn what_a_server_held_is_free_once_it_has_ended() {
    let world = World::with(&[("greet", GREET)]);
    let given = json!({"workflow": "greet", "inputs": {"who": "Ada"}});
    for count in 1..=3 {
        let mut client = world.client();
        client.good("execute_workflow", given.clone());
        assert_eq!(client.good("get_workflow_status", json!({}))["runs"].as_array().unwrap().len(), count);
        assert!(client.close().success());
    }
}

#[test]
fn what_the_server_does_not_have_is_said_by_the_protocol() {
    for era in Era::ALL {
        let world = World::new();
        let mut client = world.client_with(era, &[]);
        for method in ["nothing/there", "tasks/get", "subscriptions/listen"] {
            let error = client.request(method, json!({"taskId": "x", "notifications": {}})).unwrap_err();
            assert!(error["code"].is_i64(), "{method}: {error}");
        }
        client.good("list_workflows", json!({}));
    }
}

#[test]
fn one_that_found_the_store_taken_looks_again() {
    for era in Era::ALL {
        let world = World::with(&[("greet", GREET)]);
        let first = world.client();
        let mut second = world.client_with(era, &[]);
        for _ in 0..2 {
            let told = second.bad("list_workflows", json!({}));
            let reason = told["reason"].as_str().unwrap();
            assert!(told["code"] == "no-store" && reason.contains("only one can"), "{told:#}");
        }
        assert!(first.close().success());
        let given = json!({"workflow": "greet", "inputs": {"who": "Ada"}});
        assert_eq!(second.good("execute_workflow", given)["outputs"]["text"], "hello Ada");
        // It owns it now, and ends like any other.
        assert_eq!(world.client().bad("list_workflows", json!({}))["code"], "no-store");
        assert!(second.close().success());
        assert!(world.client().good("list_workflows", json!({}))["about"]["greet"].is_object());
    }
}

#[test]
fn one_that_found_the_wrong_rights_looks_again() {
    let world = World::with(&[("greet", GREET)]);
    let open = |mode: u32| {
        std::fs::create_dir_all(world.data()).unwrap();
        std::fs::set_permissions(world.data(), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    open(0o777);
    let mut client = world.client();
    assert!(client.bad("list_workflows", json!({}))["reason"].as_str().unwrap().contains("chmod"));
    open(0o700);
    assert!(client.good("list_workflows", json!({}))["about"]["greet"].is_object());
    assert!(client.close().success());
    open(0o777);
    let client = world.client();
    assert!(!client.close().success(), "one that never found it has failed");
}
