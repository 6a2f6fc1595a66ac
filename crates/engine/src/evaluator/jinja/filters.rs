//! Filters that the sources use and Jinja does not have, and those that the engine takes in another form than Python.

use super::order::compared;
use super::text::{Given, named, shown};
use super::undefined::{at, defined, with_items};
use dialects::text::looks;
use kernel::Digest;
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, State, Value, filters};
use std::collections::BTreeSet;

/// Adds them.
pub(super) fn add(environment: &mut Environment<'static>) {
    for name in ["default", "d"] {
        environment.add_filter(name, default);
    }
    environment.add_filter("sort", sort);
    environment.add_filter("unique", unique);
    environment.add_filter("dictsort", |map: &Value, given: Given| {
        filters::dictsort(map, named(given, &["case_sensitive", "by", "reverse"])?)
    });
    environment.add_filter("pprint", |value: &Value| {
        defined(value)?;
        Ok::<_, Error>(filters::pprint(value))
    });
    environment.add_test("callable", |value: &Value| value.kind() == ValueKind::Plain);
    environment.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
    environment.add_test("sequence", |value: &Value| value.len().is_some());
    environment.add_test("in", is_in);
    environment.add_filter("length", length);
    environment.add_filter("count", length);
    environment.add_filter("parse_json", parse_json);
    environment.add_filter("hash", hash);
    environment.add_filter("strip", strip);
    environment.add_filter("quote", quote);
    environment.add_filter("choices", choices);
    environment.add_filter("milliseconds", milliseconds);
    environment.add_filter("equalto", |left: &Value, right: &Value| compared(left, "==", right));
    environment.add_filter("greaterthan", |left: &Value, right: &Value| compared(left, ">", right));
    environment.add_filter("lessthan", |left: &Value, right: &Value| compared(left, "<", right));
}

/// Another value for what is undefined, or with `boolean` for what is false.
fn default(value: &Value, given: Given) -> Result<Value, Error> {
    let given = named(given, &["default_value", "boolean"])?;
    let other = given.get::<Option<Value>>("default_value")?.unwrap_or_else(|| "".into());
    let for_false = given.get::<Option<Value>>("boolean")?.is_some_and(|boolean| boolean.is_true());
    given.assert_all_used()?;
    Ok(if value.is_undefined() || for_false && !value.is_true() { other } else { value.clone() })
}

fn sort(state: &mut State<'_, '_>, value: Value, given: Given) -> Result<Value, Error> {
    let given = named(given, &["reverse", "case_sensitive", "attribute"])?;
    let value = if value.is_undefined() { Vec::<Value>::new().into() } else { value };
    let value = with_items(&value, given.peek::<Value>("attribute").ok().as_ref())?;
    filters::sort(state, value, given)
}

/// The first of all items that are the same: `1`, `1.0` and `true` are, as in Python.
fn unique(value: Value, given: Given) -> Result<Value, Error> {
    let given = named(given, &["case_sensitive", "attribute"])?;
    let by_case = given.get::<Option<Value>>("case_sensitive")?.is_some_and(|by_case| by_case.is_true());
    let attribute = given.get::<Option<Value>>("attribute")?.filter(|attribute| !attribute.is_none());
    given.assert_all_used()?;
    let value = if value.is_undefined() { Vec::<Value>::new().into() } else { value };
    let path = attribute.as_ref().map(Value::to_string);
    let mut seen = BTreeSet::new();
    let is_new = |item: &Value| {
        let found =
            path.as_ref().map_or_else(|| Some(item.clone()), |path| at(item, path)).unwrap_or_default();
        seen.insert(match found.as_str() {
            Some(text) if !by_case => text.to_lowercase().into(),
            _ if found.kind() == ValueKind::Bool => u8::from(found.is_true()).into(),
            _ => found,
        })
    };
    Ok(with_items(&value, attribute.as_ref())?.try_iter()?.filter(is_new).collect())
}

/// Whether something lies in a list, a map or a text: nothing lies in a number.
fn is_in(value: &Value, other: &Value) -> Result<bool, Error> {
    defined(value)?;
    defined(other)?;
    let within = match other.kind() {
        ValueKind::String => value.as_str().map(|part| other.as_str().unwrap_or_default().contains(part)),
        ValueKind::Map => Some(other.get_item(value).is_ok_and(|found| !found.is_undefined())),
        ValueKind::Seq | ValueKind::Iterable => Some(other.try_iter()?.any(|item| item == *value)),
        _ => None,
    };
    within.ok_or_else(|| {
        let words = format!(
            "`in` looks in a list, a map or a text, not for a {} in a {}",
            value.kind(),
            other.kind()
        );
        Error::new(ErrorKind::InvalidOperation, words)
    })
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
    Ok(Digest::of(shown(&value).as_bytes()).to_string())
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
    let text = shown(&value);
    if text.contains('\0') {
        let words = "`quote` was given a NUL byte, which no shell can take: remove it";
        return Err(Error::new(ErrorKind::InvalidOperation, words));
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// The options of a question: 1 to 100 of them, or as many as is said, each one value, no two the same or alike.
fn choices(value: &Value, most: Option<usize>) -> Result<Value, Error> {
    let most = most.unwrap_or(100);
    let wrong = |why: String| {
        Error::new(ErrorKind::InvalidOperation, format!("options are a list of 1 to {most} values: {why}"))
    };
    if value.kind() != ValueKind::Seq {
        return Err(wrong("this is no list".to_owned()));
    }
    let all: Vec<Value> = value.try_iter()?.take(most + 1).collect();
    if all.is_empty() || all.len() > most {
        return Err(wrong(if all.is_empty() {
            "it is empty".to_owned()
        } else {
            "there are more".to_owned()
        }));
    }
    let mut seen = std::collections::BTreeMap::new();
    for one in &all {
        if !matches!(one.kind(), ValueKind::String | ValueKind::Number | ValueKind::Bool) {
            return Err(wrong(format!("one of them is {}", one.kind())));
        }
        if let Some(other) = seen.insert(looks(&one.to_string()), one) {
            let alike =
                if other.to_string() == one.to_string() { "is there twice" } else { "looks like another" };
            return Err(wrong(format!("`{one}` {alike}")));
        }
    }
    Ok(value.clone())
}

/// A number of seconds in milliseconds.
fn milliseconds(value: &Value) -> Result<i64, Error> {
    const YEAR: f64 = 365.0 * 24.0 * 60.0 * 60.0;
    let wrong = || {
        Error::new(
            ErrorKind::InvalidOperation,
            format!("`{value}` is no time to wait: a number of seconds, at most a year"),
        )
    };
    let seconds =
        f64::try_from(value.clone()).ok().filter(|_| value.kind() == ValueKind::Number).ok_or_else(wrong)?;
    if !(0.0..=YEAR).contains(&seconds) {
        return Err(wrong());
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is less than a year")]
    Ok((seconds * 1000.0).round() as i64)
}
