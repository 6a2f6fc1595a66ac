//! Speed as ratios: each row alternates A and B and prints the median of A ÷ B with the range from the 10th to the 90th per
//! cent, beside the bound we hold ourselves to. B is always a bare PTY with the same program. Nothing here is a test: times are
//! only shown.
//!
//! `cargo bench -p terminal` prints the table; `cargo bench -p terminal -- flood` one row of it.

mod bare;
mod pairs;
mod rows;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("{:<62} {:>7}  {:<15} {:>12}  pairs", "A ÷ B", "median", "10 % to 90 %", "bound");
    for (name, row) in rows::ALL {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            row();
        }
    }
}
