//! A word of a command, as far as it can be known before the shell runs.

use super::Symbol;
use std::rc::Rc;

/// What stands in a word for a part that only the shell will know.
pub(super) const UNKNOWN: char = '\0';

/// What stands for such a part without quotes around it, which may be nothing, or several words.
pub(super) const SPLIT: char = '\x01';

/// Whether a character stands for a part that only the shell will know.
pub(super) fn is_unknown(character: char) -> bool {
    matches!(character, UNKNOWN | SPLIT)
}

/// A word that is being read, or has been.
#[derive(Debug, Default)]
pub(super) struct Word {
    /// Its letters that are not quoted: only these make a reserved word.
    pub(super) bare: String,
    /// Whether it has more than bare letters.
    pub(super) is_quoted: bool,
    /// Its text without quotes, [`UNKNOWN`] or [`SPLIT`] for each part that is expanded.
    pub(super) said: String,
    /// The references in it, in order.
    pub(super) references: Vec<Reference>,
    /// The `name` if it is an element of `name=(...)`.
    pub(super) element_of: Option<Rc<str>>,
    /// Whether `<(...)` or `>(...)` stands in it.
    pub(super) is_process: bool,
    /// Whether it is written so that its text cannot be seen: `$'\\x6c'`.
    pub(super) is_obscure: bool,
}

/// A reference in a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reference {
    /// How much of the word is said before it.
    pub(super) at: usize,
    /// Which of the parts it is.
    pub(super) part: usize,
    /// Which of the values.
    pub(super) index: usize,
    /// Whether it stands in a `$(...)` or backticks inside the word, and only the result in the word.
    pub(super) is_nested: bool,
}

impl Reference {
    /// A reference of which only a result stands in the word.
    pub(super) fn nested(symbol: Symbol) -> Option<Self> {
        let Symbol::Reference { part, index } = symbol else { return None };
        Some(Self { at: 0, part, index, is_nested: true })
    }
}

impl Word {
    /// Whether nothing of it has been read yet.
    pub(super) fn is_empty(&self) -> bool {
        self.bare.is_empty() && !self.is_quoted
    }

    /// Whether it is an element of `name=(...)`.
    pub(super) fn is_element(&self) -> bool {
        self.element_of.is_some()
    }

    /// Whether braces make several words of it: `{a,b}`, `{1..3}`.
    pub(super) fn has_braces(&self) -> bool {
        let inside = self.bare.split_once('{').map(|(_, inside)| inside);
        inside.is_some_and(|inside| inside.contains('}') && (inside.contains(',') || inside.contains("..")))
    }

    /// Whether a value says how it begins.
    pub(super) fn begins_with_value(&self) -> bool {
        self.references.first().is_some_and(|reference| reference.at == 0 && !reference.is_nested)
    }

    /// Takes a reference that stands in the word, or in a command inside it.
    pub(super) fn refer(&mut self, symbol: Symbol, is_nested: bool) {
        let Symbol::Reference { part, index } = symbol else { return };
        let at = self.said.len();
        self.said.push(UNKNOWN);
        self.references.push(Reference { at, part, index, is_nested });
    }

    /// The name and the rest of `name=...` or `name+=...`; a subscript may stand between.
    pub(super) fn assigned(&self) -> Option<(&str, usize)> {
        let name = name_length(&self.said);
        let rest = &self.said[name..];
        let subscript = if rest.starts_with('[') { rest.find(']').map(|at| at + 1)? } else { 0 };
        let sign = rest[subscript..].strip_prefix('+').unwrap_or(&rest[subscript..]);
        let is_assigned = name > 0 && sign.starts_with('=');
        is_assigned.then(|| (&self.said[..name], self.said.len() - sign.len()))
    }

    /// Whether it is an option: `-x`, `+x`, `--long`.
    pub(super) fn is_option(&self) -> bool {
        self.said.len() > 1 && self.said.starts_with(['-', '+'])
    }

    /// Whether it is a word of short options, one of them this one.
    pub(super) fn has_option(&self, letters: &[char]) -> bool {
        self.is_option() && !self.said.starts_with("--") && self.said[1..].contains(letters)
    }

    /// Whether it is a word of short options that this one ends: its value is the next word.
    pub(super) fn ends_with_option(&self, letters: &[char]) -> bool {
        self.has_option(letters) && self.said.ends_with(letters)
    }
}

/// How many bytes at the beginning of a text are the name of a variable.
pub(super) fn name_length(text: &str) -> usize {
    let end = text.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let length = end.unwrap_or(text.len());
    if text.starts_with(|letter: char| letter.is_ascii_digit()) { 0 } else { length }
}

/// Whether a text is the name of a variable and nothing else.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && name_length(text) == text.len()
}
