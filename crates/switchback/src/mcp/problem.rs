//! A call that could not be carried out: what, why, what there is instead, and what to do next. It is an answer like
//! any other, marked as an error; the protocol's own errors do not reach the model.

use engine::dialects::near::near;
use serde_json::{Map, Value, json};
use std::fmt;

/// How many options an error names.
const OPTIONS_MAX: usize = 100;

/// Longest name that is said back to whoever sent it.
const SAID_CHARS_MAX: usize = 200;

/// Why a call was not carried out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem(Box<Words>);

#[derive(Clone, Debug, PartialEq)]
struct Words {
    code: &'static str,
    error: String,
    near: Vec<String>,
    options: (&'static str, Vec<String>),
    more: Map<String, Value>,
    help: String,
    next: Option<String>,
}

impl Problem {
    /// A problem with a stable name in kebab-case.
    pub(super) fn new(code: &'static str, error: impl Into<String>) -> Self {
        Problem(Box::new(Words {
            code,
            error: error.into(),
            near: Vec::new(),
            options: ("available_options", Vec::new()),
            more: Map::new(),
            help: String::new(),
            next: None,
        }))
    }

    /// Names what there is instead.
    pub(super) fn options<T: Into<String>>(self, options: impl IntoIterator<Item = T>) -> Self {
        self.options_as("available_options", options)
    }

    /// Names what there is instead under a word of its own.
    pub(super) fn options_as<T: Into<String>>(
        mut self,
        word: &'static str,
        options: impl IntoIterator<Item = T>,
    ) -> Self {
        self.0.options = (word, options.into_iter().map(Into::into).collect());
        self
    }

    /// Adds those of the options that were probably meant.
    pub(super) fn near(mut self, wanted: &str) -> Self {
        let near = near(wanted, self.0.options.1.iter().map(String::as_str));
        self.0.near = near.into_iter().map(str::to_owned).collect();
        self
    }

    /// Adds a fact.
    pub(super) fn with(mut self, key: &str, value: Value) -> Self {
        self.0.more.insert(key.to_owned(), value);
        self
    }

    /// Says where to look.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = help.into();
        self
    }

    /// Says what to do next, where looking is not enough.
    pub(super) fn next(mut self, next: impl Into<String>) -> Self {
        self.0.next = Some(next.into());
        self
    }

    /// The answer.
    pub(super) fn into_json(self) -> Value {
        let Words { code, error, near, options: (word, mut options), more, help, next } = *self.0;
        let mut value = json!({ "error": error, "code": code });
        if !near.is_empty() {
            value["did_you_mean"] = json!(near);
        }
        if let Some(next) = next {
            value["next"] = next.into();
        }
        let count = options.len();
        options.truncate(OPTIONS_MAX);
        value[word] = json!(options);
        if count > OPTIONS_MAX {
            value["more_options"] = json!(count - OPTIONS_MAX);
        }
        for (key, more) in more {
            value[key] = more;
        }
        value["help"] = help.into();
        value
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.error)
    }
}

/// A word as it is said back: nobody needs a megabyte of it.
pub(super) fn said(word: &str) -> String {
    let short: String = word.chars().take(SAID_CHARS_MAX).collect();
    if short.len() < word.len() { format!("{short}...") } else { short }
}

/// A value as it is said back.
pub(super) fn said_value(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        other => said(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // covers: D-16
    #[test]
    fn an_error_has_a_fixed_form() {
        let value = Problem::new("wrong", "it is wrong").options(["right"]).help("Look").into_json();
        let wanted =
            json!({"error": "it is wrong", "code": "wrong", "available_options": ["right"], "help": "Look"});
        assert_eq!(value, wanted);
    }

    #[test]
    fn options_have_a_bound() {
        let many = |count: usize| {
            Problem::new("x", "x").options((0..count).map(|number| format!("n{number}"))).into_json()
        };
        assert_eq!(many(OPTIONS_MAX).get("more_options"), None);
        let value = many(OPTIONS_MAX + 1);
        assert_eq!(value["available_options"].as_array().map(Vec::len), Some(OPTIONS_MAX));
        assert_eq!(value["more_options"], 1);
    }
}
