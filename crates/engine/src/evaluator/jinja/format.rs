//! Texts with places to fill: `'%s' | format(..)`, `'%s' % ..` and `'{}'.format(..)`. A width is looked at first.

use super::room::room;
use super::text::{Given, shown};
use super::undefined::defined;
use minijinja::formatting::{FormatStyle, format as filled};
use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters};

/// What `%` between a text and a value becomes. See `percent.rs`.
pub(super) const PERCENT: &str = "filled_by_percent";

/// Adds the filters.
pub(super) fn add(environment: &mut Environment<'static>) {
    let inner = Value::from_function(filters::format);
    environment.add_filter("format", move |state: &mut State<'_, '_>, text: &Value, given: Given| {
        let (given, shape) = (given.into_values(), text.as_str().unwrap_or_default());
        widths(shape)?;
        no_more_than_places(shape, given.iter().filter(|value| !value.is_kwargs()).count())?;
        let given = as_texts(shape, given);
        let all: Vec<Value> = std::iter::once(text.clone()).chain(given).collect();
        inner.call(state, &all)
    });
    environment.add_filter(PERCENT, percent);
}

/// `'{}'.format(..)`.
pub(super) fn braces(text: &str, args: &[Value]) -> Result<String, Error> {
    widths(text)?;
    args.iter().try_for_each(defined)?;
    filled(FormatStyle::StrFormat, text, args)
}

/// `text % value`: a tuple fills several places, a map fills them by name.
fn percent(text: &str, value: &Value) -> Result<String, Error> {
    widths(text)?;
    defined(value)?;
    if value.is_tuple() {
        let values: Vec<Value> = value.try_iter()?.collect();
        values.iter().try_for_each(defined)?;
        no_more_than_places(text, values.len())?;
        return filled(FormatStyle::Printf, text, &as_texts(text, values));
    }
    if value.kind() == ValueKind::Map && text.contains("%(") {
        let pairs = value.try_iter()?.map(|key| Ok((key.to_string(), value.get_item(&key)?)));
        let by_name = pairs.collect::<Result<Kwargs, Error>>()?;
        return filled(FormatStyle::Printf, text, &[by_name.into()]);
    }
    if matches!(value.kind(), ValueKind::Number | ValueKind::String | ValueKind::Bool) {
        no_more_than_places(text, 1)?;
    }
    filled(FormatStyle::Printf, text, &as_texts(text, vec![value.clone()]))
}

/// Values as texts where `%.3s` and its like cut them: the engine cuts nothing else.
fn as_texts(text: &str, mut values: Vec<Value>) -> Vec<Value> {
    for (value, place) in values.iter_mut().zip(places(text).unwrap_or_default()) {
        if place.contains('.') && place.ends_with('s') && !value.is_kwargs() {
            *value = shown(value).into();
        }
    }
    values
}

/// Refuses values for which there is no place: they would be dropped without a word.
fn no_more_than_places(text: &str, values: usize) -> Result<(), Error> {
    match places(text).map(|places| places.len()) {
        Some(places) if values > places => Err(Error::new(
            ErrorKind::TooManyArguments,
            format!("the text has places for {places} values, and {values} are given"),
        )),
        _ => Ok(()),
    }
}

/// What a text says of each value that it takes; nothing where it takes them by name.
fn places(text: &str) -> Option<Vec<&str>> {
    let (mut places, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        if rest.starts_with('(') {
            return None;
        }
        let end = rest.find(|letter: char| !"#0- +.123456789".contains(letter)).unwrap_or(rest.len());
        let kind = rest[end..].chars().next();
        let (place, behind) = rest.split_at(end + kind.map_or(0, char::len_utf8));
        if kind != Some('%') {
            places.push(place);
        }
        rest = behind;
    }
    Some(places)
}

/// Refuses numbers in a text to fill that no width or precision can be.
fn widths(text: &str) -> Result<(), Error> {
    let numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.into_iter().try_for_each(|number| room("format", number.parse().unwrap_or(usize::MAX)))
}
