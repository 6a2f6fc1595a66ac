//! Large data: what is too large to go inline is stored once, by digest, in the transaction of the event that
//! names it.

use kernel::data::{Kind, Reference};
use kernel::{Data, Digest, Fields, Limits};
use serde_json::Value;

/// How much of a text is shown with its reference.
const HEAD_CHARS_MAX: usize = 80;

/// Data to be stored with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The digest of the body.
    pub digest: Digest,
    /// What the body is.
    pub kind: Kind,
    /// The data.
    pub body: Vec<u8>,
}

impl Content {
    /// The value that the body says.
    pub fn value(kind: &str, body: &[u8]) -> Result<Value, String> {
        match kind {
            "text" => String::from_utf8(body.to_vec()).map(Value::String).map_err(|error| error.to_string()),
            "json" => serde_json::from_slice(body).map_err(|error| error.to_string()),
            other => Err(format!("unknown kind of content: {other}")),
        }
    }

    /// The word the store keeps for a kind.
    pub fn word(kind: Kind) -> &'static str {
        match kind {
            Kind::Text => "text",
            Kind::Json => "json",
        }
    }
}

/// Replaces what weighs more than `inline_bytes_max` by references; the contents go to the store.
pub fn stored(fields: Fields, inline_bytes_max: u64) -> (Fields, Vec<Content>) {
    let mut contents = Vec::new();
    let fields = fields
        .into_iter()
        .map(|(name, data)| match data {
            Data::Inline(value) if kernel::data::weight(&value) > inline_bytes_max => {
                let (data, content) = refer(value);
                contents.push(content);
                (name, data)
            }
            data => (name, data),
        })
        .collect();
    (fields, contents)
}

/// Replaces what is too large for a run that holds so much already: all but the smallest, if it would hold much then.
pub fn brought(fields: Fields, limits: &Limits, held: u64) -> (Fields, Vec<Content>) {
    let weights = fields.values().map(Data::weight);
    let brings: u64 = weights.map(|weight| if weight > limits.inline_bytes_max { 0 } else { weight }).sum();
    stored(fields, limits.inline_bytes_max_of(held.saturating_add(brings)))
}

/// A reference to a value, and the content that it names.
pub(super) fn refer(value: Value) -> (Data, Content) {
    match value {
        Value::String(text) => refer_body(Kind::Text, text.into_bytes()),
        other => refer_json(other.to_string().into_bytes()),
    }
}

/// A reference to JSON, and the content that it names.
pub(super) fn refer_json(body: Vec<u8>) -> (Data, Content) {
    refer_body(Kind::Json, body)
}

fn refer_body(kind: Kind, body: Vec<u8>) -> (Data, Content) {
    let digest = Digest::of(&body);
    // No character has more than four bytes, and one that is cut is not shown.
    let start = String::from_utf8_lossy(&body[..body.len().min(4 * HEAD_CHARS_MAX + 4)]);
    let head = start.chars().take(HEAD_CHARS_MAX).collect();
    let reference = Reference { digest, size: body.len() as u64, kind, head };
    (Data::Stored(reference), Content { digest, kind, body })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_is_large_is_stored() {
        let fields = Fields::from([
            ("edge".to_owned(), Data::Inline("x".repeat(14).into())),
            ("over".to_owned(), Data::Inline("x".repeat(15).into())),
            ("list".to_owned(), Data::Inline(json!([1, 2, 3, 4]))),
        ]);
        let (fields, contents) = stored(fields, 16);
        assert!(fields["edge"].inline().is_some());
        assert_eq!(contents.len(), 2);
        let bodies: Vec<Value> =
            contents.iter().map(|it| Content::value(Content::word(it.kind), &it.body).unwrap()).collect();
        assert_eq!(bodies, [json!([1, 2, 3, 4]), json!("x".repeat(15))]);
    }

    #[test]
    fn many_of_middle_size_are_stored_too() {
        let limits = Limits { inline_bytes_max: 1_000, held_bytes_max: 4_000, ..Limits::default() };
        let text = |bytes: usize| Data::Inline("x".repeat(bytes - 2).into());
        let both = |bytes: usize| Fields::from([("a".to_owned(), text(900)), ("b".to_owned(), text(bytes))]);
        assert!(brought(both(100), &limits, 1_000).1.is_empty());
        assert_eq!(brought(both(101), &limits, 1_000).1.len(), 1);
        assert_eq!(brought(both(257), &limits, 1_000).1.len(), 2);
        assert_eq!(brought(both(1_001), &limits, 1_000).1.len(), 1, "what is stored is no burden");
    }
}
