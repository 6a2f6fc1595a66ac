//! The requirement ids that exist: the first column of the tables in `docs/requirements`.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// Reads every id of every table.
pub(crate) fn ids(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            ids.extend(std::fs::read_to_string(path)?.lines().filter_map(id));
        }
    }
    Ok(ids)
}

fn id(line: &str) -> Option<String> {
    let (cell, _) = line.strip_prefix("| ")?.split_once(" |")?;
    let (letter, number) = cell.split_once('-')?;
    // An `X` in front: how a contradiction was resolved.
    let known = ["T", "C", "R", "A", "D", ""].contains(&letter.strip_prefix('X').unwrap_or(letter));
    let numeric = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
    (known && numeric).then(|| cell.to_owned())
}
