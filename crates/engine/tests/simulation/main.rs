//! The simulation: whole worlds from a seed against the real kernel, driver and store, with fake hands, a fake
//! evaluator and a clock that is a number. It must find every planted fault and reach every row of every transition
//! table.
//!
//! ```text
//!  cargo simulate [--seeds N] [--from N] [--threads N] [--fault NAME | --no-faults] [--one SEED [--trace]]
//! ```

mod faults;
mod options;
mod plans;
mod random;
mod report;
mod trial;
mod watch;
mod world;

use options::Options;
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(wrong) => {
            eprintln!("{wrong}");
            return ExitCode::from(2);
        }
    };
    trial::silence_panics();
    let good = match options.one {
        Some(seed) => report::one(seed, &options),
        None => report::all(&options),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
