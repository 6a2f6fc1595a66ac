//! What goes through pipes: `echo ... | sh` is the same as `sh <<END`.
//!
//! ```text
//! echo @ | tr a b | sh        said by echo, passed on, read by a shell
//! { echo @; date; } | sh      said inside, by whoever reads the braces
//! cat <<END | sh              the text comes only after the line
//! echo @ | { read a; sh; }    each command inside reads on
//! { read a; sh; } <<< @       the same, and known only at the end
//! ```
//! Only what a command says of its own words or of its input is followed: `curl @ | sh` runs what comes from there, not the value.

use super::Doubt;
use super::handed::program;
use super::here::Here;
use super::judge::{Found, Verdict, WORDS_MAX, head};
use super::reads;
use super::word::{Reference, Word};

/// Commands that say their words.
const SAYING: [&str; 3] = ["echo", "printf", "print"];

/// Commands that say what they read, or a part of it.
const PASSING: [&str; 23] = [
    "cat", "tee", "tr", "cut", "sort", "uniq", "head", "tail", "nl", "tac", "rev", "column", "base64",
    "grep", "egrep", "fgrep", "rg", "jq", "yq", "sed", "awk", "envsubst", "paste",
];

/// Words that end what holds commands, as a command of their own.
const ENDS: [&str; 3] = ["}", "done", "fi"];

/// Commands in braces or the like that pass on what all of them read; of further ones nothing is noted.
const PASSED_MAX: usize = 8;

/// What is said and read in a list of commands.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    /// Parts that were said, and went into no pipe of this list.
    said: Vec<usize>,
    /// What holds commands and is open.
    opened: Vec<Opened>,
    /// Whether such a thing has just been closed by a sign.
    is_closed: bool,
    /// What has gone through pipes.
    inputs: Vec<Input>,
    /// Which of them the next command reads.
    next: Option<usize>,
    /// How many here-documents the commands before have.
    before: usize,
    /// How often here-documents have been read.
    round: usize,
}

/// What goes through a pipe.
#[derive(Debug, Default)]
struct Input {
    parts: Vec<usize>,
    /// Here-documents whose text has not been read yet, and how often others had been.
    heres: Vec<usize>,
    round: usize,
    /// How many commands have passed it on.
    passed: usize,
}

/// What holds commands: braces, a loop.
#[derive(Debug, Default)]
struct Opened {
    /// How much had been said before.
    said: usize,
    /// What is read inside.
    input: Option<usize>,
    /// Whether that is read by what is around it, too.
    is_inherited: bool,
    /// What is to be said of it, if a command inside runs what it reads.
    runs: Option<Doubt>,
}

/// A command that has ended.
pub(super) struct Ended<'e> {
    pub(super) words: &'e [Word],
    /// The references in what it reads otherwise.
    pub(super) fed: &'e [Reference],
    /// Whether it reads a file, or a text, and nothing else.
    pub(super) has_input: bool,
    /// Whether another reads what it says.
    pub(super) is_piped: bool,
}

impl Pipe {
    /// Takes what begins to hold commands: `{`, `(`, `if`, `while`.
    pub(super) fn open(&mut self) {
        let piped = self.next.take();
        let around = self.opened.last().and_then(|opened| opened.input);
        let (input, is_inherited) = (piped.or(around), piped.is_none());
        self.opened.push(Opened { said: self.said.len(), input, is_inherited, runs: None });
    }

    /// Takes the sign that ends it.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// The here-documents have been read.
    pub(super) fn forget_heres(&mut self) {
        self.round += 1;
        self.before = 0;
    }

