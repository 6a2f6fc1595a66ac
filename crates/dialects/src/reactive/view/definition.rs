//! A definition as it was read, with what it imports put in: its own words come before those of imported files, and those
//! of a file before those of what it imports itself.

use crate::Imported;
use crate::detect::body;
use crate::text::{Source, load};
use serde_json::{Map, Value, json};

/// What imported files give, by the key under which it stands.
const SHARED: [&str; 3] = ["state_schema", "default_state", "sub_agent_tasks"];

/// The resolved definition: `own` is its text, `sources` those of the files that it imports.
pub fn resolved(own: &Source, sources: &[Source], imports: &[Imported]) -> Map<String, Value> {
    let mut all = read(own);
    take(&mut all, sources, imports);
    for (key, empty) in [("steps", json!([])), ("sub_agent_tasks", json!({})), ("state_schema", json!({}))] {
        all.entry(key).or_insert(empty);
    }
    if let Some(Value::Object(schema)) = all.get_mut("state_schema") {
        for part in ["raw", "computed"] {
            schema.entry(part).or_insert_with(|| json!({}));
        }
    }
    all
}

fn take(all: &mut Map<String, Value>, sources: &[Source], imports: &[Imported]) {
    for import in imports {
        let Some(source) = sources.iter().find(|source| source.name == import.found_at) else { continue };
        let mut theirs = read(source);
        take(&mut theirs, sources, &import.imports);
        for key in SHARED {
            if let Some(value) = theirs.remove(key) {
                merge(all.entry(key).or_insert(Value::Null), value);
            }
        }
    }
}

/// Puts in what is not there yet.
fn merge(into: &mut Value, other: Value) {
    match (into, other) {
        (into @ Value::Null, other) => *into = other,
        (Value::Object(into), Value::Object(other)) => {
            for (key, value) in other {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        _ => {}
    }
}

fn read(source: &Source) -> Map<String, Value> {
    match load(source).map(|root| body(&root).to_value()) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

/// The tree of imports.
pub fn tree(imports: &[Imported]) -> Value {
    let one = |import: &Imported| {
        let mut value =
            json!({ "path": import.path, "found_at": import.found_at, "imports": tree(&import.imports) });
        if let Some(workflow) = &import.workflow {
            value["workflow"] = json!(workflow);
        }
        value
    };
    imports.iter().map(one).collect()
}
