//! Makes what an agent or a person hands in fit the step it is for, or says what would.
//!
//! | step | what fits | what is kept |
//! |---|---|---|
//! | shell | an object with `exit_code`, and `stdout`, `stderr`, `duration` | the same; texts that are missing are empty |
//! | mcp_call | any value | the same |
//! | delegate | an object with `response`, or a text | `{response, ...}` |
//! | prompt info | anything | `{acknowledged: true}` |
//! | prompt confirm | yes or no, in any of its forms | `{confirmed}` |
//! | prompt text | a text that fits its validation | `{input}` |
//! | prompt choice | an option, or its number | `{selected}` |
//! | wait | anything | `{resumed: true, duration}` |
//! | set_state | anything | `{acknowledged: true}` |

use crate::schema::Schema;
use crate::view::asked::label;
use serde_json::{Map, Value, json};

/// What was handed in does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What is wrong.
    pub message: String,
    /// What would fit.
    pub fits: String,
}

impl Unfit {
    fn new(message: impl Into<String>, fits: impl Into<String>) -> Self {
        Unfit { message: message.into(), fits: fits.into() }
    }
}

/// The result that a step gives.
pub fn fit(kind: &str, parameters: &Map<String, Value>, said: Value) -> Result<Value, Unfit> {
    match kind {
        "shell" => shell(said),
        "delegate" => delegate(said),
        "prompt" => prompt(parameters, said),
        "wait" => Ok(json!({ "resumed": true, "duration": parameters.get("duration") })),
        "set_state" => Ok(json!({ "acknowledged": true })),
        _ => Ok(said),
    }
}

/// How long whoever did a step says that it took, in milliseconds.
pub fn took_ms(kind: &str, result: &Value) -> Option<u64> {
    let seconds = result.get("duration").filter(|_| kind == "shell")?.as_f64()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is held to what fits")]
    (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1000.0) as u64)
}

const SHELL: &str = r#"{"stdout": "...", "stderr": "...", "exit_code": 0}"#;

fn shell(said: Value) -> Result<Value, Unfit> {
    let Value::Object(mut result) = said else {
        return Err(Unfit::new("the result of a command is an object", SHELL));
    };
    match result.get("exit_code") {
        Some(code) if code.is_i64() || code.is_u64() => {}
        Some(code) => {
            return Err(Unfit::new(format!("`exit_code` is a whole number, and not {code}"), SHELL));
        }
        None => return Err(Unfit::new("`exit_code` is missing", SHELL)),
    }
    for name in ["stdout", "stderr"] {
        match result.get(name) {
            Some(Value::String(_)) => {}
            None | Some(Value::Null) => drop(result.insert(name.to_owned(), json!(""))),
            Some(_) => return Err(Unfit::new(format!("`{name}` is a text"), SHELL)),
        }
    }
    match result.get("duration") {
        None => {}
        Some(Value::Null) => drop(result.remove("duration")),
        Some(seconds) if seconds.as_f64().is_some_and(|seconds| seconds >= 0.0) => {}
        Some(_) => return Err(Unfit::new("`duration` is a number of seconds", SHELL)),
    }
    Ok(Value::Object(result))
}

fn delegate(said: Value) -> Result<Value, Unfit> {
    const FITS: &str = r#"{"response": "..."}, or the response alone"#;
    match said {
        Value::String(text) if !text.trim().is_empty() => Ok(json!({ "response": text })),
        Value::Object(result) if result.contains_key("response") => Ok(Value::Object(result)),
        Value::Object(_) => Err(Unfit::new("`response` is missing", FITS)),
        _ => Err(Unfit::new("the result of a delegated task is an object with `response`, or a text", FITS)),
    }
}

/// Makes an answer out of what was said.
type Made = fn(&Map<String, Value>, &Value) -> Result<Value, Unfit>;

fn prompt(parameters: &Map<String, Value>, said: Value) -> Result<Value, Unfit> {
    let kind = parameters.get("type").and_then(Value::as_str).unwrap_or("text");
    let (name, made): (_, Made) = match kind {
        "info" => return Ok(json!({ "acknowledged": true })),
        "confirm" => ("confirmed", confirmed),
        "choice" => ("selected", selected),
        _ => ("input", input),
    };
    let bare = said.get(name).cloned().unwrap_or(said);
    let is_silent = bare.is_null() || bare.as_str().is_some_and(|text| text.trim().is_empty());
    let meant = match parameters.get("default").filter(|default| is_silent && !default.is_null()) {
        Some(default) => default.clone(),
        None => bare,
    };
    Ok(json!({ name: made(parameters, &meant)? }))
}

fn confirmed(_: &Map<String, Value>, said: &Value) -> Result<Value, Unfit> {
    let word = said.as_str().map(|text| text.trim().to_lowercase());
    match (said, word.as_deref()) {
        (Value::Bool(_), _) => Ok(said.clone()),
        (_, Some("yes" | "y" | "true")) => Ok(true.into()),
        (_, Some("no" | "n" | "false")) => Ok(false.into()),
        _ => Err(Unfit::new(
            format!("`{}` is neither yes nor no", short(said)),
            r#"{"confirmed": true or false}"#,
        )),
    }
}

