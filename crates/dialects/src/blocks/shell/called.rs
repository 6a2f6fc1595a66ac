//! Commands whose name is no plain text: some names would make the shell evaluate their words.
//!
//! A program gets its words as they are, whatever it is called. So a name is in doubt only where it may be that of a
//! builtin: because a value says it, because letters of one stand beside what is not known, or because the script has put
//! one into a variable.

use super::Doubt;
use super::handed::SHELLS;
use super::judge::{Found, Verdict};
use super::word::{Word, is_unknown};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Builtins that evaluate what they are given.
const EVALUATING: [&str; 25] = [
    "let",
    "declare",
    "typeset",
    "local",
    "readonly",
    "export",
    "integer",
    "float",
    "nameref",
    "eval",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "printf",
    "trap",
    "alias",
    "compgen",
    "test",
    "source",
    "command",
    "builtin",
    "[",
    ".",
];

/// Those among them that hardly any program has as the first of its words.
const UNMISTAKABLE: [&str; 8] =
    ["let", "declare", "typeset", "local", "integer", "eval", "mapfile", "readarray"];

/// What has been noted of commands that are known only at the end of the script.
#[derive(Debug, Default)]
pub(super) struct Called {
    /// Variables and aliases that begin with the name of a builtin that evaluates.
    hidden: BTreeSet<String>,
    /// Variables whose text a value begins, or that hold a name which may mean something else too: `test`.
    filled: BTreeSet<String>,
    /// Parts that are given to a command, and its name if it has one.
    given: Vec<(usize, Option<Rc<str>>)>,
    /// Whether a command whose name is in a variable would make a number, were it `declare`.
    may_declare: bool,
}

/// What can be said of the name of a command.
pub(super) enum Name {
    /// It is what it says, and no builtin that evaluates.
    Plain,
    /// It may be such a builtin.
    Doubtful,
    /// The script alone says what it is.
    Own,
}

/// Looks at the name of a command.
pub(super) fn name(word: &Word) -> Name {
    if word.has_braces() || word.is_obscure {
        return Name::Doubtful;
    }
    if !word.said.contains(is_unknown) {
        return Name::Plain;
    }
    let is_whole = word.said.chars().all(is_unknown);
    let is_value = word.references.iter().any(|reference| !reference.is_nested);
    match (is_whole, is_value) {
        (true, true) => Name::Doubtful,
        (true, false) => Name::Own,
        _ if EVALUATING.iter().any(|builtin| may_be(&word.said, builtin)) => Name::Doubtful,
        _ => Name::Plain,
    }
}

/// Whether a text could be this name, were its unknown parts known.
pub(super) fn may_be(said: &str, name: &str) -> bool {
    let mut pieces = said.split(is_unknown);
    let first = pieces.next().unwrap_or_default();
    let last = pieces.next_back().unwrap_or_default();
    let Some(rest) = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    pieces.try_fold(rest, |rest, piece| rest.find(piece).map(|at| &rest[at + piece.len()..])).is_some()
}

/// Whether it is the name of a builtin that evaluates what it is given.
pub(super) fn is_evaluating(name: &str) -> bool {
    EVALUATING.contains(&name)
}

/// Whether the word behind one that may be nothing is a builtin that evaluates.
pub(super) fn is_unmistakable(word: &Word) -> bool {
    UNMISTAKABLE.contains(&word.said.as_str())
}

/// Whether a script seems to use a variable where the name of a command stands: `$name ...`, `"${name}" ...`.
fn is_command_by(script: &str, name: &str) -> bool {
    const BEHIND: [&str; 11] =
        ["then", "do", "else", "elif", "if", "while", "until", "time", "command", "builtin", "!"];
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    script.match_indices(name).any(|(at, _)| {
        let ends = !script[at + name.len()..].starts_with(is_of_name);
        let before = script[..at].strip_suffix('$').or_else(|| script[..at].strip_suffix("${"));
        let Some(before) = before.filter(|_| ends) else { return false };
        let before = before.trim_end_matches('"');
        let line = before.trim_end_matches([' ', '\t']);
        let word = line.rsplit([' ', '\t', '\n', ';']).next().unwrap_or_default();
        line.is_empty()
            || line.ends_with(['\n', ';', '|', '&', '(', '`'])
            || (line.len() < before.len() && (line.ends_with('{') || BEHIND.contains(&word)))
    })
}

