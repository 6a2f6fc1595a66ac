//! `workflow_state_update`: changes the raw state of a run, all of it or nothing, and tells what follows.

use super::{Hints, Later, Tool, driven, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::{Problem, said, said_value};
use crate::mcp::resources::uri;
use crate::mcp::runs;
use crate::settings::Toolset;
use engine::backend::Backend;
use engine::dialects::near::near;
use engine::dialects::reactive::view::dependencies::Dependencies;
use engine::dialects::reactive::view::path::keys;
use engine::kernel::data::weight;
use engine::kernel::event::Change;
use engine::kernel::plan::WriteKind;
use engine::kernel::{Command, Data, Fields, Plan, Refusal, RunId};
use engine::store::Reader;
use engine::view::{Held, History, Values, View};
use serde_json::{Map, Value, json};

/// Most changes of one call.
const UPDATES_MAX: usize = 1_000;

/// The most that one value may have, as a result may.
const VALUE_BYTES_MAX: u64 = 1024 * 1024;

/// The words for what a change does.
const OPERATIONS: [(&str, WriteKind); 4] = [
    ("set", WriteKind::Set),
    ("append", WriteKind::Append),
    ("increment", WriteKind::Increment),
    ("merge", WriteKind::Merge),
];

pub(super) const TOOL: Tool = Tool {
    name: "workflow_state_update",
    title: "Change the state of a run",
    description: "Use this to write values into a run's state; to hand in what a step gave, workflow_step_complete with `result` is \
        enough. Each of `updates` has a `path` below raw. or state., a `value` and an `operation`: set (the default), append, \
        increment or merge. All are made or none. Answers `success`, `computed` (the computed fields that changed, with their \
        values) and the `version` of the state.",
    hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: false },
    toolset: Some(Toolset::Reactive),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the run."),
                "updates": {
                    "type": "array",
                    "description": "The changes, in order.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "path": { "type": "string" },
                            "operation": { "type": "string", "enum": ["set", "append", "increment", "merge"] },
                            "value": {}
                        },
                        "required": ["path"]
                    }
                },
                "request_key": schema::request_key("The same key with the same updates changes the run once."),
            }),
            &["workflow_id", "updates"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(update(call)) },
};

async fn update(call: &Call) -> Answered {
    let key = key(call)?;
    let updates = updates(call)?;
    let row = driven::find(call, "workflow_state_update").await?;
    let id = row.id.clone();
    let view = call.visit.look(move |visit, reader| runs::view_of(visit, reader, &id)).await??;
    layered(&view)?;
    let changes = updates.iter().map(|update| change(&view.plan, update)).collect::<Result<Vec<_>, _>>()?;
    let paths: Vec<String> = changes.iter().map(|change| change.path.join(".")).collect();
    let seq = match before(call, &view.run, key.as_deref(), &changes).await? {
        Some(seq) => seq,
        None => {
            let command = Command::Update { values: Fields::new(), changes, by: call.caller(), key };
            let accepted = call.visit.house()?.local.submit(&view.run, command).await;
            accepted.map_err(|error| refused(&paths, error))?.seq
        }
    };
    let run = view.run.clone();
    let made = call.visit.look(move |_, reader| made(reader, &run, seq)).await?.map_err(runs::not_loaded)?;
    match made {
        Ok((computed, version)) => {
            let value =
                json!({ "success": true, "workflow_id": view.run, "computed": computed, "version": version });
            Ok(Answer::new(value).rest(uri::state(&view.run)))
        }
        Err(why) => Err(not_made(&paths, &why)),
    }
}

/// What the request is known by: the key that was given, else that of the call, which the pipe repeats to the next daemon.
fn key(call: &Call) -> Result<Option<String>, Problem> {
    let said = call.arguments.request_key()?.map(|key| format!("said:{key}"));
    Ok(said.or_else(|| call.key_in_meta().map(|key| format!("sent:{key}"))))
}

/// The entry in which the request was carried out before, if it was. With a key that stands for other changes it is refused.
async fn before(
    call: &Call,
    run: &RunId,
    key: Option<&str>,
    changes: &[Change],
) -> Result<Option<u64>, Problem> {
    let may_be = call.made_before().is_some() || call.arguments.request_key()?.is_some();
    let Some(key) = key.filter(|_| may_be).map(str::to_owned) else { return Ok(None) };
    let run = run.clone();
    let found = call.visit.look(move |_, reader| {
        let Some((seq, mut changes)) = History::update_of(reader, &run, &key)? else { return Ok(None) };
        for change in &mut changes {
            // What is large was stored apart.
            change.value = Data::Inline(Values(reader).value(&change.value)?);
        }
        Ok(Some((seq, changes)))
    });
    match found.await?.map_err(runs::not_loaded)? {
        Some((_, others)) if others != changes => {
            let error = "this request_key was used for other updates of the run";
            Err(Problem::new("key-used", error).help("Nothing was changed. Give another key"))
        }
        found => Ok(found.map(|(seq, _)| seq)),
    }
}

type Made = Result<(Map<String, Value>, u64), String>;

/// What came of a change: the computed fields that it changed, or why nothing was changed.
fn made(reader: &Reader, run: &RunId, seq: u64) -> Result<Made, engine::turn::LoadError> {
    let told = History::told(reader, run, seq)?;
    if let Some(why) = told.not_updated {
        return Ok(Err(why));
    }
    let held = Held::load_until(reader, run, seq)?;
    let value =
        |field: &String| held.as_ref().and_then(|held| held.state.get(field)).cloned().unwrap_or_default();
    let computed =
        told.changed.iter().filter_map(|field| Some((field.strip_prefix("computed.")?, value(field))));
    Ok(Ok((computed.map(|(name, value)| (name.to_owned(), value)).collect(), told.version)))
}

