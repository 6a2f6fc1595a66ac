//! A list of commands as it is read: which command a word belongs to, and what is open in it.

use super::here::Here;
use super::judge::{self, Findings, Judged, Verdict};
use super::pipe::{Ended, Pipe};
use super::word::{Reference, Word, is_name};
use super::{Reason, Symbol, reads};
use std::rc::Rc;

/// The state of a list of commands.
#[derive(Debug, Default)]
pub(super) struct Command {
    /// Whether a `)` ends it.
    pub(super) has_end: bool,
    /// How many `(` are open.
    pub(super) parens: usize,
    /// The `(` that were open at each `case` without its `esac`: there a `)` ends a pattern.
    cases: Vec<usize>,
    /// The word that is being read.
    pub(super) word: Word,
    /// The words before it, of the same command.
    pub(super) words: Vec<Word>,
    /// Whether the next word is the name of a command.
    is_start: bool,
    /// Whether the next word is a name that a command follows: `function name`, `for name`.
    is_named: bool,
    /// Whether `coproc` has just been read: the next word may be the array that it makes.
    is_coproc: bool,
    /// The variable of a `for` or `select` whose words are being read.
    looped: Option<Rc<str>>,
    /// What the next word is, if it belongs to a redirection.
    redirect: Option<Redirect>,
    /// Whether `[[` is open.
    pub(super) is_conditional: bool,
    /// How many `(` were open before a `((`.
    pub(super) arithmetic: Option<usize>,
    /// How many `(` were open before that of `name=(...)`, and the name.
    compound: Option<(usize, Rc<str>)>,
    /// How many `[` of a subscript are open.
    pub(super) subscript: usize,
    /// Here-documents whose text begins on the next line.
    pub(super) heres: Vec<Here>,
    /// The references in what the command reads: `<<< ...`, `< <(...)`.
    fed: Vec<Reference>,
    /// Whether the command reads what a redirection says.
    has_input: bool,
    /// What goes through pipes.
    pipe: Pipe,
    /// What was found out in commands that have ended.
    pub(super) findings: Findings,
}

/// What stands after the sign of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redirect {
    /// A file or a descriptor.
    Target,
    /// What stands after `<`: what `<(...)` says is read.
    Source,
    /// What stands after `>&`: where it is no number, bash expands it a second time.
    Copied,
    /// The text of `<<<`.
    HereString,
}

impl Command {
    pub(super) fn new(has_end: bool) -> Self {
        Self { has_end, is_start: true, ..Self::default() }
    }

    pub(super) fn letter(&mut self, character: char) {
        match character {
            '[' if self.subscript > 0 || self.opens_subscript() => self.subscript += 1,
            ']' if self.subscript > 0 => self.subscript -= 1,
            _ => {}
        }
        self.word.bare.push(character);
        self.word.said.push(character);
    }

    /// Whether a `[` would begin a subscript: `name[`, `{name[` before a redirection, `[` in `name=(...)`.
    fn opens_subscript(&self) -> bool {
        let bare = self.word.bare.as_str();
        let is_assigned = is_name(bare) && judge::declares(&self.words);
        let is_element = self.compound.is_some() && bare.is_empty();
        !self.word.is_quoted && (is_assigned || is_element || bare.strip_prefix('{').is_some_and(is_name))
    }

    /// Notes that the word has a part that is quoted or expanded.
    pub(super) fn quote(&mut self) {
        self.word.is_quoted = true;
    }

    /// Ends the word and learns from it where the next one stands.
    pub(super) fn end_word(&mut self) {
        let mut word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        if let Some(redirect) = self.redirect.take() {
            let verdict = match redirect {
                Redirect::Source if word.is_process => reads::doubt(&self.words).map(Verdict::Doubted),
                Redirect::Target | Redirect::Source => None,
                Redirect::Copied => Some(Verdict::Refused(Reason::Copied)),
                Redirect::HereString => reads::doubt(&self.words).map(Verdict::Doubted),
            };
            if let Some(verdict) = verdict {
                judge::all(&word, verdict, &mut self.findings.found);
            }
            self.fed.extend(word.references);
            return;
        }
        word.element_of = self.compound.as_ref().map(|(_, name)| Rc::clone(name));
        let at_start = std::mem::replace(&mut self.is_start, false);
        if std::mem::take(&mut self.is_coproc) {
            self.findings.names.is_array(&word.said);
        }
        if std::mem::take(&mut self.is_named) {
            self.is_start = true;
            self.looped = Some(word.said.into());
        } else if word.is_quoted || word.is_element() || !self.reserved(&word.bare, at_start) {
            self.words.push(word);
        }
    }

    /// Takes a reserved word; tells whether it was one.
    fn reserved(&mut self, word: &str, at_start: bool) -> bool {
        match word {
            "]]" => self.is_conditional = false,
            "[[" => self.is_conditional = true,
            "{" => {
                self.begin(false);
                self.pipe.open();
            }
            "in" if !self.cases.is_empty() && self.looped.is_none() => self.begin(false),
            _ if !at_start => return false,
            "case" => {
                self.cases.push(self.parens);
                self.pipe.open();
            }
            "esac" => {
                self.cases.pop();
                self.pipe.close();
            }
            "do" => {
                self.is_start = true;
                self.looped = None;
            }
            "if" | "while" | "until" => {
                self.is_start = true;
                self.pipe.open();
            }
            "then" | "elif" | "else" | "!" | "time" => self.is_start = true,
            "coproc" => {
                self.is_start = true;
                self.is_coproc = true;
            }
            // `time -p`.
            "-p" => self.is_start = true,
            "for" | "select" => {
                self.is_named = true;
                self.pipe.open();
            }
            "function" | "repeat" => self.is_named = true,
            _ => return false,
        }
        true
    }

