//! Text with references in it. A text that is one whole reference keeps the type of what it refers to;
//! text around references makes text. What a reference yields is never scanned again.

use super::{ParseError, Path, closing};
use serde::{Deserialize, Serialize};

/// Text and references in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// The parts.
    pub parts: Vec<Part>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Text as it is.
    Text(String),
    /// A value to be put here.
    Reference(Path),
}

/// How references are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax<'s> {
    /// `${path}`; `$${` writes `${`.
    Dollar,
    /// `${path}` only where the path starts at one of these roots; everything else is left as it is.
    DollarAmong(&'s [&'s str]),
    /// `{name}`; `\{` writes `{`.
    Brace,
}

impl Syntax<'_> {
    fn opening(self) -> &'static str {
        if self == Syntax::Brace { "{" } else { "${" }
    }
    fn escaped(self) -> &'static str {
        if self == Syntax::Brace { "\\{" } else { "$${" }
    }
    fn closing(self, inside: &str) -> Option<usize> {
        if self == Syntax::Brace { inside.find('}') } else { closing(inside) }
    }
    fn leaves(self, inside: &str) -> bool {
        let Syntax::DollarAmong(roots) = self else { return false };
        let end = inside.find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '-'));
        !roots.contains(&&inside[..end.unwrap_or(inside.len())])
    }
}

impl Template {
    /// Reads a text; the second value gives, for each reference in order, its place in the text.
    pub fn parse(text: &str, syntax: Syntax<'_>) -> Result<(Self, Vec<std::ops::Range<usize>>), ParseError> {
        let (open, escaped) = (syntax.opening(), syntax.escaped());
        let (mut parts, mut places, mut plain) = (Vec::new(), Vec::new(), String::new());
        let mut position = 0;
        while let Some(letter) = text[position..].chars().next() {
            let rest = &text[position..];
            if rest.starts_with(escaped) {
                plain.push_str(open);
                position += escaped.len();
                continue;
            }
            let Some(inside) = rest.strip_prefix(open).filter(|inside| !syntax.leaves(inside)) else {
                plain.push(letter);
                position += letter.len_utf8();
                continue;
            };
            let start = position + open.len();
            let length = syntax.closing(inside).ok_or_else(|| {
                ParseError::new(format!("`}}` is missing after `{open}`"), position..position + open.len())
            })?;
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Reference(path_inside(&inside[..length], start)?));
            places.push(start..start + length);
            position = start + length + 1;
        }
        if !plain.is_empty() || parts.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok((Template { parts }, places))
    }

    /// The path, if the text is one whole reference.
    pub fn whole(&self) -> Option<&Path> {
        match self.parts.as_slice() {
            [Part::Reference(path)] => Some(path),
            _ => None,
        }
    }

    /// The text, if there is no reference in it.
    pub fn constant(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The paths in it, in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().filter_map(|part| match part {
            Part::Reference(path) => Some(path),
            Part::Text(_) => None,
        })
    }
}

fn path_inside(inside: &str, start: usize) -> Result<Path, ParseError> {
    let trimmed = inside.trim();
    Path::parse(trimmed, start + inside.len() - inside.trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, syntax: Syntax<'_>) -> Template {
        Template::parse(text, syntax).unwrap().0
    }

    #[test]
    fn a_whole_reference_is_no_text() {
        assert_eq!(parse("${inputs.n}", Syntax::Dollar).whole(), Some(&Path::of("inputs", &["n"])));
        assert_eq!(parse(" ${inputs.n}", Syntax::Dollar).whole(), None);
        assert_eq!(parse("", Syntax::Dollar).constant(), Some(""));
        assert!(parse("${inputs.m[${inputs.k}]}", Syntax::Dollar).whole().is_some());
    }

    #[test]
    fn escapes_and_foreign_notations_stay() {
        assert_eq!(parse("$${x} $5", Syntax::Dollar).constant(), Some("${x} $5"));
        assert_eq!(parse("\\{x}", Syntax::Brace).constant(), Some("{x}"));
        let shell = Syntax::DollarAmong(&["inputs"]);
        assert_eq!(parse("${HOME} ${x:-y}", shell).constant(), Some("${HOME} ${x:-y}"));
        assert_eq!(parse("${HOME} ${inputs.a}", shell).paths().count(), 1);
        assert_eq!(parse("${inputsx}", shell).constant(), Some("${inputsx}"));
    }

    #[test]
    fn places_are_those_of_the_paths() {
        let (_, places) = Template::parse("ä ${a.b}{", Syntax::Dollar).unwrap();
        assert_eq!(places, vec![5..8]);
        assert_eq!(Template::parse("x ${a", Syntax::Dollar).unwrap_err().at, 2..4);
    }
}