/// Only a state with layers says what may be written from outside.
fn layered(view: &View) -> Result<(), Problem> {
    if view.plan.state.is_layered() {
        return Ok(());
    }
    let (run, dialect) = (&view.run, view.plan.dialect.as_str());
    let error = format!(
        "the state of run {run} changes by its steps alone: its workflow is of the dialect {dialect}"
    );
    Err(Problem::new("not-writable", error)
        .help("Nothing was changed. workflow_step_complete(workflow_id, step_id, result) hands a result in"))
}

fn updates(call: &Call) -> Result<Vec<Value>, Problem> {
    let wrong = || {
        let error =
            format!("`updates` is a list of 1 to {UPDATES_MAX} objects with `path`, `value` and `operation`");
        Problem::new("wrong-argument", error)
            .help("Nothing was changed. Call workflow_state_update again with one")
    };
    let given = match call.arguments.value("updates") {
        Some(Value::Array(items)) => items.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| wrong())?,
        _ => return Err(wrong()),
    };
    let fits = (1..=UPDATES_MAX).contains(&given.len()) && given.iter().all(Value::is_object);
    if fits { Ok(given) } else { Err(wrong()) }
}

/// A change as the run is told it.
fn change(plan: &Plan, update: &Value) -> Result<Change, Problem> {
    let known = ["path", "operation", "value"];
    if let Some((unknown, _)) =
        update.as_object().into_iter().flatten().find(|(key, _)| !known.contains(&key.as_str()))
    {
        let error = format!("an update has no `{}`", said(unknown));
        return Err(Problem::new("wrong-argument", error)
            .options(known)
            .near(unknown)
            .help("Nothing was changed"));
    }
    let path = update["path"].as_str().map(str::trim).unwrap_or_default();
    let keys = field(plan, path)?;
    let kind = operation(&update["operation"], path)?;
    let value = match (update.get("value"), kind) {
        (Some(value), _) => value.clone(),
        (None, WriteKind::Increment) => json!(1),
        (None, _) => {
            let error = format!("`{}` has no `value`", said(path));
            return Err(Problem::new("wrong-argument", error)
                .help("Nothing was changed. Give it one; null is a value"));
        }
    };
    let size = weight(&value);
    if size > VALUE_BYTES_MAX {
        let why = format!("the value has {size} bytes, and {VALUE_BYTES_MAX} are the most");
        return Err(not_made(&[path.to_owned()], &why));
    }
    Ok(Change { path: keys, kind, value: Data::Inline(value) })
}

/// The field that a path begins with, and the keys below it.
fn field(plan: &Plan, path: &str) -> Result<Vec<String>, Problem> {
    let shown = said(path);
    let refuse = |error: String| Problem::new("not-writable", error);
    let help = "Nothing was changed. Paths that can be written begin with raw. or state.";
    let keys = keys(path).map_err(|why| refuse(format!("`{shown}` is no path: {why}")).help(help))?;
    match keys.as_slice() {
        [layer, name, rest @ ..] if layer == "raw" || layer == "state" => {
            Ok(std::iter::once(format!("{layer}.{name}")).chain(rest.iter().cloned()).collect())
        }
        [layer, ..] if layer == "computed" => {
            let from = Dependencies::of(plan, path).map(|found| found.direct.join(", ")).unwrap_or_default();
            let error = format!("`{shown}` cannot be written: it follows from {from}");
            Err(refuse(error).help(help))
        }
        [layer] if layer == "raw" || layer == "state" => {
            Err(refuse(format!("`{shown}` cannot be written as a whole: name a field of it")).help(help))
        }
        _ => Err(refuse(format!("`{shown}` cannot be written: did you mean `raw.{shown}`?")).help(help)),
    }
}

fn operation(said_as: &Value, path: &str) -> Result<WriteKind, Problem> {
    let word = match said_as {
        Value::Null => "set",
        Value::String(word) => word,
        other => return Err(no_operation(&said_value(other), path)),
    };
    let found = OPERATIONS.into_iter().find(|(known, _)| *known == word);
    found.map(|(_, kind)| kind).ok_or_else(|| no_operation(word, path))
}

fn no_operation(word: &str, path: &str) -> Problem {
    let words = OPERATIONS.map(|(word, _)| word);
    let error = format!("`{}` of `{}` is no operation", said(word), said(path));
    let problem = Problem::new("wrong-argument", error).options(words).help("Nothing was changed");
    let near = near(word, words);
    if near.is_empty() { problem } else { problem.with("did_you_mean", json!(near)) }
}

fn not_made(paths: &[String], why: &str) -> Problem {
    let error = format!("{}: {why}", said(&paths.join(", ")));
    Problem::new("not-updated", error).help("Nothing was changed: all updates of a call are made, or none")
}

fn refused(paths: &[String], error: engine::Error) -> Problem {
    match error {
        engine::Error::Refused(refusal @ (Refusal::NotWritable(_) | Refusal::TooLarge { .. })) => {
            not_made(paths, &refusal.to_string())
        }
        engine::Error::Refused(Refusal::Over) => {
            Problem::new("over", "the run is over: its state changes no more").help("Nothing was changed")
        }
        other => runs::refused(other),
    }
}
