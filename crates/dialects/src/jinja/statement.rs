//! Whether the words of a tag fit together: an expression, or a statement with what it takes.

use super::fit::{Fit, Misfit};
use super::reads::Fault;
use super::token::{Kind, Tag};

/// What does not fit in a tag.
pub(super) fn misfits(text: &str, tag: &Tag) -> Vec<Fault> {
    let mut fit = Fit { text, tokens: &tag.tokens, at: 0, tag: tag.at.clone(), unknown: Vec::new() };
    let found = if tag.is_statement { fit.statement() } else { fit.expression(true) };
    let found = found.and_then(|()| if fit.at < tag.tokens.len() { Err(fit.unexpected()) } else { Ok(()) });
    let mut faults = fit.unknown;
    faults.extend(found.err().map(|fault| *fault));
    faults
}

impl Fit<'_> {
    fn statement(&mut self) -> Result<(), Misfit> {
        let word = self.name(0);
        self.at = 1;
        match word {
            "if" | "elif" => self.takes("a condition").and_then(|()| self.expression(false)),
            "autoescape" => self.takes("an expression").and_then(|()| self.expression(true)),
            "do" => self.calls(),
            "for" => self.loops(),
            "set" => self.sets(),
            "with" => self.with(),
            "filter" => self.filters(),
            "macro" => {
                self.bound("a name")?;
                match self.is_sign(self.at, '(') {
                    true => self.parameters(),
                    false => {
                        let message = "`macro` has no brackets".to_owned();
                        Err(self.fault(0, message, "write `macro name(a, b=1)`"))
                    }
                }
            }
            "call" => {
                if self.is_sign(self.at, '(') {
                    self.parameters()?;
                }
                self.calls()
            }
            // The name of a block may follow, twice.
            "block" | "endblock" => {
                self.at = self.tokens.len();
                Ok(())
            }
            "else" if self.name(1) == "if" => {
                Err(self.fault(0, "`else` takes no condition".to_owned(), "write `elif`"))
            }
            word if self.at < self.tokens.len() => {
                let message = format!("`{word}` takes nothing, and `{}` follows", self.written(self.at));
                Err(self.fault(self.at, message, "take it away"))
            }
            _ => Ok(()),
        }
    }

    /// That a statement is not its word alone.
    fn takes(&self, what: &str) -> Result<(), Misfit> {
        if self.at < self.tokens.len() {
            return Ok(());
        }
        let word = self.written(0);
        Err(self.fault(
            0,
            format!("`{word}` has no {}", &what[what.find(' ').map_or(0, |at| at + 1)..]),
            format!("write {what} behind it"),
        ))
    }

    /// An expression that calls something.
    fn calls(&mut self) -> Result<(), Misfit> {
        self.takes("a call")?;
        self.expression(true)?;
        if self.at < self.tokens.len() || self.is_sign(self.at - 1, ')') {
            return Ok(());
        }
        let word = self.written(0);
        Err(self.fault(0, format!("`{word}` calls nothing"), format!("write `{word} name(..)`")))
    }

    /// A name that is given a value.
    fn bound(&mut self, what: &str) -> Result<(), Misfit> {
        if !self.name(self.at).is_empty() {
            self.at += 1;
            return Ok(());
        }
        let before = self.written(self.at - 1);
        Err(self.fault(self.at - 1, format!("{what} is missing behind `{before}`"), "write one"))
    }

    /// Names that are given values, in brackets or not, up to what ends them.
    fn targets(&mut self) -> Result<(), Misfit> {
        while self.at < self.tokens.len() {
            match self.kind(self.at) {
                Some(Kind::Name) if self.name(self.at) == "in" => break,
                Some(Kind::Sign('=' | '|')) => break,
                Some(Kind::Name | Kind::Sign(',' | '(' | ')' | '.')) => self.at += 1,
                _ => {
                    let message = format!("`{}` can be given no value", self.written(self.at));
                    return Err(self.fault(self.at, message, "write a name"));
                }
            }
        }
        Ok(())
    }

    fn loops(&mut self) -> Result<(), Misfit> {
        let hint = "write `for item in list`";
        self.targets()?;
        if self.name(self.at) != "in" {
            return Err(self.fault(0, "`for` has no `in`".to_owned(), hint));
        }
        self.at += 1;
        if self.at == self.tokens.len() {
            return Err(self.fault(self.at - 1, "`for` has no list behind `in`".to_owned(), hint));
        }
        self.expression(false)?;
        if self.name(self.at) == "if" {
            self.at += 1;
            self.expression(true)?;
        }
        self.at += usize::from(self.name(self.at) == "recursive");
        Ok(())
    }

    fn sets(&mut self) -> Result<(), Misfit> {
        if self.is_sign(self.at, '=') {
            return Err(self.fault(0, "`set` has no name".to_owned(), "write `set name = value`"));
        }
        self.targets()?;
        match self.kind(self.at) {
            Some(Kind::Sign('|')) => {
                self.at += 1;
                self.filters()
            }
            Some(Kind::Sign('=')) => {
                self.at += 1;
                self.expression(true)?;
                while self.skip(',') && self.at < self.tokens.len() {
                    self.expression(true)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn with(&mut self) -> Result<(), Misfit> {
        while self.at < self.tokens.len() {
            if self.at > 1 && !self.skip(',') {
                return Err(self.unexpected());
            }
            self.targets()?;
            if !self.skip('=') {
                return Err(self.fault(0, "`with` gives no value".to_owned(), "write `with name = value`"));
            }
            self.expression(true)?;
        }
        Ok(())
    }

    /// `(a, b=x)`: names, and what they are without being given.
    fn parameters(&mut self) -> Result<(), Misfit> {
        self.at += 1;
        while !self.skip(')') {
            self.bound("a name")?;
            if self.skip('=') {
                self.expression(true)?;
            }
            if !self.is_sign(self.at, ')') && !self.skip(',') {
                return Err(if self.at < self.tokens.len() {
                    self.unexpected()
                } else {
                    self.fault(0, "`(` is never closed".to_owned(), "close it: `)`")
                });
            }
        }
        Ok(())
    }
}
