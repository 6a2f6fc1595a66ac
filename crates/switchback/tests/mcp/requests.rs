//! A call that is repeated: the same key means the same run.

use crate::world::{GREET, World, sleeper};
use serde_json::json;

#[test]
fn the_same_key_gives_the_same_run() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    let given = json!({"workflow": "greet", "inputs": {"who": "Ada"}, "request_key": "k"});
    let first = client.good("execute_workflow", given.clone());
    let second = client.good("execute_workflow", given.clone());
    assert_eq!((&first, first["status"].as_str()), (&second, Some("success")));
    let problem = client
        .bad("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "Eve"}, "request_key": "k"}));
    assert_eq!(problem["code"], "key-used");
    assert_eq!(client.good("get_workflow_status", json!({}))["runs"].as_array().unwrap().len(), 1);
    // Another server, later.
    drop(client);
    assert_eq!(world.client().good("execute_workflow", given)["workflow_id"], first["workflow_id"]);
}

#[test]
fn a_repeated_call_waits_for_the_run_that_is_under_way() {
    let world = World::with(&[("nap", &sleeper("nap", "2"))]);
    let mut client = world.client();
    let given = json!({"workflow": "nap", "request_key": "k", "wait_seconds": 0});
    let first = client.good("execute_workflow", given);
    let second = client.good("execute_workflow", json!({"workflow": "nap", "request_key": "k"}));
    assert_eq!((&first["workflow_id"], &second["status"]), (&second["workflow_id"], &json!("success")));
}

#[test]
fn twins_that_come_at_once_are_one_run() {
    let world = World::with(&[("nap", &sleeper("nap", "1"))]);
    let mut client = world.client();
    let calls: Vec<u64> = (0..8)
        .map(|_| {
            client.begin("execute_workflow", json!({"workflow": "nap", "request_key": "k"}), json!(null))
        })
        .collect();
    let ids: Vec<String> =
        calls.into_iter().map(|id| client.called(id).0["workflow_id"].to_string()).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(client.good("get_workflow_status", json!({}))["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_key_may_come_with_the_request_itself() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    let mut run = |meta: &str, key: Option<&str>| {
        let given = json!({"workflow": "greet", "inputs": {"who": "Ada"}, "request_key": key});
        let id = client.begin("execute_workflow", given, json!({"switchback/request_key": meta}));
        client.called(id).0["workflow_id"].to_string()
    };
    let first = run("a", None);
    assert_eq!(run("a", None), first);
    assert_ne!(run("b", None), first);
    // What the caller says goes before what the pipe says.
    assert_ne!(run("a", Some("c")), first);
}

#[test]
fn a_key_finds_its_run_though_the_definition_is_gone() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    let given = |name: &str, who: &str| json!({"workflow": name, "inputs": {"who": who, "times": null}, "request_key": "k"});
    let first = client.good("execute_workflow", given("greet", "Ada"));
    let file = world.project().join(".switchback/workflows/greet.yaml");
    for broken in [true, false] {
        match broken {
            true => world.define("greet", "name: greet\nblocks: 3\n"),
            false => std::fs::remove_file(&file).unwrap(),
        }
        assert_eq!(client.good("execute_workflow", given("greet", "Ada")), first);
        assert_eq!(client.bad("execute_workflow", given("greet", "Eve"))["code"], "key-used");
    }
    assert_eq!(client.bad("execute_workflow", given("great", "Ada"))["code"], "unknown-workflow");
    let other = json!({"workflow": "greet", "inputs": {"who": "Ada"}, "request_key": "l"});
    assert_eq!(client.bad("execute_workflow", other)["code"], "unknown-workflow");
}
