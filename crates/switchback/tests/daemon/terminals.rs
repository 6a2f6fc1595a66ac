//! Terminals and the daemon that holds them: it stays while one is open, ends all of them with itself, says which a crash has
//! taken, shows them to people, and lets nobody pass a gate from inside one.

use crate::gate::gated;
use crate::pipe::Client;
use crate::world::{World, is_alive, kill, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

const SHELL: &str = "bash --norc --noprofile";

fn call(client: &mut Client, tool: &str, arguments: Value) -> Value {
    client.call(tool, arguments)["result"]["structuredContent"].clone()
}

fn opened(client: &mut Client) -> String {
    let answer = call(client, "open_terminal", json!({"shell": SHELL, "environment": {"PS1": "$ "}}));
    assert_eq!(answer["success"], true, "{answer:#}");
    answer["session_id"].as_str().unwrap().to_owned()
}

fn typed(client: &mut Client, id: &str, text: &str) {
    let answer = call(client, "send_input", json!({"session_id": id, "input_text": text}));
    assert_eq!(answer["success"], true, "{answer:#}");
}

/// Types a command that leaves processes of every kind behind, and gives their ids: one in the shell's own session that ignores
/// the end of its terminal, and one that has left it.
fn busy(world: &World, client: &mut Client, id: &str) -> Vec<i32> {
    typed(client, id, "nohup sh -c 'echo $$ > one; exec sleep 300' >/dev/null 2>&1 &\n");
    typed(client, id, "setsid --fork sh -c 'echo $$ > two; exec sleep 300' >/dev/null 2>&1 </dev/null\n");
    let pid = |name: &str| {
        let read = || fs::read_to_string(world.project().join(name)).unwrap_or_default();
        until("the process runs", || read().ends_with('\n'));
        read().trim().parse().unwrap()
    };
    vec![pid("one"), pid("two")]
}

fn gone(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !is_alive(pid) || stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'))
}

/// Lets a machine wait for what is never said, and interrupts it there; gives its id.
fn set_aside(world: &World) -> String {
    let opens = json!({"tool": "open_terminal", "params": {"shell": SHELL}});
    let params = json!({"session_id": "{session_id}", "pattern": "never", "timeout": 2});
    let waits = json!({"tool": "await_output", "params": params});
    let definition = json!({
        "name": "waits",
        "initial_state": "open",
        "states": {
            "open": {"action": opens, "transitions": [{"condition": "success", "next_state": "wait"}]},
            "wait": {"action": waits, "on_timeout": "end"},
            "end": {"action": {"tool": "exit_terminal", "params": {"session_id": "{session_id}"}}},
        },
    });
    fs::write(world.project().join("waits.json"), definition.to_string()).unwrap();
    let mut run = world.command(&["run", "waits.json"]).stderr(Stdio::piped()).spawn().unwrap();
    let newest = || world.json(&["runs", "--json"])["runs"][0].clone();
    let step = |id: &str| world.json(&["show", id, "--json"])["steps"][1]["status"].clone();
    until("it waits", || newest()["run"].as_str().is_some_and(|id| step(id) == "running"));
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let mut said = String::new();
    run.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130), "{said}");
    newest()["run"].as_str().unwrap().to_owned()
}

#[test]
fn a_machine_that_was_set_aside_while_it_waited_goes_on() {
    let world = World::new();
    let id = set_aside(&world);
    let mut resumed = world.command(&["resume", &id]).spawn().unwrap();
    until("it has gone on", || resumed.try_wait().unwrap().is_some());
    assert!(resumed.wait().unwrap().success());
    assert_eq!(world.json(&["terminals", "--json"])["terminals"], json!([]));
}

#[test]
fn a_machine_that_was_set_aside_while_it_waited_is_cancelled_at_once_with_its_terminal() {
    let world = World::new();
    let id = set_aside(&world);
    let cancelled = world.run(&["cancel", &id]);
    assert!(cancelled.status.success(), "{}", String::from_utf8_lossy(&cancelled.stderr));
    assert_eq!(
        world.json(&["terminals", "--json"])["terminals"],
        json!([]),
        "its terminal is closed with it"
    );
}

