//! The rows of the table.

use crate::pairs::{Bound, row};
use crate::world::{BLOCKS, World};
use serde_json::json;
use std::cell::RefCell;
use std::time::Instant;

/// All rows, by a word to choose them with.
pub(crate) const ALL: [(&str, fn()); 7] = [
    ("warm", warm),
    ("cold", cold),
    ("execute", execute),
    ("chain", chain),
    ("wave", wave),
    ("flight", flight),
    ("memory", memory),
];

/// Spawn of `serve` to the answered `tools/list`.
fn listed(world: &World) {
    let answer = world.client().ask("tools/list", json!({}));
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}

fn warm() {
    let world = World::new();
    listed(&world);
    row(
        "`serve` to an answered tools/list, daemon warm ÷ a plain spawn",
        Bound::AtMost(25.0),
        (1, 1),
        || listed(&world),
        || world.spawn(),
    );
}

/// Printed only: a cold start opens the store.
fn cold() {
    let world = World::new();
    let mut times: Vec<f64> = (0..20)
        .map(|_| {
            world.stop();
            let start = Instant::now();
            listed(&world);
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "`serve` to an answered tools/list, daemon cold: {:.1} ms (median of {})",
        times[10],
        times.len()
    );
}

fn execute() {
    let world = RefCell::new(World::new());
    let mut client = world.borrow().client();
    row(
        "execute_workflow of one `true` over MCP ÷ (one spawn + one flush)",
        Bound::AtMost(2.0),
        (1, 1),
        || drop(client.call("execute_workflow", json!({ "workflow": "one" }))),
        || {
            world.borrow().shell();
            world.borrow_mut().flush();
        },
    );
}

fn chain() {
    let world = RefCell::new(World::new());
    let mut client = world.borrow().client();
    row(
        "chain of 50 `true` over MCP ÷ 50 × (one spawn + one flush)",
        Bound::AtMost(1.5),
        (BLOCKS, BLOCKS),
        || drop(client.call("execute_workflow", json!({ "workflow": "chain" }))),
        || {
            for _ in 0..BLOCKS {
                world.borrow().shell();
                world.borrow_mut().flush();
            }
        },
    );
}

fn wave() {
    let world = World::new();
    let mut client = world.client();
    row(
        "wave of 50 `true` over MCP ÷ 50 spawns on the same cores",
        Bound::AtMost(1.5),
        (BLOCKS, BLOCKS),
        || drop(client.call("execute_workflow", json!({ "workflow": "wave" }))),
        || world.shells(BLOCKS),
    );
}

fn flight() {
    const CALLS: u32 = 100;
    let world = World::new();
    let (mut many, mut one) = (world.client(), world.client());
    let call = || json!({ "name": "execute_workflow", "arguments": { "workflow": "one" } });
    row(
        "calls a second, 100 in flight ÷ one at a time",
        Bound::AtLeast(1.5),
        (CALLS, 10),
        || {
            for _ in 0..CALLS {
                many.send("tools/call", call());
            }
            for _ in 0..CALLS {
                let answer = many.next();
                assert!(answer["result"]["structuredContent"]["status"] == "success", "{answer}");
            }
        },
        || {
            for _ in 0..10 {
                one.call("execute_workflow", json!({ "workflow": "one" }));
            }
        },
    );
}

/// Printed only.
fn memory() {
    let world = World::new();
    let mut client = world.client();
    client.call("execute_workflow", json!({ "workflow": "one" }));
    let (pipe, daemon) = (World::resident(client.child.id()), World::resident(world.daemon()));
    println!("resident memory, idle: pipe {pipe} KiB, daemon {daemon} KiB");
}
