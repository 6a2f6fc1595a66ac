//! Reads JSON so that writing it again loses nothing: what cannot be held as it stands there is refused, and not rounded or
//! dropped without a word.

use dialects::text::is_exact;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// The value of a text, or why it has none.
pub fn exact(text: &str) -> Result<Value, String> {
    if text.starts_with('\u{feff}') {
        return Err("it begins with a byte order mark: save it without one".to_owned());
    }
    let Exact(value) = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match rounded(text) {
        Some((line, number)) => {
            Err(format!("the number {number} in line {line} cannot be kept as it is: write it as text"))
        }
        None => Ok(value),
    }
}

/// A value in which no key stands twice.
struct Exact(Value);

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reading).map(Exact)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Exact(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((key, Exact(value))) = entries.next_entry::<String, Exact>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` stands there twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// The first number of a JSON text that a value does not hold as it is, and its line.
fn rounded(text: &str) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1);
    while let Some(byte) = bytes.get(at) {
        let rest = &text[at..];
        at += match byte {
            b'"' => string_bytes(rest),
            b'-' | b'0'..=b'9' => {
                let number = rest.split(|sign: char| !is_of_number(sign)).next().unwrap_or(rest);
                if !is_exact(number) {
                    return Some((line, number));
                }
                number.len()
            }
            b'\n' => {
                line += 1;
                1
            }
            _ => 1,
        };
    }
    None
}

/// How long the string is that a text begins with, its quotes included.
fn string_bytes(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().enumerate().skip(1).find(|(_, byte)| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

fn is_of_number(sign: char) -> bool {
    sign.is_ascii_digit() || matches!(sign, '+' | '-' | '.' | 'e' | 'E')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_held_comes_back() {
        let text = r#"{"a": [1, -2.5, 1e2, 0.1, 0, -0.0, 18446744073709551615, -9223372036854775808, 1.50],
            "b": {"12345678901234567890123": "12345678901234567890123 \" \\"}, "c": null, "d": true}"#;
        let value = exact(text).unwrap();
        assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
        for number in [
            "0.30000000000000004",
            "1.7976931348623157e308",
            "5e-324",
            "123456.789",
            "100000000000000000000.0",
        ] {
            assert!(exact(number).is_ok(), "{number}");
        }
    }

    #[test]
    fn what_would_be_rounded_is_refused() {
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "12345678901234567890123",
            "0.1000000000000000055",
            "0.12345678901234567890",
            "1e-400",
        ] {
            let text = format!("{{\n\"a\": \"\\\"{number}\",\n\"b\": [{number}]}}");
            let words = format!("the number {number} in line 3 cannot be kept as it is: write it as text");
            assert_eq!(exact(&text), Err(words));
        }
    }

    #[test]
    fn what_would_be_dropped_is_refused() {
        let error = exact(r#"{"a": {"b": 1, "b": 2}}"#).unwrap_err();
        assert!(error.starts_with("the key `b` stands there twice at line 1 column"), "{error}");
        assert_eq!(exact("\u{feff}{}").unwrap_err(), "it begins with a byte order mark: save it without one");
        assert_eq!(exact(r#"{"a": 1} "#), Ok(json!({"a": 1})));
    }
}
