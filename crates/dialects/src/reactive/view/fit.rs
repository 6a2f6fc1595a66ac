//! Makes what someone handed in fit a step of this dialect, or says what would.
//!
//! | step | what fits | what is kept |
//! |---|---|---|
//! | user_input | a text that fits its validation | the text |
//! | user_message, state_update | anything | nothing |
//! | apply_hints | `{applied_count}`, or the number alone | `{applied_count}` |
//! | a command | what was read of its output; its text; or `{stdout, exit_code}` | what its `output_format` makes of it |
//! | mcp_call and all others | any value | the same |

use crate::schema::Schema;
use crate::steps::fit::Unfit;
use serde_json::{Map, Value, json};

/// The result that a step gives.
pub fn fit(kind: &str, definition: &Map<String, Value>, said: Value) -> Result<Value, Unfit> {
    match kind {
        "user_input" => input(definition, said),
        "user_message" | "state_update" => Ok(Value::Null),
        "apply_hints" => applied(said),
        "shell_command" | "agent_shell_command" => command(definition, said),
        _ => Ok(said),
    }
}

fn unfit(message: impl Into<String>, fits: impl Into<String>) -> Unfit {
    Unfit { message: message.into(), fits: fits.into() }
}

fn input(definition: &Map<String, Value>, said: Value) -> Result<Value, Unfit> {
    let bare = ["input", "response"].iter().find_map(|name| said.get(name)).cloned().unwrap_or(said);
    let is_silent = bare.is_null() || bare.as_str().is_some_and(|text| text.trim().is_empty());
    let default = definition.get("default").filter(|default| is_silent && !default.is_null());
    let text = match default.cloned().unwrap_or(bare) {
        Value::String(text) => text,
        said @ (Value::Number(_) | Value::Bool(_)) => said.to_string(),
        _ => return Err(unfit("a text is asked for", "what the user said, as a text")),
    };
    let validation = definition.get("validation");
    let Some(pattern) = validation.and_then(|rules| rules.get("pattern")) else { return Ok(text.into()) };
    let schema = Schema::new(&json!({ "pattern": pattern }))
        .map_err(|mistake| unfit(mistake.message, "nothing; cancel the run and mend its definition"))?;
    let text = Value::String(text);
    if schema.problems(&text).is_empty() {
        return Ok(text);
    }
    let own = validation.and_then(|rules| rules.get("error_message")).and_then(Value::as_str);
    Err(unfit(own.unwrap_or("the text does not fit the pattern"), format!("a text that fits {pattern}")))
}

fn applied(said: Value) -> Result<Value, Unfit> {
    let fits = r#"{"applied_count": 2}"#;
    match &said {
        Value::Number(_) => Ok(json!({ "applied_count": said })),
        Value::Object(members) if members.get("applied_count").is_some_and(Value::is_number) => Ok(said),
        Value::Object(members) if members.contains_key("applied_count") => {
            Err(unfit("`applied_count` is a number: how many hints were applied", fits))
        }
        _ => Err(unfit("`applied_count` is missing: how many hints were applied", fits)),
    }
}

fn command(definition: &Map<String, Value>, said: Value) -> Result<Value, Unfit> {
    let format = definition.get("output_format").and_then(Value::as_str).unwrap_or("text");
    let is_report = |members: &Map<String, Value>| {
        members.get("exit_code").is_some_and(Value::is_i64)
            && members.keys().all(|key| ["stdout", "stderr", "exit_code", "duration"].contains(&key.as_str()))
    };
    match said {
        Value::Object(members) if is_report(&members) => {
            if members["exit_code"] != 0 {
                let message = format!("the command ended with exit code {}", members["exit_code"]);
                return Err(unfit(
                    message,
                    "what it gave; a command that failed is handed in as failed, with `error`",
                ));
            }
            let text = members.get("stdout").and_then(Value::as_str).unwrap_or_default();
            read(format, text)
        }
        Value::String(text) if format == "lines" || format == "key_value" => read(format, &text),
        Value::String(text) if format == "json" => Ok(read(format, &text).unwrap_or(Value::String(text))),
        other => Ok(other),
    }
}

/// What an output says in its format.
fn read(format: &str, text: &str) -> Result<Value, Unfit> {
    match format {
        "lines" => Ok(text.lines().collect()),
        "json" => serde_json::from_str(text)
            .map_err(|error| unfit(format!("the output is not JSON: {error}"), "an output that is JSON")),
        "key_value" => text.lines().filter(|line| !line.trim().is_empty()).map(pair).collect(),
        _ => Ok(text.strip_suffix('\n').unwrap_or(text).into()),
    }
}

fn pair(line: &str) -> Result<(String, Value), Unfit> {
    let (key, value) = line
        .split_once('=')
        .or_else(|| line.split_once(':'))
        .ok_or_else(|| unfit(format!("the line `{line}` has no `=` or `:`"), "lines like KEY=VALUE"))?;
    Ok((key.trim().to_owned(), value.trim().into()))
}
