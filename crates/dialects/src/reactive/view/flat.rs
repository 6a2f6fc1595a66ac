//! The state as agents read it: one object with all values, whatever layer they are of. The first layer that has a name
//! gives its value.

use super::path;
use kernel::Plan;
use serde_json::{Map, Value};

/// All values by their bare names.
pub fn flat(plan: &Plan, state: &Map<String, Value>) -> Map<String, Value> {
    if !plan.state.is_layered() {
        return state.clone();
    }
    let mut all = Map::new();
    for layer in plan.state.layers.iter().rev() {
        let of_layer = state.iter().filter_map(|(field, value)| {
            let (own, name) = plan.state.layer_of(field)?;
            (own == layer).then(|| (name.to_owned(), value.clone()))
        });
        all.extend(of_layer);
    }
    all
}

/// The values of one layer.
pub fn layer(plan: &Plan, state: &Map<String, Value>, layer: &str) -> Map<String, Value> {
    let fields = state.iter().filter_map(|(field, value)| {
        let (own, name) = plan.state.layer_of(field)?;
        (own == layer).then(|| (name.to_owned(), value.clone()))
    });
    fields.collect()
}

/// The value at a path: below a layer that it names, else below the first layer that has its name. Nothing where nothing is.
pub fn at(plan: &Plan, state: &Map<String, Value>, path: &str) -> Result<Option<Value>, String> {
    let keys = path::keys(path)?;
    let (first, rest) = keys.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let is_layer = plan.state.layers.iter().any(|layer| layer == first);
    let whole = if is_layer { layer(plan, state, first) } else { flat(plan, state) };
    let keys = if is_layer { rest } else { &keys };
    Ok(below(&Value::Object(whole), keys).cloned())
}

fn below<'v>(value: &'v Value, keys: &[String]) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| match value {
        Value::Object(members) => members.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    })
}
