//! The real keyring: GNOME's, on a session bus of the test's own. Where it cannot be had the tests say so and are skipped; with
//! SWITCHBACK_REQUIRE_TOOLS=1 that is a failure.

use crate::flows::{ONE, TOKEN, TOKEN_WORD};
use crate::traces::Traces;
use crate::world::World;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const TOOLS: [&str; 4] = ["secret-tool", "gnome-keyring-daemon", "dbus-run-session", "dbus-send"];

/// A session bus with an unlocked keyring on it. Both end with this.
struct Session {
    child: Child,
    address: String,
}

impl Session {
    /// Nothing where a tool is missing; that has been said then.
    fn begin(world: &World) -> Option<Session> {
        let missing = |tool: &&str| Command::new("sh").args(["-c", &format!("command -v {tool}")]).output();
        let missing = |tool: &&str| !missing(tool).unwrap().status.success();
        if let Some(tool) = TOOLS.iter().find(|tool| missing(tool)) {
            return skipped(&format!("there is no {tool} here"));
        }
        let runtime = world.root().join("runtime");
        std::fs::DirBuilder::new().mode(0o700).create(&runtime).unwrap();
        let script = "printf password | gnome-keyring-daemon --unlock --components=secrets > /dev/null || exit\n\
                      echo \"$DBUS_SESSION_BUS_ADDRESS\"; exec cat";
        let mut command = Command::new("dbus-run-session");
        command.args(["--", "sh", "-c", script]).env("HOME", world.root()).env("XDG_RUNTIME_DIR", runtime);
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("XDG_DATA_HOME");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
        let session = Session { child, address: address.trim().to_owned() };
        if session.address.is_empty() {
            return skipped("no keyring could be started");
        }
        Some(session)
    }

