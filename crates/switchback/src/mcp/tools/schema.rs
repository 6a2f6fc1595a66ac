//! The parts that schemas share. All are flat: an object, its properties, each with a description.

use crate::mcp::arguments::KEY_BYTES_MAX;
use crate::settings::CALL_SECONDS_MAX;
use serde_json::{Value, json};

/// An object with these properties and nothing else.
pub(super) fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The name of a workflow.
pub(super) fn workflow() -> Value {
    json!({
        "type": "string",
        "description": "Name of the workflow, as list_workflows gives it. `workflow_name` and `name` mean the same."
    })
}

/// The inputs of a workflow.
pub(super) fn inputs() -> Value {
    json!({
        "type": ["object", "null"],
        "default": null,
        "description": "A value for each input, by name. Inputs with a default may be left out."
    })
}

/// The id of a run.
pub(super) fn workflow_id(description: &str) -> Value {
    json!({ "type": "string", "description": format!("{description} `run_id` and `run` mean the same.") })
}

/// How long the call waits.
pub(super) fn wait_seconds(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": CALL_SECONDS_MAX, "description": description })
}

/// The key by which a repeated call is recognised.
pub(super) fn request_key(description: &str) -> Value {
    json!({ "type": "string", "maxLength": KEY_BYTES_MAX, "description": description })
}

/// The id of a session.
pub(super) fn session_id() -> Value {
    json!({ "type": "string", "description": "The session, as open_terminal or list_terminal_sessions names it: t3." })
}

/// How long nothing must come.
pub(super) fn settle_ms() -> Value {
    json!({
        "type": "integer",
        "minimum": 0,
        "maximum": 10_000,
        "description": "Answer only once no output has come for so many milliseconds. Default: at the first output."
    })
}
