//! `tojson` as Jinja writes it: keys in order, letters beyond ASCII and those that mean something in HTML by their numbers.

use super::numbers::{fraction, printed};
use super::text::{Given, named};
use super::time;
use super::undefined::defined;
use kernel::data::DEPTH_MAX;
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, ErrorKind, Value};

/// The longest JSON text that is made on the way to something else.
pub(super) const JSON_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Adds it.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("tojson", to_json);
}

fn to_json(value: &Value, given: Given) -> Result<Value, Error> {
    let given = named(given, &["indent"])?;
    let indent = match given.get::<Option<Value>>("indent")? {
        Some(indent) if indent.kind() == ValueKind::Bool => indent.is_true().then_some(1),
        Some(indent) => Some(usize::try_from(indent)?),
        None => None,
    };
    given.assert_all_used()?;
    let mut json = Json { text: String::new(), indent };
    json.write(value, 0)?;
    Ok(Value::from_safe_string(json.text))
}

struct Json {
    text: String,
    indent: Option<usize>,
}

impl Json {
    fn write(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        if depth > DEPTH_MAX {
            return Err(refused(&format!("`tojson` nests no deeper than {DEPTH_MAX} levels")));
        }
        match value.kind() {
            ValueKind::None => self.push("null"),
            ValueKind::Bool => self.push(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => match fraction(value) {
                Some(number) if number.is_finite() => self.push(&printed(number)),
                Some(_) => Err(refused("`tojson` was given a number that JSON does not have")),
                None => self.push(&value.to_string()),
            },
            ValueKind::String => self.quote(value.as_str().unwrap_or_default()),
            ValueKind::Seq | ValueKind::Iterable => {
                let mut items = value.try_iter()?.peekable();
                self.group(('[', ']'), items.peek().is_none(), depth, |json| {
                    for (number, item) in items.enumerate() {
                        json.next(number, depth)?;
                        json.write(&item, depth + 1)?;
                    }
                    Ok(())
                })
            }
            ValueKind::Map => {
                let pair = |key: Value| Ok::<_, Error>((name(&key)?, value.get_item(&key)?));
                let mut pairs = value.try_iter()?.map(pair).collect::<Result<Vec<_>, _>>()?;
                pairs.sort_by(|one, other| one.0.cmp(&other.0));
                self.group(('{', '}'), pairs.is_empty(), depth, |json| {
                    for (number, (name, item)) in pairs.into_iter().enumerate() {
                        json.next(number, depth)?;
                        json.quote(&name)?;
                        json.push(": ")?;
                        json.write(&item, depth + 1)?;
                    }
                    Ok(())
                })
            }
            ValueKind::Undefined => defined(value),
            kind => match time::text(value) {
                Some(text) => self.quote(&text),
                None => Err(refused(&format!("`tojson` was given {kind}, which JSON does not have"))),
            },
        }
    }

    fn group(
        &mut self,
        (open, close): (char, char),
        is_empty: bool,
        depth: usize,
        inside: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.text.push(open);
        inside(self)?;
        if !is_empty {
            self.line(depth)?;
        }
        self.text.push(close);
        Ok(())
    }

    /// What stands before the next part of a group.
    fn next(&mut self, number: usize, depth: usize) -> Result<(), Error> {
        match (number, self.indent) {
            (0, _) => {}
            (_, Some(_)) => self.text.push(','),
            (_, None) => self.text.push_str(", "),
        }
        self.line(depth + 1)
    }

    fn line(&mut self, depth: usize) -> Result<(), Error> {
        let Some(indent) = self.indent else { return Ok(()) };
        let spaces = indent.saturating_mul(depth);
        self.hold(spaces)?;
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', spaces));
        Ok(())
    }

    fn quote(&mut self, text: &str) -> Result<(), Error> {
        self.hold(text.len())?;
        self.text.push('"');
        for letter in text.chars() {
            match letter {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                '\u{8}' => self.text.push_str("\\b"),
                '\u{c}' => self.text.push_str("\\f"),
                '<' | '>' | '&' | '\'' => self.number(letter),
                ' '..='~' => self.text.push(letter),
                _ => self.number(letter),
            }
        }
        self.push("\"")
    }

    fn number(&mut self, letter: char) {
        for unit in letter.encode_utf16(&mut [0; 2]) {
            self.text.push_str(&format!("\\u{unit:04x}"));
        }
    }

    fn push(&mut self, text: &str) -> Result<(), Error> {
        self.hold(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    fn hold(&self, bytes: usize) -> Result<(), Error> {
        match self.text.len().saturating_add(bytes) > JSON_BYTES_MAX {
            true => Err(refused(&format!(
                "`tojson` would make more than {JSON_BYTES_MAX} bytes: take less of it"
            ))),
            false => Ok(()),
        }
    }
}

/// A key as JSON has it: always text.
fn name(key: &Value) -> Result<String, Error> {
    match key.kind() {
        ValueKind::String => Ok(key.as_str().unwrap_or_default().to_owned()),
        ValueKind::None => Ok("null".to_owned()),
        ValueKind::Bool => Ok(key.is_true().to_string()),
        ValueKind::Number => Ok(fraction(key).map_or_else(|| key.to_string(), printed)),
        kind => Err(refused(&format!("`tojson` was given {kind} as a key"))),
    }
}

fn refused(words: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, words.to_owned())
}
