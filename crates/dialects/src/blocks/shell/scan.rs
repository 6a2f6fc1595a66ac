//! The scanner: walks a command as a shell would and writes it out again, references made variables.

use super::here::{self, Reader};
use super::list::{Command, Redirect};
use super::place::Frame;
use super::word::{SPLIT, UNKNOWN};
use super::{Output, Reason, Symbol, given, reads};

/// Texts inside texts (here-documents, backticks) that are followed; deeper ones are not.
const DEPTH_MAX: usize = 8;

/// Quotes, substitutions and the like inside each other that are followed; where there are more, nothing more is known.
const OPEN_MAX: usize = 200;

/// Here-documents of one command of which is noted which variables get them.
const NAMED_MAX: usize = 8;

/// Scans commands up to the end of the input; none of their references may stand there if `outside` says why.
pub(super) fn command(output: &mut Output, input: &[Symbol], outside: Option<Reason>) {
    inside(output, input, Frame::Command(Box::new(Command::new(false))), outside);
}

/// Scans the text of a here-document.
pub(super) fn here_text(output: &mut Output, input: &[Symbol], outside: Option<Reason>) {
    inside(output, input, Frame::Here, outside);
}

fn inside(output: &mut Output, input: &[Symbol], base: Frame, outside: Option<Reason>) {
    if output.depth >= DEPTH_MAX {
        output.is_lost = true;
        return output.copy(input, Reason::Unclear);
    }
    output.depth += 1;
    let before = std::mem::replace(&mut output.outside, outside);
    let mut scan = Scan { input, at: 0, frames: vec![base], bash_until: 0 };
    while scan.at < input.len() {
        scan.step(output);
    }
    output.outside = before;
    output.depth -= 1;
    let is_open = scan.frames.len() > 1 || scan.command().is_some_and(|command| !command.heres.is_empty());
    scan.frames.into_iter().for_each(|frame| leave(frame, output));
    // What is open at the end of a text inside a text leaves the outer one unclear.
    output.is_lost |= is_open && output.depth > 0;
}

/// Takes from a list of commands what was found in it.
fn leave(frame: Frame, output: &mut Output) {
    if let Frame::Command(mut command) = frame {
        command.end();
        output.find(command.findings);
    }
}

/// A walk over symbols.
pub(super) struct Scan<'a> {
    pub(super) input: &'a [Symbol],
    pub(super) at: usize,
    pub(super) frames: Vec<Frame>,
    /// Up to here the text stands in `$[...]`.
    pub(super) bash_until: usize,
}

