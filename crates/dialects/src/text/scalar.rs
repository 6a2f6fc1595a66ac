//! What a plain scalar means: the YAML 1.2 core schema, with three readings of our own.
//!
//! `true`, `false`, `null`, `~`, nothing, whole numbers and decimals have a type. All else is text: `on`,
//! `yes`, `no`, `y`, `off`, `1_000`, dates.
//!
//! - `017` is text. YAML 1.1 reads 15, YAML 1.2 reads 17, and whoever wrote it mostly meant `"017"` (a file
//!   mode, a postal code).
//! - A number that a JSON number cannot hold is text and loses no digit: `123456789012345678901`, `1e999`.
//! - `.inf` and `.nan` are text: JSON has no such number.

use serde_json::{Number, Value};

/// Returns the value of a plain scalar.
pub(crate) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if has_leading_zero(unsigned) {
        return None;
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return whole(text);
    }
    is_decimal(unsigned).then(|| decimal(text)).flatten()
}

/// Tells whether a plain scalar that means text is a number which JSON cannot hold: one that is too large, `.inf` or `.nan`.
pub(crate) fn is_beyond(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let in_radix = |prefix: &str, radix: u32| {
        let digits = text.strip_prefix(prefix).filter(|digits| !digits.is_empty());
        digits.is_some_and(|digits| digits.chars().all(|digit| digit.is_digit(radix)))
    };
    let named = matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN");
    let is_number =
        in_radix("0x", 16) || in_radix("0o", 8) || is_decimal(unsigned) && !has_leading_zero(unsigned);
    named || is_number && number(text).is_none()
}

fn radix(digits: &str, radix: u32) -> Option<Number> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    u64::from_str_radix(digits, radix).ok().filter(|_| plain).map(Number::from)
}

fn whole(text: &str) -> Option<Number> {
    let text = text.strip_prefix('+').unwrap_or(text);
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

fn decimal(text: &str) -> Option<Number> {
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

fn has_leading_zero(unsigned: &str) -> bool {
    let bytes = unsigned.as_bytes();
    bytes.len() > 1 && bytes[0] == b'0' && bytes[1].is_ascii_digit()
}

/// `1.5`, `.5`, `1.`, each with or without an exponent, and `1e3`.
fn is_decimal(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|text| {
        let text = text.strip_prefix(['-', '+']).unwrap_or(text);
        !text.is_empty() && digits(text)
    });
    digits(before) && digits(after) && !(before.is_empty() && after.is_empty()) && exponent_fits
}

#[cfg(test)]
mod tests {
    use super::resolve;
    use serde_json::{Value, json};

    #[test]
    fn the_core_schema_types_these() {
        let typed = [
            ("", Value::Null),
            ("~", Value::Null),
            ("null", Value::Null),
            ("NULL", Value::Null),
            ("true", json!(true)),
            ("False", json!(false)),
            ("0", json!(0)),
            ("-7", json!(-7)),
            ("+7", json!(7)),
            ("18446744073709551615", json!(u64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("1.5", json!(1.5)),
            ("-.5", json!(-0.5)),
            ("1.", json!(1.0)),
            ("1e3", json!(1000.0)),
            ("0.1E-2", json!(0.001)),
        ];
        for (text, value) in typed {
            assert_eq!(resolve(text), value, "{text}");
        }
    }

    #[test]
    fn all_else_is_text() {
        let text = [
            "on",
            "off",
            "yes",
            "no",
            "y",
            "n",
            "On",
            "017",
            "-017",
            "00",
            "1_000",
            ".inf",
            "-.inf",
            ".nan",
            "18446744073709551616",
            "1e999",
            "1e",
            "e3",
            ".",
            "-",
            "+",
            "0x",
            "0xg",
            "0x+1",
            "1.2.3",
            "2024-01-01",
            "12:30",
            "tRUE",
            "nULL",
            " 1",
            "1 ",
            "١",
            "01.5",
            "infinity",
            "NaN",
        ];
        for text in text {
            assert_eq!(resolve(text), Value::String(text.to_owned()), "{text}");
        }
    }
}
