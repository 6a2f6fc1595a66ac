//! How long the way through the doors is, as ratios of paired medians: the real binary, a real daemon, a bare client.
//! Nothing here is a test; what is only printed has no bound.
//!
//! `cargo bench -p switchback --bench doors` prints the table; `-- execute` one row of it.

mod bare;
mod client;
#[path = "../../../engine/benches/speed/pairs.rs"]
mod pairs;
mod rows;
mod terminals;
mod world;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("{:<62} {:>7}  {:<15} {:>8}  pairs", "A ÷ B", "median", "10 % to 90 %", "bound");
    for (name, row) in rows::ALL.into_iter().chain(terminals::ALL) {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            row();
        }
    }
}
