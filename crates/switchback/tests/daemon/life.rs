//! How a daemon begins, what it holds, and how it ends.

use crate::world::{World, is_alive, kill, until};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

#[test]
fn commands_that_only_look_start_nothing() {
    let world = World::new();
    world.define("hello", "echo hello");
    for args in [&["list"][..], &["check"], &["runs"], &["status"], &["show", "x"], &["stop"]] {
        world.run(args);
        assert!(!world.home().join("daemon.pid").exists(), "{args:?}");
    }
    assert!(world.run(&["run", "hello"]).status.success());
    let pid = world.daemon().unwrap();
    for args in [&["list"][..], &["runs"], &["runs", "--json"], &["status"]] {
        assert!(world.run(args).status.success(), "{args:?}");
    }
    assert_eq!(world.daemon(), Some(pid));
}

#[test]
fn a_daemon_holds_nothing_of_whoever_started_it() {
    let world = World::new();
    world.define("hello", "echo hello");
    let (mut read, write) = std::io::pipe().unwrap();
    // A descriptor that is inherited, as a harness that waits for the end of a pipe would leave one behind.
    rustix::io::fcntl_setfd(write.as_fd(), rustix::io::FdFlags::empty()).unwrap();
    let mut child =
        world.command(&["run", "hello"]).env("SECRET_TOKEN", "s3cret").stdout(Stdio::null()).spawn().unwrap();
    drop(write);
    assert!(child.wait().unwrap().success());
    let pid = world.daemon().unwrap();
    // Comes back only if nobody holds the other end.
    read.read_to_end(&mut Vec::new()).unwrap();
    assert!(is_alive(pid));
    if cfg!(target_os = "linux") {
        let of = |name: &str| format!("/proc/{pid}/{name}");
        assert_eq!(std::fs::read_link(of("cwd")).unwrap().to_str(), Some("/"));
        let environ = std::fs::read_to_string(of("environ")).unwrap();
        assert!(!environ.contains("s3cret") && !environ.contains("SWITCHBACK_EFFECT"), "{environ}");
        let stat = std::fs::read_to_string(of("stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        assert_eq!(fields[1], "1", "it is nobody's child");
        assert_ne!(fields[3], std::process::id().to_string(), "it has a session of its own");
    }
}

#[test]
fn what_lies_beside_the_store_is_for_its_owner_alone() {
    let world = World::new();
    world.define("hello", "echo hello");
    world.run(&["run", "hello"]);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(world.home()), mode(&world.socket())), (0o700, 0o600));
    for name in ["daemon.pid", "daemon.log", "switchback.db"] {
        assert_eq!(mode(&world.home().join(name)), 0o600, "{name}");
    }
}

#[test]
fn it_ends_when_it_has_nothing_to_do_and_leaves_nothing_behind() {
    let world = World::new();
    world.define("hello", "echo hello");
    let started = world.command(&["run", "hello"]).env("SWITCHBACK_IDLE_SECONDS", "0").status().unwrap();
    assert!(started.success());
    until("an idle daemon ends", || !world.home().join("daemon.pid").exists());
    assert!(!world.socket().exists());
    assert_eq!(world.daemon(), None);
}

#[test]
fn files_of_a_daemon_that_is_gone_are_in_nobodys_way() {
    let world = World::new();
    world.define("hello", "echo hello");
    world.run(&["run", "hello"]);
    let first = world.daemon().unwrap();
    let note = world.home().join("files/of-a-run-that-is-over");
    std::fs::create_dir_all(note.parent().unwrap()).unwrap();
    std::fs::write(&note, "1 2\n").unwrap();
    kill(first);
    assert!(world.socket().exists() && world.home().join("daemon.pid").exists());
    assert!(world.run(&["run", "hello"]).status.success());
    assert_ne!(world.daemon().unwrap(), first);
    assert!(!note.exists());
    // A pid file that names a process which is no daemon at all ends nobody and hinders nobody.
    world.run(&["stop"]);
    std::fs::write(world.home().join("daemon.pid"), format!("{}\n", std::process::id())).unwrap();
    std::fs::write(world.socket(), "no socket").unwrap();
    assert!(world.run(&["run", "hello"]).status.success());
}

