//! Text with references, split so that one that cannot be read does not hide the others.

use super::reader::Piece;
use kernel::language::{ParseError, Part, Syntax, Template};
use std::ops::Range;

/// The broken references of one text that are told apart; after them the rest is left alone.
const ERRORS_MAX: usize = 20;

/// Splits a text; each reference that cannot be read gives an error and no piece.
pub(super) fn split(text: &str, syntax: Syntax<'_>) -> (Vec<Piece>, Vec<ParseError>) {
    let (mut pieces, mut errors) = (Vec::new(), Vec::new());
    let mut from = 0;
    while errors.len() < ERRORS_MAX
        && let Some(error) = read(&text[from..], from, syntax, &mut pieces)
    {
        let at = from + error.at.start.min(text.len() - from);
        let start = opening(text, from, at);
        // What stands before the broken reference can be read.
        read(&text[from..start], from, syntax, &mut pieces);
        let end = from + error.at.end;
        errors.push(ParseError { message: error.message, at: at..end });
        from = text.ceil_char_boundary(end.max(start + 2).min(text.len()));
    }
    (pieces, errors)
}

/// Adds the pieces of a text that stands at an offset, or returns why there are none.
fn read(text: &str, offset: usize, syntax: Syntax<'_>, pieces: &mut Vec<Piece>) -> Option<ParseError> {
    let (template, places) = match Template::parse(text, syntax) {
        Ok(read) => read,
        Err(error) => return Some(error),
    };
    let mut places = places.into_iter();
    pieces.extend(template.parts.into_iter().map(|part| match part {
        Part::Text(text) => Piece::Text(text),
        Part::Reference(path) => {
            let place = places.next().unwrap_or_default();
            let place = trimmed(text, place);
            Piece::Reference(path, offset + place.start..offset + place.end)
        }
    }));
    None
}

/// Where the reference begins in which something was found at an offset.
fn opening(text: &str, from: usize, at: usize) -> usize {
    if text[at..].starts_with("${") {
        return at;
    }
    text[from..at].rfind("${").map_or(at, |start| from + start)
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.start + inside.len() - inside.trim_start().len();
    start..start + inside.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (Vec<String>, Vec<String>) {
        let (pieces, errors) = split(text, Syntax::Dollar);
        let pieces = pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Reference(path, range) => format!("{path}@{}", &text[range]),
        });
        let errors = errors.into_iter().map(|error| error.message);
        (pieces.collect(), errors.collect())
    }

    #[test]
    fn places_leave_blanks_out() {
        assert_eq!(shown("a ${ b.c } d").0, ["a ", "b.c@b.c", " d"]);
    }

    #[test]
    fn a_broken_reference_hides_no_other() {
        let (pieces, errors) = shown("x ${a.b} ${c..d} y ${e} ${f g} ${h} ${i");
        assert_eq!(errors.len(), 3);
        let references: Vec<&String> = pieces.iter().filter(|piece| piece.contains('@')).collect();
        assert_eq!(references, ["a.b@a.b", "e@e", "h@h"]);
    }

    #[test]
    fn every_text_ends() {
        for text in ["${", "${}", "${${", "${ }", "$${", "${é", "${a.é.}é${", "${a[é}", "a$${b${"] {
            split(text, Syntax::Dollar);
            split(text, Syntax::DollarAmong(&["a"]));
        }
    }
}
