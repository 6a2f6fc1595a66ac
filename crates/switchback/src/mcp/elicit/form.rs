//! A question as a form that every client can show, and what came of it. Pure: a question in, a form out; an answer in, what
//! was said out.

use engine::asking::{self, Asked, AskedKind};
use engine::dialects::text::visible;
use engine::dialects::view::asked::label;
use rmcp::model::{
    BooleanSchema, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
    PrimitiveSchemaDefinition, StringSchema,
};
use serde_json::Value;

/// The one field of the form.
const FIELD: &str = "response";

/// Longest message of a form.
const MESSAGE_CHARS_MAX: usize = 4_000;

/// What someone did with a form.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::mcp) enum Said {
    /// They filled it in.
    This(Value),
    /// They would not.
    Declined,
    /// They closed it.
    Cancelled,
    /// Something came that is no answer to a form.
    Garbled(String),
}

impl Said {
    /// What a client's result says.
    pub(super) fn of(result: ElicitResult) -> Said {
        match result.action {
            ElicitationAction::Decline => Said::Declined,
            ElicitationAction::Cancel => Said::Cancelled,
            ElicitationAction::Accept => match result.content {
                Some(Value::Object(mut fields)) if fields.contains_key(FIELD) => {
                    Said::This(fields.remove(FIELD).unwrap_or_default())
                }
                _ => Said::Garbled(format!("the form came back without its field `{FIELD}`")),
            },
            _ => Said::Garbled("the form came back in an unknown way".to_owned()),
        }
    }
}

/// The form of a question.
pub(super) fn form(asked: &Asked) -> ElicitRequestParams {
    let (title, field) = match asked.kind {
        AskedKind::Confirm => ("Yes or no", confirm(asked)),
        AskedKind::Choice => ("Your choice", choice(asked)),
        AskedKind::Text | AskedKind::Agent => ("Your answer", text(asked)),
    };
    let schema = ElicitationSchema::builder().required_property(FIELD, field).title(title).build_unchecked();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message(asked),
        requested_schema: schema,
    }
}

fn confirm(asked: &Asked) -> PrimitiveSchemaDefinition {
    let field = BooleanSchema::new().title("Yes?");
    PrimitiveSchemaDefinition::Boolean(match asked.default.as_ref().and_then(Value::as_bool) {
        // Nobody passes a gate by pressing return.
        Some(default) if !asked.is_gate() || !default => field.with_default(default),
        _ => field,
    })
}

fn choice(asked: &Asked) -> PrimitiveSchemaDefinition {
    let mut labels: Vec<String> = Vec::new();
    for label in asked.choices.iter().map(label) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    PrimitiveSchemaDefinition::Enum(EnumSchema::builder(labels).untitled().title("Your choice").build())
}

fn text(asked: &Asked) -> PrimitiveSchemaDefinition {
    let field = StringSchema::new().title("Your answer");
    PrimitiveSchemaDefinition::String(match &asked.default {
        Some(default) => field.with_default(label(default)),
        None => field,
    })
}

/// Whether all that is shown with a question fits into its form.
pub(super) fn is_whole(asked: &Asked) -> bool {
    said(asked).chars().count() <= MESSAGE_CHARS_MAX
}

/// What is asked, and by which run.
fn message(asked: &Asked) -> String {
    let message = said(asked);
    let who = format!("({}, run {})", visible(&asked.step()), asked.root);
    if !is_whole(asked) {
        let head: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
        return format!(
            "{head}...\n\nThere is more: switchback answer {} shows all of it. {who}",
            asked.root
        );
    }
    format!("{message}\n\n{who}")
}

/// What is asked, and what else is shown.
fn said(asked: &Asked) -> String {
    let mut message = asked.prompt.clone();
    for (name, value) in asking::details(asked) {
        message.push_str(&format!("\n\n{name}: {}", label(value)));
    }
    if let Some(note) = &asked.note {
        message.push_str(&format!("\n\nAsked again: {note}"));
    }
    visible(&message)
}

#[cfg(test)]
mod tests {
    use super::super::is_for_a_form;
    use super::*;
    use engine::kernel::plan::{Audience, Gate, GateLevel};
    use engine::kernel::{Digest, EffectId, RunId};
    use serde_json::{Map, json};

    /// A question that shows so many characters.
    fn asked(chars: usize, is_gate: bool) -> Asked {
        let root = RunId::new("mossy-otter-41");
        let details = "x".repeat(chars - "Go?\n\ndetails: ".len());
        Asked {
            question_id: "ask#1".to_owned(),
            run: root.clone(),
            root,
            path: vec!["ask".to_owned()],
            effect: EffectId::new("ask#1"),
            attempt: 1,
            audience: Audience::Human,
            gate: is_gate.then_some(Gate { level: GateLevel::Ask }),
            kind: AskedKind::Confirm,
            prompt: "Go?".to_owned(),
            choices: Vec::new(),
            default: None,
            output_schema: None,
            shown: Map::from_iter([("details".to_owned(), json!(details))]),
            digest: Digest::of(b"shown"),
            since: 0,
            overdue: false,
            note: None,
        }
    }

    #[test]
    fn a_gate_is_asked_in_a_form_only_if_all_of_it_is_shown() {
        let (fits, over) = (MESSAGE_CHARS_MAX, MESSAGE_CHARS_MAX + 1);
        assert!(is_for_a_form(&asked(fits, true)) && !is_for_a_form(&asked(over, true)));
        assert!(!message(&asked(fits, true)).contains("There is more"));
        // A plain question says where the rest is.
        assert!(is_for_a_form(&asked(over, false)));
        assert!(
            message(&asked(over, false)).contains("x...\n\nThere is more: switchback answer mossy-otter-41")
        );
    }
}
