//! Runs the trials on all cores and says what they showed.

use crate::faults;
use crate::options::{FAULT_SEEDS_MAX, Options};
use crate::trial::{House, Trial};
use crate::world::Seen;
use kernel::table::{self, Row};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// How many of the last events a failing seed shows.
const EVENTS_SHOWN: usize = 40;

/// One seed alone.
pub(crate) fn one(seed: u64, options: &Options) -> bool {
    let trial = House::new().attempt(seed, options.fault.map(|(_, fault)| fault), true);
    if options.trace {
        trial.trace.iter().for_each(|line| println!("{line}"));
    }
    match &trial.result {
        Ok(seen) => {
            println!("seed {seed}: {} runs, {} turns, {} crashes", seen.runs, seen.turns, seen.crashes)
        }
        Err(violation) => println!("seed {seed}: {}: {}", violation.invariant, violation.detail),
    }
    trial.result.is_ok()
}

/// All that was asked for: seeds, rows, faults.
pub(crate) fn all(options: &Options) -> bool {
    if let Some((name, fault)) = options.fault {
        return found(name, fault);
    }
    let good = worlds(options);
    let faults = !options.faults || every_fault_is_found(options.threads);
    good && faults
}

fn worlds(options: &Options) -> bool {
    let since = Instant::now();
    let (next, stop) = (AtomicU64::new(options.from), AtomicBool::new(false));
    let end = options.from + options.seeds;
    let seen = Mutex::new((Seen::default(), None::<Trial>));
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let mut house = House::new();
                while !stop.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let trial = house.attempt(seed, None, false);
                    let mut seen = seen.lock().expect("no thread panics with it");
                    match trial.result {
                        Ok(shown) => add(&mut seen.0, shown),
                        Err(_) => {
                            stop.store(true, Ordering::Relaxed);
                            seen.1 = Some(trial);
                        }
                    }
                }
            });
        }
    });
    let (seen, failed) = seen.into_inner().expect("no thread panics with it");
    if let Some(trial) = failed {
        tell_failure(&trial);
        return false;
    }
    let seconds = since.elapsed().as_secs_f64();
    println!(
        "{} seeds passed in {seconds:.1} s ({:.0} seeds/s, {} threads): {} runs, {} turns, {} crashes",
        options.seeds,
        options.seeds as f64 / seconds,
        options.threads,
        seen.runs,
        seen.turns,
        seen.crashes
    );
    rows(&seen.rows) || !options.asked
}

fn add(all: &mut Seen, one: Seen) {
    all.rows.extend(one.rows);
    all.turns += one.turns;
    all.crashes += one.crashes;
    all.runs += one.runs;
}

fn tell_failure(trial: &Trial) {
    let Err(violation) = &trial.result else { return };
    println!("seed {} broke a promise: {}", trial.seed, violation.invariant);
    println!("  {}", violation.detail);
    let again = House::new().attempt(trial.seed, None, true);
    println!("the last events:");
    let skipped = again.trace.len().saturating_sub(EVENTS_SHOWN);
    again.trace.iter().skip(skipped).for_each(|line| println!("  {line}"));
    println!("alone: cargo simulate --one {} --trace", trial.seed);
}

/// Says which rows of each table were reached.
fn rows(reached: &BTreeSet<Row>) -> bool {
    let mut good = true;
    for table in table::all() {
        let missing: Vec<&Row> = table.iter().filter(|row| !reached.contains(row)).collect();
        let name = table.first().map_or("", |row| row.table);
        println!("table {name}: {} of {} rows reached", table.len() - missing.len(), table.len());
        for row in missing {
            good = false;
            println!("  not reached: {}, {} => {}", row.from, row.on, row.to);
        }
    }
    good
}

fn every_fault_is_found(threads: usize) -> bool {
    let (next, good) = (AtomicU64::new(0), AtomicBool::new(true));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Ok(number) = usize::try_from(next.fetch_add(1, Ordering::Relaxed))
                    && let Some((name, fault)) = faults::ALL.get(number)
                {
                    good.fetch_and(found(name, *fault), Ordering::Relaxed);
                }
            });
        }
    });
    good.into_inner()
}

fn found(name: &str, fault: faults::Fault) -> bool {
    let mut house = House::new();
    for seed in 0..FAULT_SEEDS_MAX {
        if let Err(violation) = house.attempt(seed, Some(fault), false).result {
            let (invariant, seeds) = (violation.invariant, seed + 1);
            println!("fault {name}: found after {seeds} seeds ({invariant})");
            return true;
        }
    }
    println!("fault {name}: NOT found within {FAULT_SEEDS_MAX} seeds");
    false
}
