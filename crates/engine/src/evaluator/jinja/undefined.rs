//! Filters to which an undefined value is what it is to Python's: an empty text, or a list of nothing. A key that is not there
//! may be filtered, counted and given a default; only printing it, giving it away and working with it are mistakes.

use super::text::Given;
use minijinja::{Environment, Error, State, Value, filters};

/// Says which value is undefined, if it is.
pub(super) fn defined(value: &Value) -> Result<(), Error> {
    // The engine knows where a value would have come from, and says it when it is asked for a part.
    if value.is_undefined() { value.get_attr("").map(drop) } else { Ok(()) }
}

/// What an undefined value counts as.
#[derive(Clone, Copy)]
enum As {
    Text,
    List,
    Map,
}

/// Adds them.
pub(super) fn add(environment: &mut Environment<'static>) {
    let text = [
        ("upper", Value::from_function(filters::upper)),
        ("lower", Value::from_function(filters::lower)),
        ("title", Value::from_function(filters::title)),
        ("capitalize", Value::from_function(filters::capitalize)),
        ("trim", Value::from_function(filters::trim)),
    ];
    let list = [
        ("batch", Value::from_function(filters::batch)),
        ("first", Value::from_function(filters::first)),
        ("groupby", Value::from_function(filters::groupby)),
        ("join", Value::from_function(filters::join)),
        ("last", Value::from_function(filters::last)),
        ("list", Value::from_function(filters::list)),
        ("map", Value::from_function(filters::map)),
        ("max", Value::from_function(filters::max)),
        ("min", Value::from_function(filters::min)),
        ("reject", Value::from_function(filters::reject)),
        ("rejectattr", Value::from_function(filters::rejectattr)),
        ("reverse", Value::from_function(filters::reverse)),
        ("select", Value::from_function(filters::select)),
        ("selectattr", Value::from_function(filters::selectattr)),
        ("slice", Value::from_function(filters::slice)),
        ("sum", Value::from_function(filters::sum)),
        ("unique", Value::from_function(filters::unique)),
    ];
    let of = |all: Vec<(&'static str, Value)>, counts_as: As| all.into_iter().map(move |it| (it, counts_as));
    let items = vec![("items", Value::from_function(filters::items))];
    let all = of(text.into(), As::Text).chain(of(list.into(), As::List)).chain(of(items, As::Map));
    for ((name, inner), counts_as) in all {
        let filter = move |state: &mut State<'_, '_>, value: &Value, given: Given| {
            called(state, &inner, value, counts_as, given)
        };
        environment.add_filter(name, filter);
    }
}

fn called(
    state: &mut State<'_, '_>,
    inner: &Value,
    value: &Value,
    counts_as: As,
    given: Given,
) -> Result<Value, Error> {
    let value = match counts_as {
        _ if !value.is_undefined() => value.clone(),
        As::Text => "".into(),
        As::List => Vec::<Value>::new().into(),
        As::Map => Value::from_pairs(std::iter::empty::<(String, Value)>()),
    };
    let all: Vec<Value> = std::iter::once(value).chain(given.into_values()).collect();
    inner.call(state, &all)
}
