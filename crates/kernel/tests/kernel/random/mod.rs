//! Random worlds: small plans of every flow, and commands of every kind, fitting and not. `admit` and `apply` must
//! be total, and what the driver checks after every turn must hold.
//!
//! A world follows from its seed alone; a failure names it. `KERNEL_SEEDS=100000` asks for more of them.

mod command;
mod dice;
mod layers;
mod plan;

use crate::drive::Drive;
use dice::Dice;
use kernel::{Data, Fields, RunId, Status};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most commands that a world gets before it is cancelled.
const COMMANDS_MAX: usize = 80;

/// What an evaluator says: the same to the same question, and now and then that it cannot tell.
fn evaluate(source: &str, scope: &std::collections::BTreeMap<String, Data>) -> Result<Value, String> {
    let told = kernel::Digest::of_json(&(source, scope)).bytes()[0];
    match (source, told % 8) {
        (_, 0) if told > 192 => Err("it is a bad day".into()),
        ("truth", _) => Ok(json!(told.is_multiple_of(3))),
        ("list", _) => Ok(json!(vec![told; usize::from(told % 4)])),
        _ => Ok(json!({"told": told, "f": f64::from(told) / 7.0})),
    }
}

fn live(seed: u64) {
    let mut dice = Dice::new(seed);
    let plan = plan::any(&mut dice);
    let parent = dice.one_in(3).then(|| (RunId::new("up"), kernel::EffectId::new("c#1")));
    let mut it = Drive::of(plan, parent, dice.below(3)).evaluating(evaluate);
    if dice.wild && dice.one_in(6) {
        it = it.silent();
    }
    let big = it.store(json!(["p", {"k": ["q"]}, "long enough to be somewhere else"]));
    let mut inputs = Fields::from([("big".to_owned(), big)]);
    if dice.one_in(2) {
        inputs.insert("n".into(), Data::Inline(json!(dice.below(4))));
    }
    it.start_with(inputs);
    for _ in 0..COMMANDS_MAX {
        if matches!(it.run.status(), Status::Ended(_)) && !dice.one_in(3) {
            break;
        }
        let command = command::any(&mut dice, &mut it);
        it.try_give(command);
    }
    it.finish();
}

#[test]
fn random_worlds_hold_together_and_reach_nearly_every_row() {
    let seeds = option_env!("KERNEL_SEEDS").and_then(|seeds| seeds.parse().ok()).unwrap_or(600);
    for seed in 0..seeds {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| live(seed))) {
            eprintln!("the world of seed {seed} broke");
            std::panic::resume_unwind(panic);
        }
    }
    let rows: usize = kernel::table::all().iter().map(|table| table.len()).sum();
    let reached = crate::drive::REACHED.with_borrow(std::collections::BTreeSet::len);
    assert!(reached * 20 >= rows * 19, "{reached} of {rows} rows");
}
