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
//! guess. A wrong guess would still not run a value: what a shell expands, it does not parse again. The
//! exception is what bash evaluates: arithmetic, subscripts, and the names of variables that a builtin is given. There
//! a reference is a whole number or is refused ([`reference`], [`judge`]).
//!
//! A script may ask for more: `eval`, `trap`, `sh -c`, `ssh`. What of it can be seen is doubted ([`handed`], [`programs`]) and
//! `check` warns of it. What a script does with a value later, under another name, is its own affair.

mod called;
mod doubt;
mod environment;
mod expand;
mod given;
mod handed;
mod here;
mod interpreter;
mod judge;
mod list;
mod names;
mod pipe;
mod place;
mod programs;
mod quotes;
mod reads;
mod reason;
mod reference;
mod scan;
mod word;

pub use doubt::Doubt;
pub use environment::{Power, power};
pub use interpreter::{DEFAULT, Interpreter, KNOWN, interpreter};
pub use reason::Reason;

use called::Called;
use judge::{Findings, Found, Verdict};
use names::Names;
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

/// What became of a command template.
#[derive(Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The script, or the references that cannot stand where they stand.
    pub script: Result<Script, Vec<Refusal>>,
    /// The parts that may become code because the script asks for it, and why.
    pub doubts: Vec<(usize, Doubt)>,
}

/// Whether a text begins with a builtin that evaluates what it is given.
pub fn evaluates(text: &str) -> bool {
    called::is_evaluating(text.split([' ', '\t', '\n']).next().unwrap_or_default())
}

/// Turns a command template into a script. `filled` are variables that come with it and whose text is not fixed, or begins with
/// a builtin that evaluates.
pub fn compile(parts: &[Part<'_>], filled: &[&str]) -> Compiled {
    if let Some(index) = whole(parts) {
        return Compiled { script: Ok(Script::Value(index)), doubts: Vec::new() };
    }
    let symbols = symbols(parts);
    let mut output = Output::default();
    texts(parts).for_each(|text| output.names.mentions(text));
    scan::command(&mut output, &symbols, None);
    filled.iter().for_each(|name| output.called.fill(name));
    output.called.find_filled(&texts(parts).collect::<Vec<_>>().join("\0"));
    output.conclude(&symbols);
    output.refusals.extend(taken(parts));
    let Output { mut refusals, mut doubts, .. } = output;
    refusals.sort_by_key(|refusal| refusal.part);
    refusals.dedup_by_key(|refusal| refusal.part);
    doubts.sort_by_key(|(part, _)| *part);
    doubts.dedup_by_key(|(part, _)| *part);
    doubts.retain(|(part, _)| refusals.binary_search_by_key(part, |refusal| refusal.part).is_err());
    let script = match refusals.is_empty() {
        true => Ok(Script::Text(guards(&output.numbers, &output.compared) + &output.text)),
        false => Err(refusals),
    };
    Compiled { script, doubts }
}

/// The references whose variable the script itself names: it would change what they give.
fn taken(parts: &[Part<'_>]) -> Vec<Refusal> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let named: BTreeSet<&str> = texts(parts)
        .flat_map(|text| text.split(|letter| !is_part(letter)))
        .filter(|word| is_variable(word))
        .collect();
    let references = parts.iter().enumerate().filter_map(|(part, piece)| match piece {
        Part::Reference(index) if named.contains(variable(*index).as_str()) => Some(part),
        _ => None,
    });
    references.map(|part| Refusal { part, reason: Reason::Taken }).collect()
}

/// What the script says itself.
fn texts<'a>(parts: &[Part<'a>]) -> impl Iterator<Item = &'a str> {
    parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(*text),
        Part::Reference(_) => None,
    })
}

/// The only reference of a command that is nothing else; blanks around it do not count.
fn whole(parts: &[Part<'_>]) -> Option<usize> {
    // What a shell takes for blanks, and nothing else.
    let is_blank = |text: &str| text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
    let mut meant = parts.iter().filter(|part| !matches!(part, Part::Text(text) if is_blank(text)));
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
    doubts: Vec<(usize, Doubt)>,
    /// What the script makes of its variables.
    names: Names,
    /// The names of commands that are known only at the end of the script.
    called: Called,
    /// References that stand in arithmetic.
    numbers: BTreeSet<usize>,
    /// References that a command takes for numbers; ksh and zsh evaluate these.
    compared: BTreeSet<usize>,
    /// Why no reference may stand in the text that is being scanned, because of the text around it.
    outside: Option<Reason>,
    /// The shell's state is not known any more: no reference from here on.
    is_lost: bool,
    /// How many texts inside texts are being scanned.
    depth: usize,
}

impl Output {
    fn refuse(&mut self, part: usize, reason: Reason) {
        self.refusals.push(Refusal { part, reason });
    }

    /// Doubts every reference in a text.
    fn doubt(&mut self, symbols: &[Symbol], doubt: Doubt) {
        for symbol in symbols {
            if let Symbol::Reference { part, .. } = *symbol {
                self.doubts.push((part, doubt));
            }
        }
    }

    fn find(&mut self, findings: Findings) {
        self.names.absorb(findings.names);
        self.called.absorb(findings.called);
        self.judged(findings.found);
    }

    /// Says what can be said only now that the whole script has been read.
    fn conclude(&mut self, symbols: &[Symbol]) {
        if self.called.declares() {
            self.names.declares_unknown();
        }
        self.judged(self.names.verdicts());
        self.judged(self.called.verdicts());
        if self.names.reads_numbers() {
            self.doubt(symbols, Doubt::Variable);
        }
    }

    fn judged(&mut self, found: Vec<Found>) {
        for (part, verdict) in found {
            match verdict {
                Verdict::Refused(reason) => self.refuse(part, reason),
                Verdict::Doubted(doubt) => self.doubts.push((part, doubt)),
                Verdict::Number(index) => drop(self.compared.insert(index)),
            }
        }
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
fn guards(numbers: &BTreeSet<usize>, compared: &BTreeSet<usize>) -> String {
    let guard = |index: &usize, text: &str, bad: &str| {
        let name = variable(*index);
        format!(
            "case \"${{{name}{text}}}\" in {bad}) \
             printf 'arithmetic needs a whole number, not: %s\\n' \"${{{name}}}\" >&2; exit 2;; esac; "
        )
    };
    let mut text: String = numbers.iter().map(|index| guard(index, "#-", "''|*[!0123456789]*")).collect();
    // Digits, signs and blanks are harmless, and some of them are usual where a text is compared.
    let compared: String =
        compared.difference(numbers).map(|index| guard(index, "", "*[!+.0123456789[:space:]-]*")).collect();
    if !compared.is_empty() {
        text.push_str(&format!(
            "case \"${{KSH_VERSION-}}${{ZSH_VERSION-}}\" in ?*) {};; esac; ",
            compared.trim_end_matches("; ")
        ));
    }
    text
}

#[cfg(test)]
mod tests;
