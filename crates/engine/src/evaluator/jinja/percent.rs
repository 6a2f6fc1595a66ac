//! `'%s files' % count`: the engine knows `%` between numbers only, so where a text stands before it, it becomes a filter.
//!
//! ```text
//!  'x' ~ '%03d' % state.count ~ 'y'      what is written
//!  'x' ~ '%03d' |name(state.count) ~ 'y' what the engine gets
//! ```
//! Both bind as tightly, unless a `*` or its like stands before the text; that is left as it is.

use super::format::PERCENT;
use super::scan::Scanner;

impl Scanner<'_> {
    /// Whether an operator before this place would take the text that stands here.
    pub(super) fn follows_operator(&self) -> bool {
        self.text.trim_end().ends_with(['*', '/', '%'])
    }

    /// Takes every `% value` that follows a text.
    pub(super) fn take_percents(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let is_percent = rest[blanks..].starts_with('%') && !rest[blanks + 1..].starts_with(['}', '=']);
            if !is_percent || rest[blanks..].starts_with("%-}") {
                return;
            }
            self.take(blanks);
            self.put('|');
            PERCENT.chars().chain(['(']).for_each(|letter| self.add(letter));
            self.take_operand();
            self.add(')');
        }
    }

    /// Takes what `%` applies to: a value with its parts, calls and filters.
    fn take_operand(&mut self) {
        self.take_while(|letter| letter.is_whitespace() || letter == '-' || letter == '+');
        self.take_value();
        loop {
            let rest = self.rest().trim_start();
            let blanks = self.rest().len() - rest.len();
            if rest.starts_with("**") {
                self.take(blanks + 2);
                self.take_while(|letter| letter.is_whitespace() || letter == '-');
                self.take_value();
            } else if rest.starts_with(['.', '|']) {
                self.take(blanks + 1);
                self.take_while(char::is_whitespace);
                self.take_name();
            } else if rest.starts_with(['(', '[']) {
                self.take(blanks);
                self.take_group();
            } else {
                return;
            }
        }
    }

    fn take_value(&mut self) {
        match self.rest().chars().next() {
            Some('(' | '[' | '{') => self.take_group(),
            Some(quote @ ('\'' | '"')) => self.take_literal(quote),
            _ => self.take_name(),
        }
    }

    /// Takes a name or a number.
    fn take_name(&mut self) {
        self.take_while(|letter| letter.is_alphanumeric() || letter == '_');
        let is_number = self.text.ends_with(|letter: char| letter.is_ascii_digit());
        let rest = self.rest();
        if is_number && rest.starts_with('.') && rest[1..].starts_with(|letter: char| letter.is_ascii_digit())
        {
            self.take(1);
            self.take_while(char::is_alphanumeric);
        }
    }

    /// Takes what stands in brackets, with them.
    fn take_group(&mut self) {
        let mut depth = 0_usize;
        while let Some(letter) = self.rest().chars().next() {
            self.take_letter(letter, &mut depth);
            if depth == 0 {
                return;
            }
        }
    }

    fn take_while(&mut self, is_taken: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.take(rest.find(|letter| !is_taken(letter)).unwrap_or(rest.len()));
    }
}
