//! A question as one JSON document, the same for every door.

use super::{Asked, AskedKind};
use dialects::view::asked::cut;
use kernel::clock::iso;
use serde_json::{Map, Value, json};

/// What has a key of its own; the rest of what is shown stands under `shown`.
const NAMED: [&str; 9] =
    ["prompt", "message", "instructions", "kind", "type", "choices", "options", "default", "output_schema"];

/// The document of a question; what is long is cut.
pub fn document(asked: &Asked) -> Value {
    let mut value = json!({
        "question_id": asked.question_id,
        "step": asked.step(),
        "kind": asked.kind.as_str(),
        "for": whom(asked),
        "prompt": asked.prompt,
    });
    let details: Map<String, Value> =
        details(asked).map(|(name, value)| (name.clone(), shortened(asked, value))).collect();
    let more = [
        ("choices", (!asked.choices.is_empty()).then(|| json!(asked.choices))),
        ("default", asked.default.clone()),
        ("output_schema", asked.output_schema.clone()),
        ("shown", (!details.is_empty()).then(|| details.into())),
        ("not_whole", asked.not_whole().map(Value::String)),
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

/// A value that is whole in a gate, as a document has it.
fn shortened(asked: &Asked, value: &Value) -> Value {
    if asked.is_gate() { cut(value.clone()) } else { value.clone() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use dialects::view::asked::{Origin, SHOWN_BYTES_MAX};
    use kernel::effect::Action;
    use kernel::plan::{Audience, Gate, GateLevel};
    use kernel::{Data, Digest, EffectId, Fields, RunId};

    fn asked(bytes: usize, gate: bool) -> Asked {
        let long = || Data::Inline("x".repeat(bytes).into());
        let action = Action {
            id: EffectId::new("ask#1"),
            step: "ask".to_owned(),
            attempt: 1,
            audience: Audience::Human,
            gate: gate.then_some(Gate { level: GateLevel::Ask }),
            inputs: Fields::from([("prompt".to_owned(), long()), ("details".to_owned(), long())]),
            shown: Digest::of(b"shown"),
            timeout_ms: None,
            note: None,
            overdue: false,
        };
        let run = RunId::new("mossy-otter-41");
        let origin = Origin {
            root: run.clone(),
            run,
            above: Vec::new(),
            since: 0,
            dialect: kernel::plan::Dialect::Blocks,
            word: String::new(),
            ends: false,
            attempts_left: None,
            check: None,
        };
        let inline = |data: &Data| Ok::<_, ()>(data.inline().cloned().unwrap_or_default());
        Asked::of(origin, &action, inline).unwrap()
    }

    #[test]
    fn a_gate_is_whole_and_its_document_is_cut() {
        let (fits, longer) = (SHOWN_BYTES_MAX, SHOWN_BYTES_MAX + 1);
        for (bytes, gate, whole) in
            [(fits, true, true), (longer, true, true), (fits, false, true), (longer, false, false)]
        {
            let asked = asked(bytes, gate);
            assert_eq!(asked.words().len() == bytes, whole, "{bytes} {gate}");
            assert_eq!(asked.shown["details"].as_str().map(str::len) == Some(bytes), whole, "{bytes} {gate}");
            let document = document(&asked);
            for told in [&document["prompt"], &document["shown"]["details"]] {
                let told = told.as_str().unwrap();
                assert_eq!(told.ends_with("... (16385 bytes in all)"), bytes == longer, "{bytes} {gate}");
            }
        }
    }
}
