//! A question as one JSON document, the same for every door.

use super::{Asked, AskedKind};
use dialects::view::asked::{cut, is_long};
use kernel::clock::iso;
use serde_json::{Map, Value, json};

/// What has a key of its own; the rest of what is shown stands under `shown`.
const NAMED: [&str; 9] =
    ["prompt", "message", "instructions", "kind", "type", "choices", "options", "default", "output_schema"];

/// Who may answer a gate.
pub const HUMANS_ONLY: &str = "a human, and nobody else";

/// The document of a question; what is long loses its middle, and `left_out` names it.
pub fn document(asked: &Asked) -> Value {
    let mut value = json!({
        "question_id": asked.question_id,
        "step": asked.step(),
        "kind": asked.kind.as_str(),
        "for": whom(asked),
        "prompt": asked.prompt,
    });
    let mut long = Vec::new();
    if asked.words() != asked.prompt {
        long.push("prompt".to_owned());
    }
    let details: Map<String, Value> =
        details(asked).map(|(name, value)| (name.clone(), shorter(name, value, &mut long))).collect();
    let more = [
        ("choices", (!asked.choices.is_empty()).then(|| json!(asked.choices))),
        ("default", asked.default.clone()),
        ("output_schema", asked.output_schema.clone()),
        ("shown", (!details.is_empty()).then(|| details.into())),
        ("left_out", (!long.is_empty()).then(|| json!({ "values": long }))),
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

/// A value as a document has it; of an object each member is long or not. What loses something is named.
fn shorter(name: &str, value: &Value, long: &mut Vec<String>) -> Value {
    if let Value::Object(members) = value {
        let member = |(member, value): (&String, &Value)| {
            (member.clone(), shorter_one(format!("{name}.{member}"), value, long))
        };
        return members.iter().map(member).collect();
    }
    shorter_one(name.to_owned(), value, long)
}

fn shorter_one(name: String, value: &Value, long: &mut Vec<String>) -> Value {
    if is_long(value) {
        long.push(name);
    }
    cut(value.clone())
}

/// What is shown beside the question itself.
pub fn details(asked: &Asked) -> impl Iterator<Item = (&String, &Value)> {
    asked.shown.iter().filter(|(name, value)| !NAMED.contains(&name.as_str()) && !value.is_null())
}

/// Who may answer.
fn whom(asked: &Asked) -> &'static str {
    match (asked.is_gate(), asked.kind) {
        (true, _) => HUMANS_ONLY,
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
    fn a_question_is_whole_and_its_document_says_what_it_left_out() {
        let (fits, longer) = (SHOWN_BYTES_MAX, SHOWN_BYTES_MAX + 1);
        for (bytes, gate) in [(fits, true), (longer, true), (fits, false), (longer, false)] {
            let asked = asked(bytes, gate);
            assert_eq!(
                (asked.words().len(), asked.shown["details"].as_str().map(str::len)),
                (bytes, Some(bytes))
            );
            let (document, is_long) = (document(&asked), bytes > SHOWN_BYTES_MAX);
            for told in [&document["prompt"], &document["shown"]["details"]] {
                let told = told.as_str().unwrap();
                assert_eq!(told.contains("x\n[... 2 bytes left out ...]\nx"), is_long, "{bytes} {gate}");
            }
            let left_out = if is_long { json!({"values": ["prompt", "details"]}) } else { Value::Null };
            assert_eq!(document["left_out"], left_out, "{bytes} {gate}");
        }
    }

    #[test]
    fn of_an_object_only_the_long_members_are_cut() {
        let mut asked = asked(1, false);
        let long = json!(["y".repeat(SHOWN_BYTES_MAX)]);
        asked.shown =
            Map::from_iter([("context".to_owned(), json!({"a": long, "b": [1], "c": "z".repeat(9_000)}))]);
        let document = document(&asked);
        assert_eq!(document["shown"]["context"]["b"], json!([1]));
        assert_eq!(document["shown"]["context"]["c"].as_str().map(str::len), Some(9_000));
        assert_eq!(document["left_out"], json!({"values": ["context.a"]}), "{document}");
    }
}
