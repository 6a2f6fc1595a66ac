//! What a shell does not look into: single quotes, comments, and what a backslash stands before.

use super::scan::Scan;
use super::word::UNKNOWN;
use super::{Output, Reason, Symbol, variable};

impl Scan<'_> {
    pub(super) fn backslash(&mut self, output: &mut Output) {
        let next = self.peek(1);
        if next != Some(Symbol::Char('\n')) {
            self.mark_quoted();
        }
        match next {
            Some(Symbol::Reference { part, .. }) => output.refuse(part, Reason::Backslash),
            Some(Symbol::Char(character)) if character != '\n' => self.say(character),
            _ => {}
        }
        self.copy_count(2, output);
    }

    pub(super) fn single(&mut self, output: &mut Output) {
        self.mark_quoted();
        self.copy_one(output);
        while let Some(symbol) = self.peek(0) {
            match symbol {
                Symbol::Char('\'') => return self.copy_one(output),
                Symbol::Char(character) => {
                    self.say(character);
                    self.copy_one(output);
                }
                Symbol::Reference { part, index } => {
                    self.at += 1;
                    match self.refusal(output) {
                        Some(reason) => output.refuse(part, reason),
                        None => {
                            self.note(symbol, false, output);
                            output.text.push_str(&format!("'\"${{{}}}\"'", variable(index)));
                        }
                    }
                }
            }
        }
        output.is_lost = true;
    }

    /// `$'...'`: some shells know escapes in it, others none.
    pub(super) fn dollar_quote(&mut self, output: &mut Output) {
        self.mark_quoted();
        self.copy_count(2, output);
        while let Some(symbol) = self.peek(0) {
            match symbol {
                Symbol::Char('\'') => return self.copy_one(output),
                Symbol::Char('\\') => {
                    output.is_lost |= self.is_char(1, '\'') || self.is_char(1, '\\');
                    self.command().into_iter().for_each(|command| command.word.is_obscure = true);
                    self.say(UNKNOWN);
                }
                Symbol::Char(character) => self.say(character),
                Symbol::Reference { part, .. } => output.refuse(part, Reason::DollarQuote),
            }
            self.copy_one(output);
        }
        output.is_lost = true;
    }

    pub(super) fn comment(&mut self, output: &mut Output) {
        while let Some(symbol) = self.peek(0).filter(|symbol| *symbol != Symbol::Char('\n')) {
            if let Symbol::Reference { index, .. } = symbol {
                output.text.push_str(&format!("${{{}}}", variable(index)));
            }
            self.copy_one(output);
        }
    }
}
