//! A text with its name, a range of bytes in it, and the line and column a person would say.

use serde::Serialize;

/// A text and the name it is shown under, mostly a file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name that diagnostics print.
    pub name: String,
    /// The whole text, as it was read.
    pub text: String,
}

impl Source {
    /// Makes a source.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// Returns the text of a span; what lies outside the text is left out.
    pub fn slice(&self, span: Span) -> &str {
        let span = span.clamp(&self.text);
        &self.text[span.start..span.end]
    }
}

/// A range of bytes in a source: `start` is in it, `end` is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The first byte after it.
    pub end: usize,
}

impl Span {
    /// Makes a span.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Makes the span of the single character that stands at an offset; empty at the end of the text.
    pub fn character(text: &str, offset: usize) -> Self {
        let start = floor(text, offset);
        let width = text[start..].chars().next().map_or(0, char::len_utf8);
        Self::new(start, start + width)
    }

    /// Tells whether it covers no byte.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Returns the smallest span that covers both.
    pub fn join(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Returns the part of it that lies in the text, with both ends moved back to whole characters.
    pub(crate) fn clamp(self, text: &str) -> Self {
        let start = floor(text, self.start);
        Self::new(start, floor(text, self.end).max(start))
    }
}

fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

/// A place as a person says it: both numbers start at 1, columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

/// It may stand before a text and is no character of its first line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Where the lines of a text begin, so that many offsets can be turned into positions.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Finds the lines of a text.
    pub fn new(text: &'a str) -> Self {
        let mark = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(mark).chain(after).collect() }
    }

    /// Returns the position of an offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = floor(self.text, offset).max(self.starts[0]);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = &self.text[self.starts[line]..offset];
        Position { line: line + 1, column: before.chars().count() + 1 }
    }

    /// Returns the span of a line, counted from 1, without its line break.
    pub fn line(&self, number: usize) -> Span {
        let start = self.starts[number - 1];
        let next = self.starts.get(number).copied().unwrap_or(self.text.len());
        let line = self.text[start..next].trim_end_matches(['\n', '\r']);
        Span::new(start, start + line.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_not_bytes() {
        let lines = Lines::new("a\n  é漢x\r\nlast");
        assert_eq!(lines.position(0), Position { line: 1, column: 1 });
        assert_eq!(lines.position("a\n  é漢".len()), Position { line: 2, column: 5 });
        assert_eq!(lines.position(9999), Position { line: 3, column: 5 });
        assert_eq!(lines.line(2), Span::new(2, 10));
    }

    #[test]
    fn a_byte_order_mark_is_not_a_column() {
        assert_eq!(Lines::new("\u{feff}ab").position(4), Position { line: 1, column: 2 });
    }

    #[test]
    fn spans_never_split_a_character() {
        let source = Source::new("a", "é漢");
        assert_eq!(source.slice(Span::new(1, 4)), "é");
        assert_eq!(source.slice(Span::new(5, 99)), "");
        assert_eq!(Span::character("é漢", 2), Span::new(2, 5));
        assert_eq!(Span::character("é", 2), Span::new(2, 2));
    }
}
