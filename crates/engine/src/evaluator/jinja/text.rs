//! Filters of Jinja for text that the engine lacks or takes in another form: their arguments stand in Jinja's order, by
//! place or by name.

use super::numbers::{fraction, printed};
use super::room::room;
use super::wrap::{Wrap, wrapped};
use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use minijinja::value::{Kwargs, Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value};
use minijinja_contrib::globals;

/// What a filter is given beside its value, by place and by name.
pub(super) type Given = Rest<ValueOrKwargs>;

/// Adds them. What is escaped stays so when only blanks are put around it.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("truncate", truncate);
    environment.add_filter("urlencode", url_encode);
    environment.add_filter("replace", replace);
    environment.add_filter("string", string);
    environment.add_filter("wordcount", |value: &Value| {
        let is_between = |letter: char| !(letter.is_alphanumeric() || letter == '_');
        shown(value).split(is_between).filter(|word| !word.is_empty()).count()
    });
    environment.add_filter("wordwrap", word_wrap);
    environment.add_function("cycler", |items: Rest<Value>| globals::cycler(items.0));
    for (name, inner) in [("center", Value::from_function(center)), ("indent", Value::from_function(indent))]
    {
        environment.add_filter(name, move |state: &mut State<'_, '_>, value: Value, given: Given| {
            let is_safe = value.is_safe();
            let arguments: Vec<Value> = std::iter::once(value).chain(given.into_values()).collect();
            let made = inner.call(state, &arguments)?;
            Ok::<_, Error>(if is_safe { Value::from_safe_string(shown(&made)) } else { made })
        });
    }
}

/// The arguments by name, wherever they stood.
pub(super) fn named(given: Given, names: &[&str]) -> Result<Kwargs, Error> {
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

/// The text of a value as it is printed; what is undefined has none.
pub(super) fn shown(value: &Value) -> String {
    if value.is_undefined() {
        return String::new();
    }
    fraction(value).map_or_else(|| value.to_string(), printed)
}

fn string(value: &Value) -> Value {
    if value.as_str().is_some() { value.clone() } else { shown(value).into() }
}

/// The text in the middle of a line, as Python puts it there.
fn center(value: &Value, given: Given) -> Result<String, Error> {
    let given = named(given, &["width"])?;
    let width = given.get::<Option<usize>>("width")?.unwrap_or(80);
    given.assert_all_used()?;
    let text = shown(value);
    let missing = width.saturating_sub(text.chars().count());
    room("center", missing.saturating_add(text.len()))?;
    let left = missing / 2 + (missing & width & 1);
    Ok(format!("{}{text}{}", " ".repeat(left), " ".repeat(missing - left)))
}

/// All lines but the first, and those that are blank, behind a width of blanks or another text.
fn indent(text: &str, given: Given) -> Result<String, Error> {
    let given = named(given, &["width", "first", "blank"])?;
    let before = match given.get::<Option<&Value>>("width")? {
        Some(before) if before.as_str().is_some() => before.as_str().unwrap_or_default().to_owned(),
        width => {
            let width = width.map_or(Ok(4), |width| usize::try_from(width.clone()))?;
            room("indent", width)?;
            " ".repeat(width)
        }
    };
    let (first, blank) = (given.get::<Option<bool>>("first")?, given.get::<Option<bool>>("blank")?);
    given.assert_all_used()?;
    let mut made = String::new();
    for (number, line) in text.split('\n').enumerate() {
        room("indent", made.len())?;
        if number > 0 {
            made.push('\n');
        }
        let is_behind = match number {
            0 => first == Some(true),
            _ => blank == Some(true) || !line.trim_end_matches('\r').is_empty(),
        };
        made.push_str(if is_behind { &before } else { "" });
        made.push_str(line);
    }
    Ok(made)
}

/// One text in the place of another, everywhere or so many times.
fn replace(value: &Value, given: Given) -> Result<String, Error> {
    let given = named(given, &["old", "new", "count"])?;
    let (old, new) = (shown(&given.get::<Value>("old")?), shown(&given.get::<Value>("new")?));
    let count = given.get::<Option<i64>>("count")?.and_then(|count| usize::try_from(count).ok());
    given.assert_all_used()?;
    let text = shown(value);
    Ok(count.map_or_else(|| text.replace(&old, &new), |count| text.replacen(&old, &new, count)))
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
        ValueKind::Undefined => return Ok(String::new()),
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
