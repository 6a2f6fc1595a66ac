//! What people are told where something is not as they meant it.

use crate::world::{World, is_alive, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

#[test]
fn a_time_that_cannot_be_understood_is_told_in_its_log() {
    for said in ["abc", "-1"] {
        let world = World::new();
        world.define("hello", "echo hello");
        let started = world.command(&["run", "hello"]).env("SWITCHBACK_IDLE_SECONDS", said).status().unwrap();
        assert!(started.success());
        let words =
            format!("SWITCHBACK_IDLE_SECONDS is \"{said}\", which is no whole number of seconds: 600 hold");
        let log = world.home().join("daemon.log");
        until("it is told", || std::fs::read_to_string(&log).unwrap().contains(&words));
        assert!(world.daemon().is_some());
    }
}

#[test]
fn of_two_who_cancel_at_once_the_later_hears_how_it_ended() {
    let world = World::new();
    // It has to be killed, which takes its time.
    world.define("stubborn", "trap '' TERM; touch ready; while :; do sleep 1; done");
    let mut run = world.command(&["run", "stubborn"]).stderr(Stdio::null()).spawn().unwrap();
    until("it runs", || world.project().join("ready").exists());
    let id = world.json(&["runs", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
    let cancel =
        || world.command(&["cancel", &id]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let both = [cancel(), cancel()].map(|child| child.wait_with_output().unwrap());
    let (first, later): (Vec<_>, Vec<_>) = both.into_iter().partition(|output| output.status.success());
    assert_eq!((first.len(), later.len()), (1, 1));
    assert_eq!(later[0].status.code(), Some(2));
    let said = String::from_utf8_lossy(&later[0].stderr);
    assert!(said.contains(&format!("error: run {id} has been cancelled already\n")), "{said}");
    assert!(said.contains(&format!("what became of it: switchback show {id}")), "{said}");
    run.wait().unwrap();
}

/// What a pipe holds if nobody says otherwise.
const PIPE_BYTES: usize = 64 << 10;

/// A pipe that nobody reads, and its other end.
fn full() -> (std::io::PipeReader, std::io::PipeWriter) {
    let (unread, mut full) = std::io::pipe().unwrap();
    full.write_all(&[b'x'; PIPE_BYTES]).unwrap();
    (unread, full)
}

#[test]
fn a_client_that_never_reads_what_is_told_is_served() {
    let world = World::new();
    std::fs::write(world.project().join("switchback.toml"), "[run]\nwidht = 3\n").unwrap();
    let (_unread, full) = full();
    let mut serve = world.command(&["serve"]);
    let mut serve = serve.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(full).spawn().unwrap();
    let (mut input, output) = (serve.stdin.take().unwrap(), serve.stdout.take().unwrap());
    let about = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about });
    input.write_all(format!("{hello}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
    drop(input);
    until("nobody is waited for", || serve.try_wait().unwrap().is_some());
    assert_eq!(serve.wait().unwrap().code(), Some(0));
}

#[test]
fn signals_are_heard_where_nobody_reads_what_is_said() {
    let world = World::new();
    world.define("long", "touch ready; exec sleep 60");
    let (_unread, full) = full();
    let mut run = world.command(&["run", "long"]).stdout(Stdio::null()).stderr(full).spawn().unwrap();
    until("it runs", || world.project().join("ready").exists());
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    until("it is set aside", || world.json(&["runs", "--json"])["runs"][0]["status"] == "interrupted");
    until("nobody is waited for", || run.try_wait().unwrap().is_some());
    assert_eq!(run.wait().unwrap().code(), Some(130));
}

#[test]
fn two_signals_at_once_set_a_run_aside_as_one_does() {
    let world = World::new();
    for round in 0..12 {
        world.define("long", &format!("echo $$ > pid{round}; touch ready{round}; exec sleep 60"));
        let mut run = world.command(&["run", "long"]);
        let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        until("it runs", || world.project().join(format!("ready{round}")).exists());
        for _ in 0..2 {
            kill_process(Pid::from_child(&run), Signal::INT).unwrap();
            std::thread::sleep(std::time::Duration::from_micros(100 * round));
        }
        let mut said = String::new();
        run.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(130), "{said}");
        assert!(said.contains("interrupted after"), "{said}");
        let pid = std::fs::read_to_string(world.project().join(format!("pid{round}"))).unwrap();
        until("its command is ended", || !is_alive(pid.trim().parse().unwrap()));
    }
}

#[test]
fn a_third_signal_does_not_say_that_a_run_goes_on_which_was_told_to_stop() {
    let world = World::new();
    world.define("deaf", "trap '' INT TERM; touch ready; while :; do sleep 0.1; done");
    let mut run = world.command(&["run", "deaf"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    until("it runs", || world.project().join("ready").exists());
    let mut said = std::io::BufReader::new(run.stderr.take().unwrap());
    let mut told = String::new();
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    while !told.contains("stopping what runs; twice more does not wait for that") {
        assert_ne!(std::io::BufRead::read_line(&mut said, &mut told).unwrap(), 0, "{told}");
    }
    // Two that come at once may be heard as one.
    for _ in 0..20 {
        if run.try_wait().unwrap().is_some() {
            break;
        }
        kill_process(Pid::from_child(&run), Signal::INT).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    said.read_to_string(&mut told).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130), "{told}");
    assert!(told.contains("was told to stop") && !told.contains("goes on without you"), "{told}");
}

#[test]
fn what_was_asked_for_is_done_though_whoever_asked_hangs_up_at_once() {
    let world = World::new();
    let ask_and_leave = |ask: Value| {
        let (_, mut stream) = world.greet(&world.hello());
        let line = json!({ "id": 1, "ask": ask });
        stream.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
    };
    for round in 0..10 {
        world.define("long", &format!("echo $$ > made; mv made pid{round}; exec sleep 60"));
        let mut run = world.command(&["run", "long"]);
        let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let noted = world.project().join(format!("pid{round}"));
        until("it runs", || noted.exists());
        let id = world.json(&["runs", "--json"])["runs"][0]["run"].clone();
        ask_and_leave(json!({ "park": id }));
        let pid = std::fs::read_to_string(noted).unwrap();
        until("its command is ended", || !is_alive(pid.trim().parse().unwrap()));
        // It is looked for others that it may have left.
        until("nothing is under way", || world.json(&["status", "--json"])["daemon"]["effects"] == 0);
        // Whether it still follows what was set aside does not matter here.
        let _ = run.kill();
        run.wait().unwrap();
        let daemon = world.daemon().unwrap();
        ask_and_leave(json!({ "halt": ["if_quiet", false] }));
        until("the daemon has ended", || !is_alive(daemon));
    }
}

#[test]
fn a_server_in_a_folder_that_is_gone_says_so_to_whoever_asks() {
    let world = World::new();
    let binary = env!("CARGO_BIN_EXE_switchback");
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}"#;
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"list_workflows","arguments":{{}},"_meta":{meta}}}}}"#
    );
    for flag in ["", "--no-daemon"] {
        let script =
            format!("mkdir -p gone; cd gone; rmdir ../gone; echo '{call}' | '{binary}' serve {flag}");
        let served = world.shell(&script).output().unwrap();
        let answer: Value = serde_json::from_slice(&served.stdout).unwrap_or_default();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(7), &json!(true)), "{served:?}");
        assert!(answer.to_string().contains("failed to find this folder"), "{answer}");
        assert_eq!(served.status.code(), Some(1));
    }
}

