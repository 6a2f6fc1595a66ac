//! Paired measurement.

use std::time::{Duration, Instant};

/// How many pairs a row has.
pub(crate) const PAIRS: usize = 200;

/// What a ratio is held against.
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

/// Times `a` and `b` in turn and prints the ratio of their times per unit.
pub(crate) fn row(name: &str, bound: Bound, units: (u32, u32), mut a: impl FnMut(), mut b: impl FnMut()) {
    let mut ratios: Vec<f64> = (0..PAIRS + 10)
        .map(|round| {
            let (first, second) = if round % 2 == 0 {
                let first = time(&mut a);
                (first, time(&mut b))
            } else {
                let second = time(&mut b);
                (time(&mut a), second)
            };
            (first.as_secs_f64() / f64::from(units.0)) / (second.as_secs_f64() / f64::from(units.1))
        })
        .skip(10)
        .collect();
    print(name, &bound, &mut ratios);
}

/// Prints a row of ratios that were taken elsewhere.
pub(crate) fn print(name: &str, bound: &Bound, ratios: &mut [f64]) {
    let inverted = matches!(bound, Bound::AtLeast(_));
    if inverted {
        ratios.iter_mut().for_each(|ratio| *ratio = 1.0 / *ratio);
    }
    ratios.sort_by(f64::total_cmp);
    let at = |percent: usize| ratios[(ratios.len() - 1) * percent / 100];
    let (median, low, high) = (at(50), at(10), at(90));
    let (shown, held) = match bound {
        Bound::AtMost(max) => (format!("<= {max}"), median <= *max),
        Bound::AtLeast(min) => (format!(">= {min}"), median >= *min),
    };
    let mark = if held { "" } else { "  MISSED" };
    println!(
        "{name:<62} {median:>7.2}  {:<15} {shown:>8}  {}{mark}",
        format!("{low:.2} to {high:.2}"),
        ratios.len()
    );
}

/// Tells how long something takes.
pub(crate) fn time(work: &mut impl FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