#[test]
fn of_twenty_clients_at_once_one_starts_it() {
    let world = World::new();
    world.define("hello", "echo hello");
    let children: Vec<_> = (0..20)
        .map(|_| {
            let mut command = world.command(&["run", "hello", "--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(run["outputs"]["text"], "hello");
    }
    let log = std::fs::read_to_string(world.home().join("daemon.log")).unwrap();
    assert_eq!(log.matches("is ready").count(), 1, "{log}");
    assert_eq!(world.json(&["runs", "-n", "50", "--json"])["runs"].as_array().unwrap().len(), 20);
}

#[test]
fn stop_refuses_to_interrupt_unless_it_is_told_to() {
    let world = World::new();
    world.define("long", "touch began; sleep 600");
    let mut client =
        world.command(&["run", "long"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("the step begins", || world.project().join("began").exists());
    let refused = world.run(&["stop"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("1 step is being carried out") && said.contains("--now"), "{said}");
    assert!(world.run(&["stop", "--now"]).status.success());
    assert_eq!(client.wait().unwrap().code(), Some(3), "the run waits for a decision");
    assert_eq!(world.json(&["runs", "--json"])["runs"][0]["status"], "waiting");
}

#[test]
fn a_data_directory_with_a_long_path_has_a_short_socket() {
    let world = World::with_home(&"x".repeat(200));
    world.define("hello", "echo hello");
    assert!(world.run(&["run", "hello"]).status.success());
    let pid = world.daemon().unwrap();
    assert!(!world.socket().exists());
    assert!(world.run(&["run", "hello"]).status.success());
    assert_eq!(world.daemon(), Some(pid));
}

#[test]
fn a_daemon_whose_socket_was_removed_listens_again() {
    let world = World::new();
    world.define("hello", "echo hello");
    world.run(&["run", "hello"]);
    let pid = world.daemon().unwrap();
    for removed in 0..2 {
        std::fs::remove_file(world.socket()).unwrap();
        match removed {
            0 => assert!(world.run(&["run", "hello"]).status.success()),
            _ => assert_eq!(world.daemon(), Some(pid)),
        }
    }
    assert_eq!(world.daemon(), Some(pid));
}

#[test]
fn a_daemon_that_does_not_answer_is_named() {
    let world = World::new();
    world.define("hello", "echo hello");
    world.run(&["run", "hello"]);
    let pid = world.daemon().unwrap();
    let process = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::STOP).unwrap();
    let silent = world.run(&["status"]);
    rustix::process::kill_process(process, rustix::process::Signal::CONT).unwrap();
    let said = String::from_utf8_lossy(&silent.stderr).into_owned();
    assert!(said.contains(&format!("the daemon (process {pid}) is there and does not answer")), "{said}");
    assert!(said.contains(&format!("kill -CONT {pid}")), "{said}");
    assert_eq!(world.daemon(), Some(pid));
}

#[test]
fn commands_make_files_with_the_rights_of_whoever_started_them() {
    let world = World::new();
    world.define("touch", "umask; touch made; stat -c %a made 2>/dev/null || stat -f %Lp made");
    for mask in ["022", "027", "077"] {
        let _ = std::fs::remove_file(world.project().join("made"));
        let binary = env!("CARGO_BIN_EXE_switchback");
        let mut shell = world.shell(&format!("umask {mask}; exec {binary} run touch --json"));
        let output = shell.output().unwrap();
        let run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let rights = format!("{:o}", 0o666 & !u32::from_str_radix(mask, 8).unwrap());
        assert_eq!(run["outputs"]["text"], format!("0{mask}\n{rights}"), "{run}");
    }
}

#[test]
fn whoever_only_looks_on_stops_nothing() {
    let world = World::new();
    world.define("long", "touch began; while ! test -e go; do sleep 0.02; done; echo gone");
    let mut first = world.command(&["run", "long", "--json"]);
    let first = first.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    until("the step begins", || world.project().join("began").exists());
    let run = world.json(&["runs", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
    let mut other = world.command(&["resume", &run]);
    let mut other = other.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = std::io::BufReader::new(other.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    let process = rustix::process::Pid::from_child(&other);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    said.read_to_string(&mut line).unwrap();
    assert_eq!(other.wait().unwrap().code(), Some(130), "{line}");
    assert!(line.contains(&format!("{run} goes on without you")), "{line}");
    std::fs::write(world.project().join("go"), "").unwrap();
    let ended: serde_json::Value = serde_json::from_slice(&first.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(ended["status"], "succeeded");
}

#[test]
fn a_daemon_that_begins_is_waited_for_though_who_started_it_is_gone() {
    let world = World::new();
    world.define("hello", "echo hello");
    let home = world.home().to_str().unwrap().to_owned();
    std::fs::create_dir_all(&home).unwrap();
    for pause in 0..12 {
        // Nobody holds the lock of those who start one.
        let mut daemon = world.command(&["daemon", &home]);
        let mut daemon = daemon.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(pause * 4));
        let ran = world.run(&["run", "hello"]);
        assert!(ran.status.success(), "{pause}: {}", String::from_utf8_lossy(&ran.stderr));
        daemon.wait().unwrap();
        assert!(world.run(&["stop", "--now"]).status.success());
    }
}