#[test]
fn a_stdin_that_cannot_be_read_is_told() {
    let world = World::new();
    let binary = env!("CARGO_BIN_EXE_switchback");
    for flag in ["", "--no-daemon"] {
        let served = world.shell(&format!("exec {binary} serve {flag} < .")).output().unwrap();
        let said = String::from_utf8_lossy(&served.stderr).into_owned();
        assert_eq!(served.status.code(), Some(1), "{flag}: {said}");
        assert!(
            said.contains("failed to read what the client says from stdin: Is a directory"),
            "{flag}: {said}"
        );
    }
}

#[test]
fn a_stdout_that_takes_nothing_is_told_once() {
    let world = World::new();
    world.define("hello", "echo hello");
    let full = std::fs::File::create("/dev/full").unwrap();
    let ran = world.command(&["run", "hello", "--json"]).stdout(full).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("failed to write the answer to stdout").count(), 1, "{said}");
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_no_sudden_end() {
    let world = World::new();
    let binary = env!("CARGO_BIN_EXE_switchback");
    // 4 blocks of 512 bytes: not even a store has room in that.
    world.define("hello", "echo hello");
    let ran = world.shell(&format!("ulimit -f 4; exec {binary} run hello --no-daemon")).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{:?} {said}", ran.status);
    assert!(said.contains("error:"), "{said}");
    // What it starts ends by the signal as ever.
    world.define("grows", "ulimit -f 4; sh -c 'head -c 100000 /dev/zero > grown'; echo $?");
    let ran = world.json(&["run", "grows", "--json"]);
    assert_ne!(ran["outputs"]["text"], "0", "{ran}");
    assert!(std::fs::metadata(world.project().join("grown")).unwrap().len() <= 4096);
}

#[test]
fn a_run_is_cancelled_before_its_journal_is_looked_at() {
    let world = World::new();
    world.define("long", "touch ready; sleep 60");
    let mut run = world.command(&["run", "long"]).stderr(Stdio::null()).spawn().unwrap();
    until("it runs", || world.project().join("ready").exists());
    let row = || world.json(&["runs", "--json"])["runs"][0].clone();
    let id = row()["run"].as_str().unwrap().to_owned();
    let log = world.project().join("points");
    let mut cancel = world.command(&["cancel", &id]);
    cancel.env("SWITCHBACK_KILL_AT", "1").env("SWITCHBACK_KILL_LOG", &log);
    assert_eq!(cancel.output().unwrap().status.code(), None, "it dies when it begins to look");
    assert_eq!(std::fs::read_to_string(log).unwrap(), "1 cancel:looks\n");
    until("it is cancelled all the same", || row()["status"] == "cancelled");
    run.wait().unwrap();
}

#[test]
fn a_server_that_nobody_hears_says_so() {
    let world = World::new();
    for (redirection, is_told) in
        [(">&-", true), (">/dev/null", true), ("| cat", false), ("> answers", false)]
    {
        let line = format!("'{}' serve {redirection}", env!("CARGO_BIN_EXE_switchback"));
        let output = world.shell(&line).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.contains("nobody hears what is answered here"), is_told, "{redirection}: {said}");
        assert!(output.status.success());
    }
}

#[test]
fn inside_a_command_the_product_means_the_same_data() {
    let world = World::new();
    world.define("where", "printf %s \"$SWITCHBACK_HOME\"");
    let home = world.home().display().to_string();
    let outputs = |args: &[&str]| world.json(args)["outputs"]["text"].clone();
    assert_eq!(outputs(&["run", "where", "--json"]), home);
    // As it reads from every folder.
    let from_here =
        world.command(&["run", "where", "--json"]).env("SWITCHBACK_HOME", "../home").output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&from_here.stdout).unwrap();
    let text = document["outputs"]["text"].as_str().unwrap();
    assert!(
        text.starts_with('/') && std::path::Path::new(text).canonicalize().unwrap() == world.home(),
        "{text}"
    );
}
