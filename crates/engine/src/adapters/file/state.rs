//! JSON states: objects in files, read, replaced and merged. A merge reads and writes while it holds the folder, so that none is
//! lost; the same updates twice give the same state, so that after an interruption it is simply done again.

use super::bytes::read;
use super::exact::exact;
use super::trouble::{kind, shown};
use super::walk::Place;
use super::{Gate, Trouble};
use kernel::data::{DEPTH_MAX, Levels, TOO_DEEP, weight};
use serde_json::{Map, Value};

/// The largest state, in its JSON form.
pub(super) const STATE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The state in a file; nothing, if there is no file.
pub(super) fn load(place: &Place, gate: &Gate) -> Result<Option<Map<String, Value>>, Trouble> {
    if place.file()?.is_none() {
        return Ok(None);
    }
    let bytes = read(place, STATE_BYTES_MAX, "a state can have no more", gate)?;
    let shown = shown(&place.given);
    let text =
        String::from_utf8(bytes).map_err(|error| Trouble::no(format!("{shown} is no JSON: {error}")))?;
    let value =
        exact(&text).map_err(|why| Trouble::no(format!("{shown} is no JSON that can be kept: {why}")))?;
    if weight(&value) >= TOO_DEEP {
        return Err(Trouble::no(format!("{shown} nests deeper than {DEPTH_MAX} levels")));
    }
    match value {
        Value::Object(state) => Ok(Some(state)),
        other => Err(Trouble::no(format!("{shown} holds {}, and a state is an object", kind(&other)))),
    }
}

/// A state as it is written: for people too.
pub(super) fn text(state: &Map<String, Value>, given: &str) -> Result<Vec<u8>, Trouble> {
    let mut bytes = serde_json::to_vec_pretty(state)
        .map_err(|error| Trouble::cannot(format!("the state cannot be written as JSON: {error}")))?;
    bytes.push(b'\n');
    if bytes.len() as u64 > STATE_BYTES_MAX {
        return Err(Trouble::no(format!(
            "the state of {} would have {} bytes, and {STATE_BYTES_MAX} are the most: keep less in it",
            shown(given),
            bytes.len()
        )));
    }
    if Levels::default().read(&bytes) > DEPTH_MAX {
        let shown = shown(given);
        return Err(Trouble::no(format!("the state of {shown} would nest deeper than {DEPTH_MAX} levels")));
    }
    Ok(bytes)
}

/// Puts updates into a state: objects are merged key by key, all else takes the place of what was there.
pub(super) fn merge(state: &mut Map<String, Value>, updates: Map<String, Value>) {
    for (key, update) in updates {
        match (state.get_mut(&key), update) {
            (Some(Value::Object(below)), Value::Object(updates)) => merge(below, updates),
            (_, update) => drop(state.insert(key, update)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn objects_are_merged_and_all_else_is_replaced() {
        let mut state = object(json!({"a": {"x": 1, "y": [1, 2]}, "b": "text", "c": {"k": 1}, "d": [1]}));
        let updates = object(json!({"a": {"y": [3], "z": null}, "b": {"now": 1}, "c": null, "e": 5}));
        merge(&mut state, updates.clone());
        let wanted = json!({
            "a": {"x": 1, "y": [3], "z": null}, "b": {"now": 1}, "c": null, "d": [1], "e": 5
        });
        assert_eq!(Value::Object(state.clone()), wanted);
        merge(&mut state, updates);
        assert_eq!(Value::Object(state), wanted);
    }

    #[test]
    fn a_state_has_a_bound() {
        let with = |bytes: usize| text(&object(json!({"k": "x".repeat(bytes)})), "s.json");
        let around = with(0).unwrap().len();
        let room = usize::try_from(STATE_BYTES_MAX).unwrap() - around;
        assert_eq!(with(room).unwrap().len() as u64, STATE_BYTES_MAX);
        assert!(with(room + 1).is_err());
    }
}
