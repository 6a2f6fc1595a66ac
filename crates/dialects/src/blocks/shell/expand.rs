//! What a shell expands: `$name`, `${...}`, `$(...)`, `$((...))`, `$'...'` and backticks.

use super::list::Command;
use super::place::{Frame, Operator};
use super::scan::{self, Scan};
use super::{Output, Reason, Symbol};

impl Scan<'_> {
    pub(super) fn dollar(&mut self, output: &mut Output) {
        let is_command = self.command().is_some();
        // A line that is continued inside the sign: not every shell reads one sign there.
        let is_paren = self.is_char(1, '(');
        let is_joined = is_paren && !self.is_char(2, '(') && self.peek_joined(2) == Some(Symbol::Char('('));
        output.is_lost |= is_joined || (self.is_char(1, '\\') && self.is_char(2, '\n'));
        match self.peek(1) {
            Some(Symbol::Char('(')) if self.is_char(2, '(') => {
                self.open(3, Frame::Arithmetic { parens: 0, references: Vec::new() }, output);
            }
            Some(Symbol::Char('(')) => self.open(2, Frame::Command(Box::new(Command::new(true))), output),
            Some(Symbol::Char('{')) => {
                let start = self.at + 2;
                self.open(2, Frame::Expansion { operator: Operator::Begin, start }, output);
            }
            Some(Symbol::Char('\'')) if is_command => self.dollar_quote(output),
            // What it says is translated; mostly it stays what it is.
            Some(Symbol::Char('"')) if is_command => self.copy_one(output),
            Some(Symbol::Char('[')) => {
                if self.at >= self.bash_until {
                    self.bash_until = self.bracket_end();
                }
                self.parameter(2, output);
            }
            Some(Symbol::Reference { .. }) => {
                // A lone dollar is a dollar; before a brace it would not stay alone.
                output.text.push('\\');
                self.parameter(1, output);
            }
            Some(Symbol::Char('$' | '#' | '?' | '!' | '@' | '*' | '-')) => self.parameter(2, output),
            _ => self.parameter(1 + self.name_length(), output),
        }
    }

    /// How long the name behind a `$` is; of digits only one belongs to it.
    fn name_length(&self) -> usize {
        let is_letter = |symbol: &&Symbol| matches!(symbol, Symbol::Char(letter) if letter.is_ascii_alphanumeric() || *letter == '_');
        let rest = self.input.get(self.at + 1..).unwrap_or_default();
        let length = rest.iter().take_while(is_letter).count();
        match rest.first() {
            Some(Symbol::Char('0'..='9')) => 1,
            _ => length,
        }
    }

    pub(super) fn parameter(&mut self, count: usize, output: &mut Output) {
        self.mark_quoted();
        self.say_unknown();
        self.copy_count(count, output);
    }

    /// Where `$[...]` ends; what has quotes or commands in it, nobody knows where.
    fn bracket_end(&self) -> usize {
        let mut open = 0_usize;
        for (at, symbol) in self.input.iter().enumerate().skip(self.at) {
            match symbol {
                Symbol::Char('[') => open += 1,
                Symbol::Char(']') if open == 1 => return at,
                Symbol::Char(']') => open -= 1,
                Symbol::Char('\'' | '"' | '\\' | '`' | '(') => break,
                _ => {}
            }
        }
        self.input.len()
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
            scan::command(output, text, self.evaluated(output, true));
            self.note_inside(text, 0, output);
        }
        self.at = end;
        self.copy_one(output);
    }

    pub(super) fn in_expansion(&mut self, output: &mut Output, character: char) {
        let is_double = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Command(_) | Frame::Arithmetic { .. } => Some(false),
            Frame::Double | Frame::Here => Some(true),
            Frame::Expansion { .. } => None,
        });
        if let Some(Frame::Expansion { operator, .. }) = self.frames.last_mut() {
            *operator = operator.next(character);
        }
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
