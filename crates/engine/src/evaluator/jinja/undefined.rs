//! Filters to which an undefined value is what it is to Python's: an empty text, or a list of nothing. A key that is not there
//! may be filtered, counted and given a default; only printing it, giving it away and working with it are mistakes. So it is one
//! where a filter works with what each item has under a name, and some item has nothing there.

use super::text::Given;
use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters};

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
    ];
    let of = |all: Vec<(&'static str, Value)>, counts_as: As| all.into_iter().map(move |it| (it, counts_as));
    let items = vec![("items", Value::from_function(filters::items))];
    let all = of(text.into(), As::Text).chain(of(list.into(), As::List)).chain(of(items, As::Map));
    for ((name, inner), counts_as) in all {
        let filter = move |state: &mut State<'_, '_>, value: &Value, given: Given| {
            let given = given.into_values();
            let value = match name {
                "reverse" if value.kind() == ValueKind::Map => value.try_iter()?.collect(),
                "sum" => with_items(value, attribute(&given, Some(0)).as_ref())?,
                "join" => with_items(value, attribute(&given, Some(1)).as_ref())?,
                "max" => reversed(with_items(value, attribute(&given, None).as_ref())?)?,
                "min" => with_items(value, attribute(&given, None).as_ref())?,
                _ => value.clone(),
            };
            called(state, &inner, value, counts_as, given)
        };
        environment.add_filter(name, filter);
    }
}

fn called(
    state: &mut State<'_, '_>,
    inner: &Value,
    value: Value,
    counts_as: As,
    given: Vec<Value>,
) -> Result<Value, Error> {
    let value = match counts_as {
        _ if !value.is_undefined() => value,
        As::Text => "".into(),
        As::List => Vec::<Value>::new().into(),
        As::Map => Value::from_pairs(std::iter::empty::<(String, Value)>()),
    };
    let all: Vec<Value> = std::iter::once(value).chain(given).collect();
    inner.call(state, &all)
}

/// What a filter looks at of each item: by name, or where it stands. Where something counts instead of what is not there, nothing
/// has to be.
pub(super) fn attribute(given: &[Value], place: Option<usize>) -> Option<Value> {
    let by_name = given.iter().filter(|value| value.is_kwargs()).find_map(|value| {
        let given = Kwargs::try_from(value.clone()).ok()?;
        if given.has("default") { Some(Value::UNDEFINED) } else { given.peek::<Value>("attribute").ok() }
    });
    let by_place = || given.get(place?).filter(|value| !value.is_kwargs()).cloned();
    by_name.or_else(by_place)
}

/// A list, the last item first: of several that are the largest the engine takes the last, and Python the first.
fn reversed(list: Value) -> Result<Value, Error> {
    if !matches!(list.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return Ok(list);
    }
    let mut items: Vec<Value> = list.try_iter()?.collect();
    items.reverse();
    Ok(items.into())
}

/// A list in which each item, or what it has under a name, is something.
pub(super) fn with_items(value: &Value, attribute: Option<&Value>) -> Result<Value, Error> {
    if !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return Ok(value.clone());
    }
    let items: Vec<Value> = value.try_iter()?.collect();
    let path = match attribute {
        // There is something for what is not there.
        Some(attribute) if attribute.is_undefined() => return Ok(items.into()),
        Some(attribute) if !attribute.is_none() => attribute.to_string(),
        _ => String::new(),
    };
    let paths: Vec<&str> = path.split(',').map(str::trim).collect();
    for item in &items {
        defined(item)?;
        for path in paths.iter().filter(|path| !path.is_empty()) {
            if at(item, path).is_none() {
                return Err(Error::new(ErrorKind::UndefinedError, format!("`{path}` is undefined")));
            }
        }
    }
    Ok(items.into())
}

/// What an item has at a path, if it has something there.
pub(super) fn at(item: &Value, path: &str) -> Option<Value> {
    let step = |value: Value, part: &str| match part.parse::<usize>() {
        Ok(index) => value.get_item_by_index(index).ok(),
        Err(_) => value.get_attr(part).ok(),
    };
    path.split('.').try_fold(item.clone(), step).filter(|found| !found.is_undefined())
}
