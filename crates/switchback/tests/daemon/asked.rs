//! Someone at a terminal: asked while a run is followed, later, or not at all.

use crate::world::World;
use serde_json::json;

fn world() -> World {
    let world = World::new();
    let folder = world.project().join(".switchback/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    let asks = json!({ "id": "ask", "type": "Prompt", "inputs": { "prompt": "Deploy?", "kind": "confirm", "details": "+ 3 files" } });
    let outputs = json!({ "said": "${blocks.ask.outputs.response}" });
    let inner = json!({ "name": "inner", "blocks": [asks], "outputs": outputs });
    std::fs::write(folder.join("inner.json"), inner.to_string()).unwrap();
    let call = json!({ "id": "call", "type": "ExecuteWorkflow", "inputs": { "workflow": "inner" } });
    let outputs = json!({ "said": "${blocks.call.outputs.said}" });
    let outer = json!({ "name": "outer", "blocks": [call], "outputs": outputs });
    std::fs::write(folder.join("outer.json"), outer.to_string()).unwrap();
    world
}

#[test]
fn a_run_asks_whoever_follows_it_and_goes_on() {
    let world = world();
    for (workflow, step) in [("inner", "ask"), ("outer", "call / ask")] {
        let texts = [("later", "perhaps\n"), ("later", "y\n")];
        let Some((code, shown)) = world.typed(&["run", workflow], &texts) else { return };
        assert_eq!(code, Some(0), "{shown}");
        assert!(shown.contains(&format!("ask      {step}")), "{shown}");
        assert!(shown.contains("Deploy?\n") && shown.contains("+ 3 files\n"), "{shown}");
        assert!(shown.contains("`perhaps` is neither yes nor no"), "{shown}");
        assert!(shown.contains("1 question answered") && shown.contains("said: true"), "{shown}");
    }
}

#[test]
fn what_is_left_for_later_waits_and_says_how_to_answer() {
    let world = world();
    for leave in ["l\n", "\n", "\u{4}", "\u{3}"] {
        let Some((code, shown)) = world.typed(&["run", "outer"], &[("later", leave)]) else { return };
        assert_eq!(code, Some(3), "{leave:?} {shown}");
        assert!(shown.contains("waiting for you: switchback answer "), "{shown}");
        let run = world.json(&["runs", "--json"])["runs"][0].clone();
        assert_eq!(run["status"], "waiting", "{leave:?} {run}");
        let id = run["run"].as_str().unwrap();
        let (code, shown) = world.typed(&["answer", id], &[("later", leave)]).unwrap();
        assert_eq!(code, Some(3), "{leave:?} {shown}");
        assert!(shown.contains("nothing was said") && shown.contains("switchback answer"), "{shown}");
        let (code, shown) = world.typed(&["resume", id], &[("later", "n\n")]).unwrap();
        assert!(code == Some(0) && shown.contains("said: false"), "{leave:?} {shown}");
    }
}

#[test]
fn what_is_not_asked_any_more_is_taken_back_from_whoever_was_about_to_answer() {
    let world = world();
    let ways: [(&str, &[&str], &str); 2] = [
        ("answer", &["yes"], "the question was answered elsewhere"),
        ("cancel", &[], "the run was cancelled"),
    ];
    for (workflow, question) in [("inner", "ask#1"), ("outer", "call#1/ask#1")] {
        for (way, more, why) in ways {
            world.run(&["run", workflow, "--no-input"]);
            let id = world.json(&["runs", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
            let elsewhere = || {
                world.run(&[&[way, &id], more].concat());
                ""
            };
            let Some((code, shown)) = world.reacted(&["answer", &id], &[("later", &elsewhere)]) else {
                return;
            };
            assert_eq!(code, Some(2), "{shown}");
            assert!(shown.contains(&format!("run {id} asks `{question}` no more: {why}")), "{shown}");
            assert!(shown.contains(&format!("switchback show {id}")), "{shown}");
        }
    }
}

#[test]
fn nobody_is_asked_who_does_not_want_to_be() {
    let world = world();
    let Some((code, shown)) = world.typed(&["run", "inner", "--no-input"], &[]) else { return };
    assert_eq!(code, Some(3), "{shown}");
    assert!(shown.contains("waiting for you: switchback answer ") && !shown.contains("later"), "{shown}");
}
