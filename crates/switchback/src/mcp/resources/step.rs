//! What one step was given and gave. Where that is more than one read gives, each value can be read on, piece by piece:
//!
//! ```text
//!  .../step/build ── head ── [... bytes left out ...] ── tail
//!                       └── .../step/build/outputs/stdout/699050 ── .../outputs/stdout/1747000 ── end
//! ```

use super::read::BYTES_MAX;
use super::uri::{self, Side};
use crate::mcp::fit::fill;
use crate::mcp::problem::{Problem, said};
use crate::mcp::runs;
use engine::dialects::blocks::view::{RESULTS, results as items};
use engine::kernel::plan::Dialect;
use engine::kernel::{Data, Fields};
use engine::store::Reader;
use engine::view::{Line, Values, View};
use serde_json::{Map, Value, json};

/// What is held back of a read for the words beside a value.
const WORDS_BYTES: usize = 4_000;

/// How many values that were cut are named.
const NAMED_MAX: usize = 16;

/// The document of a step.
pub(super) fn whole(view: &View, reader: &Reader, step: &str) -> Result<Value, Problem> {
    let line = find(view, step)?;
    let mut outputs = loaded(reader, &line.outputs)?;
    if outputs.get(RESULTS).is_none()
        && let Some(results) = results(view, reader, line)?
    {
        outputs[RESULTS] = results;
    }
    let document = json!({
        "run": view.run,
        "step": line.id,
        "status": view.state(line).status(),
        "inputs": loaded(reader, &line.inputs)?,
        "outputs": outputs,
        "reason": line.reason,
    });
    let Some(mut cut) = fill(&document, BYTES_MAX, WORDS_BYTES) else { return Ok(document) };
    let rests = [Side::Inputs, Side::Outputs].into_iter().flat_map(|side| {
        let (given, kept) = (&document[side.as_str()], &cut[side.as_str()]);
        let members = given.as_object().into_iter().flatten();
        let cuts = members.filter(|(name, value)| kept.get(name.as_str()) != Some(*value));
        cuts.map(move |(name, value)| {
            let from = begun(value, kept.get(name));
            json!({ "value": format!("{}.{name}", side.as_str()), "bytes": text_of(value).len(),
                    "goes_on_at": uri::piece(&view.run, &line.id, side, name, from) })
        })
    });
    cut["left_out"]["values"] = rests.take(NAMED_MAX).collect();
    Ok(cut)
}

/// One value of a step from some byte on, as far as one read goes.
pub(super) fn piece(
    view: &View,
    reader: &Reader,
    step: &str,
    (side, name): (Side, &str),
    from: usize,
) -> Result<Value, Problem> {
    let line = find(view, step)?;
    let fields = match side {
        Side::Inputs => &line.inputs,
        Side::Outputs => &line.outputs,
    };
    let value = match (fields.get(name), side) {
        (Some(data), _) => Some(Values(reader).value(data).map_err(runs::not_loaded)?),
        (None, Side::Outputs) if name == RESULTS => results(view, reader, line)?,
        (None, _) => None,
    };
    let Some(value) = value else {
        let error = format!("`{step}` of run {} has no `{}` in its {}", view.run, said(name), side.as_str());
        return Err(Problem::new("unknown-value", error)
            .options(fields.keys().cloned())
            .near(name)
            .help("Read it again with one of these names"));
    };
    let text = text_of(&value);
    let from = text.floor_char_boundary(from);
    let to = from + room_for(&text[from..], BYTES_MAX - WORDS_BYTES);
    let mut document = json!({
        "run": view.run,
        "step": line.id,
        "value": format!("{}.{name}", side.as_str()),
        "bytes": text.len(),
        "from": from,
        "to": to,
        "text": &text[from..to],
    });
    if to < text.len() {
        document["goes_on_at"] = uri::piece(&view.run, &line.id, side, name, to).into();
    }
    Ok(document)
}

fn find<'v>(view: &'v View, step: &str) -> Result<&'v Line, Problem> {
    view.line(step).ok_or_else(|| {
        let names = view.lines().iter().map(|line| line.id.clone());
        let error = format!("run {} has no step `{}`", view.run, said(step));
        Problem::new("unknown-step", error)
            .options(names)
            .near(step)
            .help("Read it again with one of these steps")
    })
}

/// What became of the items of a block. Its outputs have that only where something reads it.
fn results(view: &View, reader: &Reader, line: &Line) -> Result<Option<Value>, Problem> {
    if view.plan.dialect != Dialect::Blocks {
        return Ok(None);
    }
    items(line, |data| Values(reader).value(data).map_err(runs::not_loaded))
}

/// What a step was given or gave, with stored values loaded.
fn loaded(reader: &Reader, fields: &Fields) -> Result<Value, Problem> {
    let load = |(name, data): (&String, &Data)| {
        Ok((name.clone(), Values(reader).value(data).map_err(runs::not_loaded)?))
    };
    Ok(fields.iter().map(load).collect::<Result<Map<_, _>, Problem>>()?.into())
}

/// A value as the text that is read piece by piece.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// How much of a value stands at the beginning of what was kept of it.
fn begun(value: &Value, kept: Option<&Value>) -> usize {
    let (Some(value), Some(kept)) = (value.as_str(), kept.and_then(Value::as_str)) else { return 0 };
    let same = value.bytes().zip(kept.bytes()).take_while(|(one, other)| one == other).count();
    value.floor_char_boundary(same)
}

/// How many bytes of a text have room in so many bytes of JSON.
fn room_for(text: &str, bytes: usize) -> usize {
    let mut room = bytes;
    let over = text.char_indices().find(|(_, letter)| {
        let needed = match letter {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..'\u{20}' => 6,
            letter => letter.len_utf8(),
        };
        room.checked_sub(needed).map(|left| room = left).is_none()
    });
    over.map_or(text.len(), |(position, _)| position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_as_many_bytes_as_its_json_may() {
        for (text, room) in [("abc", 3), ("a\"\n", 5), ("\u{1}\t\u{7f}", 9), ("äö", 4), ("\u{1f9a6}", 4)] {
            assert_eq!(Value::from(text).to_string().len(), room + 2, "{text:?}");
            assert_eq!(room_for(text, room), text.len(), "{text:?}");
            assert!(room_for(text, room - 1) < text.len(), "{text:?}");
        }
    }
}
