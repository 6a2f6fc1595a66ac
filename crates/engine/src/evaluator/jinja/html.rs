//! Filters that make HTML, with the same letters by number as Python's.

use super::text::{Given, named, shown};
use super::undefined::defined;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, Value};

/// Adds them.
pub(super) fn add(environment: &mut Environment<'static>) {
    for name in ["escape", "e"] {
        environment.add_filter(name, |value: &Value| match value.is_safe() {
            true => value.clone(),
            false => Value::from_safe_string(escaped(value)),
        });
    }
    environment.add_filter("forceescape", |value: &Value| Value::from_safe_string(escaped(value)));
    environment.add_filter("xmlattr", attributes);
}

/// A value as text of HTML.
pub(super) fn escaped(value: &Value) -> String {
    let mut made = String::new();
    for letter in shown(value).chars() {
        match letter {
            '&' => made.push_str("&amp;"),
            '<' => made.push_str("&lt;"),
            '>' => made.push_str("&gt;"),
            '\'' => made.push_str("&#39;"),
            '"' => made.push_str("&#34;"),
            _ => made.push(letter),
        }
    }
    made
}

/// Names and values as attributes of a tag; what is none or undefined is left out.
fn attributes(state: &State<'_, '_>, map: &Value, given: Given) -> Result<Value, Error> {
    let given = named(given, &["autospace"])?;
    let has_space = given.get::<Option<bool>>("autospace")?.unwrap_or(true);
    given.assert_all_used()?;
    defined(map)?;
    let mut made = Vec::new();
    for key in map.try_iter()? {
        let value = map.get_item(&key)?;
        if value.is_none() || value.is_undefined() {
            continue;
        }
        let name = key.to_string();
        if name.contains(|letter: char| letter.is_whitespace() || "/>=".contains(letter)) {
            let words = format!("`{name}` cannot be the name of an attribute");
            return Err(Error::new(ErrorKind::InvalidOperation, words));
        }
        made.push(format!("{}=\"{}\"", escaped(&key), escaped(&value)));
    }
    let space = if has_space && !made.is_empty() { " " } else { "" };
    let made = format!("{space}{}", made.join(" "));
    // Only where texts are escaped by themselves is it known that this one is.
    Ok(if state.auto_escape() == &AutoEscape::Html { Value::from_safe_string(made) } else { made.into() })
}
