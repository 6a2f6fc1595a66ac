//! Says of each case at which doors it is played, and why it is not played at the others.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::doors::{Door, why_not};
use crate::read;
use crate::verdict::CaseFile;

/// Returns the list, and how many there are at each door.
pub(crate) fn text(files: &[CaseFile], known_id: &dyn Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let mut counts: BTreeMap<Door, usize> = BTreeMap::new();
    let cases = files.iter().filter(|file| !file.name.starts_with("self/"));
    for file in cases {
        // Writing to a string cannot fail.
        let _ = match read::file(file, known_id) {
            Err(report) => write!(text, "{}\n{report}", file.name),
            Ok(case) => {
                let reasons: Vec<(Door, Option<String>)> =
                    Door::ALL.into_iter().map(|door| (door, why_not(&case, door))).collect();
                let played = reasons.iter().filter(|(_, why)| why.is_none()).map(|(door, _)| *door);
                played.clone().for_each(|door| *counts.entry(door).or_default() += 1);
                let words: Vec<String> = played.map(|door| door.to_string()).collect();
                writeln!(text, "{}  {}", file.name, words.join(", ")).and_then(|()| {
                    reasons.iter().try_for_each(|(door, why)| match why {
                        Some(why) => writeln!(text, "    not {door}: {why}"),
                        None => Ok(()),
                    })
                })
            }
        };
    }
    let counts: Vec<String> = counts.iter().map(|(door, count)| format!("{door} {count}")).collect();
    let _ = writeln!(text, "{}", counts.join(", "));
    text
}
