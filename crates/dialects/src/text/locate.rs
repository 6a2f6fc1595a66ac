//! From a part of a scalar's text back to the place where it is written.
//!
//! An expression inside a scalar knows only its offset in the text. Quotes, escapes, indents and folded lines
//! lie between that text and the file, so both are walked side by side.

use super::{Node, Source, Span};
use std::ops::Range;

/// Returns where a part of a scalar's text is written; the whole scalar, if that cannot be told.
pub fn locate(source: &Source, scalar: &Node, part: Range<usize>) -> Span {
    let text = scalar.as_text().unwrap_or_default();
    let raw = source.slice(scalar.span);
    find(raw, text, part).map_or(scalar.place(), |span| {
        Span::new(scalar.span.start + span.start, scalar.span.start + span.end)
    })
}

fn find(raw: &str, text: &str, part: Range<usize>) -> Option<Span> {
    let mut walk = Walk { raw, at: 0, quote: raw.chars().next().filter(|c| matches!(c, '"' | '\'')) };
    // A block (`|`, `>`) may well begin with a quote of its own: then the text has it too.
    if walk.quote.is_some_and(|quote| !(raw.len() > 1 && raw.ends_with(quote) && !text.starts_with(quote))) {
        walk.quote = None;
    }
    walk.at = usize::from(walk.quote.is_some());
    let (mut start, mut end) = (None, None);
    for (offset, character) in text.char_indices() {
        if offset >= part.end {
            break;
        }
        let after = &text[offset + character.len_utf8()..];
        let step = walk.step(character, after)?;
        if offset >= part.start {
            start.get_or_insert(step.start);
            end = Some(step.end);
        }
    }
    Some(Span::new(start?, end?))
}

struct Walk<'a> {
    raw: &'a str,
    at: usize,
    quote: Option<char>,
}

impl Walk<'_> {
    /// Passes the piece of the raw text that stands for one character; `after` is the text behind it.
    fn step(&mut self, character: char, after: &str) -> Option<Span> {
        if self.quote == Some('"') && self.rest().starts_with('\\') {
            return self.escape();
        }
        if self.quote == Some('\'') && character == '\'' && self.rest().starts_with("''") {
            return Some(self.pass(2));
        }
        if character != '\n' && self.rest().starts_with(character) {
            return Some(self.pass(character.len_utf8()));
        }
        if matches!(character, '\n' | ' ') {
            return self.line_break(after);
        }
        // Folding drops one of several line breaks.
        self.at += blank(self.rest(), &[' ', '\t', '\r', '\n']);
        self.rest().starts_with(character).then(|| self.pass(character.len_utf8()))
    }

    /// A line break in the file: it stands for itself or, folded, for a space. Of the indent behind it, only
    /// what the text has too is kept.
    fn line_break(&mut self, after: &str) -> Option<Span> {
        let before = blank(self.rest(), &[' ', '\t', '\r']);
        if !self.rest()[before..].starts_with('\n') {
            return None;
        }
        let span = self.pass(before + 1);
        let indent = blank(self.rest(), &[' ', '\t']);
        self.at += indent.saturating_sub(blank(after, &[' ', '\t']));
        Some(span)
    }

    fn pass(&mut self, length: usize) -> Span {
        self.at += length;
        Span::new(self.at - length, self.at)
    }

    fn escape(&mut self) -> Option<Span> {
        let rest = self.rest();
        let is_pair = rest.get(6..8) == Some("\\u") && matches!(rest.as_bytes()[2], b'd' | b'D');
        let length = match rest.as_bytes().get(1)? {
            b'x' => 4,
            b'u' if is_pair => 12,
            b'u' => 6,
            b'U' => 10,
            b'\n' | b'\r' => return None,
            _ => 2,
        };
        rest.get(..length)?;
        Some(self.pass(length))
    }

    fn rest(&self) -> &str {
        &self.raw[self.at..]
    }
}

/// How many bytes of these characters a text begins with.
fn blank(text: &str, characters: &[char]) -> usize {
    text.len() - text.trim_start_matches(characters).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::load;

    /// Loads `a: ...`, looks for the word in the value and returns what stands at its place.
    fn located(yaml: &str, word: &str) -> String {
        let source = Source::new("a.yaml", yaml);
        let root = load(&source).expect("it loads");
        let node = root.get("a").expect("it has `a`");
        let at = node.as_text().expect("a scalar").find(word).expect("the word is there");
        source.slice(locate(&source, node, at..at + word.len())).to_owned()
    }

    #[test]
    fn every_style_is_located() {
        for yaml in [
            "a: one é ${x.y} two",
            "a: \"one é ${x.y} two\"",
            "a: 'one é ${x.y} two'",
            "a: \"tab\\t \\u00e9 \\ud83d\\ude00 \\x41 \\\"q\\\" ${x.y}\"",
            "a: 'it''s ${x.y}'",
            "a: |\n  one\n    two\n\n  ${x.y}\n",
            "a: |\r\n  one\r\n  ${x.y}\r\n",
            "a: >-\n  one\n  two ${x.y}\n",
            "a: >-\n  one\n\n  two ${x.y}\n",
            "a: one\n  two ${x.y}\n",
            "a: \"one\n  two ${x.y}\"\n",
            "a: |\n  \"one\" ${x.y} \"two\"\n",
        ] {
            assert_eq!(located(yaml, "${x.y}"), "${x.y}", "{yaml}");
        }
    }

    #[test]
    fn the_whole_scalar_is_the_answer_when_the_walk_is_lost() {
        assert_eq!(located("a: \"one \\\n  two\"", "two"), "\"one \\\n  two\"");
    }

    #[test]
    fn what_an_alias_repeats_is_located_at_its_anchor() {
        assert_eq!(located("b: &b x ${y}\na: *b", "${y}"), "${y}");
    }
}