    /// Begins a command; the one before it is judged.
    fn begin(&mut self, is_piped: bool) {
        let (words, fed) = (std::mem::take(&mut self.words), std::mem::take(&mut self.fed));
        let command = Judged { words: &words, looped: self.looped.take(), fed: &fed };
        judge::judge(&command, &mut self.findings);
        let has_input = std::mem::take(&mut self.has_input);
        let ended = Ended { words: &words, fed: &fed, has_input, is_piped };
        self.pipe.pass(&ended, &mut self.heres, &mut self.findings.found);
        self.is_start = true;
        self.is_named = false;
        self.redirect = None;
    }

    /// Ends a command: what follows begins another.
    pub(super) fn end_command(&mut self) {
        self.end_or_pipe(false);
    }

    /// Takes a `|` that is alone: what follows reads what the command says.
    pub(super) fn pipe(&mut self) {
        self.end_or_pipe(true);
    }

    fn end_or_pipe(&mut self, is_piped: bool) {
        self.end_word();
        if self.compound.is_none() {
            self.begin(is_piped);
        }
    }

    /// The here-documents whose text begins now.
    pub(super) fn take_heres(&mut self) -> Vec<Here> {
        self.pipe.forget_heres();
        std::mem::take(&mut self.heres)
    }

    /// Ends the list itself, whatever is open.
    pub(super) fn end(&mut self) {
        self.compound = None;
        self.end_command();
    }

    /// Takes `<` or `>`; a number before it is that of a descriptor, `{name}` the variable that gets it.
    pub(super) fn redirect(&mut self, next: Option<Redirect>) {
        let bare = self.word.bare.as_str();
        let is_number = bare.bytes().all(|byte| byte.is_ascii_digit());
        let name = bare.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let is_sign = !self.word.is_quoted && (is_number || name.is_some_and(is_name));
        self.has_input |= next != Some(Redirect::Target) && (!is_sign || matches!(bare, "" | "0"));
        if is_sign {
            self.word = Word::default();
        }
        self.end_word();
        self.redirect = next;
    }

    /// Takes the `&` or `|` behind the sign of a redirection.
    pub(super) fn redirect_on(&mut self, sign: char) {
        if sign == '&' {
            self.redirect = Some(Redirect::Copied);
        }
    }

    /// Whether the sign of a redirection has just been read, so that `&` or `|` belongs to it.
    pub(super) fn is_redirecting(&self) -> bool {
        self.redirect.is_some() && self.word.is_empty()
    }

    /// Whether `<` or `>` with this behind it begins `<(...)` or `>(...)`.
    pub(super) fn is_process(&self, next: Option<Symbol>) -> bool {
        let is_open = self.is_conditional || self.arithmetic.is_some() || self.subscript > 0;
        next == Some(Symbol::Char('(')) && !is_open
    }

    /// Whether a sign cannot stand in the `name=(...)` that is open. bash takes such a line for wrong and goes on behind it, in
    /// the middle of whatever it has begun.
    pub(super) fn breaks_compound(&self, sign: char, next: Option<Symbol>) -> bool {
        let is_wrong = matches!(sign, ';' | '&' | '|' | '(' | '<' | '>');
        self.compound.is_some() && is_wrong && !(matches!(sign, '<' | '>') && self.is_process(next))
    }

    pub(super) fn open_paren(&mut self, is_doubled: bool) {
        let bare = self.word.bare.strip_suffix('=').map(|name| name.strip_suffix('+').unwrap_or(name));
        let compound: Option<Rc<str>> =
            bare.filter(|name| !self.word.is_quoted && is_name(name)).map(Rc::from);
        self.end_word();
        if is_doubled && self.arithmetic.is_none() {
            self.arithmetic = Some(self.parens);
        } else if let Some(name) = compound.filter(|_| self.compound.is_none()) {
            self.findings.names.is_array(&name);
            self.compound = Some((self.parens, name));
            self.parens += 1;
            return;
        }
        self.parens += 1;
        if self.compound.is_none() {
            self.begin(false);
            self.pipe.open();
        }
    }

    /// Takes a `)`; tells whether it ends this list of commands.
    pub(super) fn close_paren(&mut self) -> bool {
        self.end_word();
        let is_compound = self.compound.is_some();
        if self.compound.as_ref().is_some_and(|(before, _)| before + 1 == self.parens) {
            self.compound = None;
        }
        self.end_command();
        if self.cases.last() == Some(&self.parens) {
            return false;
        }
        if self.parens == 0 {
            return self.has_end;
        }
        self.parens -= 1;
        if !is_compound {
            self.pipe.close();
        }
        if self.arithmetic == Some(self.parens) {
            self.arithmetic = None;
        }
        false
    }
}
