//! The rows of the table.

use crate::asking::Asking;
use crate::pairs::{Bound, row};
use crate::plans;
use crate::transform::Transform;
use crate::update::Update;
use crate::world::World;
use engine::store::Reader;
use engine::turn::replay;
use kernel::RunId;
use std::sync::Arc;

/// All rows, by a word to choose them with.
pub(crate) const ALL: [(&str, fn()); 8] = [
    ("noop", noop),
    ("concurrent", concurrent),
    ("commands", commands),
    ("graph", graph),
    ("resume", resume),
    ("question", question),
    ("transform", transform),
    ("update", update),
];

const STEPS: u32 = 20;

fn noop() {
    let (world, plan) = (World::new(), Arc::new(plans::chain(STEPS)));
    row(
        "no-op steps a second ÷ 512-byte write + fdatasync a second",
        Bound::AtLeast(0.5),
        (STEPS, STEPS),
        || drop(world.run(&plan, 1)),
        || world.flush(STEPS),
    );
}

fn concurrent() {
    let (world, plan) = (World::new(), Arc::new(plans::chain(STEPS)));
    row(
        "no-op steps a second, 64 runs at once ÷ one run",
        Bound::AtLeast(4.0),
        (64 * STEPS, STEPS),
        || drop(world.run(&plan, 64)),
        || drop(world.run(&plan, 1)),
    );
}

fn commands() {
    let (world, plan) = (World::new(), Arc::new(plans::commands(50)));
    row(
        "chain of 50 `true` ÷ 50 x (`sh -c true` + write + fdatasync)",
        Bound::AtMost(1.5),
        (50, 50),
        || drop(world.run(&plan, 1)),
        || {
            world.spawn(50);
            world.flush(50);
        },
    );
}

fn graph() {
    let (large, small) = (Arc::new(plans::layers(5_000)), Arc::new(plans::layers(500)));
    let world = World::new();
    row(
        "time a block, graph of 5,000 ÷ graph of 500",
        Bound::AtMost(1.3),
        (5_000, 500),
        || drop(world.run(&large, 1)),
        || drop(world.run(&small, 1)),
    );
}

fn resume() {
    let world = World::new();
    let long = world.run(&Arc::new(plans::rounds(100_000)), 1).remove(0);
    let short = world.run(&Arc::new(plans::rounds(100)), 1).remove(0);
    let reader = Reader::open(&world.dir.path().join("data")).expect("a store");
    let resumed = |id: &RunId| {
        let loaded = reader.load(id).expect("a sound run").expect("a run");
        replay(&reader, &loaded, |_| {}).expect("a replay");
    };
    row(
        "resume after 100,000 events ÷ resume after 100",
        Bound::AtMost(2.0),
        (1, 1),
        || resumed(&long),
        || resumed(&short),
    );
}

fn question() {
    const TIMES: u32 = 50;
    let mut asking = Asking::new();
    println!("{}", asking.cold());
    let mut echo = asking.echo();
    row(
        "one question to the evaluator ÷ a pipe with the same bytes",
        Bound::AtMost(3.0),
        (TIMES, TIMES),
        || asking.ask(TIMES),
        || echo.ask(TIMES),
    );
}

fn transform() {
    let transform = Transform::new();
    row(
        "a list of 1,000 transformed by the evaluator ÷ in this process",
        Bound::AtMost(1.5),
        (1, 1),
        || drop(transform.through()),
        || drop(transform.within()),
    );
}

fn update() {
    let (mut among, mut alone) = Update::pair(200);
    row(
        "a field of which 3 among 200 follow is changed ÷ among 3",
        Bound::AtMost(1.2),
        (1, 1),
        || among.once(),
        || alone.once(),
    );
}
