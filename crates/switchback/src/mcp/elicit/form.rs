//! A question as a form that every client can show, and what came of it. Pure: a question in, a form out; an answer in, what
//! was said out.

use super::message::{is_listed, message};
use engine::asking::{Asked, AskedKind};
use engine::dialects::view::asked::label;
use rmcp::model::{
    BooleanSchema, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
    PrimitiveSchemaDefinition, StringSchema,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// The one field of the form.
const FIELD: &str = "response";

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
        AskedKind::Info => ("Seen", confirm(asked)),
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

/// A list to choose from. Of more choices than a list can hold, one is typed.
fn choice(asked: &Asked) -> PrimitiveSchemaDefinition {
    if !is_listed(&asked.choices) {
        return PrimitiveSchemaDefinition::String(StringSchema::new().title("Your choice"));
    }
    let mut seen = BTreeSet::new();
    let labels = asked.choices.iter().map(label).filter(|label| seen.insert(label.clone())).collect();
    PrimitiveSchemaDefinition::Enum(EnumSchema::builder(labels).untitled().title("Your choice").build())
}

fn text(asked: &Asked) -> PrimitiveSchemaDefinition {
    let field = StringSchema::new().title("Your answer");
    PrimitiveSchemaDefinition::String(match &asked.default {
        Some(default) => field.with_default(label(default)),
        None => field,
    })
}

#[cfg(test)]
mod tests {
    use super::super::message::CHOICES_MAX;
    use super::super::message::tests::gate;
    use super::*;
    use serde_json::json;

    fn asked(choices: Vec<Value>) -> Value {
        let asked = Asked { gate: None, choices, ..gate("x", &["a"]) };
        serde_json::to_value(form(&asked)).unwrap()
    }

    #[test]
    fn many_choices_are_typed() {
        let many = |count: usize| asked((0..count).map(|number| json!(format!("b{number}"))).collect());
        let field = |form: &Value| form["requestedSchema"]["properties"][FIELD].clone();
        let most = many(CHOICES_MAX);
        assert_eq!(field(&most)["enum"].as_array().map(Vec::len), Some(CHOICES_MAX));
        let more = many(CHOICES_MAX + 1);
        assert_eq!((&field(&more)["type"], field(&more).get("enum")), (&json!("string"), None));
        let message = more["message"].as_str().unwrap();
        assert!(message.contains("301 choices: type one of them, or its number"), "{message}");
        assert!(
            message.contains("1 b0, 2 b1") && message.contains("switchback answer mossy-otter-41"),
            "{message}"
        );
    }

    #[test]
    fn a_choice_that_is_there_twice_is_listed_once() {
        let form = asked(vec![json!("b"), json!(1), json!("a"), json!("b"), json!("1")]);
        assert_eq!(form["requestedSchema"]["properties"][FIELD]["enum"], json!(["b", "1", "a"]));
    }

    #[test]
    fn a_form_of_very_many_choices_is_made_at_once() {
        let before = std::time::Instant::now();
        let form = asked((0..150_000).map(|number| json!(format!("branch-{number}"))).collect());
        assert!(before.elapsed() < std::time::Duration::from_secs(5), "{:?}", before.elapsed());
        assert!(form.to_string().len() < 5_000);
    }
}
