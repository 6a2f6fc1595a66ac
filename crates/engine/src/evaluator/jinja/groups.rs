//! `groupby`: the engine calls a group by the last spelling of its name; as in Python, it is the one of its first item.

use super::text::Given;
use super::undefined::{at, attribute, with_items};
use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr};
use minijinja::{Environment, Error, State, Value, filters};
use std::fmt;
use std::sync::Arc;

/// Adds it.
pub(super) fn add(environment: &mut Environment<'static>) {
    let inner = Value::from_function(filters::groupby);
    environment.add_filter("groupby", move |state: &mut State<'_, '_>, value: &Value, given: Given| {
        let given = given.into_values();
        let value = if value.is_undefined() { Vec::<Value>::new().into() } else { value.clone() };
        let value = with_items(&value, attribute(&given, Some(0)).as_ref())?;
        let path = path(&given);
        let groups = inner.call(state, &[vec![value], given].concat())?;
        let named = groups.try_iter()?.map(|group| Group::of(&group, &path).map(Value::from_object));
        named.collect::<Result<Value, Error>>()
    });
}

/// What items are grouped by.
fn path(given: &[Value]) -> String {
    let by_name = |value: &Value| Kwargs::try_from(value.clone()).ok()?.peek::<String>("attribute").ok();
    let is_by_name = |value: &&Value| value.is_kwargs();
    let by_place = || given.first().filter(|value| !value.is_kwargs()).map(Value::to_string);
    given.iter().filter(is_by_name).find_map(by_name).or_else(by_place).unwrap_or_default()
}

/// A name and what has it: a list of two, which may be asked for by `grouper` and `list`.
#[derive(Debug)]
struct Group {
    grouper: Value,
    list: Value,
}

impl Group {
    fn of(group: &Value, path: &str) -> Result<Group, Error> {
        let items: Vec<Value> = group.get_item_by_index(1)?.try_iter()?.collect();
        // An item that has no name is in the group of the default.
        let of_first = items.first().and_then(|item| at(item, path));
        let grouper = of_first.map_or_else(|| group.get_item_by_index(0), Ok)?;
        Ok(Group { grouper, list: items.into() })
    }
}

impl Object for Group {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match (key.as_usize(), key.as_str()) {
            (Some(0), _) | (_, Some("grouper")) => Some(self.grouper.clone()),
            (Some(1), _) | (_, Some("list")) => Some(self.list.clone()),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(2)
    }

    fn render(self: &Arc<Self>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("").field(&self.grouper).field(&self.list).finish()
    }
}