impl Scan<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<Symbol> {
        self.input.get(self.at + ahead).copied()
    }

    pub(super) fn is_char(&self, ahead: usize, character: char) -> bool {
        self.peek(ahead) == Some(Symbol::Char(character))
    }

    /// The symbol after so many, lines that are continued taken as one.
    pub(super) fn peek_joined(&self, mut ahead: usize) -> Option<Symbol> {
        while self.is_char(ahead, '\\') && self.is_char(ahead + 1, '\n') {
            ahead += 2;
        }
        self.peek(ahead)
    }

    /// Copies one symbol as it is.
    pub(super) fn copy_one(&mut self, output: &mut Output) {
        if let Some(Symbol::Char(character)) = self.peek(0) {
            output.text.push(character);
        }
        self.at += 1;
    }

    pub(super) fn take_if(&mut self, character: char, output: &mut Output) -> bool {
        let is_next = self.is_char(0, character);
        if is_next {
            self.copy_one(output);
        }
        is_next
    }

    pub(super) fn copy_count(&mut self, count: usize, output: &mut Output) {
        (0..count).for_each(|_| self.copy_one(output));
    }

    /// The innermost frame, if it is a list of commands.
    pub(super) fn command(&mut self) -> Option<&mut Command> {
        match self.frames.last_mut() {
            Some(Frame::Command(command)) => Some(command),
            _ => None,
        }
    }

    /// Notes that the word has a part that is not bare.
    pub(super) fn mark_quoted(&mut self) {
        if let Some(command) = self.command() {
            command.quote();
        }
    }

    /// Adds a quoted character, or what is not known yet, to the text of the word it stands in.
    pub(super) fn say(&mut self, character: char) {
        let speaker = match self.frames.as_mut_slice() {
            [.., Frame::Command(command)] | [.., Frame::Command(command), Frame::Double] => command,
            _ => return,
        };
        speaker.word.said.push(character);
    }

    /// Adds what is not known yet to the text of the word it stands in.
    pub(super) fn say_unknown(&mut self) {
        let is_bare = self.command().is_some();
        self.say(if is_bare { SPLIT } else { UNKNOWN });
    }

    fn step(&mut self, output: &mut Output) {
        match self.peek(0) {
            Some(Symbol::Reference { part, index }) => self.reference(output, part, index),
            Some(Symbol::Char('\\')) => self.backslash(output),
            Some(Symbol::Char('$')) => self.dollar(output),
            Some(Symbol::Char('`')) => self.backticks(output),
            Some(Symbol::Char(character)) => match self.frames.last() {
                Some(Frame::Command(_)) => self.in_command(output, character),
                Some(Frame::Double) if character == '"' => self.close(1, output),
                Some(Frame::Double) => {
                    self.say(character);
                    self.copy_one(output);
                }
                Some(Frame::Expansion { .. }) => self.in_expansion(output, character),
                Some(Frame::Arithmetic { .. }) => self.in_arithmetic(output, character),
                _ => self.copy_one(output),
            },
            None => {}
        }
    }

    pub(super) fn open(&mut self, count: usize, frame: Frame, output: &mut Output) {
        if self.frames.len() >= OPEN_MAX {
            output.is_lost = true;
            output.copy(&self.input[self.at..], Reason::Unclear);
            self.at = self.input.len();
            return;
        }
        self.mark_quoted();
        if !matches!(frame, Frame::Double) {
            self.say_unknown();
        }
        self.copy_count(count, output);
        self.frames.push(frame);
    }

    pub(super) fn close(&mut self, count: usize, output: &mut Output) {
        self.copy_count(count, output);
        self.frames.pop().into_iter().for_each(|frame| leave(frame, output));
    }

    fn in_command(&mut self, output: &mut Output, character: char) {
        let next = self.peek_joined(1);
        let is_doubled = next == Some(Symbol::Char(character));
        let is_joined = is_doubled && !self.is_char(1, character);
        let Some(command) = self.command() else { return };
        output.is_lost |= command.breaks_compound(character, next);
        match character {
            '\'' => return self.single(output),
            '"' => return self.open(1, Frame::Double, output),
            '#' if command.word.is_empty() => return self.comment(output),
            '\n' => return self.line_end(output),
            '<' if is_doubled => {
                output.is_lost |= is_joined;
                return self.here(output);
            }
            ')' => {
                let is_end = command.close_paren();
                output.is_lost |= is_end && !command.heres.is_empty();
                return if is_end { self.close(1, output) } else { self.copy_one(output) };
            }
            '(' => command.open_paren(is_doubled),
            '&' | '|' if command.is_redirecting() => command.redirect_on(character),
            '&' if next == Some(Symbol::Char('>')) => command.end_word(),
            '|' if !is_doubled => command.pipe(),
            ';' | '&' | '|' => command.end_command(),
            ' ' | '\t' => command.end_word(),
            '<' | '>' if command.is_process(next) => {
                command.word.is_process = true;
                return self.open(2, Frame::Command(Box::new(Command::new(true))), output);
            }
            '<' => command.redirect(Some(Redirect::Source)),
            '>' => command.redirect(Some(Redirect::Target)),
            _ => command.letter(character),
        }
        self.copy_one(output);
    }

    fn line_end(&mut self, output: &mut Output) {
        let innermost = self.frames.len() - 1;
        let is_outer_waiting = self.frames[..innermost]
            .iter()
            .any(|frame| matches!(frame, Frame::Command(command) if !command.heres.is_empty()));
        output.is_lost |= is_outer_waiting;
        self.copy_one(output);
        let Some(command) = self.command() else { return };
        command.end_command();
        // An alias holds from the next line on.
        output.is_lost |= command.findings.is_rewritten;
        let heres = command.take_heres();
        for (number, here) in heres.iter().enumerate() {
            if number > 0 {
                self.take_if('\n', output);
            }
            let start = self.at;
            here::body(self, output, here);
            self.note_inside(&self.input[start..self.at.min(self.input.len())], 1, output);
        }
    }

    fn here(&mut self, output: &mut Output) {
        // In `$[1<<4]` bash shifts a number, and other shells begin a here-document.
        output.is_lost |= self.at < self.bash_until;
        let Some(command) = self.command() else { return };
        command.redirect(None);
        let is_shift = command.arithmetic.is_some();
        let is_few = command.heres.len() < NAMED_MAX;
        let reader = Reader {
            code: reads::doubt(&command.words),
            names: if is_few { given::filled(&command.words) } else { Vec::new() },
        };
        self.copy_count(2, output);
        if is_shift {
            return;
        }
        if self.take_if('<', output) {
            self.command().into_iter().for_each(|command| command.redirect(Some(Redirect::HereString)));
            return;
        }
        let here = here::announce(self, output, reader);
        if let Some(command) = self.command() {
            command.heres.push(here);
        }
    }
}
