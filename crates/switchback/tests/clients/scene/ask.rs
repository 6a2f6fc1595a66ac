//! A human behind a client: asked in its form, heard, and not heard.

use super::version;
use crate::install::Client;
use crate::world::World;
use serde_json::json;

pub(crate) fn play(client: Client, era: &str) {
    let Some(world) = World::of(client) else { return };
    let seen = world.converse("ask", era);
    seen.is("version", version(era));

    seen.answers("said", false);
    seen.is("said.structured.status", "success");
    seen.is("said.structured.outputs", json!({ "said": "true production" }));
    seen.says("asked.0.message", "Deploy?");
    seen.is("asked.0.schema.properties.response.type", "boolean");
    seen.says("asked.1.message", "Where?");
    seen.is("asked.1.schema.properties.response.enum", json!(["staging", "production"]));

    // Who closes the form has said nothing: the run waits, and the agent knows what for.
    seen.answers("closed", false);
    seen.is("closed.structured.status", "paused");
    seen.says("closed.structured.note", "closed the question without an answer");
    seen.is("closed.structured.questions.0.prompt", "Deploy?");
    seen.says("closed.structured.next", "resume_workflow(workflow_id=");
    seen.answers("relayed", false);
    seen.is("relayed.structured.status", "paused");
    seen.is("relayed.structured.questions.0.prompt", "Where?");
    assert_eq!(seen.list("asked").len(), 3, "{seen}");
}
