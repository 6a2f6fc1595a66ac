//! Keeps the definition of a run that has succeeded in the folder of its project, or counts the success of one that is kept already.
//! It belongs to the run and not to a call, so it is done whoever still waits; what goes wrong is told, and the run stays well.

use super::{Call, fields};
use crate::kept::{Kept, Saved, Success};
use crate::library::Library;
use kernel::event::Report;
use serde_json::{Map, Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

impl Call<'_> {
    pub(super) fn keep(&self, params: &Map<String, Value>) -> Report {
        let definition = params.get("definition").unwrap_or(&Value::Null);
        let saves = params.get("saves").and_then(Value::as_bool).unwrap_or_default();
        let success = Success {
            run: self.visitor.run.as_deref().unwrap_or_default(),
            states: params.get("total_states").and_then(Value::as_u64).unwrap_or_default(),
            at: now(),
        };
        let kept = Kept::of(&self.visitor.home.folder);
        let told = match saves {
            true => save(&kept, definition, success, &self.answers.library(&self.visitor.home)),
            false => {
                let is_kept = params.get("is_kept").and_then(Value::as_bool).unwrap_or_default();
                count(&kept, definition, success, is_kept)
            }
        };
        Report::Done { outputs: fields(told) }
    }
}

fn save(kept: &Kept, definition: &Value, success: Success<'_>, library: &Library) -> Value {
    match kept.save(definition, success, library) {
        Ok(Saved::As(name)) => {
            json!({ "success": true, "workflow_saved": true, "saved_workflow_name": name })
        }
        Ok(Saved::Already(name)) => {
            let warning =
                format!("Workflow '{name}' says the same and is kept already; this one was not saved again");
            json!({ "success": true, "workflow_saved": false, "warning": warning })
        }
        Err(error) => {
            let error = format!("Workflow succeeded but saving failed: {error}");
            json!({ "success": true, "workflow_saved": false, "saving_error": error })
        }
    }
}

/// Counts the success. One that was kept when the run began may be gone by now, or say something else.
fn count(kept: &Kept, definition: &Value, success: Success<'_>, is_kept: bool) -> Value {
    let name = definition.get("name").and_then(Value::as_str).unwrap_or_default();
    let warning = match kept.used(definition, success) {
        Ok(true) => None,
        Ok(false) => is_kept.then(|| format!("Cannot update stats for non-existent workflow: {name}")),
        Err(error) => Some(format!("Failed to update stats for '{name}': {error}")),
    };
    json!({ "success": true, "workflow_saved": false, "warning": warning })
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
