//! Where the parts of a path stand in its text, so that a mark can point at the one that is wrong.

use kernel::language::closing;
use std::ops::Range;

/// Returns where a part of a path stands in the path's text; all of it, if there is no such part.
pub(in crate::blocks) fn part_range(text: &str, part: usize) -> Range<usize> {
    parts(text).into_iter().nth(part).unwrap_or(0..text.len())
}

/// Returns where the references stand that are written inside a path, without their braces, in order.
pub(in crate::blocks) fn inner_ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find("${") {
        let start = at + offset + 2;
        let Some(length) = closing(&text[start..]) else { break };
        let inside = &text[start..start + length];
        let blanks = inside.len() - inside.trim_start().len();
        found.push(start + blanks..start + blanks + inside.trim().len());
        at = start + length;
    }
    found
}

fn parts(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut start, mut in_brackets) = (Vec::new(), 0, false);
    let inner = inner_ranges(text);
    for (offset, character) in text.char_indices() {
        if inner.iter().any(|range| range.contains(&offset)) {
            continue;
        }
        let ends = if in_brackets { character == ']' } else { matches!(character, '.' | '[') };
        if !ends {
            continue;
        }
        // Between `]` and the next `.` or `[` nothing stands.
        if offset > start || found.is_empty() {
            found.push(start..offset);
        }
        in_brackets = character == '[';
        start = offset + 1;
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_found() {
        for (text, expected) in [
            ("inputs", vec!["inputs"]),
            ("blocks.build.outputs.x", vec!["blocks", "build", "outputs", "x"]),
            ("a[0].b['c.d'][1]", vec!["a", "0", "b", "'c.d'", "1"]),
            ("é.漢", vec!["é", "漢"]),
            ("a[${b.c}].d", vec!["a", "${b.c}", "d"]),
            ("a.${b[0]}", vec!["a", "${b[0]}"]),
            ("", vec![]),
        ] {
            let found: Vec<&str> = parts(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(part_range("a.b", 1), 2..3);
        assert_eq!(part_range("a.b", 7), 0..3);
        assert_eq!(inner_ranges("a[${ b[${c}] }].d.${e}"), [5..12, 20..21]);
    }
}
