//! Paired measurement.

use std::time::{Duration, Instant};

/// What a ratio is held against.
pub(crate) enum Bound {
    /// At most this, after so much was taken from A.
    AtMost(f64, Duration),
    /// At least this, as speeds.
    AtLeast(f64),
}

/// Does `a` and `b` in turn, each of which tells how long it took, and prints the ratio of their times.
pub(crate) fn row(
    name: &str,
    bound: &Bound,
    pairs: usize,
    mut a: impl FnMut() -> Duration,
    mut b: impl FnMut() -> Duration,
) {
    let warm = pairs / 20 + 1;
    let mut times: Vec<(f64, f64)> = (0..pairs + warm)
        .map(|round| {
            if round % 2 == 0 {
                let first = a();
                (first, b())
            } else {
                let second = b();
                (a(), second)
            }
        })
        .map(|(a, b): (Duration, Duration)| (a.as_secs_f64(), b.as_secs_f64()))
        .collect();
    times.drain(..warm);
    print(name, bound, &times);
}

fn print(name: &str, bound: &Bound, times: &[(f64, f64)]) {
    let ratio = |(a, b): &(f64, f64)| match bound {
        Bound::AtMost(_, free) => (a - free.as_secs_f64()) / b,
        Bound::AtLeast(_) => b / a,
    };
    let ratios = sorted(times.iter().map(ratio).collect());
    let (median, low, high) = (at(&ratios, 50), at(&ratios, 10), at(&ratios, 90));
    let (shown, held) = match bound {
        Bound::AtMost(max, free) if free.is_zero() => (format!("<= {max}"), median <= *max),
        Bound::AtMost(max, free) => (format!("<= {max} +{free:?}"), median <= *max),
        Bound::AtLeast(min) => (format!(">= {min}"), median >= *min),
    };
    let range = format!("{low:.2} to {high:.2}");
    let mark = if held { "" } else { "  MISSED" };
    println!("{name:<62} {median:>7.2}  {range:<15} {shown:>12}  {}{mark}", times.len());
    let middle = |times: Vec<f64>| Duration::from_secs_f64(at(&sorted(times), 50));
    let (a, b) = (times.iter().map(|(a, _)| *a).collect(), times.iter().map(|(_, b)| *b).collect());
    println!("{:<62} A {:.2?}, B {:.2?}", "", middle(a), middle(b));
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

fn at(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() - 1) * percent / 100]
}

/// Tells how long something takes; what it made is dropped later.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let made = work();
    let elapsed = start.elapsed();
    drop(made);
    elapsed
}
