//! Where the scanner is: the quotes, substitutions and commands that are open.

use super::here::Here;

/// One thing that is open and has an end of its own.
#[derive(Debug)]
pub(super) enum Frame {
    /// Commands: the script, `$(...)`, or the inside of backticks.
    Command(Command),
    /// `"..."`.
    Double,
    /// The text of a here-document whose mark is not quoted.
    Here,
    /// `${...}`.
    Expansion,
    /// `$((...))`, with the parts of the references in it.
    Arithmetic { parens: usize, references: Vec<usize> },
}

/// The state of a list of commands.
#[derive(Debug, Default)]
pub(super) struct Command {
    /// Whether a `)` ends it.
    pub(super) has_end: bool,
    /// How many `(` are open.
    pub(super) parens: usize,
    /// The `(` that were open at each `case` without its `esac`: there a `)` ends a pattern.
    cases: Vec<usize>,
    /// The bare letters of the word that is being read.
    word: String,
    /// Whether that word has more than bare letters.
    is_quoted: bool,
    /// Whether the next word is the name of a command.
    pub(super) is_start: bool,
    /// Whether `[[` is open.
    pub(super) is_conditional: bool,
    /// How many `(` were open before a `((` that begins a command.
    pub(super) arithmetic: Option<usize>,
    /// Here-documents whose text begins on the next line.
    pub(super) heres: Vec<Here>,
}

impl Command {
    pub(super) fn new(has_end: bool) -> Self {
        Self { has_end, is_start: true, ..Self::default() }
    }

    pub(super) fn letter(&mut self, character: char) {
        self.word.push(character);
    }

    /// Notes that the word has a part that is quoted or expanded.
    pub(super) fn quote(&mut self) {
        self.is_quoted = true;
    }

    pub(super) fn is_between_words(&self) -> bool {
        self.word.is_empty() && !self.is_quoted
    }

    /// Ends the word and learns from it where the next one stands.
    pub(super) fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let is_bare = !std::mem::take(&mut self.is_quoted);
        if is_bare && word.is_empty() {
            return;
        }
        let at_start = std::mem::replace(&mut self.is_start, false);
        if !is_bare {
            return;
        }
        match word.as_str() {
            "]]" => self.is_conditional = false,
            "in" if !self.cases.is_empty() => self.is_start = true,
            _ if at_start => self.reserved(&word),
            _ => {}
        }
    }

    fn reserved(&mut self, word: &str) {
        match word {
            "[[" => self.is_conditional = true,
            "case" => self.cases.push(self.parens),
            "esac" => drop(self.cases.pop()),
            "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "!" | "{" => self.is_start = true,
            _ => {}
        }
    }

    /// Ends a command: what follows begins another.
    pub(super) fn end_command(&mut self) {
        self.end_word();
        self.is_start = true;
    }

    pub(super) fn open_paren(&mut self, is_doubled: bool) {
        self.end_word();
        if is_doubled && self.is_start && self.arithmetic.is_none() {
            self.arithmetic = Some(self.parens);
        }
        self.parens += 1;
        self.is_start = true;
    }

    /// Takes a `)`; tells whether it ends this list of commands.
    pub(super) fn close_paren(&mut self) -> bool {
        self.end_command();
        if self.cases.last() == Some(&self.parens) {
            return false;
        }
        if self.parens == 0 {
            return self.has_end;
        }
        self.parens -= 1;
        if self.arithmetic == Some(self.parens) {
            self.arithmetic = None;
        }
        false
    }
}
