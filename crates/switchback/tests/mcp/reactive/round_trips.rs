//! How often the evaluator is asked, counted where it reads: once for all expressions of a step, and once for all that follows from a
//! change, however much that is.

use crate::reactive::place::client_of_daemon;
use crate::world::World;
use serde_json::{Value, json};
use std::path::PathBuf;

const TALK: &str = "\
name: talk
version: 1.0.0
default_state: {raw: {a: 1, list: [1, 2, 3], out: ''}}
state_schema:
  computed:
    total: {from: raw.list, transform: 'input.reduce((sum, n) => sum + n, 0)'}
    double: {from: computed.total, transform: 'input * 2'}
    both: {from: [computed.double, raw.a], transform: 'input[0] + input[1]'}
    length: {from: raw.out, transform: 'input.length'}
    is_long: {from: computed.length, transform: 'input > 3'}
steps:
  - {id: one, type: user_message, message: '{{ raw.a + 1 }} {{ total * 2 }} {{ list.length }} {{ both }}'}
  - {id: two, type: user_message, message: '{{ raw.a + 2 }} {{ total * 3 }} {{ list.map(n => n * n).join() }}'}
  - id: command
    type: shell_command
    command: 'echo {{ raw.a + 40 }} {{ total }}; echo {{ list.length }}'
    state_update: {path: raw.out}
  - {id: three, type: user_message, message: '{{ out }} {{ length }} {{ is_long }}'}
";

/// How often processes that evaluate have read a request.
struct Count(PathBuf, usize);

impl Count {
    /// How often since the last time this was asked.
    fn since(&mut self) -> usize {
        let log = std::fs::read_to_string(&self.0).unwrap_or_default();
        let all = log.lines().filter(|line| line.ends_with(" evaluator read")).count();
        all - std::mem::replace(&mut self.1, all)
    }
}

//
#[test]
fn a_step_is_one_round_trip_and_so_is_all_that_follows_from_a_change() {
    let world = World::new();
    let log = world.root().join("asked");
    let world =
        world.env("SWITCHBACK_KILL_WHO", "evaluator").env("SWITCHBACK_KILL_LOG", &log.display().to_string());
    world.write("project/.aromcp/workflows/talk.yaml", TALK);
    let (mut client, mut count) = (client_of_daemon(&world), Count(log, 0));
    let run = client.good("workflow_start", json!({ "workflow": "talk" }))["workflow_id"].clone();
    let next = |client: &mut crate::client::Client| {
        client.good("workflow_get_next_step", json!({ "workflow_id": run, "wait_seconds": 40 }))["step"]
            .clone()
    };
    let done = |client: &mut crate::client::Client, step: &str| {
        let call = json!({ "workflow_id": run, "step_id": step, "status": "success" });
        client.good("workflow_step_complete", call)
    };
    let message = |step: &Value| step["definition"]["message"].clone();

    assert_eq!(message(&next(&mut client)), "2 12 3 13");
    assert_eq!(count.since(), 2, "one for all computed fields at the start, one for the first step");

    done(&mut client, "one");
    assert_eq!(message(&next(&mut client)), "3 18 1,4,9");
    assert_eq!(count.since(), 1, "one for the three expressions of a step");

    let update = json!([{ "path": "raw.list", "value": [5] }, { "path": "raw.a", "value": 2 }]);
    let heard = client.good("workflow_state_update", json!({ "workflow_id": run, "updates": update }));
    assert_eq!(heard["computed"], json!({ "total": 5, "double": 10, "both": 12 }), "{heard:#}");
    assert_eq!(count.since(), 1, "one for all that follows from two changes");

    done(&mut client, "two");
    assert_eq!(message(&next(&mut client)), "42 5\n1 6 true");
    assert_eq!(
        count.since(),
        3,
        "one for the command, one for what follows from its output, one for the message"
    );

    let looked = client.good("workflow_state_read", json!({ "workflow_id": run }));
    assert_eq!(looked["both"], 12, "{looked:#}");
    assert_eq!(count.since(), 0, "who looks asks nobody");
}
