//! The names a conversation has bound so far, and `{{name}}` in texts.
//!
//! A text that is one name and nothing else becomes the value itself, with its type. Spaces inside the braces
//! make it ordinary text, so that Jinja expressions can be written in expectations.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::{Captures, Regex};
use serde_json::Value;

use crate::fields::hint;

/// What `{{name}}` stands for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    bound: BTreeMap<String, Value>,
    /// Set while a file is read and nothing is bound yet: names stay as they are written.
    unknown: bool,
}

impl Names {
    /// Returns names that stand for themselves.
    pub(crate) fn unknown() -> Self {
        Self { bound: BTreeMap::new(), unknown: true }
    }

    pub(crate) fn bind(&mut self, name: &str, value: Value) {
        self.bound.insert(name.to_owned(), value);
    }

    /// Returns the text with every name replaced.
    pub(crate) fn fill(&self, text: &str) -> Result<String, String> {
        self.fill_with(text, &|value| value)
    }

    /// Returns a regular expression in which each name matches its own text.
    pub(crate) fn fill_regex(&self, text: &str) -> Result<String, String> {
        if self.unknown {
            // Braces mean something else in an expression: any text will do to see whether the rest is one.
            return Ok(name_regex().replace_all(text, "name").into_owned());
        }
        self.fill_with(text, &|value| regex::escape(&value))
    }

    /// Returns the value itself if the text is one whole name, else the filled text.
    pub(crate) fn fill_whole(&self, text: &str) -> Result<Value, String> {
        match name_regex().captures(text) {
            Some(found) if found[0].len() == text.len() && !self.unknown => self.get(&found[1]).cloned(),
            _ => self.fill(text).map(Value::String),
        }
    }

    /// Returns the same data with every name in its texts replaced.
    pub(crate) fn fill_value(&self, value: &Value) -> Result<Value, String> {
        match value {
            Value::String(text) => self.fill_whole(text),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(map) => {
                map.iter().map(|(key, value)| Ok((key.clone(), self.fill_value(value)?))).collect()
            }
            scalar => Ok(scalar.clone()),
        }
    }

    fn fill_with(&self, text: &str, form: &dyn Fn(String) -> String) -> Result<String, String> {
        if self.unknown {
            return Ok(text.to_owned());
        }
        let mut trouble = None;
        let filled = name_regex().replace_all(text, |found: &Captures<'_>| match self.get(&found[1]) {
            Ok(Value::String(text)) => form(text.clone()),
            Ok(value) => form(value.to_string()),
            Err(message) => {
                trouble = Some(message);
                String::new()
            }
        });
        let filled = filled.into_owned();
        trouble.map_or(Ok(filled), Err)
    }

    fn get(&self, name: &str) -> Result<&Value, String> {
        let known: Vec<&str> = self.bound.keys().map(String::as_str).collect();
        self.bound.get(name).ok_or_else(|| format!("nothing is remembered as `{name}`{}", hint(name, &known)))
    }
}

fn name_regex() -> &'static Regex {
    static NAME: OnceLock<Regex> = OnceLock::new();
    NAME.get_or_init(|| Regex::new(r"\{\{([a-z][a-z0-9_]*)\}\}").expect("BUG: a fixed expression"))
}
