//! Compiled code, kept while it is used. Bounded by number and by the length of the sources.

use super::Scope;
use super::environment::base;
use super::mistake::Mistake;
use super::scan::{Form, Scanned, scan};
use super::scope::NAMESPACES;
use crate::evaluator::limits::{COMPILED_BYTES_MAX, COMPILED_MAX};
use minijinja::{Environment, Expression, Template};
use std::collections::HashMap;

/// What a source became.
pub(super) enum Code<'c> {
    Expression(&'c Expression<'static, 'static>),
    Text(Template<'c, 'c>),
}

/// A source, ready to be evaluated.
pub(super) struct Ready<'c> {
    pub(super) code: Code<'c>,
    pub(super) scanned: &'c Scanned,
    /// The namespaces of which it reads parts only.
    pub(super) namespaces: &'c [&'static str],
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
    namespaces: Vec<&'static str>,
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
    pub(super) fn get(&mut self, source: &str) -> Result<Ready<'_>, String> {
        self.uses += 1;
        if !self.entries.contains_key(source) {
            let entry = compile(source)?;
            self.make_room(source.len());
            self.bytes += source.len();
            self.entries.insert(source.to_owned(), entry);
        }
        let entry = self.entries.get_mut(source).expect("BUG: it was just there");
        entry.used = self.uses;
        let code = match &entry.kept {
            Kept::Expression(expression) => Code::Expression(expression),
            Kept::Text(environment) => Code::Text(text_of(environment)),
        };
        Ok(Ready { code, scanned: &entry.scanned, namespaces: &entry.namespaces })
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
        Ok(kept) => Ok(Entry { used: 0, namespaces: namespaces(&kept), scanned, kept }),
        Err(error) => Err(mistake.words(&error)),
    }
}

fn text_of<'e>(environment: &'e Environment<'static>) -> Template<'e, 'e> {
    environment
        .get_template(NAME)
        .unwrap_or_else(|error| unreachable!("BUG: a compiled text is gone: {error}"))
}

/// The namespaces of which parts are read, and which are nowhere read as a whole.
fn namespaces(kept: &Kept) -> Vec<&'static str> {
    let read = match kept {
        Kept::Expression(expression) => expression.undeclared_variables(true),
        Kept::Text(environment) => text_of(environment).undeclared_variables(true),
    };
    NAMESPACES.into_iter().filter(|name| !read.contains(*name)).collect()
}
