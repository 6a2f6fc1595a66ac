//! The conversation that `docs/reactive.md` shows: the page is made of what a client saw. With SWITCHBACK_UPDATE_DOCS=1 it is written anew;
//! otherwise it must be what it would be.

use crate::reactive::agent::{Agent, Done, Said};
use crate::reactive::place::{client, with_examples};
use serde_json::{Map, Value, json};
use std::path::Path;

const BEGIN: &str = "<!-- begin: made by a test -->\n";
const END: &str = "<!-- end -->\n";

/// How much of a long text is shown.
const SHOWN_CHARS: usize = 160;

#[test]
fn the_conversation_of_the_page_is_what_a_client_sees() {
    let world = with_examples(&["release/tasks.yaml"]);
    let mut client = client(&world);
    let tasks = json!([
        { "id": "build", "priority": 5, "needs": [] },
        { "id": "lint", "priority": 1, "needs": [] },
        { "id": "publish", "priority": 9, "needs": ["build", "lint"] },
    ]);
    let mut agent =
        Agent::start(&mut client, "release:tasks", json!({ "tasks": tasks }), |step, _| {
            match step["type"].as_str() {
                Some("agent_shell_command") => Done::Gives("done".into()),
                _ => Done::Plainly,
            }
        });
    let state = agent.finish();
    assert_eq!(state["progress"], json!({ "wanted": 3, "done": 3, "failed": 0 }), "{state:#}");
    let made: String = agent.said.iter().map(|said| turn(said, &agent.run)).collect();
    let folder = world.project().canonicalize().unwrap();
    let made = made
        .replace(&agent.run, "mossy-otter-41")
        .replace(&folder.display().to_string(), "/home/ada/project");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reactive.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    if std::env::var_os("SWITCHBACK_UPDATE_DOCS").is_some() {
        std::fs::write(&page, format!("{before}{BEGIN}{made}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(shown, made, "docs/reactive.md is not what a client sees; SWITCHBACK_UPDATE_DOCS=1 writes it");
}

/// One call, with what was answered below it. The run is renamed before long texts are cut: names differ in length.
fn turn(said: &Said, run: &str) -> String {
    let answer = said.answer.to_string().replace(run, "mossy-otter-41");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let who = if said.task.is_empty() { String::new() } else { format!("sub-agent {}: ", said.task) };
    let with = said
        .with
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| !["wait_seconds", "request_key"].contains(&name.as_str()));
    let with: Vec<String> = with.map(|(name, value)| format!("{name}={}", shortened(value))).collect();
    format!("{who}`{}({})`\n\n```json\n{}\n```\n\n", said.tool, with.join(", "), shortened(&answer))
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > SHOWN_CHARS => {
            format!("{}...", text.chars().take(SHOWN_CHARS).collect::<String>()).into()
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), shortened(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}
