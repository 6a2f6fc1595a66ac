//! A plan made together, as `docs/planning.md` shows it: the page is made of what the SDK saw. With SWITCHBACK_UPDATE_DOCS=1 the page is
//! written anew; otherwise it must be what it would be.

use super::version;
use crate::install::Client;
use crate::seen::Seen;
use crate::world::World;
use regex::Regex;
use serde_json::Value;
use std::path::Path;

const BEGIN: &str = "<!-- begin: made by a test -->\n";
const END: &str = "<!-- end -->\n";

/// How much of a long text is shown.
const SHOWN_CHARS: usize = 420;

pub(crate) fn play(client: Client, era: &str) {
    let Some(world) = World::of(client) else { return };
    let seen = world.converse("plan", era);
    seen.is("version", version(era));
    let said = seen.list("said");
    let last = &said.last().unwrap()["answer"];
    assert_eq!(last["status"], "complete", "{seen}");
    assert_eq!(last["state"]["status"], "Plan approved and saved", "{seen}");
    assert_eq!(last["state"]["research_results"].as_array().unwrap().len(), 2, "{seen}");

    weigh(said);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/planning.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    let made = transcript(&seen);
    if std::env::var_os("SWITCHBACK_UPDATE_DOCS").is_some() {
        std::fs::write(&page, format!("{before}{BEGIN}{made}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(shown, made, "docs/planning.md is not what a client sees; SWITCHBACK_UPDATE_DOCS=1 writes it");
}

/// Says what a plan costs whoever drives it.
fn weigh(said: &[Value]) {
    let calls = said.iter().filter(|one| one["call"].is_string()).count();
    let answers = said.iter().filter(|one| one["who"] == "server").map(|one| one["answer"].to_string().len());
    let (bytes, most) = (answers.clone().sum::<usize>(), answers.max().unwrap_or_default());
    // Nine at the top, and three of each question.
    let steps = 9 + 2 * 3;
    eprintln!(
        "interactive-planning: {calls} calls and {bytes} bytes for {steps} steps ({} a step, {most} at most)",
        bytes / steps
    );
}

/// What was said, one turn after the other, with what differs from run to run as it might be.
fn transcript(seen: &Seen) -> String {
    let mut text: String = seen.list("said").iter().map(turn).collect();
    text = text.replace(seen.text("run"), "mossy-otter-41");
    for (pattern, by) in [
        (r"2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+Z)?", "2026-01-01T12:00:00"),
        (r"[0-9a-f]{64}", "5e884898..."),
    ] {
        text = Regex::new(pattern).unwrap().replace_all(&text, by).into_owned();
    }
    text
}

fn turn(said: &Value) -> String {
    let who = said["who"].as_str().unwrap();
    if let Some(asked) = said["asked"].as_str() {
        return format!(
            "**A form asks the person**\n\n```text\n{asked}\n```\n\nThey answer `{}`.\n\n",
            said["answer"]
        );
    }
    match said["call"].as_str() {
        Some(tool) => {
            let arguments = said["with"].as_object().unwrap();
            let arguments: Vec<String> =
                arguments.iter().map(|(name, value)| format!("{name}={}", short(value))).collect();
            format!("**The {who}** calls\n\n```text\n{tool}({})\n```\n\n", arguments.join(", "))
        }
        None => format!("```json\n{:#}\n```\n\n", told(&said["answer"])),
    }
}

/// What matters of an answer: that of a status is longer.
fn told(answer: &Value) -> Value {
    const SHOWN: [&str; 12] = [
        "workflow_id",
        "accepted",
        "status",
        "progress",
        "step_id",
        "type",
        "tool",
        "args",
        "action",
        "step",
        "final_result",
        "next",
    ];
    let members = answer.as_object().unwrap().iter().filter(|(name, _)| SHOWN.contains(&name.as_str()));
    members.map(|(name, value)| (name.clone(), shortened(value))).collect::<serde_json::Map<_, _>>().into()
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > SHOWN_CHARS => {
            format!("{}...", text.chars().take(SHOWN_CHARS).collect::<String>()).into()
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), shortened(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

fn short(value: &Value) -> String {
    shortened(value).to_string()
}
