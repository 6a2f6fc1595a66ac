//! Shell commands with references: a template becomes a POSIX script in which each reference is a variable.
//!
//! A value is never code. It travels in a variable of the environment and the script names that variable,
//! quoted as its place asks:
//!
//! | the reference stands | it becomes |
//! |---|---|
//! | bare, also inside `$(...)` and backticks | `"${SB_1}"` |
//! | in double quotes, in a here-document | `${SB_1}` |
//! | in single quotes | `'"${SB_1}"'` |
//! | in `$((...))` | `(${SB_1})`, and the script ends at once unless the value is a whole number |
//! | in a comment | `${SB_1}` |
//!
//! Where the shell would not look into the text, or would take the value for code, the reference is refused
//! and the refusal says what to write instead. The scanner keeps the shell's state (quotes, substitutions,
//! here-documents, `case`); whenever it cannot be sure of that state, it refuses what follows rather than
//! guess. A wrong guess would still not run a value: what a shell expands, it does not parse again. The one
//! exception is arithmetic, which bash evaluates twice; hence the whole number.
//!
//! What a script itself does with a value (`eval`, `sh -c`, a program that takes `-x` for an option) is the
//! script's own affair.

mod expand;
mod here;
mod interpreter;
mod place;
mod scan;

pub use interpreter::{DEFAULT, Interpreter, KNOWN, interpreter};

use std::collections::BTreeSet;

/// A piece of a command template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// Shell text, as it was written.
    Text(&'a str),
    /// The reference of this index; its value comes in the variable [`variable`] names.
    Reference(usize),
}

/// What a command becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// The script. Values come in variables.
    Text(String),
    /// The command is one reference and nothing else: its value is the script.
    Value(usize),
}

/// A reference that cannot stand where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Which of the parts it is.
    pub part: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a reference is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The here-document's mark is quoted, so the shell leaves its text alone.
    QuotedHereDocument,
    /// It is part of a here-document's mark.
    HereDocumentMark,
    /// A backslash stands before it.
    Backslash,
    /// It stands in the shell's own `${...}`.
    Expansion,
    /// It stands in backticks that have a backslash in them.
    Backticks,
    /// It stands in `$'...'`.
    DollarQuote,
    /// It stands in `[[...]]`, `((...))` or `$[...]`, which bash may take for code.
    Bash,
    /// The shell's quoting could not be followed up to it.
    Unclear,
}

impl Reason {
    /// Says what is wrong.
    pub const fn message(self) -> &'static str {
        match self {
            Self::QuotedHereDocument => "the shell does not look into a here-document whose mark is quoted",
            Self::HereDocumentMark => "the mark of a here-document must be plain text",
            Self::Backslash => "a backslash cannot stand before a reference",
            Self::Expansion => "a reference cannot stand inside the shell's own `${...}`",
            Self::Backticks => "a reference cannot stand in backticks that have a backslash in them",
            Self::DollarQuote => "a reference cannot stand inside `$'...'`",
            Self::Bash => {
                "a reference cannot stand in `[[...]]`, `((...))` or `$[...]`: bash may run it as code"
            }
            Self::Unclear => "the quoting of this command could not be followed up to this reference",
        }
    }

    /// Says what to write instead.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::QuotedHereDocument => {
                "take the quotes off the mark, or pass the value by `env:` and let the program read it there"
            }
            Self::HereDocumentMark => "write a fixed word, e.g. `<<END`",
            Self::Backslash => "take the backslash away; values are quoted for you",
            Self::Expansion => "pass the value by `env:` and use that variable here",
            Self::Backticks => "write `$(...)` in place of the backticks",
            Self::DollarQuote => "end the quote before the reference and begin it again after",
            Self::Bash => "write `[ ... ]` or `$((...))`",
            Self::Unclear => {
                "pass the value by `env:`, or give it to a variable on the first line and use that"
            }
        }
    }
}

/// Returns the name of the variable that carries a reference's value.
pub fn variable(index: usize) -> String {
    format!("SB_{}", index + 1)
}

/// Tells whether a name is one that carries a reference's value.
pub fn is_variable(name: &str) -> bool {
    number(name).is_some()
}

/// Returns the number of the reference whose value a variable carries; those of a command are counted from 1.
pub fn number(name: &str) -> Option<&str> {
    name.strip_prefix("SB_").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Turns a command template into a script, or says which references cannot stand where they stand.
pub fn compile(parts: &[Part<'_>]) -> Result<Script, Vec<Refusal>> {
    if let Some(index) = whole(parts) {
        return Ok(Script::Value(index));
    }
    let symbols = symbols(parts);
    let mut output = Output::default();
    scan::command(&mut output, &symbols);
    if output.refusals.is_empty() {
        return Ok(Script::Text(guards(&output.numbers) + &output.text));
    }
    output.refusals.sort_by_key(|refusal| refusal.part);
    output.refusals.dedup_by_key(|refusal| refusal.part);
    Err(output.refusals)
}

/// The only reference of a command that is nothing else; blanks around it do not count.
fn whole(parts: &[Part<'_>]) -> Option<usize> {
    let mut meant = parts.iter().filter(|part| !matches!(part, Part::Text(text) if text.trim().is_empty()));
    match (meant.next(), meant.next()) {
        (Some(Part::Reference(index)), None) => Some(*index),
        _ => None,
    }
}

/// A character of the template, or a reference in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Char(char),
    Reference { part: usize, index: usize },
}

fn symbols(parts: &[Part<'_>]) -> Vec<Symbol> {
    let mut all = Vec::new();
    for (part, piece) in parts.iter().enumerate() {
        match *piece {
            Part::Text(text) => all.extend(text.chars().map(Symbol::Char)),
            Part::Reference(index) => all.push(Symbol::Reference { part, index }),
        }
    }
    all
}

/// What has been written so far, and what was found on the way.
#[derive(Debug, Default)]
struct Output {
    text: String,
    refusals: Vec<Refusal>,
    /// References that stand in arithmetic.
    numbers: BTreeSet<usize>,
    /// The shell's state is not known any more: no reference from here on.
    is_lost: bool,
    /// How many texts inside texts are being scanned.
    depth: usize,
}

impl Output {
    fn refuse(&mut self, part: usize, reason: Reason) {
        self.refusals.push(Refusal { part, reason });
    }

    /// Copies symbols as they are; the references among them are refused.
    fn copy(&mut self, symbols: &[Symbol], reason: Reason) {
        for symbol in symbols {
            match *symbol {
                Symbol::Char(character) => self.text.push(character),
                Symbol::Reference { part, .. } => self.refuse(part, reason),
            }
        }
    }
}

/// The checks that stand before a script, on its first line so that line numbers stay what they were.
fn guards(numbers: &BTreeSet<usize>) -> String {
    let guard = |index: &usize| {
        let name = variable(*index);
        format!(
            "case \"${{{name}#-}}\" in ''|*[!0123456789]*) \
             printf 'arithmetic needs a whole number, not: %s\\n' \"${{{name}}}\" >&2; exit 2;; esac; "
        )
    };
    numbers.iter().map(guard).collect()
}

#[cfg(test)]
mod tests;
