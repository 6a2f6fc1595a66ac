//! Where a piece of JavaScript stands in its file, so that an error of the evaluator can point there.

use crate::text::{Lines, Node, Source, locate};
use kernel::plan::Origin;
use std::ops::Range;

/// Where a part of a scalar's text begins; `shift` characters are put before it.
pub(super) fn origin(
    source: &Source,
    lines: &Lines<'_>,
    node: &Node,
    part: Range<usize>,
    shift: u32,
) -> Option<Origin> {
    // What an alias repeats stands at its anchor, and that is where it is mended.
    let text = node.as_text()?;
    let place = |at: usize| {
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        lines.position(locate(source, node, at..end).start)
    };
    if part.is_empty() {
        return None;
    }
    let first = place(part.start);
    let number = |number: usize| u32::try_from(number).ok();
    let column = number(first.column)?.checked_sub(shift).filter(|column| *column > 0)?;
    // The first later line with something on it tells where lines begin, if it is the line of the file that it should be.
    let mut at = part.start;
    let mut indent = None;
    for (count, line) in text[part.clone()].split_inclusive('\n').enumerate() {
        let body = line.trim_end_matches('\n');
        if count > 0 && !body.trim().is_empty() {
            let there = place(at);
            indent = (there.line == first.line + count).then_some(there.column).and_then(number);
            break;
        }
        at += line.len();
    }
    Some(Origin { line: number(first.line)?, column, indent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::load;

    fn of(text: &str, part: &str) -> Option<(u32, u32, Option<u32>)> {
        let source = Source::new("a.yaml", text);
        let root = load(&source).unwrap();
        let node = root.get("a").unwrap();
        let start = node.as_text().unwrap().find(part).unwrap();
        let found = origin(&source, &Lines::new(text), node, start..start + part.len(), 0)?;
        Some((found.line, found.column, found.indent))
    }

    #[test]
    fn first_and_later_lines_are_told() {
        assert_eq!(of("a: x + y", "y"), Some((1, 8, None)));
        assert_eq!(of("a: \"{{ x }}\"", "x"), Some((1, 8, None)));
        assert_eq!(of("a: |\n  b\n    .c\n  d\n", "b\n  .c\nd"), Some((2, 3, Some(3))));
        assert_eq!(of("a: |\n  b\n\n  d\n", "b\n\nd"), Some((2, 3, Some(3))));
        assert_eq!(of("a: >\n  b\n  c\n", "b c"), Some((2, 3, None)));
        assert_eq!(of("a: \"b\\nc\"", "b\nc"), Some((1, 5, None)));
    }
}