#[test]
fn what_was_typed_or_opened_when_a_run_was_set_aside_is_not_done_again() {
    let world = World::new();
    let waits = json!({"session_id": "{session_id}", "input_text": "echo typed >> log\n", "settle_ms": 9000});
    let opens = json!({"shell": "sh -c 'echo opened >> log; exec cat'", "settle_ms": 9000});
    let quick = json!({"shell": SHELL});
    for (name, open, send, begun) in
        [("types", quick, Some(waits), "typed\n"), ("opens", opens, None, "opened\n")]
    {
        let next = if send.is_some() { "send" } else { "end" };
        let definition = json!({
            "name": name,
            "initial_state": "open",
            "states": {
                "open": {
                    "action": {"tool": "open_terminal", "params": open},
                    "transitions": [{"condition": "success", "next_state": next}],
                },
                "send": {
                    "action": {"tool": "send_input", "params": send.unwrap_or(json!({"input_text": ""}))},
                    "transitions": [{"condition": "success", "next_state": "end"}],
                },
                "end": {"action": {"tool": "exit_terminal", "params": {"session_id": "{session_id}"}}},
            },
        });
        fs::write(world.project().join("it.json"), definition.to_string()).unwrap();
        let log = world.project().join("log");
        let mut run = world.command(&["run", "it.json"]).stderr(Stdio::null()).spawn().unwrap();
        until("it has begun", || fs::read_to_string(&log).is_ok_and(|log| log == begun));
        kill_process(Pid::from_child(&run), Signal::INT).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(130), "{name}");
        let id = world.json(&["runs", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
        assert!(world.run(&["resume", &id]).status.success(), "{name}");
        assert_eq!(fs::read_to_string(&log).unwrap(), begun);
        assert_eq!(world.json(&["terminals", "--json"])["terminals"], json!([]), "{name}: nothing is left");
        fs::remove_file(&log).unwrap();
    }
}

#[test]
fn a_crash_of_the_daemon_loses_its_terminals_and_the_next_one_ends_and_lists_them() {
    let world = World::new();
    let mut client = Client::start(&world, true);
    let id = opened(&mut client);
    let pids = busy(&world, &mut client, &id);
    kill(world.daemon().unwrap());
    let listed = call(&mut client, "list_terminal_sessions", json!({}));
    assert_eq!(listed["total_sessions"], 0, "{listed:#}");
    let row = &listed["sessions"][0];
    assert_eq!((&row["session_id"], &row["status"]), (&json!(id), &json!("lost")), "{listed:#}");
    assert!(row["what"].as_str().unwrap().starts_with("the server died; found and ended at 20"), "{row:#}");
    assert!(pids.iter().all(|pid| gone(*pid)), "what it had left running is ended");
    let refused = call(&mut client, "send_input", json!({"session_id": id, "input_text": "x\n"}));
    assert_eq!(
        (&refused["success"], &refused["code"]),
        (&json!(false), &json!("session-lost")),
        "{refused:#}"
    );
    let log = fs::read_to_string(world.home().join("daemon.log")).unwrap();
    assert!(log.contains("ended the processes of the terminal t1 (`bash"), "{log}");
    // Its name is not given again, and the command line says the same.
    assert_eq!(opened(&mut client), "t2");
    let rows = world.json(&["terminals", "--json"])["terminals"].clone();
    assert_eq!((&rows[0]["session_id"], &rows[1]["status"]), (&json!("t2"), &json!("lost")), "{rows:#}");
    client.hang_up();
}

#[test]
fn a_daemon_that_is_told_to_end_ends_every_process_of_its_terminals() {
    let world = World::new();
    let mut client = Client::start(&world, false);
    let id = opened(&mut client);
    let pids = busy(&world, &mut client, &id);
    let asked = world.run(&["stop"]);
    let said = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(asked.status.code() == Some(2) && said.contains("1 terminal is open"), "{said}");
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    assert!(world.run(&["stop", "--now"]).status.success());
    assert!(pids.iter().all(|pid| gone(*pid)));
    // Without a daemon the notes are read; a look starts nothing.
    let rows = world.json(&["terminals", "--json"])["terminals"].clone();
    assert!(rows[0]["what"].as_str().unwrap().starts_with("the server was stopped at"), "{rows:#}");
    assert!(!world.home().join("daemon.pid").exists());
    let gone = call(&mut client, "exit_terminal", json!({"session_id": id}));
    assert!(gone["message"].as_str().unwrap().contains("is forgotten"), "{gone:#}");
    client.hang_up();
}

#[test]
fn a_daemon_does_not_end_as_long_as_a_terminal_is_open() {
    let world = World::new();
    world.define("hello", "echo hello");
    let started = world.command(&["run", "hello"]).env("SWITCHBACK_IDLE_SECONDS", "1").status().unwrap();
    assert!(started.success());
    let mut client = Client::start(&world, true);
    let id = opened(&mut client);
    let daemon = world.daemon().unwrap();
    client.hang_up();
    // Longer than it waits for something to do.
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(is_alive(daemon));
    let mut client = Client::start(&world, true);
    assert_eq!(world.daemon(), Some(daemon));
    assert_eq!(call(&mut client, "exit_terminal", json!({"session_id": id}))["success"], true);
    client.hang_up();
    until("the daemon ends", || !is_alive(daemon));
}

#[test]
fn a_daemon_is_not_replaced_while_a_terminal_is_open() {
    let world = World::new();
    let mut client = Client::start(&world, true);
    let id = opened(&mut client);
    let daemon = world.daemon().unwrap();
    let newer = world.home().join("switchback-99");
    fs::copy(env!("CARGO_BIN_EXE_switchback"), &newer).unwrap();
    let mut hello = world.hello();
    hello["version"] = json!("99.0.0");
    hello["door"] = json!("mcp");
    hello["program"] = json!(newer);
    let (_, connection) = world.greet(&hello);
    assert_eq!(world.daemon(), Some(daemon));
    typed(&mut client, &id, "exit\n");
    until("the older daemon makes room", || !is_alive(daemon));
    drop(connection);
    client.hang_up();
}

#[test]
fn no_gate_is_answered_from_inside_a_terminal() {
    let world = World::new();
    let run = gated(&world);
    let mut client = Client::start(&world, true);
    let id = opened(&mut client);
    let answer = format!("'{}' answer {run} no", env!("CARGO_BIN_EXE_switchback"));
    typed(&mut client, &id, &format!("{answer}; echo code $?\n"));
    let wait = |client: &mut Client, pattern: &str| {
        call(client, "await_output", json!({"session_id": id, "pattern": pattern, "timeout": 30}))
    };
    let waited = wait(&mut client, r"code \d+");
    assert_eq!(waited["match_text"], "code 2", "{waited:#}");
    assert!(
        waited["screen_content"].as_str().unwrap().contains("only a human may answer this"),
        "{waited:#}"
    );
    if !cfg!(target_os = "linux") {
        return;
    }
    // One that has let its parents go is known by its mark.
    let script =
        format!("until test -e orphan; do sleep 0.02; done; {answer} > said 2>&1; echo code $? > code");
    fs::write(world.project().join("later.sh"), script).unwrap();
    typed(&mut client, &id, "setsid --fork sh later.sh </dev/null >/dev/null 2>&1; exit\n");
    assert_eq!(wait(&mut client, "never")["process_running"], false);
    fs::write(world.project().join("orphan"), "").unwrap();
    let read = |name: &str| fs::read_to_string(world.project().join(name)).unwrap_or_default();
    until("it has tried", || read("code").ends_with('\n'));
    assert_eq!(read("code"), "code 2\n");
    assert!(read("said").contains("bears the mark"), "{}", read("said"));
    assert_eq!(world.json(&["show", &run, "--json"])["status"], "waiting");
    client.hang_up();
}

#[test]
fn a_person_looks_at_a_terminal_and_leaves() {
    let world = World::new();
    let mut client = Client::start(&world, true);
    let id = opened(&mut client);
    typed(&mut client, &id, "echo from the $((40+2)) agent\n");
    let shown = world.typed(&["attach", &id], &[("from the 42 agent", "\x1cd")]);
    let Some((code, shown)) = shown else { return };
    assert!(
        code == Some(0) && shown.contains("left t1; it goes on") && shown.contains("read-only"),
        "{shown}"
    );
    let (code, shown) = world.typed(&["attach", "t7"], &[]).unwrap();
    assert!(code == Some(2) && shown.contains("there is no session `t7`"), "{shown}");
    // It sees the end, too.
    typed(&mut client, &id, "sleep 0.2; exit 5\n");
    let (code, shown) = world.typed(&["attach", &id], &[]).unwrap();
    assert!(code == Some(0) && shown.contains("t1 has ended: exit code 5"), "{shown}");
    // What runs in a terminal looks at none.
    let other = opened(&mut client);
    let attach = format!("'{}' attach {other}\n", env!("CARGO_BIN_EXE_switchback"));
    typed(&mut client, &other, &attach);
    let wait = json!({"session_id": other, "pattern": "was started by the server", "timeout": 20});
    let waited = call(&mut client, "await_output", wait);
    assert_eq!(waited["match_text"], "was started by the server", "{waited:#}");
    client.hang_up();
}

#[test]
fn while_a_person_has_control_the_agent_is_told_who_and_since_when() {
    let world = World::new();
    let mut client = Client::start(&world, true);
    let id = opened(&mut client);
    let has_script = Command::new("script").arg("--version").stdout(Stdio::null()).status();
    if !has_script.is_ok_and(|status| status.success()) {
        return;
    }
    let like = world.command(&[]);
    let line = format!("exec '{}' attach {id} --control", env!("CARGO_BIN_EXE_switchback"));
    let mut person = Command::new("script");
    person.args(["-qec", &line, "/dev/null"]).current_dir(world.project()).env_clear();
    person.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("USER", "ada");
    let mut person = person.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut keys, mut screen) = (person.stdin.take().unwrap(), person.stdout.take().unwrap());
    let mut shown = Vec::new();
    let mut sees = |wanted: &str| {
        while !String::from_utf8_lossy(&shown).contains(wanted) {
            let mut byte = [0];
            assert!(screen.read(&mut byte).unwrap() > 0, "never shown: {wanted}");
            shown.extend(byte);
        }
    };
    sees("you type, agents wait");
    let refused = call(&mut client, "send_input", json!({"session_id": id, "input_text": "echo no\n"}));
    assert_eq!(
        (&refused["success"], &refused["code"]),
        (&json!(false), &json!("held-by-human")),
        "{refused:#}"
    );
    assert!(refused["error"].as_str().unwrap().contains("(ada at /dev/pts/"), "{refused:#}");
    // A run waits until they let go.
    let machine = json!({"name": "waits", "initial_state": "send", "states": {
        "send": {"action": {"tool": "send_input", "params": {"session_id": id, "input_text": "touch after\n"}}},
    }});
    fs::write(world.project().join("waits.json"), machine.to_string()).unwrap();
    let mut aside = world.command(&["run", "waits.json"]).stderr(Stdio::null()).spawn().unwrap();
    let newest = || world.json(&["runs", "--json"])["runs"][0].clone();
    until("the run has begun", || newest()["status"] == "running");
    // Meanwhile it may be set aside, and has typed nothing by then.
    kill_process(Pid::from_child(&aside), Signal::INT).unwrap();
    assert_eq!(aside.wait().unwrap().code(), Some(130));
    let mut run = world.command(&["resume", newest()["run"].as_str().unwrap()]).spawn().unwrap();
    keys.write_all(b"echo by $((1+1)) hands\r").unwrap();
    sees("by 2 hands");
    // The agent sees what the person does.
    let wait = json!({"session_id": id, "pattern": "by 2 hands", "timeout": 30});
    assert_eq!(call(&mut client, "await_output", wait)["match_text"], "by 2 hands");
    let rows = world.json(&["terminals", "--json"])["terminals"].clone();
    assert!(rows[0]["held_by"].as_str().unwrap().starts_with("ada at "), "{rows:#}");
    assert!(run.try_wait().unwrap().is_none() && !world.project().join("after").exists());
    keys.write_all(b"\x1cd").unwrap();
    screen.read_to_end(&mut Vec::new()).unwrap();
    assert!(person.wait().unwrap().success());
    until("the run has typed", || run.try_wait().unwrap().is_some());
    assert!(run.wait().unwrap().success());
    until("what it typed is done", || world.project().join("after").exists());
    until("the agent may type again", || {
        call(&mut client, "send_input", json!({"session_id": id, "input_text": "true\n"}))["success"] == true
    });
    client.hang_up();
}
