//! Filters of Jinja for text that the engine lacks or takes in another form: their arguments stand in Jinja's order, by
//! place or by name.

use super::wrap::{Wrap, wrapped};
use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use minijinja::value::{Kwargs, Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value};
use minijinja_contrib::globals;

type Given = Rest<ValueOrKwargs>;

/// Adds them.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("center", center);
    environment.add_filter("truncate", truncate);
    environment.add_filter("urlencode", url_encode);
    environment.add_filter("wordcount", |text: &str| {
        text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .filter(|word| !word.is_empty())
            .count()
    });
    environment.add_filter("wordwrap", word_wrap);
    environment.add_function("cycler", |items: Rest<Value>| globals::cycler(items.0));
}

/// The arguments by name, wherever they stood.
fn named(given: Given, names: &[&str]) -> Result<Kwargs, Error> {
    let mut all: Vec<(String, Value)> = Vec::new();
    for (place, value) in given.into_values().into_iter().enumerate() {
        match (Kwargs::try_from(value.clone()), names.get(place)) {
            (Ok(by_name), _) if value.is_kwargs() => {
                for name in by_name.args() {
                    if all.iter().any(|(taken, _)| taken == name) {
                        let words = format!("`{name}` is given twice");
                        return Err(Error::new(ErrorKind::TooManyArguments, words));
                    }
                    all.push((name.to_owned(), by_name.peek(name)?));
                }
            }
            (_, Some(name)) => all.push(((*name).to_owned(), value)),
            (_, None) => return Err(ErrorKind::TooManyArguments.into()),
        }
    }
    Ok(all.into_iter().collect())
}

/// The text in the middle of a line, as Python puts it there.
fn center(text: &str, given: Given) -> Result<String, Error> {
    let given = named(given, &["width"])?;
    let width = given.get::<Option<usize>>("width")?.unwrap_or(80);
    given.assert_all_used()?;
    let missing = width.saturating_sub(text.chars().count());
    if missing.saturating_add(text.len()) > OUTPUT_BYTES_MAX {
        let words = format!("`center` would make more than {OUTPUT_BYTES_MAX} bytes: make the width smaller");
        return Err(Error::new(ErrorKind::InvalidOperation, words));
    }
    let left = missing / 2 + (missing & width & 1);
    Ok(format!("{}{text}{}", " ".repeat(left), " ".repeat(missing - left)))
}

fn truncate(state: &mut State<'_, '_>, value: &Value, given: Given) -> Result<Value, Error> {
    let given = named(given, &["length", "killwords", "end", "leeway"])?;
    minijinja_contrib::filters::truncate(state, value, given)
}

fn word_wrap(text: &str, given: Given) -> Result<String, Error> {
    let given = named(given, &["width", "break_long_words", "wrapstring", "break_on_hyphens"])?;
    let wrap = Wrap {
        width: given.get::<Option<usize>>("width")?.unwrap_or(79),
        break_long_words: given.get::<Option<bool>>("break_long_words")?.unwrap_or(true),
        break_on_hyphens: given.get::<Option<bool>>("break_on_hyphens")?.unwrap_or(true),
    };
    let between = given.get::<Option<&str>>("wrapstring")?.unwrap_or("\n");
    given.assert_all_used()?;
    if wrap.width == 0 {
        return Err(Error::new(ErrorKind::InvalidOperation, "`wordwrap` needs a width of at least 1"));
    }
    let lines: Vec<String> = text.lines().map(|line| wrapped(line, wrap).join(between)).collect();
    let bytes = lines.iter().map(|line| line.len() + between.len()).sum::<usize>();
    match bytes > OUTPUT_BYTES_MAX + between.len() {
        true => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("`wordwrap` would make more than {OUTPUT_BYTES_MAX} bytes: wrap a shorter text"),
        )),
        false => Ok(lines.join(between)),
    }
}

/// A text as a part of an address; names with values, or pairs, as its query.
fn url_encode(value: &Value) -> Result<String, Error> {
    let pair = |key: &Value, value: &Value| format!("{}={}", quoted(key, ""), quoted(value, ""));
    let pairs: Result<Vec<String>, Error> = match value.kind() {
        ValueKind::Undefined => return Err(ErrorKind::UndefinedError.into()),
        ValueKind::Map => value.try_iter()?.map(|key| Ok(pair(&key, &value.get_item(&key)?))).collect(),
        ValueKind::Seq | ValueKind::Iterable => value
            .try_iter()?
            .map(|item| match item.len() {
                Some(2) if item.as_str().is_none() => {
                    let parts: Vec<Value> = item.try_iter()?.collect();
                    Ok(pair(&parts[0], &parts[1]))
                }
                _ => Err(Error::new(ErrorKind::InvalidOperation, "`urlencode` takes a list of pairs")),
            })
            .collect(),
        _ => return Ok(quoted(value, "/").replace('+', "%20")),
    };
    Ok(pairs?.join("&"))
}

/// The letters that stand for themselves in an address, and all others by their bytes; a space is a plus.
fn quoted(value: &Value, plain: &str) -> String {
    let mut quoted = String::new();
    for byte in value.to_string().bytes() {
        match char::from(byte) {
            letter if letter.is_ascii_alphanumeric() || "_.-~".contains(letter) || plain.contains(letter) => {
                quoted.push(letter);
            }
            ' ' => quoted.push('+'),
            _ => quoted.push_str(&format!("%{byte:02X}")),
        }
    }
    quoted
}
