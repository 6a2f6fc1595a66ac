//! Texts with places to fill: `'%s' | format(..)`, `'%s' % ..` and `'{}'.format(..)`. A width is looked at first.

use super::room::room;
use super::text::Given;
use super::undefined::defined;
use minijinja::formatting::{FormatStyle, format as filled};
use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, State, Value, filters};

/// What `%` between a text and a value becomes. See `percent.rs`.
pub(super) const PERCENT: &str = "filled_by_percent";

/// Adds the filters.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("format", |state: &mut State<'_, '_>, text: &Value, given: Given| {
        widths(text.as_str().unwrap_or_default())?;
        filters::format(state, text, given)
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
        return filled(FormatStyle::Printf, text, &values);
    }
    if value.kind() == ValueKind::Map && text.contains("%(") {
        let pairs = value.try_iter()?.map(|key| Ok((key.to_string(), value.get_item(&key)?)));
        let by_name = pairs.collect::<Result<Kwargs, Error>>()?;
        return filled(FormatStyle::Printf, text, &[by_name.into()]);
    }
    filled(FormatStyle::Printf, text, std::slice::from_ref(value))
}

/// Refuses numbers in a text to fill that no width or precision can be.
fn widths(text: &str) -> Result<(), Error> {
    let numbers = text.split(|letter: char| !letter.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.into_iter().try_for_each(|number| room("format", number.parse().unwrap_or(usize::MAX)))
}