impl Called {
    /// Notes a variable or an alias whose text begins with such a builtin, or with a shell that is given code: `sh -c`.
    pub(super) fn hide(&mut self, name: &str, text: &str) {
        let mut words = text.split([' ', '\t', '\n']);
        let first = words.next().unwrap_or_default();
        let takes_code = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
        let is_shell = first.rsplit('/').next().is_some_and(|name| SHELLS.contains(&name));
        if UNMISTAKABLE.contains(&first) || (is_shell && words.any(takes_code)) {
            self.hidden.insert(name.to_owned());
        }
    }

    /// Notes what an assignment gives to a variable.
    pub(super) fn assign(&mut self, name: &str, word: &Word, from: usize) {
        self.hide(name, &word.said[from..]);
        let is_filled = word.references.iter().any(|reference| !reference.is_nested && reference.at == from);
        // Which word of a list is the name is not looked for.
        let is_one = from > 0;
        if is_filled || (is_one && is_evaluating(&word.said[from..])) {
            self.fill(name);
        }
    }

    /// Notes a variable whose text a value begins.
    pub(super) fn fill(&mut self, name: &str) {
        self.filled.insert(name.to_owned());
    }

    /// Looks for commands whose name is in such a variable.
    pub(super) fn find_filled(&mut self, script: &str) {
        let named = self.filled.iter().filter(|name| is_command_by(script, name));
        self.hidden.extend(named.cloned());
    }

    /// Notes what a command prints, if that is such a builtin and nothing else: `$(echo eval) ...`.
    pub(super) fn print(&mut self, words: &[Word]) {
        let mut words = words.iter().skip_while(|word| word.is_option());
        let is_english = |name: &&str| matches!(*name, "local" | "integer");
        let name = words.next().map(|word| word.said.as_str()).filter(|name| !is_english(name));
        if let Some(name) = name.filter(|_| words.all(Word::is_option)) {
            self.hide("", name);
        }
    }

    /// Notes what a command is given whose name is in a variable, or may be an alias.
    pub(super) fn call(&mut self, name: Option<&str>, words: &[Word]) {
        let name: Option<Rc<str>> = name.map(Rc::from);
        let references = words.iter().flat_map(|word| &word.references);
        self.given.extend(references.map(|reference| (reference.part, name.clone())));
    }

    /// Notes the options of a command whose name is in a variable.
    pub(super) fn may_declare(&mut self, words: &[Word]) {
        self.may_declare |= words.iter().any(|word| word.has_option(&['i', 'n', 'E', 'F']));
    }

    /// Whether a variable is made a number by a builtin whose name is in another.
    pub(super) fn declares(&self) -> bool {
        self.may_declare && !self.hidden.is_empty()
    }

    /// Takes what was noted elsewhere in the same script.
    pub(super) fn absorb(&mut self, other: Self) {
        self.may_declare |= other.may_declare;
        self.hidden.extend(other.hidden);
        self.filled.extend(other.filled);
        self.given.extend(other.given);
    }

    /// Says what can be said at the end of the script.
    pub(super) fn verdicts(&self) -> Vec<Found> {
        let is_hidden = |name: &Option<Rc<str>>| match name {
            Some(name) => self.hidden.contains(&**name),
            None => !self.hidden.is_empty(),
        };
        let hidden = self.given.iter().filter(|(_, name)| is_hidden(name));
        hidden.map(|(part, _)| (*part, Verdict::Doubted(Doubt::Command))).collect()
    }
}
