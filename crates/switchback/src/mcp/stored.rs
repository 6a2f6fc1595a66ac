//! Values that a view only names, because they are stored apart: those that an answer would show are loaded, the others
//! say where they can be read.

use super::problem::Problem;
use super::resources::uri;
use super::runs;
use engine::kernel::{Data, Fields};
use engine::store::Reader;
use engine::view::{Line, State, Values, View};
use serde_json::Value;

/// Of how many steps values are loaded.
const LOADED_MAX: usize = 20;

/// Whether there is something that a view only names.
pub(super) fn is_named(view: &View) -> bool {
    let stored = |fields: &Fields| fields.values().any(|data| matches!(data, Data::Stored(_)));
    let named = |line: &Line| stored(&line.inputs) || stored(&line.outputs);
    view.has_stored_outputs() || view.lines().iter().any(|line| named(line) || line.parts().iter().any(named))
}

/// Completes the documents of steps: `step` finds the one of a line.
pub(super) fn load(
    view: &View,
    reader: &Reader,
    document: &mut Value,
    step: impl for<'v> Fn(&'v mut Value, usize, &Line) -> &'v mut Value,
) -> Result<(), Problem> {
    let mut lines: Vec<(usize, &Line)> = view.lines().iter().enumerate().collect();
    lines.sort_by_key(|(_, line)| !matches!(line.state, State::Failed | State::Crashed));
    let mut room = LOADED_MAX;
    for (position, line) in lines {
        let stored: Vec<_> = line.outputs.iter().filter(|(_, data)| data.inline().is_none()).collect();
        let place = step(document, position, line);
        if room > 0 && !stored.is_empty() {
            room -= 1;
            for (name, data) in stored {
                place["outputs"][name] = Values(reader).value(data).map_err(runs::not_loaded)?;
            }
        }
        let over = line.items.iter().flatten().filter(|item| item.state.is_over());
        if let Some(rows) = place.pointer_mut("/outputs/results").and_then(Value::as_array_mut) {
            rows.iter_mut().zip(over).for_each(|(row, item)| point(row, &uri::step(&view.run, &item.id)));
        }
        point(place, &uri::step(&view.run, &line.id));
    }
    Ok(())
}

/// Says of what is only named where it can be read.
fn point(value: &mut Value, uri: &str) {
    match value {
        Value::Object(members) if members.len() == 3 && members.contains_key("stored") => {
            members.insert("resource".to_owned(), uri.into());
        }
        Value::Object(members) => members.values_mut().for_each(|value| point(value, uri)),
        Value::Array(items) => items.iter_mut().for_each(|value| point(value, uri)),
        _ => {}
    }
}
