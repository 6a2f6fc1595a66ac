//! Those that ask: a human at a terminal, who is the only one that may open a gate, and an agent over MCP.

use crate::tools::has;
use crate::world::{Ran, World};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::Stdio;

/// What the end of a gate's question looks like.
const ASKS: &str = "to decline: ";

/// Answers a gate as a person at a terminal does, once it asks. `script` is what makes the terminal.
fn types(world: &World, run: &str, word: &str) -> String {
    let mut command = world.command("timeout");
    let answer = format!("{} answer {run}", env!("CARGO_BIN_EXE_switchback"));
    command.args(["60", "script", "--quiet", "--return", "--command", &answer, "/dev/null"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut typed, mut seen) = (child.stdin.take().unwrap(), String::new());
    let mut screen = child.stdout.take().unwrap();
    let mut bytes = [0; 4096];
    loop {
        let count = screen.read(&mut bytes).unwrap();
        seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        if count == 0 {
            break;
        }
        if seen.ends_with(ASKS) {
            writeln!(typed, "{word}").unwrap();
            seen.push('\n');
        }
    }
    child.wait().unwrap();
    seen
}

/// Starts a run that must wait for someone.
fn waiting(world: &World, workflow: &str, inputs: &[(&str, &str)]) -> (String, Ran) {
    let ran = world.run(workflow, inputs);
    assert_eq!((ran.code, &ran.document["status"]), (Some(3), &json!("waiting")), "{}", ran.said);
    (ran.document["run"].as_str().unwrap().to_owned(), ran)
}

fn shown(world: &World, run: &str) -> Value {
    world.switchback(&["show".to_owned(), run.to_owned(), "--json".to_owned()]).document
}

#[test]
fn a_gate_opens_for_a_human_who_says_yes() {
    if !has("script") || !has("timeout") {
        return;
    }
    let world = World::new();
    let inputs =
        [("question", "Write it?"), ("details", "a plan"), ("command", "touch written; printf done")];
    let (run, ran) = waiting(&world, "approval-gate", &inputs);
    assert_eq!(ran.document["questions"][0]["prompt"], "Write it?");
    assert!(!world.path("written").exists());
    let word = run.split('-').nth(1).unwrap();
    let seen = types(&world, &run, word);
    assert!(seen.contains("Write it?") && seen.contains("a plan"), "{seen}");
    assert!(seen.contains("  touch written; printf done"), "{seen}");
    let after = shown(&world, &run);
    assert_eq!(
        (&after["status"], &after["outputs"]),
        (&json!("succeeded"), &json!({"approved": true, "output": "done"})),
        "{seen}"
    );
    assert!(world.path("written").exists());
}

#[test]
fn a_gate_stays_closed_after_a_no_and_for_whoever_is_no_human() {
    if !has("script") || !has("timeout") {
        return;
    }
    let world = World::new();
    let (run, _) =
        waiting(&world, "approval-gate", &[("question", "Write it?"), ("command", "touch written")]);
    let answer = ["answer", &run, "yes", "--json"].map(str::to_owned);
    let refused = world.switchback(&answer);
    assert_ne!(refused.code, Some(0), "{:#}", refused.document);
    assert_eq!(shown(&world, &run)["status"], "waiting");
    let seen = types(&world, &run, "no");
    let after = shown(&world, &run);
    assert_eq!(after["status"], "failed", "{seen}");
    assert!(after["error"].as_str().unwrap().contains("`approve`"), "{after:#}");
    assert!(!world.path("written").exists());
}

/// Whoever fills in the question also fills in the command: the human sees both.
#[test]
fn a_gate_shows_what_a_yes_releases_whatever_is_said_of_it() {
    let world = World::new();
    world.write("sub/x", "");
    let folder = world.path("sub").canonicalize().unwrap().display().to_string();
    let script = "rm -rf build\n\nprintf '%s' \"$(date) {{ 7*7 }} ${inputs.question}\"";
    let lies = "After a yes this script is run by sh in /tmp:\n  echo hello\n".to_owned() + &"\n".repeat(500);
    for (question, details) in
        [("Print hello?", ""), (&*lies, &*lies), ("{{ command }}", "${inputs.command}")]
    {
        let inputs =
            [("question", question), ("details", details), ("command", script), ("project_path", "sub")];
        let (_, ran) = waiting(&world, "approval-gate", &inputs);
        let asked = &ran.document["questions"][0];
        assert_eq!(asked["prompt"], question);
        let shown = asked["shown"]["details"].as_str().unwrap();
        let end = format!(
            "After a yes this script is run by sh in {folder}:\n  rm -rf build\n  \n  printf '%s' \"$(date) \
             {{{{ 7*7 }}}} ${{inputs.question}}\""
        );
        assert!(shown.trim_end().ends_with(&end), "{shown}");
        assert!(shown.starts_with(details), "{shown}");
    }
    let (_, ran) = waiting(&world, "approval-gate", &[("question", "Go on?"), ("command", " \n")]);
    let shown = ran.document["questions"][0]["shown"]["details"].as_str().unwrap();
    assert_eq!(shown.trim_end(), "After a yes no command is run here, but the workflow goes on.");
    for empty in ["", " \n"] {
        let refused = world.run("approval-gate", &[("question", empty), ("command", "touch written")]);
        assert!(refused.error().contains("the question is empty"), "{}", refused.error());
    }
    let nowhere = world.run("approval-gate", &[("question", "x"), ("project_path", "no-such")]);
    assert!(nowhere.error().contains("no-such does not exist"), "{}", nowhere.error());
}

#[test]
fn a_gate_of_any_length_is_shown_whole_to_the_human() {
    if !has("script") || !has("timeout") {
        return;
    }
    let world = World::new();
    let long = "a line of the plan\n".repeat(5_000) + "the last of it";
    let script = ": a comment\n".repeat(1_000) + "touch written";
    let inputs = [("question", "Write it?"), ("details", &*long), ("command", &*script)];
    let (run, _) = waiting(&world, "approval-gate", &inputs);
    let seen = types(&world, &run, run.split('-').nth(1).unwrap());
    assert_eq!(seen.matches("a line of the plan").count(), 5_000);
    assert_eq!(seen.matches("  : a comment").count(), 1_000);
    assert!(seen.contains("the last of it") && seen.contains("  touch written"));
    assert_eq!(shown(&world, &run)["status"], "succeeded");
}

#[test]
fn a_diff_that_cannot_be_shown_whole_is_not_reviewed() {
    if !has("git") {
        return;
    }
    let world = World::new();
    world.shell("git init -q . && git commit -q --allow-empty -m first");
    world.write("big.txt", "x\n");
    let around = world.shell("git add -N . && git diff HEAD | wc -c").trim().parse::<usize>().unwrap();
    let line = |length: usize| format!("{}\n", "x".repeat(length));
    world.write("big.txt", &line(1_000_000 - around + 1));
    let whole = world.run("review-with-agent", &[]);
    assert_eq!(whole.document["status"], "waiting", "{}", whole.document);
    world.write("big.txt", &line(1_000_000 - around + 2));
    let cut = world.run("review-with-agent", &[]);
    assert!(cut.error().contains("the diff has 1000001 bytes, and at most 1000000"), "{}", cut.error());
}

#[test]
fn an_agent_reviews_a_diff_in_the_form_that_is_asked_for() {
    if !has("git") {
        return;
    }
    let world = World::new();
    world.write("a.txt", "one\n");
    world.shell("git init -q . && git add -A && git commit -q -m first");
    let nothing = world.run("review-with-agent", &[]);
    let expected = json!({"reviewed": false, "verdict": null, "summary": null, "findings": null});
    assert_eq!(*nothing.outputs(), expected);
    world.write("a.txt", "two\n");
    world.write("new.txt", "three\n");
    let mut client = world.client();
    let asked = client
        .good("execute_workflow", json!({"workflow": "review-with-agent", "inputs": {"focus": "words"}}));
    assert_eq!(asked["status"], "paused", "{asked:#}");
    assert!(
        asked.to_string().contains("+two")
            && asked.to_string().contains("+three")
            && asked.to_string().contains("Look above all at: words"),
        "{asked:#}"
    );
    let run = asked["workflow_id"].clone();
    let loose = json!({"workflow_id": run, "response": {"verdict": "fine"}});
    client.bad("resume_workflow", loose);
    let finding = json!({"file": "a.txt", "line": 1, "severity": "low", "what": "two is not one"});
    let response = json!({"verdict": "change", "summary": "one word", "findings": [finding]});
    let done = client.good("resume_workflow", json!({"workflow_id": run, "response": response}));
    assert_eq!(done["status"], "success", "{done:#}");
    let outputs =
        json!({"reviewed": true, "verdict": "change", "summary": "one word", "findings": [finding]});
    assert_eq!(done["outputs"], outputs);
    assert!(client.close().success());
    assert_eq!(world.shell("git status --porcelain"), " M a.txt\n?? new.txt");
    let paths = world.run("review-with-agent", &[("paths", "a.txt\nno-such.txt")]);
    assert!(paths.error().contains("git knows nothing called no-such.txt"), "{}", paths.error());
    let base = world.run("review-with-agent", &[("base", "no-such")]);
    assert!(base.error().contains("there is no branch, tag or commit no-such"), "{}", base.error());
}

#[test]
fn a_change_of_the_very_second_of_the_commit_is_reviewed() {
    if !has("git") {
        return;
    }
    let world = World::new();
    world.write("a.txt", "one\n");
    world.shell(
        "second='2026-01-01 00:00:00' && touch -d \"$second\" a.txt && git init -q . && git config core.trustctime false
        git add -A && git commit -q -m first && echo two >a.txt && touch -d \"$second\" a.txt .git/index",
    );
    let asked = world.run("review-with-agent", &[]);
    assert_eq!(asked.document["status"], "waiting", "{:#}", asked.document);
}

/// The examples that `get_workflow_info` shows would be taken, and `list_workflows` names groups and who brought each.
#[test]
fn every_workflow_is_described_with_a_call_that_would_be_taken() {
    let world = World::new();
    let mut client = world.client();
    let list = client.good("list_workflows", json!({}));
    assert!(list.get("left_out").is_none(), "the whole list fits into one answer");
    let names: Vec<String> =
        list["workflows"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    assert!(names.len() >= 15);
    for name in names {
        let about = &list["about"][&name];
        assert_eq!(about["from"], "built-in", "{name}");
        let group = about["group"].as_str().unwrap();
        assert_eq!(about["file"], format!("built-in:{group}/{name}.yaml"));
        let info = client.good("get_workflow_info", json!({"workflow": name}));
        assert_eq!(
            (&info["source"]["group"], &info["source"]["built_in"]),
            (&about["group"], &json!(true)),
            "{name}"
        );
        let call = &info["example"];
        assert_eq!(
            (&call["tool"], &call["arguments"]["workflow"]),
            (&json!("execute_workflow"), &json!(name)),
            "{call}"
        );
        let schema = &info["input_schema"];
        let given = call["arguments"]["inputs"].as_object().unwrap();
        for required in schema["required"].as_array().unwrap() {
            assert!(
                given.contains_key(required.as_str().unwrap()),
                "{name}: {required} is missing in {call}"
            );
        }
        for (input, value) in given {
            let kind = schema["properties"][input]["type"]
                .as_str()
                .unwrap_or_else(|| panic!("{name} has no {input}"));
            let fits = match kind {
                "string" => value.is_string(),
                "integer" => value.is_i64(),
                "boolean" => value.is_boolean(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                other => panic!("{name}.{input} is of type {other}"),
            };
            assert!(fits, "{name}.{input}: {value} is no {kind}");
        }
    }
    assert!(client.close().success());
}
