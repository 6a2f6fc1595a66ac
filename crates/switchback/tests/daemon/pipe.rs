//! The pipe between an MCP client and the daemon: it outlives the daemon, and holds nobody.

use crate::world::{PATIENCE, World, is_alive, kill, until};
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const GO: &str = "touch began; while ! test -e go; do sleep 0.02; done; echo gone";

/// An MCP client of one era.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    older: bool,
    last: u64,
    /// Answers that came before they were asked for.
    early: Vec<Value>,
}

impl Client {
    pub(crate) fn start(world: &World, older: bool) -> Client {
        Client::start_with(world, older, &["serve"])
    }

    pub(crate) fn start_with(world: &World, older: bool, args: &[&str]) -> Client {
        let mut command = world.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let mut client =
            Client { input: child.stdin.take(), child, lines, older, last: 0, early: Vec::new() };
        if older {
            let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" } });
            let opened = client.ask("initialize", about);
            assert_eq!(opened["result"]["protocolVersion"], "2025-06-18", "{opened}");
            client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        client
    }

    fn say(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if !self.older {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            });
        }
        let message = json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params });
        self.say(&message);
        self.last
    }

    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.answer_within(id, PATIENCE)
    }

    pub(crate) fn answer_within(&mut self, id: u64, patience: Duration) -> Value {
        if let Some(position) = self.early.iter().position(|message| message["id"] == id) {
            return self.early.remove(position);
        }
        loop {
            let message = self.lines.recv_timeout(patience).expect("an answer");
            match message.get("method") {
                None if message["id"] == id => return message,
                None => self.early.push(message),
                Some(_) => {}
            }
        }
    }

    /// How many answers have come so far that nobody has looked at.
    pub(crate) fn answered(&mut self) -> usize {
        self.early.extend(self.lines.try_iter().filter(|message| message.get("method").is_none()));
        self.early.len()
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    pub(crate) fn execute(&mut self, workflow: &str) -> u64 {
        self.send("tools/call", json!({ "name": "execute_workflow", "arguments": { "workflow": workflow } }))
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    pub(crate) fn hang_up(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

fn both(test: impl Fn(bool)) {
    test(true);
    test(false);
}

fn daemon(world: &World) -> i32 {
    world.daemon().unwrap()
}

#[test]
fn a_call_under_way_when_the_daemon_dies_is_answered_by_the_next_one_and_nothing_starts_twice() {
    both(|older| {
        let world = World::new();
        world.define("slow", &format!("echo x >> count; {GO}"));
        let mut client = Client::start(&world, older);
        let call = client.execute("slow");
        until("the step begins", || world.project().join("began").exists());
        kill(daemon(&world));
        let answer = client.answer(call);
        assert_eq!(answer["result"]["structuredContent"]["status"], "paused", "{answer}");
        let count = std::fs::read_to_string(world.project().join("count")).unwrap();
        assert_eq!(count, "x\n");
        assert_eq!(world.json(&["runs", "--json"])["runs"].as_array().unwrap().len(), 1);
        // The conversation goes on as if nothing had happened.
        assert!(client.ask("tools/list", json!({}))["result"]["tools"].is_array());
        assert_eq!(client.hang_up(), Some(0));
    });
}

#[test]
fn a_client_that_says_nothing_while_the_daemon_dies_twice_is_served_afterwards() {
    both(|older| {
        let world = World::new();
        world.define("hello", "echo hello");
        let mut client = Client::start(&world, older);
        for _ in 0..2 {
            let answer = client.execute("hello");
            let answer = client.answer(answer);
            assert_eq!(answer["result"]["structuredContent"]["outputs"]["text"], "hello", "{answer}");
            kill(daemon_by_file(&world));
        }
        assert!(client.ask("tools/list", json!({}))["result"]["tools"].is_array());
    });
}

fn daemon_by_file(world: &World) -> i32 {
    let file = world.home().join("daemon.pid");
    std::fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

#[test]
fn a_daemon_that_was_stopped_is_not_brought_back_until_the_client_asks() {
    both(|older| {
        let world = World::new();
        world.define("slow", GO);
        let mut client = Client::start(&world, older);
        let call = client.execute("slow");
        until("the step begins", || world.project().join("began").exists());
        assert!(world.run(&["stop", "--now"]).status.success());
        let answer = client.answer(call);
        let value = &answer["result"]["structuredContent"];
        assert!(value["status"] == "paused" || value["code"] == "daemon-stopped", "{answer}");
        assert_eq!(world.daemon(), None);
        assert!(client.ask("tools/list", json!({}))["result"]["tools"].is_array());
        assert!(world.daemon().is_some());
    });
}

#[test]
fn a_client_that_is_killed_leaves_its_run_to_the_daemon() {
    let world = World::new();
    world.define("slow", GO);
    let mut client = Client::start(&world, false);
    client.execute("slow");
    until("the step begins", || world.project().join("began").exists());
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    std::fs::write(world.project().join("go"), "").unwrap();
    until("the run ends", || world.json(&["runs", "--json"])["runs"][0]["status"] == "succeeded");
}

#[test]
fn whoever_waits_for_the_end_of_a_pipe_does_not_wait_for_the_daemon() {
    let world = World::new();
    let mut command = world.command(&["serve"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdin.take());
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!((out.as_str(), err.as_str()), ("", ""));
    assert!(world.daemon().is_some());
}

#[test]
fn lines_that_were_sent_before_the_end_of_input_are_answered() {
    let world = World::new();
    world.define("hello", "sleep 0.2; echo hello");
    let mut client = Client::start(&world, true);
    let call = client.execute("hello");
    drop(client.input.take());
    assert_eq!(client.answer(call)["result"]["structuredContent"]["status"], "success");
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_store_that_cannot_be_opened_is_told_on_stderr_and_by_the_exit_code() {
    let world = World::new();
    std::fs::create_dir(world.home()).unwrap();
    std::fs::write(
        world.home().join("switchback.db"),
        "this is no database, and long enough to be looked at".repeat(50),
    )
    .unwrap();
    let output = world.run(&["serve"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("switchback.db"), "{said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_server_without_a_daemon_that_is_ended_leaves_no_process_behind() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let world = World::new();
        world.define("long", "sleep 600 & echo $! > sleeps; wait");
        let mut client = Client::start_with(&world, true, &["serve", "--no-daemon"]);
        client.execute("long");
        let sleeps =
            || std::fs::read_to_string(world.project().join("sleeps")).ok()?.trim().parse::<i32>().ok();
        until("it sleeps", || sleeps().is_some());
        let pid = Pid::from_raw(client.child.id().cast_signed()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
        assert_eq!(client.child.wait().unwrap().code(), Some(130));
        until("its command is gone", || !is_alive(sleeps().unwrap()));
    }
}

#[test]
fn a_client_that_came_before_the_store_could_be_opened_is_served_once_it_can() {
    both(|older| {
        let world = World::new();
        world.define("hello", "echo hello");
        std::fs::create_dir_all(world.home().join("store.lock")).unwrap();
        let mut client = Client::start(&world, older);
        let refused = client.call("execute_workflow", json!({ "workflow": "hello" }));
        assert_eq!(refused["result"]["structuredContent"]["code"], "no-store", "{refused}");
        std::fs::remove_dir(world.home().join("store.lock")).unwrap();
        let mut answer = Value::Null;
        until("the store is opened", || {
            answer = client.call("execute_workflow", json!({ "workflow": "hello" }));
            answer["result"]["structuredContent"]["status"] == "success"
        });
        assert_eq!(client.hang_up(), Some(0));
    });
}

#[test]
fn a_client_that_came_before_the_data_directory_could_be_used_hears_why_it_cannot_be_now() {
    both(|older| {
        let world = World::new();
        world.define("hello", "echo hello");
        std::fs::write(world.home(), "").unwrap();
        let mut client = Client::start(&world, older);
        let mut call = || {
            let answer = client.call("execute_workflow", json!({ "workflow": "hello" }));
            answer["result"]["structuredContent"].clone()
        };
        let refused = call();
        assert_eq!(refused["code"], "no-store", "{refused}");
        std::fs::remove_file(world.home()).unwrap();
        std::fs::create_dir(world.home()).unwrap();
        std::fs::set_permissions(world.home(), Permissions::from_mode(0o777)).unwrap();
        until("the new reason is told", || call()["reason"].as_str().unwrap().contains("chmod"));
        std::fs::set_permissions(world.home(), Permissions::from_mode(0o700)).unwrap();
        until("it is served", || call()["status"] == "success");
        assert_eq!(client.hang_up(), Some(0));
    });
}

#[test]
fn what_cannot_be_read_is_answered_and_the_conversation_goes_on() {
    let world = World::new();
    let mut client = Client::start(&world, false);
    let input = client.input.as_mut().unwrap();
    input
        .write_all(
            b"garbage\n{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"x\",\"params\":{\"a\":\"\\ud800\"}}\n",
        )
        .unwrap();
    let answers: Vec<Value> = (0..2).map(|_| client.lines.recv_timeout(PATIENCE).unwrap()).collect();
    assert_eq!(answers[0]["error"]["code"], -32700);
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!(77), &json!(-32700)));
    assert!(client.ask("tools/list", json!({}))["result"]["tools"].is_array());
    assert_eq!(client.hang_up(), Some(0));
}

#[test]
fn what_is_no_message_is_answered_with_its_id_and_holds_nobody() {
    both(|older| {
        let world = World::new();
        let mut client = Client::start(&world, older);
        let wrong = [
            (r#"{"jsonrpc":"1.0","id":"l","method":"ping"}"#, json!("l"), -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600),
            (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, json!({ "a": 1 }), -32600),
            (r#"{"jsonrpc":"2.0","id":[7],"method":"ping"}"#, json!([7]), -32600),
            (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, json!(true), -32600),
            (
                r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"tools/list","params":[]}"#,
                json!(9_223_372_036_854_775_808_u64),
                -32602,
            ),
            (r#"{"jsonrpc":"2.0","id":70,"method":"tools/list","params":[]}"#, json!(70), -32602),
            (r#"{"jsonrpc":"2.0","id":71,"method":"tools/call","params":"x"}"#, json!(71), -32602),
            (r#"{"jsonrpc":"2.0","id":72,"method":"ping","params":{"_meta":"x"}}"#, json!(72), -32602),
        ];
        for (line, id, code) in wrong {
            client.input.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
            let answer = client.lines.recv_timeout(PATIENCE).unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line} {answer}");
        }
        // A number is answered as it was written.
        let line = r#"{"jsonrpc":"2.0","id":5.0,"method":"tools/walk","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
        client.input.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
        let answer = client.lines.recv_timeout(PATIENCE).unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5.0), &json!(-32601)), "{answer}");
        let ended = std::time::Instant::now();
        assert_eq!(client.hang_up(), Some(0));
        assert!(ended.elapsed() < PATIENCE, "{:?}", ended.elapsed());
    });
}

#[test]
fn a_call_may_be_as_long_as_any_line() {
    let world = World::new();
    let mut client = Client::start(&world, true);
    let line = |text: &str| {
        let arguments = json!({ "workflow": text });
        let params = json!({ "name": "get_workflow_info", "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params }).to_string()
    };
    let room = (16 << 20) - line("").len();
    for (more, key) in [(0, "result"), (1, "error"), (40 << 20, "error"), (0, "result")] {
        let whole = line(&"x".repeat(room + more));
        client.input.as_mut().unwrap().write_all(format!("{whole}\n").as_bytes()).unwrap();
        let answer = client.answer(9);
        assert!(answer[key].is_object(), "{more} {}", &answer.to_string()[..500]);
    }
    assert_eq!(client.hang_up(), Some(0));
}

#[test]
fn a_restart_is_not_noticed_by_a_client_that_works() {
    both(|older| {
        let world = World::new();
        world.define("hello", "echo hello");
        let mut client = Client::start(&world, older);
        for round in 0..6 {
            let calls: Vec<u64> = (0..3).map(|_| client.execute("hello")).collect();
            if round % 2 == 0 {
                // Steps under way are not interrupted: a restart that is refused is tried again.
                until("a restart", || world.run(&["restart"]).status.success());
            }
            for call in calls {
                let answer = client.answer(call);
                assert_eq!(answer["result"]["structuredContent"]["status"], "success", "{answer}");
            }
        }
        assert_eq!(client.hang_up(), Some(0));
    });
}

#[test]
fn a_pipe_outlives_any_number_of_deaths() {
    let world = World::new();
    world.define("hello", "echo hello");
    let mut client = Client::start(&world, false);
    for _ in 0..8 {
        let call = client.execute("hello");
        let answer = client.answer(call);
        assert_eq!(answer["result"]["structuredContent"]["status"], "success", "{answer}");
        kill(daemon_by_file(&world));
    }
    assert!(client.ask("tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn a_step_that_ends_its_daemon_each_time_is_asked_about_and_the_pipe_stays() {
    both(|older| {
        let world = World::new();
        let text = "name: fatal\nblocks:\n  - id: a\n    type: Shell\n    on_interrupt: retry\n    inputs:\n      command: \
                    echo k >> klog; kill -9 $PPID; sleep 5\n";
        std::fs::create_dir_all(world.project().join(".switchback/workflows")).unwrap();
        std::fs::write(world.project().join(".switchback/workflows/fatal.yaml"), text).unwrap();
        let mut client = Client::start(&world, older);
        // Whatever comes of the call itself, it is answered, and so are those after it.
        client.call("execute_workflow", json!({ "workflow": "fatal" }));
        until("the run asks", || {
            let runs = client.call("get_workflow_status", json!({}));
            runs["result"]["structuredContent"]["runs"][0]["status"] == "waiting"
        });
        let log = std::fs::read_to_string(world.project().join("klog")).unwrap();
        assert_eq!(log.lines().count(), 4, "{log}");
    });
}

#[test]
fn a_client_that_hung_up_and_reads_slowly_gets_its_last_answers_whole() {
    for args in [&["serve"][..], &["serve", "--no-daemon"]] {
        for _ in 0..5 {
            let world = World::new();
            let mut command = world.command(args);
            let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = piped.spawn().unwrap();
            let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" } });
            let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about });
            let mut said = format!(
                "{opening}\n{}\n",
                json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
            );
            for id in 1..=20 {
                // Far more than a pipe holds.
                said += &format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" }));
            }
            child.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
            let mut output = BufReader::new(child.stdout.take().unwrap());
            let mut first = String::new();
            output.read_line(&mut first).unwrap();
            // Nobody reads while all the rest is answered.
            std::thread::sleep(std::time::Duration::from_millis(1_000));
            let lines: Vec<Value> = std::iter::once(Ok(first))
                .chain(output.lines())
                .map(|line| {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    serde_json::from_str(&line.unwrap()).unwrap()
                })
                .collect();
            let mut ids: Vec<u64> = lines.iter().filter_map(|line| line["id"].as_u64()).collect();
            ids.sort_unstable();
            assert_eq!(ids, (0..=20).collect::<Vec<_>>(), "{args:?}");
            assert!(child.wait().unwrap().success());
        }
    }
}
