//! The definitions that the binary brings along. Any other of the same name hides them.

use super::definition::{Definition, Reading, read_text};
use super::place::Place;
use dialects::text::Source;
use std::sync::{Arc, OnceLock};

/// File names without their ending, and texts.
const TEXTS: [(&str, &str); 2] = [
    ("git-summary", include_str!("built_in/git-summary.yaml")),
    ("hello", include_str!("built_in/hello.yaml")),
];

/// All of them, as definitions of their place. They are read once in the life of a process.
pub(super) fn definitions(place: &Place) -> impl Iterator<Item = Definition> {
    static READINGS: OnceLock<Vec<Arc<Reading>>> = OnceLock::new();
    let readings = READINGS.get_or_init(|| TEXTS.iter().map(|(stem, text)| read(stem, text)).collect());
    let all = TEXTS.iter().zip(readings);
    all.map(|((stem, _), reading)| Definition::new(place, None, stem, Arc::clone(reading)))
}

fn read(stem: &str, text: &str) -> Arc<Reading> {
    let reading = read_text(Source::new(format!("built-in:{stem}.yaml"), text));
    assert!(reading.plan.is_some(), "BUG: the built-in {stem}.yaml is broken: {:?}", reading.diagnostics);
    Arc::new(reading)
}
