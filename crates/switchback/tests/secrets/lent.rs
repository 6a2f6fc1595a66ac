//! What a client lends: only what is named, only for its folder, and again after a daemon has died.

use crate::flows::{ONE, STAY, TOKEN};
use crate::world::World;
use serde_json::json;
use std::time::{Duration, Instant};

fn text(output: &std::process::Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_variable_is_lent_only_if_it_is_named() {
    let world = World::new().env("TOKEN", TOKEN);
    world.define("one", ONE);
    let output = world.run(&["run", "one"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("switchback secret set TOKEN") && !world.project().join("ran").exists());
    let world = world.env("SWITCHBACK_SECRETS", "OTHER, TOKEN");
    let output = world.run(&["run", "one"]);
    assert!(output.status.success() && text(&output).contains("<[secret TOKEN]>"), "{}", text(&output));
}

#[test]
fn a_folder_borrows_nothing_from_another() {
    let world = World::new().env("TOKEN", TOKEN).env("SWITCHBACK_SECRETS", "TOKEN");
    world.define("one", ONE);
    assert!(world.run(&["run", "one"]).status.success());
    let other = world.root().join("other/.switchback/workflows");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("one.yaml"), ONE).unwrap();
    let mut command = world.command(&["run", "one"]);
    command.current_dir(world.root().join("other")).env_remove("SWITCHBACK_SECRETS");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

#[test]
fn a_file_stands_over_the_environment() {
    let world = World::new().env("TOKEN", "from-the-environment").env("SWITCHBACK_SECRETS", "TOKEN");
    world.define("one", &ONE.replace("echo \"<$TOKEN>\"", "test \"$TOKEN\" = from-the-file"));
    assert!(!world.run(&["run", "one"]).status.success());
    assert!(world.set("TOKEN", "from-the-file").status.success());
    assert!(world.run(&["run", "one"]).status.success());
}

#[test]
fn a_run_goes_on_with_what_is_lent_again_after_its_daemon_died() {
    let world = World::new().env("TOKEN", TOKEN).env("SWITCHBACK_SECRETS", "TOKEN");
    let next = "\n  - {id: next, type: Shell, depends_on: [stay], inputs: {command: 'echo \"<$TOKEN>\"', \
                env: {TOKEN: \"${secrets.TOKEN}\"}}}\noutputs: {text: \"${blocks.next.stdout}\"}\n";
    let stay = STAY.trim_end().replace("    type: Shell\n", "    type: Shell\n    on_interrupt: retry\n");
    world.define("stay", &format!("{stay}{next}"));
    let mut client = world.connect("pipe.log");
    let started = client.call("execute_workflow", json!({ "workflow": "stay", "wait_seconds": 0 }));
    let run = started["workflow_id"].as_str().unwrap().to_owned();
    let begun = |deadline: Instant| {
        while !world.project().join("stays").exists() {
            assert!(Instant::now() < deadline, "it never began");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    begun(Instant::now() + Duration::from_secs(30));
    let status: serde_json::Value = serde_json::from_slice(&world.run(&["status", "--json"]).stdout).unwrap();
    let pid = i32::try_from(status["daemon"]["pid"].as_i64().unwrap()).unwrap();
    std::fs::remove_file(world.project().join("stays")).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    begun(Instant::now() + Duration::from_secs(30));
    world.write("go", "");
    let mut answer = client.call("get_workflow_status", json!({ "workflow_id": run, "wait_seconds": 30 }));
    assert_eq!(answer["status"], "succeeded", "{answer}");
    assert_eq!(answer["outputs"]["text"].take(), "<[secret TOKEN]>", "{answer}");
    client.hang_up();
}

#[test]
fn a_step_that_waits_for_a_lender_is_cancelled_at_once() {
    let world = World::new();
    world.define("stay", &STAY.replace("    type: Shell\n", "    type: Shell\n    on_interrupt: retry\n"));
    let lending = |args: &[&str]| {
        let mut command = world.command(args);
        command.env("TOKEN", TOKEN).env("SWITCHBACK_SECRETS", "TOKEN");
        command
    };
    let mut watching = lending(&["run", "stay"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !world.project().join("stays").exists() {
        assert!(Instant::now() < deadline, "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    let json = |args: &[&str]| -> serde_json::Value {
        let output = world.run(args);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", text(&output)))
    };
    let run = json(&["runs", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
    // Whoever lent it is gone for good, and so is the daemon.
    let pid = json(&["status", "--json"])["daemon"]["pid"].as_i64().unwrap();
    watching.kill().unwrap();
    watching.wait().unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    std::fs::remove_file(world.project().join("stays")).unwrap();
    // The next daemon goes on with the run, whose step waits.
    let client = world.connect("pipe.log");
    let waits = json(&["show", &run, "--json"]);
    assert_eq!(waits["status"], "running", "{waits}");
    assert!(!world.project().join("stays").exists());
    let begun = Instant::now();
    let cancelled = world.run(&["cancel", &run]);
    assert!(cancelled.status.success(), "{}", text(&cancelled));
    let shown = loop {
        let shown = json(&["show", &run, "--json"]);
        if shown["status"] != "running" && shown["status"] != "cancelling" {
            break shown;
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "{shown}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(shown["status"], "cancelled", "{shown}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    client.hang_up();
}
