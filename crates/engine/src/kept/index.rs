//! The two indexes: one document as the first source has it, and one line for each definition as the second has it.

use super::file::File;
use super::hash;
use kernel::clock::iso;
use serde_json::{Map, Value, json};

/// The file of the first.
pub(super) const FIRST: &str = "index.json";

/// The file of the second.
pub(super) const SECOND: &str = ".index.jsonl";

/// The first index; when it was made is kept of the one before.
pub(super) fn first(all: &[File], before: Option<&[u8]>, at: u64) -> Value {
    let before: Option<Value> = before.and_then(|before| serde_json::from_slice(before).ok());
    let created = before.and_then(|before| before.get("created")?.as_str().map(str::to_owned));
    let entries = all.iter().map(|file| {
        let metadata = &file.metadata;
        let entry = json!({
            "file": format!("{}.json", file.name),
            "hash": metadata.get("hash").cloned().unwrap_or_else(|| hash::of(&file.definition).into()),
            "description": description(file),
            "created": metadata.get("created"),
            "success_count": metadata.get("success_count").and_then(Value::as_u64).unwrap_or_default(),
        });
        (file.name.clone(), entry)
    });
    let workflows: Map<String, Value> = entries.collect();
    json!({ "workflows": workflows, "created": created.unwrap_or_else(|| iso(at)), "version": "1.0" })
}

/// The second index.
pub(super) fn second(all: &[File]) -> String {
    all.iter().map(|file| format!("{}\n", line(file))).collect()
}

/// The line of a definition in the second index.
pub(super) fn line(file: &File) -> Value {
    let (definition, metadata) = (&file.definition, &file.metadata);
    let states = definition.get("states").and_then(Value::as_object).map_or(0, Map::len);
    json!({
        "name": file.name,
        "file": format!("{}.json", file.name),
        "description": description(file),
        "arguments": definition.get("arguments").cloned().unwrap_or_else(|| json!({})),
        "return_values": definition.get("return_values").cloned().unwrap_or_else(|| json!({})),
        "created": metadata.get("created"),
        "run_count": metadata.get("run_count").and_then(Value::as_u64).unwrap_or_default(),
        "last_run": metadata.get("last_run"),
        "state_count": states,
    })
}

fn description(file: &File) -> &str {
    file.definition.get("description").and_then(Value::as_str).unwrap_or_default()
}
