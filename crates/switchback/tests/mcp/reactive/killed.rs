//! Wherever the daemon is killed, a run ends the same: `standards:fix` over a real repository, three batches and two sub-agents at a time,
//! and changes from outside that would show if they were made twice.

use crate::reactive::agent::Agent;
use crate::reactive::examples::{CHANGED, mender};
use crate::reactive::place::{changed_since_commit, client_of_daemon, with_examples};
use crate::world::World;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// Plays a conversation, in a world of its own, in which the daemon dies at this point; what came of it, and how many points the
/// daemons passed.
fn play(kill_at: Option<u64>, converse: impl Fn(&World) -> Value, world: World) -> (Value, u64) {
    let log = world.root().join("points");
    let mut world =
        world.env("SWITCHBACK_KILL_WHO", "daemon").env("SWITCHBACK_KILL_LOG", &log.display().to_string());
    if let Some(point) = kill_at {
        world = world.env("SWITCHBACK_KILL_AT", &point.to_string());
    }
    let ended = converse(&world);
    (ended, std::fs::read_to_string(&log).unwrap().lines().count() as u64)
}

/// Plays a conversation undisturbed, and then once for each point that was passed.
pub(crate) fn at_every_point(
    points_min: u64,
    make: impl Fn() -> World + Sync,
    converse: impl Fn(&World) -> Value + Sync,
) {
    let (calm, points) = play(None, &converse, make());
    assert!(points >= points_min, "too few points to mean anything: {points}");
    let next = AtomicU64::new(1);
    let work = || {
        loop {
            let point = next.fetch_add(1, Ordering::SeqCst);
            if point > points {
                return;
            }
            let (ended, passed) = play(Some(point), &converse, make());
            assert!(passed >= point, "point {point} was not reached: there were {passed}");
            assert_eq!(ended, calm, "killed at point {point} of {points}");
        }
    };
    // A play mostly waits for processes to begin and end.
    let workers = std::thread::available_parallelism().map_or(2, |cores| (2 * cores.get()).min(8));
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    eprintln!("killed at each of {points} points");
}

//
#[test]
fn standards_end_the_same_wherever_the_daemon_is_killed() {
    let make = || {
        let world = with_examples(&["standards/fix.yaml"]);
        changed_since_commit(&world, &CHANGED);
        world
    };
    at_every_point(50, make, |world| {
        let mut client = client_of_daemon(world);
        let mut agent = Agent::start(&mut client, "standards:fix", json!({}), mender);
        let mut state = agent.finish();
        // The one thing that differs from run to run.
        assert!(state["started"].take().is_string(), "{state:#}");
        assert_eq!(state["summary"]["batches_done"], 3, "{state:#}");
        json!({ "state": state, "seen": agent.seen })
    });
}

const NOTES: &str = "\
name: notes
version: 1.0.0
default_state: {raw: {list: [], count: 0}}
state_schema: {computed: {both: {from: [raw.list, raw.count], transform: 'input[0].length * 100 + input[1]'}}}
steps:
  - {id: wait, type: user_message, message: waiting}
";

//
#[test]
fn a_change_from_outside_is_made_once_wherever_the_daemon_is_killed() {
    let make = || {
        let world = World::new();
        world.write("project/.aromcp/workflows/notes.yaml", NOTES);
        world
    };
    at_every_point(5, make, |world| {
        let mut client = client_of_daemon(world);
        let started = client.good("workflow_start", json!({ "workflow": "notes", "request_key": "one" }));
        let run = &started["workflow_id"];
        let updates = json!([
            { "path": "raw.list", "operation": "append", "value": "x" },
            { "path": "raw.count", "operation": "increment", "value": 1 },
        ]);
        // The same words twice are two changes, unless it is one call that is repeated behind the client's back.
        for expected in [101, 202] {
            let heard =
                client.good("workflow_state_update", json!({ "workflow_id": run, "updates": updates }));
            assert_eq!(heard["computed"]["both"], expected, "{heard:#}");
        }
        client.good("workflow_state_read", json!({ "workflow_id": run }))
    });
}
