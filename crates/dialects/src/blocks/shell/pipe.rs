//! What goes through pipes: `echo ... | sh` is the same as `sh <<END`.
//!
//! ```text
//! echo @ | tr a b | sh        said by echo, passed on, read by a shell
//! { echo @; date; } | sh      said inside, by whoever reads the braces
//! cat <<END | sh              the text comes only after the line
//! ```
//! Only what a command says of its own words or of its input is followed: `curl @ | sh` runs what comes from there, not the value.

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

/// What is said and read in a list of commands.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    /// Parts that were said, and went into no pipe of this list.
    said: Vec<usize>,
    /// How much had been said before each thing that holds commands and is open.
    opened: Vec<usize>,
    /// Whether such a thing has just been closed by a sign.
    is_closed: bool,
    /// Parts that the command reads from a pipe.
    read: Vec<usize>,
    /// Here-documents that it reads so.
    heres: Vec<usize>,
    /// How many here-documents the commands before have.
    before: usize,
}

/// A command that has ended.
pub(super) struct Ended<'e> {
    pub(super) words: &'e [Word],
    /// The references in what it reads otherwise.
    pub(super) fed: &'e [Reference],
    /// Whether another reads what it says.
    pub(super) is_piped: bool,
}

impl Pipe {
    /// Takes what begins to hold commands: `{`, `(`, `if`, `while`.
    pub(super) fn open(&mut self) {
        self.opened.push(self.said.len());
    }

    /// Takes the sign that ends it.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// The here-documents have been read.
    pub(super) fn forget_heres(&mut self) {
        self.heres.clear();
        self.before = 0;
    }

    /// Takes a command: what it reads may be code, and what it says goes on.
    pub(super) fn pass(&mut self, command: &Ended<'_>, heres: &mut [Here], found: &mut Vec<Found>) {
        let words = &command.words[head(&command.words[..command.words.len().min(WORDS_MAX)])..];
        let is_end = words.first().is_some_and(|word| !word.is_quoted && ENDS.contains(&word.bare.as_str()));
        let is_closed = std::mem::take(&mut self.is_closed);
        if is_closed && !command.words.is_empty() {
            // `(a) echo` in a `case`, `if (a) then echo`: it was closed before this command began.
            self.opened.pop();
        }
        let is_end = is_end || (is_closed && command.words.is_empty());
        // A line may end behind a pipe, and braces may begin there.
        if command.words.is_empty() && !is_end {
            return;
        }
        let (read, read_heres) = (std::mem::take(&mut self.read), std::mem::take(&mut self.heres));
        if let Some(doubt) = reads::doubt(words) {
            found.extend(read.iter().map(|part| (*part, Verdict::Doubted(doubt))));
            for at in &read_heres {
                heres.get_mut(*at).into_iter().for_each(|here| here.is_code(doubt));
            }
        }
        let own = self.before..heres.len();
        self.before = heres.len();
        let name = words.first().map_or("", program);
        if is_end {
            let from = self.opened.pop().unwrap_or_default().min(self.said.len());
            if command.is_piped {
                self.read = self.said.split_off(from);
            }
            return;
        }
        let mut says: Vec<usize> = Vec::new();
        if SAYING.contains(&name) {
            says.extend(words[1..].iter().flat_map(|word| &word.references).map(|reference| reference.part));
        } else if PASSING.contains(&name) {
            says = read;
            says.extend(command.fed.iter().map(|reference| reference.part));
            self.heres.extend(read_heres.into_iter().chain(own).filter(|_| command.is_piped));
        }
        match command.is_piped {
            true => self.read = says,
            false => self.said.append(&mut says),
        }
    }
}
