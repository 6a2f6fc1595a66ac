//! Numbers as Python reads and writes them.

use super::text::{Given, named};
use super::undefined::defined;
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, State, Value, filters};
use std::num::IntErrorKind;

/// Adds the filters that make numbers.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("int", int);
    environment.add_filter("float", float);
    environment.add_filter("filesizeformat", size);
    environment.add_test("even", |value: &Value| remainder("even", value).map(|rest| rest == 0.0));
    environment.add_test("odd", |value: &Value| remainder("odd", value).map(|rest| rest == 1.0));
    let inner = Value::from_function(filters::round);
    environment.add_filter("round", move |state: &mut State<'_, '_>, value: Value, given: Given| {
        let given = named(given, &["precision", "method"])?;
        let is_common = given.peek::<&str>("method").map_or(true, |method| method == "common");
        // What is rounded up or down is a fraction in Python, whatever it was.
        let value = match value.kind() {
            ValueKind::Bool if is_common => u8::from(value.is_true()).into(),
            ValueKind::Bool => f64::from(u8::from(value.is_true())).into(),
            ValueKind::Number if !is_common => f64::try_from(value)?.into(),
            _ => value,
        };
        inner.call(state, &[value, given.into()])
    });
}

/// What is left of a number when it is halved.
fn remainder(test: &str, value: &Value) -> Result<f64, Error> {
    defined(value)?;
    match (value.kind(), i128::try_from(value.clone())) {
        (ValueKind::Number, Ok(whole)) => Ok(if whole % 2 == 0 { 0.0 } else { 1.0 }),
        (ValueKind::Number, Err(_)) => Ok(f64::try_from(value.clone())?.rem_euclid(2.0)),
        (ValueKind::Bool, _) => Ok(if value.is_true() { 1.0 } else { 0.0 }),
        (kind, _) => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("`{test}` takes a number, and this is a {kind}: make it one with `| int`"),
        )),
    }
}

/// A number of bytes for people.
fn size(value: &Value, given: Given) -> Result<String, Error> {
    const UNITS: [&str; 8] = ["k", "M", "G", "T", "P", "E", "Z", "Y"];
    let given = named(given, &["binary"])?;
    let is_binary = given.get::<Option<Value>>("binary")?.is_some_and(|binary| binary.is_true());
    given.assert_all_used()?;
    defined(value)?;
    let Some(bytes) = number(value) else {
        let words = format!("`filesizeformat` takes a number, and this is a {}", value.kind());
        return Err(Error::new(ErrorKind::InvalidOperation, words));
    };
    let base = if is_binary { 1024.0 } else { 1000.0 };
    if bytes < base {
        return Ok(if bytes == 1.0 { "1 Byte".to_owned() } else { format!("{} Bytes", bytes.trunc()) });
    }
    let (mut left, mut units) = (bytes / base, UNITS.into_iter().peekable());
    let mut unit = units.next().unwrap_or_default();
    while left >= base {
        let Some(next) = units.next() else { break };
        (left, unit) = (left / base, next);
    }
    let unit = if is_binary { format!("{}iB", unit.to_uppercase()) } else { format!("{unit}B") };
    Ok(format!("{left:.1} {unit}"))
}

/// The whole number that something says, cut off behind the point; otherwise the default, which is 0.
fn int(value: &Value, given: Given) -> Result<Value, Error> {
    let given = named(given, &["default", "base"])?;
    let default = given.get::<Option<Value>>("default")?.unwrap_or_else(|| 0.into());
    let base = given.get::<Option<u32>>("base")?.unwrap_or(10);
    given.assert_all_used()?;
    if base == 1 || base > 36 {
        return Err(Error::new(ErrorKind::InvalidOperation, "`int` takes a base of 0, or of 2 up to 36"));
    }
    defined(value)?;
    if value.is_integer() {
        return Ok(value.clone());
    }
    if let Some(whole) = value.as_str().map_or(Ok(None), |text| whole(text, base))? {
        return Ok(whole.into());
    }
    if fraction(value).is_some_and(f64::is_infinite) {
        return Err(too_large());
    }
    match number(value).filter(|number| number.is_finite()) {
        None => Ok(default),
        #[expect(clippy::cast_possible_truncation, reason = "what does not fit was refused")]
        Some(number) if number.abs() < 1e38 => Ok((number as i128).into()),
        Some(number) => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("{number:e} is too large for a whole number"),
        )),
    }
}

/// The number that something says; otherwise the default, which is 0.0.
fn float(value: &Value, given: Given) -> Result<Value, Error> {
    let given = named(given, &["default"])?;
    let default = given.get::<Option<Value>>("default")?.unwrap_or_else(|| 0.0.into());
    given.assert_all_used()?;
    defined(value)?;
    Ok(number(value).map_or(default, Value::from))
}

fn number(value: &Value) -> Option<f64> {
    match value.kind() {
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::Number => f64::try_from(value.clone()).ok(),
        ValueKind::String => digits(value.as_str()?)?.parse().ok(),
        _ => None,
    }
}

/// A number without what Python allows around and between its digits.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    let is_digit = |place: Option<usize>| {
        place.and_then(|place| text.as_bytes().get(place)).is_some_and(u8::is_ascii_alphanumeric)
    };
    let stands_between =
        |(place, _): (usize, &str)| is_digit(place.checked_sub(1)) && is_digit(Some(place + 1));
    text.match_indices('_').all(stands_between).then(|| text.replace('_', ""))
}

fn whole(text: &str, base: u32) -> Result<Option<i128>, Error> {
    let Some(text) = digits(text) else { return Ok(None) };
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(&text)),
    };
    let marked = |mark: &str| {
        let (before, behind) = rest.split_at_checked(2)?;
        before.eq_ignore_ascii_case(mark).then_some(behind)
    };
    let (base, rest) = match (base, marked("0x"), marked("0o"), marked("0b")) {
        (0 | 16, Some(rest), _, _) => (16, rest),
        (0 | 8, _, Some(rest), _) => (8, rest),
        (0 | 2, _, _, Some(rest)) => (2, rest),
        (0, ..) => (10, rest),
        (base, ..) => (base, rest),
    };
    if !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
        return Ok(None);
    }
    match i128::from_str_radix(rest, base) {
        Ok(number) => Ok(Some(sign * number)),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Err(too_large()),
        Err(_) => Ok(None),
    }
}

fn too_large() -> Error {
    Error::new(ErrorKind::InvalidOperation, "the number is too large for a whole one")
}

/// How Python prints a number that is not whole: with an exponent where it is very large or very small.
pub(super) fn printed(number: f64) -> String {
    if !number.is_finite() {
        let sign = if number.is_sign_negative() && !number.is_nan() { "-" } else { "" };
        return format!("{sign}{}", if number.is_nan() { "nan" } else { "inf" });
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number != 0.0 && !(-4..16).contains(&exponent) {
        return format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
    }
    let plain = format!("{number}");
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

/// A number that is not whole, if it is one.
pub(super) fn fraction(value: &Value) -> Option<f64> {
    let is_one = value.kind() == ValueKind::Number && !value.is_integer();
    is_one.then(|| f64::try_from(value.clone()).ok())?
}
