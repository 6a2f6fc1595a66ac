//! Who may answer a gate at the command line's door: a process is known by the socket and by its ancestors, not by what it
//! says of itself.

use crate::world::{World, until};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::process::Stdio;

pub(crate) fn gated(world: &World) -> String {
    gated_with(world, "")
}

/// A run that waits at a gate which shows these details.
fn gated_with(world: &World, details: &str) -> String {
    gated_by(world, "ask", details)
}

/// A run that waits at a gate of this level.
fn gated_by(world: &World, level: &str, details: &str) -> String {
    let folder = world.project().join(".switchback/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    let gate = json!({ "id": "approve", "type": "Prompt", "gate": level,
        "inputs": { "prompt": "Really?", "details": details } });
    std::fs::write(folder.join("gated.json"), json!({ "name": "gated", "blocks": [gate] }).to_string())
        .unwrap();
    let output = world.run(&["run", "gated", "--json"]);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["questions"][0]["prompt"], "Really?");
    document["run"].as_str().unwrap().to_owned()
}

/// Answers a gate by speaking to the socket, for something that was never shown.
fn answer(world: &World, run: &str) -> Value {
    let (welcome, mut stream) = world.greet(&world.hello());
    assert_eq!(welcome.get("refused"), None);
    let by = json!({ "human": { "door": "command line", "proven": false } });
    let command = json!({ "answer": {
        "effect": "approve#1", "approved": true, "result": {}, "shown": "0".repeat(64), "by": by,
    } });
    let asked = json!({ "id": 1, "ask": { "submit": { "run": run, "command": command } } });
    stream.get_mut().write_all(format!("{asked}\n").as_bytes()).unwrap();
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    serde_json::from_str::<Value>(&line).unwrap()["tell"]["failed"].clone()
}

#[test]
fn a_process_of_a_connected_client_answers_no_gate() {
    let world = World::new();
    let run = gated(&world);
    // Nobody is connected: only that this was never shown is held against the answer.
    assert!(answer(&world, &run)["refusal"]["shown_changed"].is_object(), "{}", answer(&world, &run));
    let mut pipe = world.command(&["serve"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let clients = || world.json(&["status", "--json"])["daemon"]["clients"].as_u64();
    until("the client is connected", || clients() == Some(1));
    let refused = answer(&world, &run);
    assert_eq!(refused["code"], "not-a-human", "{refused}");
    let said = world.run(&["answer", &run, "no"]);
    assert_eq!(said.status.code(), Some(2));
    let words = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(words.contains("started by a connected client"), "{words}");
    drop(pipe.stdin.take());
    pipe.wait().unwrap();
    until("the client has gone", || clients() == Some(0));
    assert!(answer(&world, &run)["refusal"].is_object());
    let said = world.run(&["answer", &run, "no"]);
    assert_eq!(said.status.code(), Some(100), "{}", String::from_utf8_lossy(&said.stderr));
}

#[test]
fn a_workflow_answers_no_gate() {
    let world = World::new();
    let run = gated(&world);
    let binary = env!("CARGO_BIN_EXE_switchback");
    let home = world.home().display();
    world.define(
        "answers",
        &format!("SWITCHBACK_HOME='{home}' '{binary}' answer {run} no 2>&1; echo code $?"),
    );
    let document = world.json(&["run", "answers", "--json"]);
    let text = document["outputs"]["text"].as_str().unwrap();
    assert!(text.contains("started by a workflow") && text.contains("code 2"), "{text}");
    assert_eq!(world.json(&["show", &run, "--json"])["status"], "waiting");
}

#[test]
fn a_gate_is_approved_by_its_word_on_a_terminal() {
    let world = World::new();
    let run = gated(&world);
    let said = world.run(&["answer", &run, "yes"]);
    assert_eq!(said.status.code(), Some(2));
    let words = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(words.contains("only a human at a terminal may approve"), "{words}");
    let word = run.split('-').nth(1).unwrap();
    let answer = |line: &str| world.typed(&["answer", &run], &[("decline:", line)]);
    let Some((code, shown)) = answer("l\n") else { return };
    assert!(code == Some(3) && shown.contains("Really?"), "{code:?} {shown}");
    let (code, shown) = answer(&format!("{word}\n")).unwrap();
    assert!(code == Some(0) && shown.contains("succeeded"), "{code:?} {shown}");
}

#[test]
fn a_terminal_shows_all_of_a_gate_however_long_it_is() {
    let world = World::new();
    let lines: Vec<String> = (1..=5_000).map(|line| format!("echo {line}")).collect();
    let run = gated_with(&world, &lines.join("\n"));
    // What only looks is shown its beginning and its end, and that there is more.
    let listed = world.run(&["answer", &run, "--json"]);
    let document: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let told = document["questions"][0]["shown"]["details"].as_str().unwrap();
    assert!(told.len() < 17_000 && told.ends_with("\necho 5000"), "{}", told.len());
    assert_eq!(document["questions"][0]["left_out"], json!({"values": ["details"]}));
    let Some((code, shown)) = world.typed(&["answer", &run], &[("decline:", "l\n")]) else { return };
    assert_eq!(code, Some(3));
    let shown: Vec<&str> = shown.lines().map(str::trim).filter(|line| line.starts_with("echo ")).collect();
    assert_eq!(shown, lines);
}

#[test]
fn a_gate_of_level_proof_wants_the_passphrase() {
    let world = World::new();
    let run = gated_by(&world, "proof", "");
    let word = run.split('-').nth(1).unwrap().to_owned();
    let answer = |said: &str| {
        let (word, said) = (format!("{word}\n"), format!("{said}\n"));
        world.typed(&["answer", &run], &[("decline:", &word), ("(not shown): ", &said)])
    };
    // Nobody passes it as long as there is none.
    let Some((code, shown)) = answer("anything") else { return };
    assert!(code == Some(2) && shown.contains("no passphrase is set"), "{code:?} {shown}");
    let set = |texts: &[(&str, &str)]| world.typed(&["proof", "set"], texts).unwrap();
    let (code, shown) = set(&[("new passphrase (not shown): ", "short\n")]);
    assert!(code == Some(2) && shown.contains("at least 8 characters"), "{code:?} {shown}");
    let twice =
        [("new passphrase (not shown): ", "over the pass\n"), ("once more (not shown): ", "over the pass\n")];
    let (code, shown) = set(&twice);
    assert!(code == Some(0) && !shown.contains("over the pass"), "{code:?} {shown}");
    let (code, shown) = set(&[("holds now (not shown): ", "under the pass\n")]);
    assert!(code == Some(2) && shown.contains("the passphrase is wrong"), "{code:?} {shown}");
    let (code, shown) = answer("under the pass").unwrap();
    assert!(code == Some(2) && shown.contains("the passphrase is wrong"), "{code:?} {shown}");
    // Whoever breaks off has answered nothing, and hears so.
    for (key, wanted) in [("\u{3}", 130), ("\u{4}", 3)] {
        let word = format!("{word}\n");
        let typed = world.typed(&["answer", &run], &[("decline:", &word), ("(not shown): ", key)]);
        let (code, shown) = typed.unwrap();
        assert!(code == Some(wanted) && shown.contains("nothing was said"), "{code:?} {shown}");
    }
    assert_eq!(world.json(&["show", &run, "--json"])["status"], "waiting");
    let (code, shown) = answer("over the pass").unwrap();
    assert!(
        code == Some(0) && shown.contains("succeeded") && !shown.contains("over the pass"),
        "{code:?} {shown}"
    );
    let kept = world.shell("grep -rl 'over the pass' \"$SWITCHBACK_HOME\"").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&kept.stdout), "", "it is written down nowhere");
}

