//! What a definition says, as sixteen signs: whatever it is called and however it is described.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The hash of a definition, over its JSON with sorted keys, as Python writes it.
pub(super) fn of(definition: &Value) -> String {
    let mut text = String::new();
    match definition {
        Value::Object(map) => {
            let said = map.iter().filter(|(key, _)| !matches!(key.as_str(), "name" | "description"));
            object(&mut text, said);
        }
        other => write(&mut text, other),
    }
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn write(text: &mut String, value: &Value) {
    match value {
        Value::Object(map) => object(text, map.iter()),
        Value::Array(items) => {
            text.push('[');
            for (position, item) in items.iter().enumerate() {
                text.push_str(if position > 0 { ", " } else { "" });
                write(text, item);
            }
            text.push(']');
        }
        Value::String(said) => string(text, said),
        other => text.push_str(&other.to_string()),
    }
}

fn object<'v>(text: &mut String, entries: impl Iterator<Item = (&'v String, &'v Value)>) {
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|(key, _)| *key);
    text.push('{');
    for (position, (key, value)) in entries.into_iter().enumerate() {
        text.push_str(if position > 0 { ", " } else { "" });
        string(text, key);
        text.push_str(": ");
        write(text, value);
    }
    text.push('}');
}

/// A text in quotes; what is no ASCII is written by number.
fn string(text: &mut String, said: &str) {
    let quoted = Value::from(said).to_string();
    for letter in quoted.chars() {
        if letter.is_ascii() {
            text.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // covers: T-105
    #[test]
    fn neither_name_nor_description_nor_order_counts() {
        let one = json!({"name": "a", "description": "x", "initial_state": "s", "states": {"s": {"b": 1, "a": [1, 2]}}});
        let other = json!({"states": {"s": {"a": [1, 2], "b": 1}}, "name": "b", "initial_state": "s"});
        assert_eq!(of(&one), of(&other));
        assert_ne!(of(&one), of(&json!({"initial_state": "t", "states": {"s": {"b": 1, "a": [1, 2]}}})));
        assert_eq!(of(&one).len(), 16);
    }

    #[test]
    fn it_is_the_one_that_python_makes() {
        // sha256(b'{"initial_state": "s", "states": {"s": {"x": "\\u00e4", "y": true}}}')
        let definition = json!({"name": "n", "states": {"s": {"y": true, "x": "ä"}}, "initial_state": "s"});
        let mut text = String::new();
        let Value::Object(map) = &definition else { unreachable!() };
        object(&mut text, map.iter().filter(|(key, _)| *key != "name"));
        assert_eq!(text, r#"{"initial_state": "s", "states": {"s": {"x": "\u00e4", "y": true}}}"#);
        assert_eq!(of(&definition), "3678f65bd2c7f10f");
    }
}
