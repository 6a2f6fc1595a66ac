//! A daemon that is killed under a connected client: nothing is asked of the client, and no call stays without an answer.

use super::version;
use crate::install::Client;
use crate::world::World;
use serde_json::json;

pub(crate) fn play(client: Client, era: &str) {
    let Some(world) = World::of(client) else { return };
    let seen = world.converse("crash", era);
    seen.is("version", version(era));

    seen.answers("before", false);
    seen.answers("after", false);
    seen.is("after.structured", seen.at("before.structured").clone());
    assert_ne!(seen.at("first"), seen.at("second"), "the same daemon answers after it was killed: {seen}");

    // A step that may be repeated is, in the same run and within the same call.
    seen.answers("retried.answer", false);
    seen.is("retried.answer.structured.status", "success");
    seen.is("retried.answer.structured.outputs.times", "2");
    // The step may end before the call has been asked again of the next daemon.
    let told = seen.progress("retried.told");
    let all = ["`wait` started", "`wait` succeeded (1 of 1)"];
    assert!(told == all || told == all[..1], "{told:?} in {seen}");

    // One of which nobody said that is left to a person, and the call says so.
    seen.answers("doubted.answer", false);
    seen.is("doubted.answer.structured.status", "paused");
    seen.is("doubted.answer.structured.waiting_for", json!(["`wait` was interrupted"]));
    seen.says("doubted.answer.structured.next", "may or may not have happened");
    assert!(seen.at("tools").as_u64() > Some(0), "{seen}");
}
