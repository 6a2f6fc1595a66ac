//! What a client saw, as its script tells it. Whatever is not as it should be is shown with all the rest.

use serde_json::{Value, json};
use std::fmt;

/// The document of a conversation.
#[derive(Debug)]
pub(crate) struct Seen(pub(crate) Value);

impl Seen {
    /// What stands at a path of keys; null where nothing does.
    pub(crate) fn at(&self, path: &str) -> &Value {
        let pointer = format!("/{}", path.replace('.', "/"));
        self.0.pointer(&pointer).unwrap_or(&Value::Null)
    }

    /// A text that must be there.
    #[track_caller]
    pub(crate) fn text(&self, path: &str) -> &str {
        self.at(path).as_str().unwrap_or_else(|| panic!("`{path}` is no text in {self}"))
    }

    /// Values that must be there.
    #[track_caller]
    pub(crate) fn list(&self, path: &str) -> &[Value] {
        self.at(path).as_array().unwrap_or_else(|| panic!("`{path}` is no list in {self}"))
    }

    /// Something that must stand there.
    #[track_caller]
    pub(crate) fn is(&self, path: &str, wanted: impl Into<Value>) {
        assert_eq!(*self.at(path), wanted.into(), "`{path}` in {self}");
    }

    /// A text that must contain another.
    #[track_caller]
    pub(crate) fn says(&self, path: &str, wanted: &str) {
        let text = self.text(path);
        assert!(text.contains(wanted), "`{path}` does not say `{wanted}` in {self}");
    }

    /// What was told of progress; each number is greater than the one before, as the protocol wants it.
    #[track_caller]
    pub(crate) fn progress(&self, path: &str) -> Vec<&str> {
        let told = self.list(path);
        let numbers: Vec<f64> = told.iter().filter_map(|word| word["progress"].as_f64()).collect();
        assert_eq!(numbers.len(), told.len(), "`{path}` in {self}");
        assert!(
            numbers.is_sorted_by(|one, next| one < next),
            "{numbers:?} of `{path}` do not grow in {self}"
        );
        told.iter().filter_map(|word| word["message"].as_str()).collect()
    }

    /// The answer of a tool: its text is its structured value, whole.
    #[track_caller]
    pub(crate) fn answers(&self, path: &str, is_error: bool) {
        self.is(&format!("{path}.is_error"), is_error);
        let texts = self.list(&format!("{path}.texts"));
        let read: Vec<Value> =
            texts.iter().filter_map(|text| serde_json::from_str(text.as_str()?).ok()).collect();
        let structured = self.at(&format!("{path}.structured"));
        assert_eq!(numbers(json!(read)), numbers(json!([structured])), "`{path}` in {self}");
    }
}

/// A value with all its numbers as JavaScript has them: `0.0` of the text is `0` in what it makes of the structured value.
fn numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Number(number), Value::from),
        Value::Array(items) => items.into_iter().map(numbers).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, numbers(value))).collect(),
        other => other,
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "what was seen:\n{:#}", self.0)
    }
}
