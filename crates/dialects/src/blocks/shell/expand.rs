//! What a shell expands: `$name`, `${...}`, `$(...)`, `$((...))`, `$'...'` and backticks.

use super::place::{Command, Frame};
use super::scan::{self, Scan};
use super::{Output, Reason, Symbol};

impl Scan<'_> {
    pub(super) fn dollar(&mut self, output: &mut Output) {
        let is_command = self.command().is_some();
        match self.peek(1) {
            Some(Symbol::Char('(')) if self.is_char(2, '(') => {
                self.open(3, Frame::Arithmetic { parens: 0, references: Vec::new() }, output);
            }
            Some(Symbol::Char('(')) => self.open(2, Frame::Command(Command::new(true)), output),
            Some(Symbol::Char('{')) => self.open(2, Frame::Expansion, output),
            Some(Symbol::Char('\'')) if is_command => self.dollar_quote(output),
            Some(Symbol::Char('[')) => {
                let close = self.input[self.at..].iter().position(|symbol| *symbol == Symbol::Char(']'));
                self.bash_until = close.map_or(self.input.len(), |length| self.at + length);
                self.parameter(2, output);
            }
            Some(Symbol::Reference { .. }) => {
                // A lone dollar is a dollar; before a brace it would not stay alone.
                output.text.push('\\');
                self.parameter(1, output);
            }
            Some(Symbol::Char('$' | '#' | '?' | '!' | '@' | '*' | '-')) => self.parameter(2, output),
            _ => self.parameter(1, output),
        }
    }

    pub(super) fn parameter(&mut self, count: usize, output: &mut Output) {
        if let Some(command) = self.command() {
            command.quote();
        }
        self.copy_count(count, output);
    }

    /// `$'...'`: some shells know escapes in it, others none.
    fn dollar_quote(&mut self, output: &mut Output) {
        self.parameter(2, output);
        while let Some(symbol) = self.peek(0) {
            match symbol {
                Symbol::Char('\'') => return self.copy_one(output),
                Symbol::Char('\\') => {
                    output.is_lost |= self.is_char(1, '\'') || self.is_char(1, '\\');
                }
                Symbol::Char(_) => {}
                Symbol::Reference { part, .. } => output.refuse(part, Reason::DollarQuote),
            }
            self.copy_one(output);
        }
        output.is_lost = true;
    }

    pub(super) fn backticks(&mut self, output: &mut Output) {
        self.parameter(1, output);
        let mut end = self.at;
        while end < self.input.len() && self.input[end] != Symbol::Char('`') {
            end += if self.input[end] == Symbol::Char('\\') { 2 } else { 1 };
        }
        let Some(text) = self.input.get(self.at..end).filter(|_| end < self.input.len()) else {
            output.is_lost = true;
            return;
        };
        if text.contains(&Symbol::Char('\\')) {
            output.copy(text, Reason::Backticks);
        } else {
            scan::command(output, text);
        }
        self.at = end;
        self.copy_one(output);
    }

    pub(super) fn in_expansion(&mut self, output: &mut Output, character: char) {
        let is_double = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Command(_) | Frame::Arithmetic { .. } => Some(false),
            Frame::Double | Frame::Here => Some(true),
            Frame::Expansion => None,
        });
        match character {
            '}' => self.close(1, output),
            '"' => self.open(1, Frame::Double, output),
            '\'' if is_double != Some(true) => self.single(output),
            _ => {
                // In double quotes, shells differ in whether it quotes.
                output.is_lost |= character == '\'';
                self.copy_one(output);
            }
        }
    }

    pub(super) fn in_arithmetic(&mut self, output: &mut Output, character: char) {
        let is_doubled = self.is_char(1, ')');
        let Some(Frame::Arithmetic { parens, references }) = self.frames.last_mut() else { return };
        match character {
            '(' => *parens += 1,
            ')' if *parens > 0 => *parens -= 1,
            ')' if is_doubled => return self.close(2, output),
            ')' => {
                // It was `$( (...) ...)` written without the space.
                let references = std::mem::take(references);
                references.into_iter().for_each(|part| output.refuse(part, Reason::Unclear));
                output.is_lost = true;
                return self.close(1, output);
            }
            _ => {}
        }
        self.copy_one(output);
    }
}
