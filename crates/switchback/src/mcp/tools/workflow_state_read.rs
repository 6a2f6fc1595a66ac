//! `workflow_state_read`: the state of a run as one flat object, or some values of it.

use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::{Problem, said};
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::settings::Toolset;
use engine::view::Held;
use serde_json::{Map, Value, json};

/// Most paths of one call.
const PATHS_MAX: usize = 100;

/// Names the paths at which nothing is.
const MISSING: &str = "not_there";

pub(super) const TOOL: Tool = Tool {
    name: "workflow_state_read",
    title: "Read the state of a run",
    description: "Use this to read values of a run's state; to change them use workflow_state_update. Answers one flat object with all \
        values by name, computed ones first, then raw, then state. With `paths` only those, each under the path as it was asked \
        for: a bare name, `config.timeout`, or one layer's own, `raw.files`. `not_there` names those at which nothing is.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "paths": {
                    "type": ["array", "null"],
                    "items": { "type": "string" },
                    "description": "Only these values. Keys with dots stand in brackets: raw.results[\"src/a.ts\"]."
                },
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(read(call)) },
};

async fn read(call: &Call) -> Answered {
    let paths = paths(call)?;
    let row = driven::find(call, "workflow_state_read").await?;
    let id = row.id.clone();
    let held = call.visit.look(move |_, reader| Held::load(reader, &id)).await?.map_err(runs::not_loaded)?;
    let Some(held) = held else { return Ok(Answer::new(json!({}))) };
    let mut missing = Vec::new();
    let value = match paths {
        None => held.flat(),
        Some(paths) => {
            let mut found = Map::new();
            for path in paths {
                let value = held.at(&path).map_err(|why| {
                    let error = format!("`{}` is no path: {why}", said(&path));
                    Problem::new("wrong-argument", error)
                        .help("Call workflow_state_read again with another one")
                })?;
                match value {
                    Some(value) => drop(found.insert(path, value)),
                    None => missing.push(path),
                }
            }
            found
        }
    };
    let mut value = Value::Object(value);
    // What was asked for and is not there is told, unless that would hide a field of the state.
    if let (false, Value::Object(value)) = (missing.is_empty(), &mut value) {
        value.entry(MISSING).or_insert_with(|| json!(missing));
    }
    Ok(Answer::new(value).rest(uri::state(&row.id)))
}

fn paths(call: &Call) -> Result<Option<Vec<String>>, Problem> {
    let wrong = || {
        let error = format!("`paths` is a list of at most {PATHS_MAX} texts");
        Problem::new("wrong-argument", error)
            .help("Call workflow_state_read again with one, or without `paths`")
    };
    let Some(given) = call.arguments.value("paths") else { return Ok(None) };
    let items = given.as_array().filter(|items| items.len() <= PATHS_MAX).ok_or_else(wrong)?;
    let paths = items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
    paths.map(Some).ok_or_else(wrong)
}
