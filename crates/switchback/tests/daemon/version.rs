//! Pipes that are newer or older than the daemon, and those that are no pipes at all.

use crate::world::{World, until};
use serde_json::json;
use std::io::Read;
use std::path::PathBuf;

fn started() -> World {
    let world = World::new();
    world.define("hello", "echo hello");
    assert!(world.run(&["run", "hello"]).status.success());
    world
}

#[test]
fn whoever_speaks_another_hello_is_told_what_to_do_and_nothing_else_happens() {
    let world = started();
    let mut hello = world.hello();
    hello["hello"] = json!(2);
    hello["version"] = json!("99.0.0");
    let (welcome, mut rest) = world.greet(&hello);
    assert!(welcome["refused"].as_str().unwrap().contains("switchback stop"), "{welcome}");
    assert_eq!(welcome["version"], env!("CARGO_PKG_VERSION"));
    let mut more = Vec::new();
    rest.read_to_end(&mut more).unwrap();
    assert!(more.is_empty(), "it hangs up");
}

#[test]
fn what_is_no_hello_is_refused() {
    let world = started();
    for garbage in [json!("GET / HTTP/1.1"), json!({}), json!({ "hello": "1" }), json!([1, 2, 3])] {
        let (welcome, _) = world.greet(&garbage);
        assert!(welcome["refused"].as_str().unwrap().starts_with("this is no hello"), "{welcome}");
    }
    assert!(world.run(&["run", "hello"]).status.success());
}

#[test]
fn an_older_pipe_works_with_a_newer_daemon_of_the_same_hello() {
    let world = started();
    let mut hello = world.hello();
    hello["version"] = json!("0.0.1");
    let (welcome, _) = world.greet(&hello);
    assert!(welcome.get("refused").is_none() && welcome.get("note").is_none(), "{welcome}");
}

#[test]
fn a_newer_pipe_is_served_and_told_and_its_program_is_the_next_daemon() {
    let world = started();
    let first = world.daemon().unwrap();
    let newer = copied(&world);
    let mut hello = world.hello();
    hello["version"] = json!("99.0.0");
    hello["door"] = json!("mcp");
    hello["program"] = json!(newer);
    let (welcome, connection) = world.greet(&hello);
    assert!(welcome["note"].as_str().unwrap().contains("it is replaced once nothing is being carried out"));
    until("the older daemon makes room", || !world.home().join("daemon.pid").exists());
    drop(connection);
    // An older program starts the newer one, not itself.
    assert!(world.run(&["run", "hello"]).status.success());
    let next = world.daemon().unwrap();
    assert_ne!(next, first);
    if cfg!(target_os = "linux") {
        assert_eq!(std::fs::read_link(format!("/proc/{next}/exe")).unwrap(), newer);
    }
}

#[test]
fn a_program_that_others_could_have_written_is_never_the_next_daemon() {
    use std::os::unix::fs::PermissionsExt;
    let world = started();
    let newer = copied(&world);
    std::fs::set_permissions(&newer, std::fs::Permissions::from_mode(0o777)).unwrap();
    let mut hello = world.hello();
    hello["version"] = json!("99.0.0");
    hello["door"] = json!("mcp");
    hello["program"] = json!(newer);
    drop(world.greet(&hello));
    assert!(world.run(&["run", "hello"]).status.success());
    assert!(!world.home().join("daemon.next").exists());
}

#[test]
fn a_daemon_is_not_replaced_while_something_is_being_carried_out() {
    let world = started();
    world.define("long", "touch began; while ! test -e go; do sleep 0.02; done; echo gone");
    let first = world.daemon().unwrap();
    let mut command = world.command(&["run", "long", "--json"]);
    let client = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    until("the step begins", || world.project().join("began").exists());
    let mut hello = world.hello();
    hello["version"] = json!("99.0.0");
    hello["door"] = json!("mcp");
    hello["program"] = json!(copied(&world));
    let (welcome, _connection) = world.greet(&hello);
    assert!(welcome["note"].is_string());
    assert_eq!(world.daemon(), Some(first));
    std::fs::write(world.project().join("go"), "").unwrap();
    let run: serde_json::Value = serde_json::from_slice(&client.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(run["outputs"]["text"], "gone");
    until("the older daemon makes room", || !world.home().join("daemon.pid").exists());
}

/// The same program in another place.
fn copied(world: &World) -> PathBuf {
    let newer = world.home().join("switchback-99");
    std::fs::copy(env!("CARGO_BIN_EXE_switchback"), &newer).unwrap();
    newer
}