    fn lock(&self) {
        let mut command = Command::new("dbus-send");
        command.args(["--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets"]);
        command.arg("org.freedesktop.Secret.Service.Lock");
        command.arg("array:objpath:/org/freedesktop/secrets/collection/login");
        let output = command.env("DBUS_SESSION_BUS_ADDRESS", &self.address).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Without a reader it ends, and its bus with it.
        drop(self.child.stdin.take());
        let deadline = Instant::now() + Duration::from_secs(5);
        while self.child.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                kill_process_group(Pid::from_child(&self.child), Signal::KILL).unwrap();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn skipped<T>(reason: &str) -> Option<T> {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    assert!(std::env::var_os("SWITCHBACK_REQUIRE_TOOLS").is_none(), "{test} must run, and cannot: {reason}");
    std::io::stderr().write_all(format!("\n{test}: SKIPPED, {reason}\n").as_bytes()).unwrap();
    None
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The words of `doctor` about the keyring.
fn doctor(world: &World) -> String {
    let all = said(&world.run(&["doctor"]));
    all.lines().find(|line| line.contains("secrets: keyring")).unwrap_or_default().to_owned()
}

fn with(world: World, session: &Session) -> World {
    world.env("DBUS_SESSION_BUS_ADDRESS", &session.address)
}

#[test]
fn a_secret_of_the_keyring_is_given_to_a_command_and_found_nowhere() {
    let world = World::new();
    let Some(session) = Session::begin(&world) else { return };
    let (world, traces) = (with(world, &session), Traces::of(&[TOKEN_WORD]));
    world.define("one", ONE);
    assert!(doctor(&world).contains("none yet"), "{}", doctor(&world));
    let kept = world.feed(&["secret", "set", "TOKEN", "--keyring"], &format!("{TOKEN}\n"));
    assert!(said(&kept).contains("`TOKEN` is kept in the keyring"), "{}", said(&kept));
    assert!(!world.data().join("secrets.toml").exists());
    assert!(doctor(&world).contains("1 in it: TOKEN"), "{}", doctor(&world));
    // By the daemon, by the daemon that is there already, and alone.
    for args in [&["run", "one"][..], &["run", "one"], &["run", "one", "--no-daemon"]] {
        if args.contains(&"--no-daemon") {
            world.run(&["stop", "--now"]);
        }
        let output = world.run(args);
        assert!(output.status.success() && said(&output).contains("<[secret TOKEN]>"), "{}", said(&output));
        traces.absent(&format!("{args:?}"), said(&output).as_bytes());
    }
    let listed = world.run(&["secret", "list"]);
    assert!(said(&listed).contains("TOKEN") && said(&listed).contains("keyring"), "{}", said(&listed));
    for args in [&["secret", "list", "--json"][..], &["doctor", "--json"], &["status", "--json"]] {
        traces.absent(&format!("{args:?}"), said(&world.run(args)).as_bytes());
    }
    // The keyring of the test lies below as well, and is locked with a password.
    assert!(traces.absent_below(world.root(), &[]) >= 4);
    let removed = world.run(&["secret", "remove", "TOKEN"]);
    assert!(said(&removed).contains("removed from the keyring"), "{}", said(&removed));
    let missed = world.run(&["run", "one"]);
    assert!(
        missed.status.code() == Some(2) && said(&missed).contains("the keyring has none"),
        "{}",
        said(&missed)
    );
}

#[test]
fn the_value_is_what_the_keyring_holds_to_the_last_byte() {
    let world = World::new();
    let Some(session) = Session::begin(&world) else { return };
    let world = with(world, &session);
    let count = "test \"$(printf %s \"$TOKEN\" | wc -c)\" -eq";
    // As a person puts it there without us.
    let store = |value: &str| {
        let mut store = Command::new("secret-tool");
        store.args(["store", "--label=mine", "service", "switchback", "name", "TOKEN"]);
        store.env("DBUS_SESSION_BUS_ADDRESS", &session.address).stdin(Stdio::piped());
        let mut child = store.spawn().unwrap();
        child.stdin.take().unwrap().write_all(value.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    };
    for (kept, bytes) in [("abcdefg\n", 8), ("abcdefg", 7), ("ab\ncd\n\n", 7)] {
        store(kept);
        world.define("one", &ONE.replace("echo \"<$TOKEN>\"", &format!("{count} {bytes}")));
        let output = world.run(&["run", "one"]);
        assert!(output.status.success(), "{kept:?}: {}", said(&output));
    }
    // What cannot be a secret is told, and no other place speaks for it.
    store("abc\n");
    assert!(world.set("TOKEN", TOKEN).status.success());
    let refused = world.run(&["run", "one"]);
    let why = "the value in the keyring has fewer than 4 characters";
    assert!(refused.status.code() == Some(2) && said(&refused).contains(why), "{}", said(&refused));
    for (bytes, code) in [(8191, 0), (8192, 2)] {
        let set = world.feed(&["secret", "set", "LARGE", "--keyring"], &"x".repeat(bytes));
        assert_eq!(set.status.code(), Some(code), "{}", said(&set));
    }
}

#[test]
fn a_locked_keyring_is_told_and_passed_by() {
    let world = World::new();
    let Some(session) = Session::begin(&world) else { return };
    let world = with(world, &session);
    world.define("one", ONE);
    assert!(world.feed(&["secret", "set", "TOKEN", "--keyring"], TOKEN).status.success());
    session.lock();
    let missed = world.run(&["run", "one"]);
    assert_eq!(missed.status.code(), Some(2));
    assert!(said(&missed).contains("keyring: it is locked"), "{}", said(&missed));
    assert!(doctor(&world).starts_with("warn") && doctor(&world).contains("locked"), "{}", doctor(&world));
    assert!(said(&world.run(&["secret", "list"])).contains("keyring (locked)"));
    let set = world.feed(&["secret", "set", "OTHER", "--keyring"], "other-value");
    assert!(set.status.code() == Some(2) && said(&set).contains("it is locked"), "{}", said(&set));
    // The next place has it.
    let kept = world.set("TOKEN", TOKEN);
    assert!(said(&kept).contains("looked at first"), "{}", said(&kept));
    assert!(world.run(&["run", "one"]).status.success());
}

#[test]
fn without_a_bus_or_a_tool_the_other_places_are_used() {
    let world = World::new().env("PATH", "/nowhere");
    world.define("one", ONE);
    let words = ["keyring: `secret-tool` is not installed", "there is no session bus"];
    if cfg!(target_os = "linux") {
        let missed = said(&world.run(&["run", "one"]));
        assert!(missed.contains(words[0]), "{missed}");
        assert!(doctor(&world).contains("is not installed; the other places"), "{}", doctor(&world));
        let set = world.feed(&["secret", "set", "TOKEN", "--keyring"], TOKEN);
        assert!(set.status.code() == Some(2) && said(&set).contains("secret set TOKEN"), "{}", said(&set));
    }
    let has = Command::new("sh").args(["-c", "command -v secret-tool"]).output().unwrap().status.success();
    if !has {
        return skipped("there is no secret-tool here").unwrap_or_default();
    }
    let world = World::new();
    world.define("one", ONE);
    let missed = said(&world.run(&["run", "one"]));
    assert!(missed.contains(words[1]), "{missed}");
    assert!(doctor(&world).contains(words[1]), "{}", doctor(&world));
    assert!(world.set("TOKEN", TOKEN).status.success() && world.run(&["run", "one"]).status.success());
}
