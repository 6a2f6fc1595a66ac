//! Who says nothing for a minute: a client that does not read, and a daemon that stands still. All but the last take that minute.

use crate::pipe::Client;
use crate::world::{World, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

/// Longer than a daemon may be silent.
const MINUTE: Duration = Duration::from_secs(70);

#[test]
fn a_client_that_does_not_read_for_a_minute_gets_its_answers() {
    const CALLS: usize = 60;
    let world = World::new();
    world.define("hello", "echo hello");
    let mut child = world.command(&["serve"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
    let mut said = vec![json!({ "jsonrpc": "2.0", "id": "o", "method": "initialize", "params": about })];
    said.push(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let call = |id| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "execute_workflow",
        "arguments": { "workflow": "hello" } } })
    };
    // Much more than a pipe holds.
    let list = |id| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {} });
    said.extend((0..CALLS).map(|id| if id % 2 == 0 { call(id) } else { list(id) }));
    let mut input = child.stdin.take().unwrap();
    let saying = std::thread::spawn(move || {
        said.iter().for_each(|line| input.write_all(format!("{line}\n").as_bytes()).unwrap());
        input
    });
    std::thread::sleep(MINUTE);
    let mut open: BTreeSet<usize> = (0..CALLS).collect();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let Some(id) = answer["id"].as_u64() else { continue };
        assert!(open.remove(&usize::try_from(id).unwrap()), "{answer}");
        let value = &answer["result"];
        assert!(
            value["tools"].is_array() || value["structuredContent"]["outputs"]["text"] == "hello",
            "{answer}"
        );
        if open.is_empty() {
            break;
        }
    }
    assert!(open.is_empty(), "{open:?}");
    drop(saying.join());
    child.wait().unwrap();
}

#[test]
fn a_long_line_to_a_daemon_that_stands_still_is_in_nobodys_way() {
    let world = World::new();
    let mut client = Client::start(&world, true);
    let daemon = Pid::from_raw(world.daemon().unwrap()).unwrap();
    kill_process(daemon, Signal::STOP).unwrap();
    let arguments = json!({ "workflow": "x".repeat(1_000_000) });
    let long = client.send("tools/call", json!({ "name": "execute_workflow", "arguments": arguments }));
    let short = client.send("tools/call", json!({ "name": "list_workflows", "arguments": {} }));
    let first = client.answer_within(long, 2 * MINUTE);
    assert_eq!(first["result"]["structuredContent"]["code"], "daemon-silent", "{first}");
    let second = client.answer_within(short, 2 * MINUTE);
    assert_eq!(second["result"]["isError"], true, "{second}");
    kill_process(daemon, Signal::CONT).unwrap();
    assert!(client.ask("tools/list", json!({}))["result"]["tools"].is_array());
}

/// Another program that holds the store for as long as it may.
const HOLDS: &str = "
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute('BEGIN IMMEDIATE')
print('held', flush=True)
time.sleep(150)
";

#[test]
fn a_store_that_another_program_holds_is_told_to_whoever_waits() {
    let world = World::new();
    world.define("hello", "echo hello");
    assert!(world.run(&["run", "hello"]).status.success());
    let mut holds = std::process::Command::new("python3")
        .args(["-c", HOLDS])
        .arg(world.home().join("switchback.db"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    BufReader::new(holds.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    // Whoever has enough before it is told ends at once.
    let mut cancel = world.command(&["run", "hello"]).stderr(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(cancel.id()).unwrap()).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    kill_process(pid, Signal::TERM).unwrap();
    let begun = std::time::Instant::now();
    let mut said = String::new();
    std::io::Read::read_to_string(cancel.stderr.as_mut().unwrap(), &mut said).unwrap();
    assert_eq!(cancel.wait().unwrap().code(), Some(130), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(15), "it did not wait until the store is let go");
    assert!(said.contains("was told to begin, and nobody has said yet that it has"), "{said}");
    let told = world.run(&["run", "hello"]);
    assert!(holds.try_wait().unwrap().is_none(), "it was told while it was so");
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    assert_eq!(told.status.code(), Some(1), "{said}");
    assert!(said.contains("database is locked"), "{said}");
    holds.kill().unwrap();
    holds.wait().unwrap();
    assert!(world.run(&["run", "hello"]).status.success());
}

#[test]
fn a_result_that_nobody_reads_keeps_no_command_that_is_told_to_end() {
    let world = World::new();
    world.define("large", "head -c 300000 /dev/zero | tr '\\0' x");
    let mut run = world.command(&["run", "large"]).stdout(Stdio::piped()).spawn().unwrap();
    until("the run ends", || world.json(&["runs", "--json"])["runs"][0]["status"] == "succeeded");
    // It prints what the pipe takes, and waits.
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(run.try_wait().unwrap(), None);
    kill_process(Pid::from_raw(i32::try_from(run.id()).unwrap()).unwrap(), Signal::TERM).unwrap();
    until("it ends", || run.try_wait().unwrap().is_some());
    assert_eq!(run.wait().unwrap().code(), Some(130));
}
