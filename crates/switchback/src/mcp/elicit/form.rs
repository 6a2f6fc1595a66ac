//! A question as a form that every client can show, and what came of it. Pure: a question in, a form out; an answer in, what
//! was said out.

use super::message::message;
use engine::asking::{Asked, AskedKind};
use engine::dialects::view::asked::label;
use rmcp::model::{
    BooleanSchema, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
    PrimitiveSchemaDefinition, StringSchema,
};
use serde_json::Value;

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
