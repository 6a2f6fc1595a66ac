//! A keyring that does not answer: that is said, and whoever gives up leaves no program behind.

use crate::world::World;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Says who it is.
const SAY: &str = "echo $$ > \"${0%/*}/pid.new\"; mv \"${0%/*}/pid.new\" \"${0%/*}/pid\"";

/// A `secret-tool` that stays, or one that has another do it.
fn silent(folder: &Path, has_child: bool) {
    fs::create_dir(folder).unwrap();
    let script = match has_child {
        true => format!("#!/bin/sh\nsh -c '{SAY}; exec sleep 300' \"$0\"; exit 1\n"),
        false => format!("#!/bin/sh\n{SAY}\nexec sleep 300\n"),
    };
    let (tool, text) = (folder.join("secret-tool"), folder.join("text"));
    fs::write(&text, script).unwrap();
    // Written by another process: one that is open for writing here cannot be started.
    let made = Command::new("install").args(["-m", "755"]).args([&text, &tool]).status();
    assert!(made.unwrap().success());
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_gives_up_leaves_nothing_behind_and_was_told_what_is_waited_for() {
    let signals = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL];
    for (number, signal) in signals.into_iter().enumerate() {
        let world = World::new();
        let tools = world.root().join("tools");
        // Who is killed ends nobody, and the system ends only the first.
        silent(&tools, signal != Signal::KILL);
        let path = format!("{}:/usr/bin:/bin", tools.display());
        let args: &[&str] = if number % 2 == 0 {
            &["secret", "remove", "TOKEN"]
        } else {
            &["secret", "set", "TOKEN", "--keyring"]
        };
        let mut command = world.command(args);
        command.env("PATH", path).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        let text = world.root().join("value");
        fs::write(&text, "a value of sixteen").unwrap();
        command.stdin(fs::File::open(&text).unwrap()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pid = tools.join("pid");
        until("the keyring is asked", || pid.exists());
        let tool: i32 = fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
        let mut said = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
        assert!(said.starts_with("waiting for the keyring"), "{args:?}: {said}");
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert!(!child.wait().unwrap().success());
        let tool = Pid::from_raw(tool).unwrap();
        until("its program ends", || test_kill_process(tool).is_err());
    }
}
