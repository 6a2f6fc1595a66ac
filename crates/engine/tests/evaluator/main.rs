//! The evaluator from outside, over real processes: this very program, started again.
//!
//! It has no usual harness, because a harness writes to stdout before anything else can. `cargo test -p engine --test
//! evaluator [name]` runs what has the name in it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod attacks;
#[path = "../../../switchback/tests/clients/bounded.rs"]
mod bounded;
mod computed;
mod edges;
mod faces;
mod faults;
mod jinja2;
mod js_attacks;
#[cfg(feature = "kill-points")]
mod kills;
mod node;
mod oracle;
mod ordinary;
mod python_attacks;
mod world;

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::Instant;

/// A test and its name.
type Test = (&'static str, fn());

#[cfg(feature = "kill-points")]
const KILLS: &[Test] = kills::ALL;
/// Only a build with kill points can be killed at them.
#[cfg(not(feature = "kill-points"))]
const KILLS: &[Test] = &[];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(exit) = args.first().and_then(|face| faces::wear(face)) {
        return exit;
    }
    if !cfg!(target_os = "linux") {
        println!("skipped: these tests look at processes through /proc, which is Linux's own");
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&String> = args.iter().filter(|word| !word.starts_with('-')).collect();
    let tests =
        [ordinary::ALL, computed::ALL, faults::ALL, edges::ALL, attacks::ALL, oracle::ALL, node::ALL, KILLS]
            .concat();
    let mut failed = 0;
    for (name, test) in tests {
        let name = format!("evaluator::{name}");
        if !wanted.is_empty() && !wanted.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let start = Instant::now();
        let passed = catch_unwind(test).is_ok();
        failed += usize::from(!passed);
        println!("test {name} ... {} ({:.2?})", if passed { "ok" } else { "FAILED" }, start.elapsed());
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
