//! Groups of tools, read-only, and settings that are wrong.

use crate::client::{Client, Era};
use crate::world::{GREET, World};
use serde_json::json;
use std::process::Stdio;

/// What a client with terminals and nothing else has, beside the two tools that are always there.
const OF_TERMINALS: [&str; 8] = [
    "await_output",
    "cancel_workflow",
    "exit_terminal",
    "get_screen_content",
    "get_workflow_status",
    "list_terminal_sessions",
    "open_terminal",
    "send_input",
];

fn names(client: &mut Client) -> Vec<String> {
    let tools = client.request("tools/list", json!({})).unwrap();
    tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_group_that_is_off_says_what_turns_it_on() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client_with(Era::Handshake, &["--toolsets", "terminal,states"]);
    let mut offered = OF_TERMINALS.to_vec();
    offered.insert(7, "run_workflow");
    assert_eq!(names(&mut client), offered);
    let problem = client.bad("execute_workflow", json!({"workflow": "greet"}));
    assert_eq!(
        (problem["code"].as_str(), problem["error"].as_str()),
        (Some("tool-off"), Some("execute_workflow is off"))
    );
    let reason = problem["reason"].as_str().unwrap();
    for way in ["--toolsets blocks", "SWITCHBACK_TOOLSETS=blocks", "switchback.toml"] {
        assert!(reason.contains(way), "{reason}");
    }
    let mut all = world.client_with(Era::Stateless, &["--toolsets", "all"]);
    assert_eq!(names(&mut all).len(), 36);
}

#[test]
fn a_file_is_the_upper_bound() {
    let world = World::with(&[("greet", GREET)]).env("SWITCHBACK_TOOLSETS", "all");
    world.write("project/switchback.toml", "name = \"mine\"\ntoolsets = [\"terminal\"]\n");
    let mut client = world.client();
    assert_eq!(client.server["serverInfo"]["name"], "mine");
    assert_eq!(names(&mut client), OF_TERMINALS);
    let problem = client.bad("list_workflows", json!({}));
    assert!(
        problem["reason"].as_str().unwrap().contains("switchback.toml:2 allows only terminal"),
        "{problem:#}"
    );
}

#[test]
fn read_only_leaves_what_changes_nothing() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client_with(Era::Handshake, &["--read-only"]);
    let looks = [
        "await_output",
        "get_screen_content",
        "get_workflow_info",
        "get_workflow_status",
        "list_terminal_sessions",
        "list_workflows",
    ];
    assert_eq!(names(&mut client), looks);
    client.good("list_workflows", json!({}));
    for (tool, arguments) in
        [("execute_workflow", json!({"workflow": "greet"})), ("cancel_workflow", json!({}))]
    {
        let problem = client.bad(tool, arguments);
        assert_eq!(problem["code"], "tool-off");
        assert!(problem["reason"].as_str().unwrap().contains("--read-only"), "{problem:#}");
    }
    let world = world.env("SWITCHBACK_READ_ONLY", "1");
    assert_eq!(names(&mut world.client()).len(), 6);
}

#[test]
fn broken_settings_change_nothing_until_they_are_mended() {
    let world = World::with(&[("greet", GREET)]);
    world.write("project/switchback.toml", "read_onli = true\n");
    let said = "switchback.toml:1: there is no setting `read_onli`; did you mean `read_only`?";
    let output = world.command("project", &["serve", "--no-daemon"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.success(), String::from_utf8_lossy(&output.stderr).trim()), (true, said));
    let mut client = world.client();
    assert_eq!(client.good("list_workflows", json!({}))["warnings"], json!([said]));
    let run = json!({"workflow": "greet", "inputs": {"who": "Ada"}});
    let problem = client.bad("execute_workflow", run.clone());
    assert_eq!((&problem["code"], &problem["troubles"]), (&json!("broken-settings"), &json!([said])));
    world.write("project/switchback.toml", "call_seconds = 40\n");
    let answer = client.good("execute_workflow", run);
    assert_eq!((&answer["status"], answer.get("warnings")), (&json!("success"), None));
}

#[test]
fn a_group_that_nobody_knows_is_told() {
    let world = World::new();
    let mut client = world.client_with(Era::Handshake, &["--toolsets", "blocks,terminals"]);
    let said = "--toolsets: no toolset is called `terminals`; did you mean `terminal`?";
    assert_eq!(client.good("list_workflows", json!({}))["warnings"], json!([said]));
}

#[test]
fn what_changes_in_a_file_holds_at_the_next_call() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    let run = json!({"workflow": "greet", "inputs": {"who": "Ada"}});
    assert_eq!(client.good("execute_workflow", run.clone())["status"], "success");
    let file = world.project().join("switchback.toml");
    world.write("project/switchback.toml", "read_only = true\n");
    let problem = client.bad("execute_workflow", run.clone());
    assert_eq!(problem["code"], "tool-off");
    assert!(problem["reason"].as_str().unwrap().contains("switchback.toml:1"), "{problem:#}");
    assert_eq!(names(&mut client).len(), 6);
    world.write("project/switchback.toml", "read_only = maybe\n");
    assert_eq!(client.bad("execute_workflow", run.clone())["code"], "broken-settings");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(client.good("execute_workflow", run.clone())["status"], "success");
    // A file in the place of another, and a link to one that changes.
    world.write("project/strict.toml", "read_only = true\n");
    std::os::unix::fs::symlink("strict.toml", &file).unwrap();
    assert_eq!(client.bad("execute_workflow", run.clone())["code"], "tool-off");
    world.write("project/strict.toml", "read_only = false\n");
    assert_eq!(client.good("execute_workflow", run.clone())["status"], "success");
    std::fs::remove_file(world.project().join("strict.toml")).unwrap();
    assert_eq!(client.bad("execute_workflow", run)["code"], "broken-settings");
    assert_eq!(names(&mut client).len(), 17);
}

#[test]
fn a_broken_file_that_was_passed_over_is_told_with_what_ran_instead() {
    let broken = "name: hello\nfoo: 1\nblocks: [{id: a, type: Shell, inputs: {command: 'true'}}]\n";
    let calls = "name: calls\nblocks: [{id: a, type: ExecuteWorkflow, inputs: {workflow: hello}}]\n";
    let world = World::with(&[("hello", broken), ("calls", calls)]);
    let mut client = world.client();
    let listed = client.good("list_workflows", json!({}));
    let said = listed["about"]["hello"]["warnings"][0].as_str().unwrap().to_owned();
    assert!(said.contains("hello.yaml is broken (line 2: a workflow has no key `foo`)"), "{said}");
    assert!(said.ends_with("so `hello` means built-in:examples/hello.yaml"), "{said}");
    assert_eq!(listed["about"]["git-summary"].get("warnings"), None);
    for workflow in ["hello", "calls"] {
        let arguments = json!({"workflow": workflow});
        assert_eq!(client.good("get_workflow_info", arguments.clone())["warnings"], json!([said]));
        assert_eq!(client.good("execute_workflow", arguments)["warnings"], json!([said]), "{workflow}");
    }
    assert!(client.close().success());
    // Beside what is said of the settings.
    let world = world.env("SWITCHBACK_CALL_SECONDS", "x");
    let answer = world.client().good("execute_workflow", json!({"workflow": "hello"}));
    let warnings = answer["warnings"].as_array().unwrap();
    assert_eq!((warnings.len(), &warnings[1]), (2, &json!(said)));
}