    /// Takes a command: what it reads may be code, and what it says goes on.
    pub(super) fn pass(&mut self, command: &Ended<'_>, heres: &mut [Here], found: &mut Vec<Found>) {
        let (before, words) =
            command.words.split_at(head(&command.words[..command.words.len().min(WORDS_MAX)]));
        let is_end = words.first().is_some_and(|word| !word.is_quoted && ENDS.contains(&word.bare.as_str()));
        let is_closed = std::mem::take(&mut self.is_closed);
        if is_closed && !command.words.is_empty() {
            // `(a) echo` in a `case`, `if (a) then echo`: it was closed before this command began.
            self.leave(false);
        }
        let is_end = is_end || (is_closed && command.words.is_empty());
        // A line may end behind a pipe, and braces may begin there.
        if command.words.is_empty() && !is_end {
            return;
        }
        let own = self.before..heres.len();
        self.before = heres.len();
        if is_end {
            return self.end(command, &mut heres[own], found);
        }
        let piped = self.next.take();
        // `command -v sh` runs nothing.
        let is_asked = before.iter().any(|word| word.has_option(&['v', 'V']));
        let may_run = piped.is_some() || (reads::begins(words) && !is_asked);
        // `<<END sh`: that it reads code is known only now.
        if let Some(doubt) = reads::doubt(words).filter(|_| !is_asked) {
            heres[own.clone()].iter_mut().for_each(|here| here.is_code(doubt));
        }
        let input = piped.or(self.opened.last().and_then(|opened| opened.input));
        let input = input.filter(|_| !command.has_input);
        if let Some(doubt) = reads::doubt(words).filter(|_| may_run) {
            input.into_iter().for_each(|input| self.run(input, doubt, heres, found));
            let around = self.opened.last_mut().filter(|_| piped.is_none() && !command.has_input);
            around.into_iter().for_each(|opened| opened.runs = opened.runs.or(Some(doubt)));
        }
        let mut said = self.said_by(words, command, input);
        match command.is_piped {
            true => {
                said.heres.extend(own.filter(|_| passes(words)));
                self.next = Some(self.inputs.len());
                self.inputs.push(said);
            }
            false => self.said.append(&mut said.parts),
        }
    }

    /// Ends what holds commands: what it is fed, they have read, and what they said goes on.
    fn end(&mut self, command: &Ended<'_>, heres: &mut [Here], found: &mut Vec<Found>) {
        self.next = None;
        let opened = self.leave(command.has_input);
        if let Some(doubt) = opened.runs {
            found.extend(command.fed.iter().map(|fed| (fed.part, Verdict::Doubted(doubt))));
            heres.iter_mut().for_each(|here| here.is_code(doubt));
        }
        if command.is_piped {
            let parts = self.said.split_off(opened.said.min(self.said.len()));
            self.next = Some(self.inputs.len());
            self.inputs.push(Input { parts, round: self.round, ..Input::default() });
        }
    }

    fn leave(&mut self, has_input: bool) -> Opened {
        let opened = self.opened.pop().unwrap_or_default();
        let around = self.opened.last_mut().filter(|_| opened.is_inherited && !has_input);
        around.into_iter().for_each(|around| around.runs = around.runs.or(opened.runs));
        opened
    }

    /// Notes that a command runs what goes through a pipe. Once is enough.
    fn run(&mut self, input: usize, doubt: Doubt, heres: &mut [Here], found: &mut Vec<Found>) {
        let Input { parts, heres: read, round, .. } = std::mem::take(&mut self.inputs[input]);
        found.extend(parts.into_iter().map(|part| (part, Verdict::Doubted(doubt))));
        let read = read.into_iter().filter(|_| round == self.round);
        read.for_each(|at| heres.get_mut(at).into_iter().for_each(|here| here.is_code(doubt)));
    }

    /// What a command says of its words, or passes on.
    fn said_by(&mut self, words: &[Word], command: &Ended<'_>, input: Option<usize>) -> Input {
        let mut said = Input { round: self.round, ..Input::default() };
        if words.first().is_some_and(|word| SAYING.contains(&program(word))) {
            let references = words[1..].iter().flat_map(|word| &word.references);
            said.parts.extend(references.map(|reference| reference.part));
        } else if passes(words) {
            if let Some(input) = input.map(|at| &mut self.inputs[at]).filter(|one| one.passed < PASSED_MAX) {
                input.passed += 1;
                said.parts.extend(&input.parts);
                said.heres.extend(input.heres.iter().filter(|_| input.round == self.round));
            }
            said.parts.extend(command.fed.iter().map(|reference| reference.part));
        }
        said
    }
}

fn passes(words: &[Word]) -> bool {
    words.first().is_some_and(|word| PASSING.contains(&program(word)))
}
