//! Near names: what a person probably meant by a name that does not exist.
//!
//! The distance counts letters added, dropped, changed and swapped with their neighbour (Damerau-Levenshtein,
//! the form in which a swapped pair is not touched again). Capitals and `-` for `_` cost almost nothing.

use std::cell::Cell;

/// The longest name that is compared; longer ones are nobody's typing error.
const NAME_CHARS_MAX: usize = 64;

/// The names that are offered.
const NEAR_MAX: usize = 3;

/// What all searches of one reading may cost together: to compare two names costs the product of their lengths.
const GUESSES_MAX: usize = 50_000_000;

/// Searches that stop when they have cost enough.
#[derive(Debug)]
pub(crate) struct Guesses(Cell<usize>);

impl Guesses {
    /// All of it is left.
    pub(crate) fn new() -> Self {
        Guesses(Cell::new(GUESSES_MAX))
    }

    /// Returns the nearest of many names, while there is something left to search with.
    pub(crate) fn nearest<'a>(
        &self,
        wanted: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        let affords = |name: &&str| {
            let left = self.0.get().checked_sub(wanted.len() * name.len());
            self.0.set(left.unwrap_or(0));
            left.is_some()
        };
        nearest(wanted, names.into_iter().take_while(affords))
    }
}

/// Returns the name nearest to the wanted one, if one is near. Of equals, the first.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(wanted, names).into_iter().next()
}

/// Returns the names near to the wanted one, at most three, the nearest first.
pub fn near<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let folded = fold(wanted);
    if folded.is_empty() || folded.len() > NAME_CHARS_MAX {
        return Vec::new();
    }
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let other = fold(name);
        if name == wanted || other.len() > NAME_CHARS_MAX {
            continue;
        }
        found.extend(cost(&folded, &other).map(|cost| (cost, name)));
    }
    found.sort_by_key(|(cost, _)| *cost);
    let mut nearest: Vec<&str> = Vec::new();
    for (_, name) in found {
        if nearest.len() < NEAR_MAX && !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    nearest
}

/// How far apart two names are, or nothing if nobody would take one for the other.
fn cost(wanted: &[char], name: &[char]) -> Option<usize> {
    let distance = distance(wanted, name);
    let length = wanted.len().max(name.len());
    let allowed = match length {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        _ => length / 3,
    };
    // `dir` for `working_dir`, `workdir` for `working_dir`: a part of it, or its letters with some left out.
    let is_short = wanted.len() >= 3 && (contains(name, wanted) || abbreviates(wanted, name));
    (distance <= allowed).then_some(distance).or_else(|| is_short.then_some(length))
}

fn abbreviates(short: &[char], name: &[char]) -> bool {
    let mut letters = name.iter();
    let in_order = short.iter().all(|letter| letters.any(|other| other == letter));
    in_order && short.first() == name.first() && short.len() * 2 >= name.len()
}

fn contains(name: &[char], part: &[char]) -> bool {
    name.windows(part.len()).any(|window| window == part)
}

fn fold(name: &str) -> Vec<char> {
    let lower = name.chars().take(NAME_CHARS_MAX + 1).flat_map(char::to_lowercase);
    lower.map(|character| if character == '-' { '_' } else { character }).collect()
}

fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = Vec::with_capacity(right.len() + 1);
        current.push(row + 1);
        for (column, b) in right.iter().enumerate() {
            let changed = last[column] + usize::from(a != b);
            let mut best = changed.min(last[column + 1] + 1).min(current[column] + 1);
            let is_swap = row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b;
            if is_swap {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut last, current);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(left: &str, right: &str) -> usize {
        distance(&fold(left), &fold(right))
    }

    #[test]
    fn distance_counts_each_mistake_once() {
        assert_eq!(measure("", ""), 0);
        assert_eq!(measure("abc", ""), 3);
        assert_eq!(measure("run_test", "run_tests"), 1);
        assert_eq!(measure("biuld", "build"), 1);
        assert_eq!(measure("kitten", "sitting"), 3);
        assert_eq!(measure("Dépôt", "dépot"), 1);
        assert_eq!(measure("ca", "abc"), 3);
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["command", "working_dir", "timeout", "env", "outputs"];
        assert_eq!(nearest("workdir", names), Some("working_dir"));
        assert_eq!(nearest("working-dir", names), Some("working_dir"));
        assert_eq!(nearest("comand", names), Some("command"));
        assert_eq!(nearest("TIMEOUT", names), Some("timeout"));
        assert_eq!(nearest("evn", names), Some("env"));
        assert_eq!(nearest("dir", names), Some("working_dir"));
        assert_eq!(nearest("banana", names), None);
        assert_eq!(nearest("x", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn the_nearest_comes_first_and_three_are_enough() {
        let names = ["build_c", "build_a", "build", "biuld", "build_b", "build"];
        assert_eq!(near("buildd", names), ["build", "build_c", "build_a"]);
        assert_eq!(near("build", ["build"]), Vec::<&str>::new());
    }

    #[test]
    fn a_very_long_name_is_not_compared() {
        let long = "x".repeat(NAME_CHARS_MAX + 1);
        let exact = "x".repeat(NAME_CHARS_MAX);
        assert_eq!(near(&long, [exact.as_str()]), Vec::<&str>::new());
        assert_eq!(near(&exact[1..], [exact.as_str()]), [exact.as_str()]);
    }
}
