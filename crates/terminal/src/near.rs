//! Near names: what a person probably meant by a name that does not exist.

/// The names that are offered.
const NEAR_MAX: usize = 3;

/// Gives the names nearest to the wanted one, at most three, the nearest first.
pub(crate) fn near<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if wanted.chars().count() < 2 {
        return Vec::new();
    }
    let folded: Vec<char> = wanted.to_lowercase().chars().take(32).collect();
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| (distance(&folded, &name.to_lowercase().chars().collect::<Vec<_>>()), name))
        .filter(|(cost, name)| *cost * 2 <= name.len().max(2))
        .collect();
    found.sort();
    found.into_iter().take(NEAR_MAX).map(|(_, name)| name).collect()
}

/// Counts letters added, dropped and changed.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut before = last[0];
        last[0] = row + 1;
        for (column, b) in right.iter().enumerate() {
            let changed = before + usize::from(a != b);
            before = last[column + 1];
            last[column + 1] = changed.min(before + 1).min(last[column] + 1);
        }
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["Enter", "Escape", "Up", "PageUp", "Tab"];
        assert_eq!(near("Entre", names), ["Enter"]);
        assert_eq!(near("escap", names), ["Escape"]);
        assert_eq!(near("PgUp", names), ["PageUp"]);
        assert_eq!(near("Banana", names), Vec::<&str>::new());
    }
}