fn selected(parameters: &Map<String, Value>, said: &Value) -> Result<Value, Unfit> {
    let options = parameters.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let word = label(said);
    let by_number = || options.get(word.trim().parse::<usize>().ok()?.checked_sub(1)?);
    let found = options.iter().find(|option| *option == said || label(option) == word.trim());
    found.or_else(by_number).cloned().ok_or_else(|| {
        let all: Vec<String> = options.iter().take(20).map(label).collect();
        Unfit::new(format!("`{}` is none of the options", short(said)), all.join(", "))
    })
}

fn input(parameters: &Map<String, Value>, said: &Value) -> Result<Value, Unfit> {
    let text = match said {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => said.to_string(),
        _ => return Err(Unfit::new("a text is asked for", r#"{"input": "..."}"#)),
    };
    let text = Value::String(text);
    let Some(rules) = parameters.get("validation") else { return Ok(text) };
    let unusable = |message: String| Unfit::new(message, "nothing; cancel the run and mend its definition");
    let schema = Schema::new(rules).map_err(|mistake| unusable(mistake.message))?;
    match schema.problems(&text).first() {
        None => Ok(text),
        Some(problem) => Err(Unfit::new(problem.message.clone(), format!("a text like this: {rules}"))),
    }
}

fn short(said: &Value) -> String {
    let text = label(said);
    let head: String = text.chars().take(60).collect();
    if head.len() < text.len() { format!("{head}...") } else { head }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(kind: &str, parameters: Value, said: Value) -> Result<Value, String> {
        let Value::Object(parameters) = parameters else { unreachable!() };
        fit(kind, &parameters, said).map_err(|unfit| unfit.message)
    }

    #[test]
    fn what_a_command_gave_has_a_shape() {
        let shell = |said| held("shell", json!({}), said);
        let whole = json!({"stdout": "a", "stderr": "", "exit_code": 1, "duration": 1.5, "more": [1]});
        assert_eq!(shell(whole.clone()), Ok(whole.clone()));
        assert_eq!(took_ms("shell", &whole), Some(1500));
        assert_eq!(took_ms("mcp_call", &whole), None);
        assert_eq!(shell(json!({"exit_code": 0})), Ok(json!({"exit_code": 0, "stdout": "", "stderr": ""})));
        for (said, message) in [
            (json!("done"), "the result of a command is an object"),
            (json!(null), "the result of a command is an object"),
            (json!({"stdout": "x"}), "`exit_code` is missing"),
            (json!({"exit_code": "0"}), "`exit_code` is a whole number, and not \"0\""),
            (json!({"exit_code": 0.5}), "`exit_code` is a whole number, and not 0.5"),
            (json!({"exit_code": 0, "stdout": ["x"]}), "`stdout` is a text"),
            (json!({"exit_code": 0, "duration": -1}), "`duration` is a number of seconds"),
        ] {
            assert_eq!(shell(said), Err(message.to_owned()));
        }
    }

    #[test]
    fn what_people_say_is_taken_in_every_form() {
        let prompt = |parameters, said| held("prompt", parameters, said);
        assert_eq!(prompt(json!({"type": "info"}), json!("ok")), Ok(json!({"acknowledged": true})));
        let confirm = || json!({"type": "confirm"});
        for said in [json!(true), json!("Yes"), json!({"confirmed": true}), json!({"confirmed": "y"})] {
            assert_eq!(prompt(confirm(), said), Ok(json!({"confirmed": true})));
        }
        assert_eq!(prompt(confirm(), json!("perhaps")).unwrap_err(), "`perhaps` is neither yes nor no");
        let choice = || json!({"type": "choice", "options": ["staging", 5]});
        for said in [json!("staging"), json!("1"), json!(1), json!({"selected": "staging"})] {
            assert_eq!(prompt(choice(), said), Ok(json!({"selected": "staging"})));
        }
        assert_eq!(prompt(choice(), json!(5)), Ok(json!({"selected": 5})));
        assert_eq!(prompt(choice(), json!("prod")).unwrap_err(), "`prod` is none of the options");
        let text = || json!({"type": "text", "validation": {"type": "string", "minLength": 3}});
        assert_eq!(prompt(text(), json!({"input": "abc"})), Ok(json!({"input": "abc"})));
        assert!(prompt(text(), json!("ab")).unwrap_err().contains("shorter than 3"));
        assert_eq!(prompt(json!({"type": "text", "default": "x"}), json!(" ")), Ok(json!({"input": "x"})));
        assert!(prompt(json!({"type": "text"}), json!({"other": 1})).is_err());
    }

    #[test]
    fn other_steps() {
        assert_eq!(held("delegate", json!({}), json!("done")), Ok(json!({"response": "done"})));
        let whole = json!({"response": {"a": 1}, "agent_used": "x"});
        assert_eq!(held("delegate", json!({}), whole.clone()), Ok(whole));
        assert_eq!(held("delegate", json!({}), json!({"a": 1})).unwrap_err(), "`response` is missing");
        assert_eq!(held("mcp_call", json!({}), json!([1, null])), Ok(json!([1, null])));
        let wait = held("wait", json!({"duration": 10}), json!({}));
        assert_eq!(wait, Ok(json!({"resumed": true, "duration": 10})));
    }
}
