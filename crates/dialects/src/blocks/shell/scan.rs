//! The scanner: walks a command as a shell would and writes it out again, references made variables.

use super::here;
use super::place::{Command, Frame};
use super::{Output, Reason, Symbol, variable};

/// Texts inside texts (here-documents, backticks) that are followed; deeper ones are not.
const DEPTH_MAX: usize = 8;

/// Scans commands up to the end of the input.
pub(super) fn command(output: &mut Output, input: &[Symbol]) {
    inside(output, input, Frame::Command(Command::new(false)));
}

/// Scans the text of a here-document.
pub(super) fn here_text(output: &mut Output, input: &[Symbol]) {
    inside(output, input, Frame::Here);
}

fn inside(output: &mut Output, input: &[Symbol], base: Frame) {
    if output.depth >= DEPTH_MAX {
        output.is_lost = true;
        return output.copy(input, Reason::Unclear);
    }
    output.depth += 1;
    let mut scan = Scan { input, at: 0, frames: vec![base], bash_until: 0 };
    while scan.at < input.len() {
        scan.step(output);
    }
    output.depth -= 1;
    let is_open = scan.frames.len() > 1 || scan.command().is_some_and(|command| !command.heres.is_empty());
    // What is open at the end of a text inside a text leaves the outer one unclear.
    output.is_lost |= is_open && output.depth > 0;
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

    fn step(&mut self, output: &mut Output) {
        match self.peek(0) {
            Some(Symbol::Reference { part, index }) => self.reference(output, part, index),
            Some(Symbol::Char('\\')) => self.backslash(output),
            Some(Symbol::Char('$')) => self.dollar(output),
            Some(Symbol::Char('`')) => self.backticks(output),
            Some(Symbol::Char(character)) => match self.frames.last() {
                Some(Frame::Command(_)) => self.in_command(output, character),
                Some(Frame::Double) if character == '"' => self.close(1, output),
                Some(Frame::Expansion) => self.in_expansion(output, character),
                Some(Frame::Arithmetic { .. }) => self.in_arithmetic(output, character),
                _ => self.copy_one(output),
            },
            None => {}
        }
    }

    pub(super) fn open(&mut self, count: usize, frame: Frame, output: &mut Output) {
        if let Some(command) = self.command() {
            command.quote();
        }
        self.copy_count(count, output);
        self.frames.push(frame);
    }

    pub(super) fn close(&mut self, count: usize, output: &mut Output) {
        self.copy_count(count, output);
        self.frames.pop();
    }

    fn reference(&mut self, output: &mut Output, part: usize, index: usize) {
        self.at += 1;
        if let Some(reason) = self.refusal(output) {
            return output.refuse(part, reason);
        }
        let name = variable(index);
        match self.frames.last_mut() {
            Some(Frame::Command(command)) => {
                command.quote();
                output.text.push_str(&format!("\"${{{name}}}\""));
            }
            Some(Frame::Arithmetic { references, .. }) => {
                references.push(part);
                output.numbers.insert(index);
                output.text.push_str(&format!("(${{{name}}})"));
            }
            _ => output.text.push_str(&format!("${{{name}}}")),
        }
    }

    /// Why no reference may stand here, whatever the quotes.
    fn refusal(&self, output: &Output) -> Option<Reason> {
        if output.is_lost {
            return Some(Reason::Unclear);
        }
        if self.at <= self.bash_until {
            return Some(Reason::Bash);
        }
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Expansion => return Some(Reason::Expansion),
                Frame::Command(command) => {
                    let is_bash = command.is_conditional || command.arithmetic.is_some();
                    return is_bash.then_some(Reason::Bash);
                }
                _ => {}
            }
        }
        None
    }

    fn backslash(&mut self, output: &mut Output) {
        let next = self.peek(1);
        if let Some(command) = self.command()
            && next != Some(Symbol::Char('\n'))
        {
            command.quote();
        }
        if let Some(Symbol::Reference { part, .. }) = next {
            output.refuse(part, Reason::Backslash);
        }
        self.copy_count(2, output);
    }

    fn in_command(&mut self, output: &mut Output, character: char) {
        let next = self.peek(1);
        let Some(command) = self.command() else { return };
        match character {
            '\'' => return self.single(output),
            '"' => return self.open(1, Frame::Double, output),
            '#' if command.is_between_words() => return self.comment(output),
            '\n' => return self.line_end(output),
            '<' if next == Some(Symbol::Char('<')) => return self.here(output),
            ')' => {
                let is_end = command.close_paren();
                output.is_lost |= is_end && !command.heres.is_empty();
                return if is_end { self.close(1, output) } else { self.copy_one(output) };
            }
            '(' => command.open_paren(next == Some(Symbol::Char('('))),
            ';' | '&' | '|' => command.end_command(),
            ' ' | '\t' | '<' | '>' => command.end_word(),
            _ => command.letter(character),
        }
        self.copy_one(output);
    }

    pub(super) fn single(&mut self, output: &mut Output) {
        self.parameter(1, output);
        while let Some(symbol) = self.peek(0) {
            match symbol {
                Symbol::Char('\'') => return self.copy_one(output),
                Symbol::Char(_) => self.copy_one(output),
                Symbol::Reference { part, index } => {
                    self.at += 1;
                    match self.refusal(output) {
                        Some(reason) => output.refuse(part, reason),
                        None => output.text.push_str(&format!("'\"${{{}}}\"'", variable(index))),
                    }
                }
            }
        }
        output.is_lost = true;
    }

    fn comment(&mut self, output: &mut Output) {
        while let Some(symbol) = self.peek(0).filter(|symbol| *symbol != Symbol::Char('\n')) {
            if let Symbol::Reference { index, .. } = symbol {
                output.text.push_str(&format!("${{{}}}", variable(index)));
            }
            self.copy_one(output);
        }
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
        let heres = std::mem::take(&mut command.heres);
        for (number, here) in heres.iter().enumerate() {
            if number > 0 {
                self.take_if('\n', output);
            }
            here::body(self, output, here);
        }
    }

    fn here(&mut self, output: &mut Output) {
        let Some(command) = self.command() else { return };
        command.end_word();
        let is_shift = command.arithmetic.is_some();
        self.copy_count(2, output);
        if is_shift || self.take_if('<', output) {
            return;
        }
        let here = here::announce(self, output);
        if let Some(command) = self.command() {
            command.heres.push(here);
        }
    }
}
