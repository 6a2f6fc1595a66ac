//! Methods that Python's values have and templates use: ours first, then those that come with the engine.

use super::format;
use super::letters::{self, Found};
use super::room::room;
use minijinja::value::{Kwargs, Tuple, ValueKind, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use minijinja_contrib::pycompat::unknown_method_callback;

/// A method that a value itself does not have.
pub(super) fn method(
    state: &mut State<'_, '_>,
    value: &Value,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let ours = match value.kind() {
        ValueKind::String => of_text(value.as_str().unwrap_or_default(), name, args)?,
        ValueKind::Seq => of_list(value, name, args)?,
        ValueKind::Map => of_map(value, name, args)?,
        _ => None,
    };
    match ours {
        Some(value) => Ok(value),
        None => unknown_method_callback(state, value, name, args),
    }
}

fn of_text(text: &str, name: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let made: Value = match name {
        "center" | "ljust" | "rjust" => padded(text, name, args)?.into(),
        "zfill" => zero_filled(text, from_args::<(i64,)>(args)?.0)?.into(),
        "expandtabs" => {
            let (width, kwargs): (Option<i64>, Kwargs) = from_args(args)?;
            let width = width.map_or_else(|| kwargs.get::<Option<i64>>("tabsize"), |it| Ok(Some(it)))?;
            kwargs.assert_all_used()?;
            letters::expand_tabs(text, usize::try_from(width.unwrap_or(8)).unwrap_or(0))?.into()
        }
        "partition" | "rpartition" => parted(text, name == "rpartition", from_args::<(&str,)>(args)?.0)?,
        "rsplit" => letters::split_from_end(text, args)?,
        "split" if args.first().and_then(Value::as_str) == Some("") => {
            return Err(refused("`split` needs a separator".to_owned()));
        }
        "find" | "rfind" | "index" | "rindex" | "count" => found(text, name, args)?,
        "removeprefix" => {
            let (prefix,): (&str,) = from_args(args)?;
            text.strip_prefix(prefix).unwrap_or(text).into()
        }
        "removesuffix" => {
            let (suffix,): (&str,) = from_args(args)?;
            text.strip_suffix(suffix).unwrap_or(text).into()
        }
        "format" => format::braces(text, args)?.into(),
        "encode" | "translate" | "maketrans" | "format_map" => {
            let words = format!(
                "there is no `{name}()` here, because a value is text or data, never bytes or a table"
            );
            return Err(refused(words));
        }
        _ => {
            let Some(plain) = letters::plain(text, name) else { return Ok(None) };
            from_args::<()>(args)?;
            plain
        }
    };
    Ok(Some(made))
}

fn of_list(list: &Value, name: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    Ok(Some(match name {
        "index" => {
            let (wanted,): (&Value,) = from_args(args)?;
            let place = list.try_iter()?.position(|item| item == *wanted);
            place.ok_or_else(|| refused(format!("`index` does not find {wanted:?} in the list")))?.into()
        }
        "copy" => from_args(args).map(|()| list.clone())?,
        "append" | "extend" | "insert" | "pop" | "remove" | "sort" | "reverse" | "clear" => {
            return Err(unchangeable(name, "list", "`list + [item]` and filters make a new one"));
        }
        _ => return Ok(None),
    }))
}

fn of_map(map: &Value, name: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    // What the definition calls so is meant where it can be called; a field never can.
    Ok(Some(match name {
        "copy" => from_args(args).map(|()| map.clone())?,
        "update" | "pop" | "popitem" | "setdefault" | "clear" => {
            return Err(unchangeable(name, "map", "`dict(map, key=value)` makes a new one"));
        }
        _ => return Ok(None),
    }))
}

fn unchangeable(name: &str, what: &str, instead: &str) -> Error {
    refused(format!("`{name}()` would change a {what}, and an expression changes nothing: {instead}"))
}

/// A text with letters around it up to a width.
fn padded(text: &str, name: &str, args: &[Value]) -> Result<String, Error> {
    let (width, fill): (i64, Option<char>) = from_args(args)?;
    let (width, fill) = (usize::try_from(width).unwrap_or(0), fill.unwrap_or(' '));
    let missing = width.saturating_sub(text.chars().count());
    room(name, missing.saturating_mul(fill.len_utf8()).saturating_add(text.len()))?;
    let left = match name {
        "ljust" => 0,
        "rjust" => missing,
        _ => missing / 2 + (missing & width & 1),
    };
    let some = |count: usize| std::iter::repeat_n(fill, count);
    Ok(some(left).chain(text.chars()).chain(some(missing - left)).collect())
}

fn zero_filled(text: &str, width: i64) -> Result<String, Error> {
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
    room("zfill", missing.saturating_add(text.len()))?;
    let (sign, rest) = text.split_at(usize::from(text.starts_with(['+', '-'])));
    Ok(format!("{sign}{}{rest}", "0".repeat(missing)))
}

/// What stands before, the separator, what stands behind.
fn parted(text: &str, from_end: bool, between: &str) -> Result<Value, Error> {
    if between.is_empty() {
        return Err(refused("`partition` needs a separator".to_owned()));
    }
    let place = if from_end { text.rfind(between) } else { text.find(between) };
    let parts = match place {
        Some(place) => [&text[..place], between, &text[place + between.len()..]],
        None if from_end => ["", "", text],
        None => [text, "", ""],
    };
    Ok(Value::from(Tuple::from(parts.map(Value::from))))
}

fn found(text: &str, name: &str, args: &[Value]) -> Result<Value, Error> {
    let (wanted, from, to): (&str, Option<i64>, Option<i64>) = from_args(args)?;
    let looked = Found::within(text, from, to);
    if name == "count" {
        return Ok(looked.count(wanted).into());
    }
    match looked.place(wanted, name.starts_with('r')) {
        Some(place) => Ok(place.into()),
        None if name.ends_with("find") => Ok((-1).into()),
        None => Err(refused(format!("`{name}` does not find `{wanted}` in the text"))),
    }
}

fn refused(words: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, words)
}
