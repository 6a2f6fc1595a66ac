//! Where the scanner is: the quotes, substitutions and lists of commands that are open.

use super::list::Command;

/// One thing that is open and has an end of its own.
#[derive(Debug)]
pub(super) enum Frame {
    /// Commands: the script, `$(...)`, or the inside of backticks.
    Command(Box<Command>),
    /// `"..."`.
    Double,
    /// The text of a here-document whose mark is not quoted.
    Here,
    /// `${...}`, and where its inside begins.
    Expansion { operator: Operator, start: usize },
    /// `$((...))`, with the parts of the references in it.
    Arithmetic { parens: usize, references: Vec<usize> },
}

/// How far `${...}` has been read, and whether what follows is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// Nothing yet.
    Begin,
    /// The name.
    Name,
    /// A colon after the name.
    Colon,
    /// `-`, `#`, `/` and the like: text follows, and remains text.
    Text,
    /// `=`: text follows, and the variable gets it.
    Given,
    /// A subscript, an offset, or what is not known: a shell may evaluate it.
    Evaluated,
}

impl Operator {
    /// Reads one more character.
    pub(super) fn next(self, character: char) -> Self {
        match (self, character) {
            (Self::Begin, '#' | '!' | '@' | '*' | '?' | '$' | '-') => Self::Name,
            (Self::Begin | Self::Name, '_' | 'a'..='z' | 'A'..='Z' | '0'..='9') => Self::Name,
            (Self::Name, ':') => Self::Colon,
            (Self::Name | Self::Colon, '=') => Self::Given,
            (Self::Name, '-' | '?' | '+' | '#' | '%' | '/' | '^' | ',') => Self::Text,
            (Self::Colon, '-' | '?' | '+') => Self::Text,
            (Self::Text | Self::Given, _) => self,
            _ => Self::Evaluated,
        }
    }
}
