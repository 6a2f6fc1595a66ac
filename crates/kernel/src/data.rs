//! Data of a run: small values inline, large ones by reference to content that is stored once.

use crate::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Named data: the inputs, outputs or parameters of a step.
pub type Fields = BTreeMap<String, Data>;

/// How deep a value inside a run may nest. JSON readers stop at 128 levels, and what a run holds stands inside
/// events and snapshots.
pub const DEPTH_MAX: usize = 64;

/// What a value weighs that nests deeper: too much for any limit, so that it is kept as content.
pub const TOO_DEEP: u64 = 1 << 62;

/// A value, or a reference to one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// The value itself.
    Inline(Value),
    /// Where the value can be had.
    Stored(Reference),
}

/// A reference to stored content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Digest of the stored bytes.
    pub digest: Digest,
    /// Number of stored bytes.
    pub size: u64,
    /// What the bytes are.
    pub kind: Kind,
    /// The first bytes as text, for people.
    pub head: String,
}

/// What stored bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// UTF-8 text: the value is a string.
    Text,
    /// JSON: the value is what it says.
    Json,
}

impl Data {
    /// The value, if it is inline.
    pub fn inline(&self) -> Option<&Value> {
        match self {
            Data::Inline(value) => Some(value),
            Data::Stored(_) => None,
        }
    }

    /// How many bytes the value has, wherever it is.
    pub fn bytes(&self) -> u64 {
        match self {
            Data::Inline(value) => weight(value),
            Data::Stored(reference) => reference.size,
        }
    }

    /// What it weighs inside a run, in bytes: never less than its JSON form.
    pub fn weight(&self) -> u64 {
        match self {
            Data::Inline(value) => weight(value),
            Data::Stored(reference) => 160 + text_weight(&reference.head),
        }
    }
}

impl From<Value> for Data {
    fn from(value: Value) -> Self {
        Data::Inline(value)
    }
}

/// What a name and the signs around its data take.
const ENTRY: u64 = 14;

/// The weight of named data.
pub fn weight_of(fields: &Fields) -> u64 {
    fields.iter().map(|(name, data)| entry_weight(name, data)).sum()
}

/// The weight of one name and its data.
pub(crate) fn entry_weight(name: &str, data: &Data) -> u64 {
    text_weight(name) + ENTRY + data.weight()
}

/// What a value weighs: never less than the length of its JSON form, and [`TOO_DEEP`] where it nests too deep.
pub fn weight(value: &Value) -> u64 {
    weigh(value, DEPTH_MAX).unwrap_or(TOO_DEEP)
}

fn weigh(value: &Value, levels: usize) -> Option<u64> {
    Some(match value {
        Value::Null => 4,
        Value::Bool(_) => 5,
        Value::Number(number) => number_weight(number),
        Value::String(text) => text_weight(text),
        Value::Array(items) => {
            let below = levels.checked_sub(1)?;
            items.iter().try_fold(2, |sum, item| Some(sum + weigh(item, below)? + 1))?
        }
        Value::Object(map) => {
            let below = levels.checked_sub(1)?;
            map.iter()
                .try_fold(2, |sum, (key, item)| Some(sum + text_weight(key) + 2 + weigh(item, below)?))?
        }
    })
}

/// How deep JSON nests. What stands inside of text does not count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Levels {
    now: usize,
    most: usize,
    quoted: bool,
    escaped: bool,
}

impl Levels {
    /// Reads on, and gives the most levels that there were so far.
    pub fn read(&mut self, json: &[u8]) -> usize {
        for byte in json {
            match (self.quoted, byte) {
                (true, _) if self.escaped => self.escaped = false,
                (true, b'\\') => self.escaped = true,
                (_, b'"') => self.quoted = !self.quoted,
                (false, b'[' | b'{') => {
                    self.now += 1;
                    self.most = self.most.max(self.now);
                }
                (false, b']' | b'}') => self.now = self.now.saturating_sub(1),
                _ => {}
            }
        }
        self.most
    }
}

fn number_weight(number: &serde_json::Number) -> u64 {
    match number.as_i64() {
        Some(small) if small.unsigned_abs() < 10_000_000 => 8,
        _ => (number.to_string().len() as u64).max(8),
    }
}

/// The length of a text's JSON form.
pub(crate) fn text_weight(text: &str) -> u64 {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0x00..=0x1f => 6,
        _ => 1,
    };
    2 + text.bytes().map(escaped).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_weight_is_never_less_than_the_json() {
        for value in [
            json!(null),
            json!(false),
            json!(-9_999_999),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(5e-324),
            json!(-1.797_693_134_862_315_7e308),
            json!("a\"\\\n\u{1}\u{8}\u{7f}ä"),
            json!([]),
            json!({}),
            json!([[1, 2], {"k\t": [false, {"x": "y"}]}]),
        ] {
            assert!(weight(&value) >= value.to_string().len() as u64, "{value}");
        }
        assert_eq!(text_weight("a\"\\\n\u{1}\u{8}ä"), json!("a\"\\\n\u{1}\u{8}ä").to_string().len() as u64);
    }

    #[test]
    fn named_data_weighs_its_json_too() {
        let (digest, head) = (Digest::of(b""), "\"head\"\u{1}".to_owned());
        let stored = Data::Stored(Reference { digest, size: u64::MAX, kind: Kind::Text, head });
        let fields = Fields::from([("a\"".to_owned(), json!({"x": 1}).into()), ("b".to_owned(), stored)]);
        let text = serde_json::to_string(&fields).unwrap();
        assert!(weight_of(&fields) + 2 >= text.len() as u64);
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let mut bits = 88_172_645_463_325_252_u64;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let number = f64::from_bits(bits);
            if number.is_finite() {
                let read: Value = serde_json::from_str(&json!(number).to_string()).unwrap();
                assert_eq!(read.as_f64().map(f64::to_bits), Some(bits), "{number}");
            }
        }
    }

    #[test]
    fn depth_has_an_edge() {
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({ "k": inner }));
        assert!(weight(&nested(DEPTH_MAX)) < 1_000);
        assert_eq!(weight(&nested(DEPTH_MAX + 1)), TOO_DEEP);
    }

    #[test]
    fn levels_are_counted_outside_of_text() {
        for (json, levels) in [
            ("1", 0),
            ("[]", 1),
            (r#"[[1],{"a":[]},[]]"#, 3),
            (r#"["[[[","\"[[",{"]]}":1}]"#, 2),
            (r#"["\\",[1]]"#, 2),
        ] {
            assert_eq!(Levels::default().read(json.as_bytes()), levels, "{json}");
            let mut in_two = Levels::default();
            in_two.read(&json.as_bytes()[..json.len() / 2]);
            assert_eq!(in_two.read(&json.as_bytes()[json.len() / 2..]), levels, "{json}");
        }
    }
}
