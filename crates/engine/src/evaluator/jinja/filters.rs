//! Filters that the sources use and Jinja does not have, and two that differ: `length` of what is undefined is 0, as
//! in Python.

use kernel::Digest;
use minijinja::{Environment, Error, ErrorKind, Value};

/// Adds them.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("length", length);
    environment.add_filter("count", length);
    environment.add_filter("parse_json", parse_json);
    environment.add_filter("hash", hash);
    environment.add_filter("strip", strip);
    environment.add_filter("quote", quote);
    environment.add_filter("equalto", |left: Value, right: Value| compared(left, right, |a, b| a == b));
    environment.add_filter("greaterthan", |left: Value, right: Value| compared(left, right, |a, b| a > b));
    environment.add_filter("lessthan", |left: Value, right: Value| compared(left, right, |a, b| a < b));
}

fn length(value: &Value) -> Result<usize, Error> {
    if value.is_undefined() { Ok(0) } else { minijinja::filters::length(value) }
}

/// What JSON text says. A value that is no text is what was meant already.
fn parse_json(value: Value) -> Result<Value, Error> {
    defined(&value)?;
    let Some(text) = value.as_str() else { return Ok(value) };
    serde_json::from_str(text).map_err(|error| {
        Error::new(ErrorKind::InvalidOperation, format!("`parse_json` reads no JSON here: {error}"))
    })
}

/// SHA-256 of the text form, in full.
fn hash(value: Value) -> Result<String, Error> {
    defined(&value)?;
    Ok(Digest::of(value.to_string().as_bytes()).to_string())
}

fn strip(text: &str, letters: Option<&str>) -> String {
    match letters {
        None => text.trim().to_owned(),
        Some(letters) => text.trim_matches(|letter| letters.contains(letter)).to_owned(),
    }
}

/// One word of a shell, whatever the value says.
fn quote(value: Value) -> Result<String, Error> {
    defined(&value)?;
    let text = value.to_string();
    if text.contains('\0') {
        let words = "`quote` was given a NUL byte, which no shell can take: remove it";
        return Err(Error::new(ErrorKind::InvalidOperation, words));
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

fn compared(left: Value, right: Value, holds: fn(&Value, &Value) -> bool) -> Result<bool, Error> {
    defined(&left)?;
    defined(&right)?;
    Ok(holds(&left, &right))
}

fn defined(value: &Value) -> Result<(), Error> {
    if value.is_undefined() { Err(ErrorKind::UndefinedError.into()) } else { Ok(()) }
}
