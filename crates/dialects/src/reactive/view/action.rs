//! A step of this dialect in the words of the tools of `steps`, so that those can drive a run of it as well.

use super::atomic;
use crate::view::Asked;
use serde_json::{Map, Value, json};

/// What such a step is called there, and what it takes.
pub fn of(asked: &Asked) -> (&'static str, Map<String, Value>) {
    let given = &asked.parameters;
    let take = |names: &[(&str, &str)]| -> Map<String, Value> {
        let found = names.iter().filter_map(|(from, to)| Some(((*to).to_owned(), given.get(*from)?.clone())));
        found.collect()
    };
    match asked.word.as_str() {
        "shell_command" | "agent_shell_command" => {
            let names = ["command", "reason", "output_format", "state_update"].map(|name| (name, name));
            ("shell", take(&names))
        }
        "mcp_call" => {
            ("mcp_call", take(&[("method", "tool"), ("params", "args"), ("state_update", "state_update")]))
        }
        "user_message" => ("prompt", with(take(&[("message", "message")]), "info")),
        "user_input" => {
            let names = [("prompt", "message"), ("validation", "validation"), ("default", "default")];
            ("prompt", with(take(&names), "text"))
        }
        "state_update" => ("set_state", take(&[("updates", "updates")])),
        _ => {
            let mut taken = take(&[("file", "file"), ("hints", "hints"), ("state_update", "state_update")]);
            taken.insert("instructions".to_owned(), json!(atomic::Atomic::of(asked).instructions));
            ("delegate", taken)
        }
    }
}

fn with(mut parameters: Map<String, Value>, kind: &str) -> Map<String, Value> {
    parameters.insert("type".to_owned(), json!(kind));
    parameters
}