#[test]
fn whoever_only_claims_proof_has_none() {
    let world = World::new();
    let run = gated_by(&world, "proof", "");
    let shown = "0".repeat(64);
    let (_, mut stream) = world.greet(&world.hello());
    let by = json!({ "human": { "door": "command line", "proven": true } });
    let command = json!({ "answer": {
        "effect": "approve#1", "approved": true, "result": {}, "shown": shown, "by": by,
    } });
    let asked = json!({ "id": 1, "ask": { "submit": { "run": run, "command": command } } });
    stream.get_mut().write_all(format!("{asked}\n").as_bytes()).unwrap();
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert!(told["tell"]["failed"]["refusal"]["proof_needed"].is_object(), "{told}");
}

/// A client that fills in every form it is shown: whether it was shown one.
fn fills_in(mut command: std::process::Command, run: &str) -> bool {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut say = |message: Value| input.write_all(format!("{message}\n").as_bytes()).unwrap();
    let about = json!({ "protocolVersion": "2025-06-18", "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "test", "version": "1" } });
    say(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about }));
    say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let arguments = json!({ "workflow_id": run, "wait_seconds": 3 });
    let call = json!({ "name": "get_workflow_status", "arguments": arguments });
    say(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }));
    let mut was_shown = false;
    for line in std::io::BufReader::new(output).lines().map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["method"] == "elicitation/create" {
            was_shown = true;
            let filled = json!({ "action": "accept", "content": { "response": true } });
            say(json!({ "jsonrpc": "2.0", "id": message["id"], "result": filled }));
        } else if message["id"] == 2 {
            break;
        }
    }
    drop(input);
    child.wait().unwrap();
    was_shown
}

#[test]
fn a_client_that_another_client_has_started_is_shown_no_gate() {
    let world = World::new();
    let run = gated(&world);
    let below = || world.shell(&format!("'{}' serve; true", env!("CARGO_BIN_EXE_switchback")));
    let status = || world.json(&["show", &run, "--json"])["status"].clone();
    let clients = || world.json(&["status", "--json"])["daemon"]["clients"].as_u64();
    let mut agent = world.command(&["serve"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    until("the client is connected", || clients() == Some(1));
    assert!(!fills_in(below(), &run));
    assert_eq!(status(), "waiting");
    drop(agent.stdin.take());
    agent.wait().unwrap();
    until("the client has gone", || clients() == Some(0));
    // Nobody else is there: it is the client of whoever started it.
    assert!(fills_in(below(), &run));
    until("the gate is passed", || status() == "succeeded");
}
