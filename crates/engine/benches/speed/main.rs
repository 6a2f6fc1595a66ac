//! Speed as ratios: each row alternates A and B at least 200 times and prints the median of A ÷ B with the range
//! from the 10th to the 90th per cent, beside the bound we hold ourselves to. Nothing here is a test: counts are
//! asserted elsewhere, times are only shown.
//!
//! `cargo bench -p engine` prints the table; `cargo bench -p engine -- graph` one row of it.

mod asking;
mod pairs;
mod plans;
mod rows;
mod transform;
mod update;
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(exit) = std::env::args().nth(1).and_then(|face| asking::wear(&face)) {
        return exit;
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("{:<62} {:>7}  {:<15} {:>8}  pairs", "A ÷ B", "median", "10 % to 90 %", "bound");
    for (name, row) in rows::ALL {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            row();
        }
    }
    ExitCode::SUCCESS
}
