//! A question as one JSON document, the same for every door.

use super::{Asked, AskedKind};
use kernel::clock::iso;
use serde_json::{Map, Value, json};

/// What has a key of its own; the rest of what is shown stands under `shown`.
const NAMED: [&str; 6] = ["prompt", "instructions", "kind", "choices", "default", "output_schema"];

/// The document of a question.
pub fn document(asked: &Asked) -> Value {
    let mut value = json!({
        "question_id": asked.question_id,
        "step": asked.step(),
        "kind": asked.kind.as_str(),
        "for": whom(asked),
        "prompt": asked.prompt,
    });
    let details: Map<String, Value> =
        details(asked).map(|(name, value)| (name.clone(), value.clone())).collect();
    let more = [
        ("choices", (!asked.choices.is_empty()).then(|| json!(asked.choices))),
        ("default", asked.default.clone()),
        ("output_schema", asked.output_schema.clone()),
        ("shown", (!details.is_empty()).then(|| details.into())),
        ("attempt", Some(asked.attempt.into())),
        ("since", Some(iso(asked.since).into())),
        ("overdue", asked.overdue.then_some(Value::Bool(true))),
        ("note", asked.note.clone().map(Value::String)),
    ];
    for (key, found) in more {
        if let Some(found) = found {
            value[key] = found;
        }
    }
    value
}

/// What is shown beside the question itself.
pub fn details(asked: &Asked) -> impl Iterator<Item = (&String, &Value)> {
    asked.shown.iter().filter(|(name, value)| !NAMED.contains(&name.as_str()) && !value.is_null())
}

/// Who may answer.
fn whom(asked: &Asked) -> &'static str {
    match (asked.is_gate(), asked.kind) {
        (true, _) => "a human, and nobody else",
        (false, AskedKind::Agent) => "the agent",
        (false, _) => "a human; an agent may relay what they say",
    }
}
