//! The taint test: two secrets are planted and shown in every way; then all that the product has written, said or answered is
//! searched for them.

use crate::flows::{ALONE, FAIL, KEY, KEY_WORDS, LEAK, STAY, TOKEN, TOKEN_WORD};
use crate::traces::Traces;
use crate::world::World;
use serde_json::json;
use std::time::{Duration, Instant};

fn traces() -> Traces {
    Traces::of(&[TOKEN_WORD, KEY_WORDS[0], KEY_WORDS[1]])
}

/// A world in which one secret is lent and the other is kept in the file.
fn planted() -> World {
    let world = World::new().env("TOKEN", TOKEN).env("OTHER_SECRET", "another-unnamed-value");
    world.write("switchback.toml", "[secrets]\nenv = [\"TOKEN\"]\n");
    world.define("leak", LEAK);
    world.define("fail", FAIL);
    world.define("stay", STAY);
    assert!(world.set("KEY", &format!("{KEY}\n")).status.success());
    world
}

/// Looks at a run in every way that the command line has.
fn look_around(world: &World, run: &str, traces: &Traces) {
    for args in [
        &["show", run][..],
        &["show", run, "--json"],
        &["show", run, "--journal"],
        &["runs", "--all"],
        &["runs", "--json"],
        &["verify", run],
        &["status", "--json"],
        &["list", "--json"],
        &["check"],
        &["doctor"],
        &["doctor", "--json"],
        &["secret", "list"],
        &["secret", "list", "--json"],
    ] {
        let output = world.run(args);
        traces.absent(&format!("stdout of {args:?}"), &output.stdout);
        traces.absent(&format!("stderr of {args:?}"), &output.stderr);
    }
}

#[test]
fn over_mcp_no_secret_comes_back() {
    let (world, traces) = (planted(), traces());
    let mut client = world.connect("pipe.log");
    let answer = client.call("execute_workflow", json!({ "workflow": "leak" }));
    let run = answer["workflow_id"].as_str().unwrap().to_owned();
    // It is what was asked for: the secrets were there, and were masked.
    let text = answer.to_string();
    assert!(text.contains("[secret TOKEN]") && text.contains("[secret KEY]"), "{text}");
    let spelled = answer["blocks"]["spelled"]["outputs"]["stdout"].as_str().unwrap();
    assert_eq!(spelled.matches("[secret TOKEN]").count(), 7, "{spelled}");
    assert_eq!(answer["blocks"]["watched"]["outputs"]["stdout"], "seen", "{answer}");
    assert_eq!(answer["blocks"]["found"]["metadata"]["succeeded"], true, "{answer}");
    assert_eq!(answer["blocks"]["read"]["outputs"]["content"], "[secret TOKEN]", "{answer}");
    client.call("get_workflow_status", json!({ "workflow_id": run }));
    let failed = client.call("execute_workflow", json!({ "workflow": "fail" })).to_string();
    let masked = ["[secret TOKEN] is no good", "waits with [secret TOKEN]", "nowhere/at/all does not exist"];
    assert!(masked.iter().all(|part| failed.contains(part)), "{failed}");
    client.call("get_workflow_info", json!({ "workflow": "leak" }));
    client.call("list_workflows", json!({}));
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    let mut uris: Vec<String> =
        listed.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap().to_owned()).collect();
    uris.push(format!("switchback://runs/{run}"));
    for block in ["plain", "pieces", "encoded", "quoted", "spelled", "large", "failed", "found", "broken"] {
        for stream in ["stdout", "stderr"] {
            uris.push(format!("switchback://runs/{run}/steps/{block}/{stream}"));
        }
    }
    uris.iter().for_each(|uri| drop(client.ask("resources/read", json!({ "uri": uri }))));
    let said = client.hang_up();
    assert!(said.len() > 10_000, "little was said: {}", said.len());
    traces.absent("what came over MCP", &said);
    look_around(&world, &run, &traces);
    // While the daemon works, with what is not yet in the database itself, and after its end.
    assert!(traces.absent_below(&world.data(), &["secrets.toml"]) >= 4);
    world.run(&["stop", "--now"]);
    assert!(traces.absent_below(&world.root().join("data"), &["secrets.toml"]) >= 2);
    traces.absent("stderr of the pipe", &std::fs::read(world.root().join("pipe.log")).unwrap());
    // The search finds what is there.
    let kept = std::fs::read(world.data().join("secrets.toml")).unwrap();
    assert_eq!(traces.found(&kept).len(), 2);
}

#[test]
fn on_the_command_line_no_secret_comes_back() {
    let (world, traces) = (planted(), traces());
    for args in [&["run", "leak"][..], &["run", "leak", "--json"], &["run", "leak", "--json", "--no-daemon"]]
    {
        if args.contains(&"--no-daemon") {
            world.run(&["stop", "--now"]);
        }
        let output = world.run(args);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("[secret TOKEN]") && said.contains("[secret KEY]"), "{args:?}: {said}");
        traces.absent(&format!("stdout of {args:?}"), &output.stdout);
        traces.absent(&format!("stderr of {args:?}"), &output.stderr);
        let runs: serde_json::Value = serde_json::from_slice(&world.run(&["runs", "--json"]).stdout).unwrap();
        look_around(&world, runs["runs"][0]["run"].as_str().unwrap(), &traces);
    }
    assert!(traces.absent_below(&world.data(), &["secrets.toml"]) >= 2);
}

#[test]
fn no_command_line_and_no_note_names_a_secret() {
    let (world, traces) = (planted(), traces());
    let mut run = world.command(&["run", "stay"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !world.project().join("stays").exists() {
        assert!(Instant::now() < deadline, "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut environments = 0;
    for entry in std::fs::read_dir("/proc").into_iter().flatten() {
        let process = entry.unwrap().path();
        if let Ok(line) = std::fs::read(process.join("cmdline")) {
            traces.absent(&format!("the command line of {}", process.display()), &line);
        }
        // Only what was given a secret has it in its environment: the command and what it starts.
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        let is_ours = environment.windows(18).any(|window| window == b"SWITCHBACK_EFFECT=");
        if is_ours && !traces.found(&environment).is_empty() {
            environments += 1;
        }
    }
    if cfg!(target_os = "linux") {
        assert!(environments >= 1, "the command was not given it");
    }
    traces.absent_below(&world.data(), &["secrets.toml"]);
    world.write("go", "");
    assert!(run.wait().unwrap().success());
}

#[test]
fn a_step_that_runs_alone_is_masked_though_it_was_given_nothing() {
    let (world, traces) = (planted(), traces());
    world.define("alone", ALONE);
    let output = world.run(&["run", "alone", "--json"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("found [secret TOKEN]"), "{said}");
    traces.absent("the answer", &output.stdout);
    traces.absent_below(&world.data(), &["secrets.toml"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_that_holds_a_secret_keeps_its_memory_to_itself() {
    let world = planted();
    let daemon = || {
        let status: serde_json::Value =
            serde_json::from_slice(&world.run(&["status", "--json"]).stdout).unwrap();
        status["daemon"]["pid"].as_u64().unwrap()
    };
    assert!(world.run(&["run", "leak"]).status.code().is_some());
    // Root reads everything.
    if !rustix::process::geteuid().is_root() {
        assert!(std::fs::read(format!("/proc/{}/environ", daemon())).is_err());
        assert!(std::fs::File::open(format!("/proc/{}/mem", daemon())).is_err());
    }
    let limits = std::fs::read_to_string(format!("/proc/{}/status", daemon())).unwrap();
    assert!(limits.contains("CoreDumping:\t0"));
}
