//! What travels through the pipes. A frame is its length, four bytes little-endian, and so many bytes:
//!
//! ```text
//!  request   length · length of the head · head (JSON) · bodies, each a JSON document
//!  answer    length · JSON: for each question, for each expression, its value or why it has none; or for each field what
//!            became of it
//! ```
//! Bodies stand apart, so that a large value is neither escaped nor nested deeper than it is. A length is checked before
//! anything is allocated for it.

use kernel::plan::{Language, Origin};
use kernel::question::Compute;
use kernel::{Digest, Question};
use serde::de::{self, DeserializeSeed, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

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
#[serde(rename_all = "snake_case")]
pub(super) enum Asked<'q, V> {
    /// What are these expressions?
    Evaluate {
        language: Language,
        expressions: Cow<'q, [String]>,
        /// Where they stand in their file; empty where that is not known.
        origins: Cow<'q, [Option<Origin>]>,
        scope: Scope<'q, V>,
    },
    /// What are these fields?
    Compute { fields: Cow<'q, [Compute]>, scope: Scope<'q, V> },
}

/// Values by path.
pub(super) type Scope<'q, V> = Vec<(Cow<'q, str>, Sent<V>)>;

/// A value of the scope.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sent<V> {
    /// The value itself.
    Inline(V),
    /// A value that the process holds, or that comes as a body of this request.
    Held(Digest),
}

/// What is told of one question.
#[derive(Debug)]
pub(super) enum Told {
    /// For each expression its value, or why it has none.
    Evaluated(Vec<Result<Value, String>>),
    /// For each field what became of it.
    Computed(Vec<Computed>),
}

/// What became of a field.
#[derive(Debug, Deserialize)]
pub(super) struct Computed {
    /// A value, or none: a list, because nothing is a value too.
    pub(super) value: Vec<Value>,
    pub(super) error: Option<String>,
    pub(super) input: Digest,
    pub(super) took_us: u64,
    #[serde(default)]
    pub(super) kept: bool,
}

/// Reads an answer to questions. It fits them, or it is none.
pub(super) fn answer(bytes: &[u8], questions: &[&Question]) -> Result<Vec<Told>, String> {
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let told = Answers(questions).deserialize(&mut from).and_then(|told| from.end().map(|()| told));
    told.map_err(|error| error.to_string())
}

/// What is told of one question after the other: each question says what it wants to be told.
struct Answers<'q>(&'q [&'q Question]);

impl<'de> DeserializeSeed<'de> for Answers<'_> {
    type Value = Vec<Told>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Vec<Told>, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Answers<'_> {
    type Value = Vec<Told>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an answer to each question")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Vec<Told>, A::Error> {
        let mut answers = Vec::new();
        for question in self.0 {
            let (told, fits) = match question {
                Question::Compute { fields, .. } => {
                    let computed: Option<Vec<Computed>> = all.next_element()?;
                    let fits = computed.as_ref().is_some_and(|computed| computed.len() == fields.len());
                    (computed.map(Told::Computed), fits)
                }
                Question::Evaluate { expressions, .. } => {
                    let values: Option<Vec<_>> = all.next_element()?;
                    let fits = values.as_ref().is_some_and(|values| values.len() == expressions.len());
                    (values.map(Told::Evaluated), fits)
                }
                Question::Load { .. } | Question::Gather { .. } => (None, false),
            };
            answers.extend(told.filter(|_| fits));
        }
        let fits = answers.len() == self.0.len() && all.next_element::<IgnoredAny>()?.is_none();
        if fits { Ok(answers) } else { Err(de::Error::custom("it does not fit the questions")) }
    }
}

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
pub(super) fn split<'f, V: Deserialize<'f>>(frame: &'f [u8]) -> Result<(Head<'f, V>, &'f [u8]), String> {
    let (head_bytes, rest) = frame.split_first_chunk().ok_or("a request without a head")?;
    let (head, bodies) =
        rest.split_at_checked(length_of(*head_bytes)).ok_or("a head longer than its request")?;
    let head: Head<'f, V> = serde_json::from_slice(head).map_err(|error| format!("a bad head: {error}"))?;
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
        let (language, expressions) = (Language::Jinja, Cow::Borrowed(expressions.as_slice()));
        let asked = Asked::Evaluate { language, expressions, origins: Cow::default(), scope };
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
