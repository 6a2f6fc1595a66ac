//! Whether choices can be told apart by whoever sees only their words.

use dialects::text::{looks, visible};
use dialects::view::asked::label;
use serde_json::Value;
use std::collections::HashMap;

/// Whether each choice is seen as what it is: none is empty, holds letters that cannot be seen or breaks its line, and no two that
/// differ look alike: where blanks are not counted, and letters of another alphabet stand for those that they look like.
pub fn are_plain(choices: &[Value]) -> bool {
    let mut seen: HashMap<String, &Value> = HashMap::new();
    choices.iter().all(|choice| {
        let label = label(choice);
        let look = looks(&label);
        let is_seen = !look.is_empty() && !label.contains(char::is_control) && visible(&label) == label;
        is_seen && *seen.entry(look).or_insert(choice) == choice
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn choices_that_deceive_are_not_plain() {
        for plain in [
            json!([]),
            json!(["staging", "production"]),
            json!(["a b", "ab", " a"]),
            json!(["a", "a"]),
            json!([1, 2, true]),
            json!(["日本語", "שלום"]),
        ] {
            assert!(are_plain(plain.as_array().unwrap()), "{plain}");
        }
        for other in [
            json!(["staging", "prod\u{202e}x"]),
            json!(["stag\u{200b}ing"]),
            json!(["a", "a  "]),
            json!(["a b", "a\u{a0}\u{3000}b"]),
            json!(["a", "\u{2800}a"]),
            json!(["a\n[2] b"]),
            json!(["a\tb"]),
            json!([1, "1"]),
            json!(["prod", "pr\u{43e}d"]),
            json!(["", "a"]),
            json!([" \u{2800}"]),
        ] {
            assert!(!are_plain(other.as_array().unwrap()), "{other}");
        }
    }
}
