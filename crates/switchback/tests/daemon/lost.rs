//! The store is taken away under whoever owns it: nothing is answered whose record is nowhere, what is under way is ended, and
//! the next command begins anew.

use crate::pipe::Client;
use crate::world::{World, is_alive, until};
use serde_json::{Value, json};
use std::fs;
use std::process::{Child, Stdio};

/// Says who it is, and stays.
const LONG: &str = "echo $$ > pid; exec sleep 300";

/// How the store goes: all of the data directory, the database with what lies beside it, or another one in its place.
const WAYS: [fn(&World); 3] = [
    |world| fs::remove_dir_all(world.home()).unwrap(),
    |world| remove_database(world),
    |world| {
        remove_database(world);
        fs::write(world.home().join("switchback.db"), "").unwrap();
    },
];

fn remove_database(world: &World) {
    for end in ["", "-wal", "-shm"] {
        fs::remove_file(world.home().join(format!("switchback.db{end}"))).unwrap();
    }
}

fn world() -> World {
    let world = World::new();
    world.define("hello", "echo x >> count; echo hello");
    world.define("long", LONG);
    world
}

fn command(world: &World) -> i32 {
    let read = || fs::read_to_string(world.project().join("pid")).unwrap_or_default();
    until("the command runs", || read().ends_with('\n'));
    read().trim().parse().unwrap()
}

fn count(world: &World) -> usize {
    fs::read_to_string(world.project().join("count")).unwrap_or_default().lines().count()
}

fn runs(world: &World) -> Vec<Value> {
    world.json(&["runs", "--json"])["runs"].as_array().unwrap().clone()
}

fn content(answer: &Value) -> &Value {
    &answer["result"]["structuredContent"]
}

fn is_told(answer: &Value) {
    let said = content(answer);
    assert_eq!(said["code"], "store-lost", "{answer}");
    assert!(
        said["next"].as_str().unwrap().starts_with("Call again in a moment: a new store is made"),
        "{answer}"
    );
}

fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_connected_client_is_told_before_anything_is_begun_and_then_served_anew() {
    for (way, older) in WAYS.into_iter().zip([true, false, true]) {
        let world = world();
        let mut client = Client::start(&world, older);
        let call = client.execute("hello");
        assert_eq!(content(&client.answer(call))["status"], "success");
        let daemon = world.daemon().unwrap();
        way(&world);
        // Whoever only looks hears it too.
        is_told(&match older {
            true => client.call("execute_workflow", json!({ "workflow": "hello" })),
            false => client.call("get_workflow_status", json!({})),
        });
        until("the daemon ends", || !is_alive(daemon));
        assert_eq!(count(&world), 1, "nothing was begun");
        let call = client.execute("hello");
        assert_eq!(content(&client.answer(call))["status"], "success");
        assert_eq!((runs(&world).len(), count(&world)), (1, 2));
        assert_eq!(client.hang_up(), Some(0));
    }
}

#[test]
fn a_call_under_way_is_answered_and_what_it_began_is_ended() {
    for way in WAYS {
        let world = world();
        let mut client = Client::start(&world, false);
        let call = client.execute("long");
        let (command, daemon) = (command(&world), world.daemon().unwrap());
        way(&world);
        // Where the system tells of it nobody need ask; elsewhere this one does.
        let asked = (!cfg!(target_os = "linux")).then(|| client.call("get_workflow_status", json!({})));
        asked.iter().for_each(is_told);
        is_told(&client.answer(call));
        until("the daemon and what it started end", || !is_alive(daemon) && !is_alive(command));
        let said = client.call("get_workflow_status", json!({}));
        assert_eq!(content(&said)["runs"].as_array().map(Vec::len), Some(0), "{said}");
        assert_eq!(client.hang_up(), Some(0));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_that_nobody_asks_anything_ends_at_once_with_all_it_started() {
    for way in WAYS {
        let world = world();
        let mut run = world.command(&["run", "long"]);
        let run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (command, daemon) = (command(&world), world.daemon().unwrap());
        way(&world);
        let (code, said) = ended(run);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("switchback.db was re"), "{said}");
        assert!(said.contains("the next command makes a new store and begins anew in it"), "{said}");
        assert!(!said.contains("switchback resume"), "{said}");
        until("all of it ends", || !is_alive(daemon) && !is_alive(command));
        assert_eq!(world.run(&["run", "hello"]).status.code(), Some(0));
        assert_eq!(runs(&world).len(), 1);
    }
}

#[test]
fn every_command_says_it_and_goes_on() {
    for (args, last) in [
        (&["run", "hello"][..], "hello"),
        (&["status"], "none runs"),
        (&["stop"], "no daemon runs"),
        (&["doctor"], "store                   it was removed"),
    ] {
        let world = world();
        assert!(world.run(&["run", "hello"]).status.success());
        let daemon = world.daemon().unwrap();
        remove_database(&world);
        let output = world.run(args);
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{args:?}: {said}");
        assert!(said.contains("was removed or moved away while it was in use"), "{args:?}: {said}");
        assert!(said.contains(last), "{args:?}: {said}");
        until("the daemon ends", || !is_alive(daemon));
    }
}

#[test]
fn alone_it_is_the_same() {
    for way in WAYS {
        let world = world();
        world.define("waits", "echo $$ > pid; while ! test -e go; do sleep 0.02; done");
        let mut run = world.command(&["run", "waits", "--no-daemon"]);
        let run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let command = command(&world);
        way(&world);
        fs::write(world.project().join("go"), "").unwrap();
        let (code, said) = ended(run);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("switchback.db was re"), "{said}");
        assert!(said.contains("the next command makes a new store"), "{said}");
        until("the command ends", || !is_alive(command));
    }
}

#[test]
fn a_server_of_its_own_says_it_once_and_begins_anew() {
    for way in WAYS {
        let world = world();
        let mut client = Client::start_with(&world, false, &["serve", "--no-daemon"]);
        let call = client.execute("long");
        let command = command(&world);
        way(&world);
        is_told(&client.call("get_workflow_status", json!({})));
        is_told(&client.answer(call));
        let call = client.execute("hello");
        assert_eq!(content(&client.answer(call))["status"], "success");
        assert!(!is_alive(command));
        assert_eq!(runs(&world).len(), 1);
        assert_eq!(client.hang_up(), Some(0));
    }
}
