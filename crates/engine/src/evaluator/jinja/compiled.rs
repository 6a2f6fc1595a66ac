//! Compiled code, kept while it is used. Bounded by number and by the length of the sources.

use super::Scope;
use super::environment::base;
use super::mistake::Mistake;
use super::scan::{Form, Scanned, scan};
use crate::evaluator::limits::{COMPILED_BYTES_MAX, COMPILED_MAX};
use minijinja::{Environment, Expression, Template};
use std::collections::HashMap;

/// What a source became.
pub(super) enum Code<'c> {
    Expression(&'c Expression<'static, 'static>, &'c Scanned),
    Text(Template<'c, 'c>, &'c Scanned),
}

/// All that is compiled.
#[derive(Default)]
pub(super) struct Compiled {
    entries: HashMap<String, Entry>,
    bytes: usize,
    uses: u64,
}

struct Entry {
    used: u64,
    scanned: Scanned,
    kept: Kept,
}

/// A text lives in an environment of its own, so that no text can name another.
enum Kept {
    Expression(Expression<'static, 'static>),
    Text(Box<Environment<'static>>),
}

/// The name of the one text in its environment.
const NAME: &str = "text";

impl Compiled {
    /// The code of a source, compiled if it is new.
    pub(super) fn get(&mut self, source: &str) -> Result<Code<'_>, String> {
        self.uses += 1;
        if !self.entries.contains_key(source) {
            let entry = compile(source)?;
            self.make_room(source.len());
            self.bytes += source.len();
            self.entries.insert(source.to_owned(), entry);
        }
        let entry = self.entries.get_mut(source).expect("BUG: it was just there");
        entry.used = self.uses;
        match &entry.kept {
            Kept::Expression(expression) => Ok(Code::Expression(expression, &entry.scanned)),
            Kept::Text(environment) => match environment.get_template(NAME) {
                Ok(template) => Ok(Code::Text(template, &entry.scanned)),
                Err(error) => unreachable!("BUG: a compiled text is gone: {error}"),
            },
        }
    }

    /// Forgets the longest unused until one more fits.
    fn make_room(&mut self, bytes: usize) {
        while self.entries.len() >= COMPILED_MAX || self.bytes + bytes > COMPILED_BYTES_MAX {
            let oldest =
                self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(source, _)| source.clone());
            let Some((source, _)) = oldest.and_then(|source| self.entries.remove_entry(&source)) else {
                return;
            };
            self.bytes -= source.len();
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> (usize, usize) {
        (self.entries.len(), self.bytes)
    }
}

fn compile(source: &str) -> Result<Entry, String> {
    let scanned = scan(source);
    let mistake = Mistake { source, scanned: &scanned, scope: &Scope::default() };
    if let Some((at, name)) = scanned.elsewhere {
        return Err(mistake.elsewhere(at, name));
    }
    let kept = match scanned.form {
        Form::Expression => base().compile_expression_owned(scanned.text.clone()).map(Kept::Expression),
        Form::Text => {
            let mut environment = Box::new(base().clone());
            let added = environment.add_template_owned(NAME, scanned.text.clone());
            added.map(|()| Kept::Text(environment))
        }
    };
    match kept {
        Ok(kept) => Ok(Entry { used: 0, scanned, kept }),
        Err(error) => Err(mistake.words(&error)),
    }
}
