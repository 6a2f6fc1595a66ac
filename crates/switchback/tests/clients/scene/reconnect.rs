//! A client that leaves in the middle of a run: the next one finds the run and sees its end.

use super::version;
use crate::install::Client;
use crate::world::World;

pub(crate) fn play(client: Client, era: &str) {
    let Some(world) = World::of(client) else { return };
    let seen = world.converse("reconnect", era);
    seen.is("version", version(era));
    seen.answers("found", false);
    seen.is("found.structured.status", "running");
    seen.is("found.structured.workflow", "waits");
    seen.answers("ended", false);
    seen.is("ended.structured.status", "succeeded");
    seen.is("ended.structured.workflow_id", seen.text("found.structured.workflow_id"));
    // The step that was under way was not begun a second time.
    seen.is("ended.structured.outputs.times", "1");
    // It may have ended before the second client asked to be told.
    let told = seen.progress("told");
    assert!(told.is_empty() || told == ["`wait` succeeded (1 of 1)"], "{told:?} in {seen}");
}
