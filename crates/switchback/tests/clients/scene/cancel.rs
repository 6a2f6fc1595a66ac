//! A call that is cancelled leaves its run alone; a run that is cancelled ends.

use super::version;
use crate::install::Client;
use crate::world::World;

pub(crate) fn play(client: Client, era: &str) {
    let Some(world) = World::of(client) else { return };
    let seen = world.converse("cancel", era);
    seen.is("version", version(era));
    assert_eq!(seen.progress("told"), ["`wait` started"], "{seen}");

    seen.answers("goes_on", false);
    seen.is("goes_on.structured.status", "running");
    seen.is("goes_on.structured.steps.0.status", "running");
    seen.answers("ended", false);
    seen.is("ended.structured.status", "succeeded");
    seen.is("ended.structured.workflow_id", seen.text("goes_on.structured.workflow_id"));
    seen.is("ended.structured.outputs.times", "1");

    seen.answers("cancelled", false);
    seen.is("cancelled.structured.status", "cancelled");
    seen.is("cancelled.structured.error", "not wanted");
    assert_ne!(
        seen.at("cancelled.structured.workflow_id"),
        seen.at("ended.structured.workflow_id"),
        "{seen}"
    );
    seen.answers("again", false);
    seen.is("again.structured", seen.at("cancelled.structured").clone());
}
