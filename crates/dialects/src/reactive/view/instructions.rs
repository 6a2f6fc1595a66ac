//! What the agent is told to do with a step: one or two sentences for each type.

use serde_json::{Map, Value};

/// The words for a step of a type; `word` is what its definition calls it.
pub(super) fn of(kind: &str, word: &str, definition: &Map<String, Value>) -> String {
    let text = |name: &str| definition.get(name).and_then(Value::as_str).unwrap_or_default();
    let path = definition.get("state_update").and_then(|update| update["path"].as_str());
    let kept = |what: &str| match path {
        Some(path) => format!(" Hand {what} in as `result`: it is stored at path '{path}'."),
        None => format!(" Hand {what} in as `result` if there is any."),
    };
    match (kind, word) {
        ("shell_command" | "agent_shell_command", _) => {
            let form = output_form(text("output_format"));
            let reason = match text("reason") {
                "" => String::new(),
                reason => format!(" It is yours because: {}.", reason.trim_end_matches('.')),
            };
            format!("Execute the command exactly as it stands.{reason}{form}{}", kept("that"))
        }
        ("state_update", _) => {
            "Update the state with the values in `updates` by workflow_state_update; they are computed already. Then mark the \
             step complete."
                .to_owned()
        }
        ("mcp_call", "apply_hints") => {
            let file = text("file");
            format!(
                "Apply the hints to the file '{file}'. Hand in {{\"applied_count\": how many were applied}} as `result`{}.",
                path.map(|path| format!(": it is stored at path '{path}'")).unwrap_or_default()
            )
        }
        ("mcp_call", _) => {
            format!("Call the tool {} with `params`.{}", text("method"), kept("what it answers"))
        }
        ("parallel_tasks", _) => {
            "Give each task in `tasks` to a sub-agent with its context, wait for all of them, and hand in what they answered as \
             `result`."
                .to_owned()
        }
        ("user_message", _) => "Display this message to the user, then mark the step complete.".to_owned(),
        _ => {
            let rule = match definition.get("validation").is_some() {
                true => " An answer that does not fit `validation` is refused: tell the user why and ask again.",
                false => "",
            };
            format!("Ask the user what `prompt` says and wait for the answer.{rule}{}", kept("what they say"))
        }
    }
}

fn output_form(format: &str) -> String {
    match format {
        "lines" => " Read its output as lines: a list of texts.".to_owned(),
        "json" => " Read its output as JSON.".to_owned(),
        "key_value" => " Read its output as an object, one `KEY=VALUE` a line.".to_owned(),
        "text" => " Its output is text.".to_owned(),
        _ => String::new(),
    }
}
