//! What travels through the pipes. A frame is its length, four bytes little-endian, and so many bytes:
//!
//! ```text
//!  request   length · length of the head · head (JSON) · bodies, each a JSON document
//!  answer    length · JSON: for each question, for each expression, its value or why it has none
//! ```
//! Bodies stand apart, so that a large value is neither escaped nor nested deeper than it is. A length is checked before
//! anything is allocated for it.

use kernel::Digest;
use kernel::plan::Language;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// Bytes of a length.
pub(super) const LENGTH_BYTES: usize = 4;

/// The head of a request. The values are JSON on one side, and what expressions read on the other.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head<'q, V> {
    /// The run that asks: the key of its context.
    pub(super) run: Cow<'q, str>,
    /// Values that are not needed any more; forgotten before the bodies are read.
    pub(super) forget: Vec<Digest>,
    /// The bodies in their order: what each is and how long.
    pub(super) bodies: Vec<(Digest, usize)>,
    /// The questions.
    pub(super) questions: Vec<Asked<'q, V>>,
}

/// One question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asked<'q, V> {
    pub(super) language: Language,
    pub(super) expressions: Cow<'q, [String]>,
    pub(super) scope: Vec<(Cow<'q, str>, Sent<V>)>,
}

/// A value of the scope.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sent<V> {
    /// The value itself.
    Inline(V),
    /// A value that the process holds, or that comes as a body of this request.
    Held(Digest),
}

/// For each question, for each expression: its value, or why it has none.
pub(super) type Told = Vec<Vec<Result<Value, String>>>;

/// Writes a request as one frame.
pub(super) fn request(head: &Head<'_, &Value>, bodies: &[Vec<u8>]) -> Vec<u8> {
    let mut frame = vec![0; 2 * LENGTH_BYTES];
    serde_json::to_writer(&mut frame, head).expect("BUG: a question has no JSON form");
    let head_bytes = frame.len() - 2 * LENGTH_BYTES;
    bodies.iter().for_each(|body| frame.extend_from_slice(body));
    let bytes = frame.len() - LENGTH_BYTES;
    frame[..LENGTH_BYTES].copy_from_slice(&length(bytes));
    frame[LENGTH_BYTES..2 * LENGTH_BYTES].copy_from_slice(&length(head_bytes));
    frame
}

/// A length as it is written. Nothing longer than a length can say is ever sent: limits are far below.
pub(super) fn length(bytes: usize) -> [u8; LENGTH_BYTES] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes()
}

/// Reads a length.
pub(super) fn length_of(bytes: [u8; LENGTH_BYTES]) -> usize {
    usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX)
}

/// Splits a request, its length already taken off, into head and bodies.
pub(super) fn split<V: DeserializeOwned>(frame: &[u8]) -> Result<(Head<'_, V>, &[u8]), String> {
    let (head_bytes, rest) = frame.split_first_chunk().ok_or("a request without a head")?;
    let (head, bodies) =
        rest.split_at_checked(length_of(*head_bytes)).ok_or("a head longer than its request")?;
    let head: Head<'_, V> = serde_json::from_slice(head).map_err(|error| format!("a bad head: {error}"))?;
    Ok((head, bodies))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let (value, expressions) = (json!({"a": [1, null]}), vec!["{{ a }}".to_owned()]);
        let body = b"[1,2]".to_vec();
        let digest = Digest::of(&body);
        let scope = vec![("a".into(), Sent::Inline(&value)), ("b".into(), Sent::Held(digest))];
        let asked = Asked { language: Language::Jinja, expressions: Cow::Borrowed(&expressions), scope };
        let head = Head {
            run: "r".into(),
            forget: vec![digest],
            bodies: vec![(digest, body.len())],
            questions: vec![asked],
        };
        let frame = request(&head, std::slice::from_ref(&body));
        let (bytes, rest) = frame.split_first_chunk().unwrap();
        assert_eq!(length_of(*bytes), rest.len());
        let (read, bodies) = split::<Value>(rest).unwrap();
        assert_eq!(format!("{read:?}"), format!("{head:?}"));
        assert_eq!(bodies, body);
    }

    #[test]
    fn a_broken_request_is_refused() {
        assert!(split::<Value>(b"").is_err());
        assert!(split::<Value>(&[9, 0, 0, 0, b'{']).is_err());
        assert!(split::<Value>(&[1, 0, 0, 0, b'{']).is_err());
    }
}
