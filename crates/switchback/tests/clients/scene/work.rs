//! Runs that succeed, fail, cannot be started, and are asked for twice.

use super::version;
use crate::install::Client;
use crate::world::World;
use serde_json::json;

pub(crate) fn play(client: Client, era: &str) {
    let Some(world) = World::of(client) else { return };
    let seen = world.converse("work", era);
    seen.is("version", version(era));

    seen.answers("greet", false);
    seen.is("greet.structured.status", "success");
    seen.is("greet.structured.outputs", json!({ "text": "hello you!" }));
    let told =
        ["`think` started", "`think` succeeded (1 of 2)", "`speak` started", "`speak` succeeded (2 of 2)"];
    assert_eq!(seen.progress("progress"), told, "{seen}");
    seen.is("run.run", seen.text("greet.structured.workflow_id"));
    seen.is("run.status", "succeeded");
    seen.is("run.steps.1.outputs.stdout", "hello you!");

    // A run that failed is an answer, not an error of the call.
    seen.answers("breaks", false);
    seen.is("breaks.structured.status", "failure");
    seen.is("breaks.structured.error", "`bad` exited with 7: no such luck");
    seen.is("breaks.structured.metadata.failed_blocks", json!(["bad"]));
    seen.says("breaks.structured.next", "mend the cause");

    seen.answers("unknown", true);
    seen.is("unknown.structured.error", "Workflow 'graet' not found");
    seen.is("unknown.structured.did_you_mean", json!(["greet"]));
    seen.answers("missing", true);
    seen.is("missing.structured.required", json!(["who"]));
    seen.answers("unknown_tool", true);
    seen.is("unknown_tool.structured.did_you_mean", json!(["execute_workflow", "resume_workflow"]));

    seen.answers("keyed.0", false);
    seen.answers("keyed.1", false);
    seen.is("keyed.1.structured.workflow_id", seen.text("keyed.0.structured.workflow_id"));
    assert_ne!(seen.at("keyed.0.structured.workflow_id"), seen.at("greet.structured.workflow_id"), "{seen}");
    seen.answers("keyed_otherwise", true);
    seen.says("keyed_otherwise.structured.error", "was used with other arguments");
}
