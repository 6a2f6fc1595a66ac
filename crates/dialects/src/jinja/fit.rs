//! Whether the words of an expression fit together, as the evaluator would have them: values with operators between, brackets
//! that are closed, filters and tests that exist. What fits here may still fail there; what does not fit here fails there.
//!
//! ```text
//!            ┌── operator, opening bracket, comma ──┐
//!            v                                      │
//!   a value is wanted ── name, number, text ──> something is there ── end
//!            ^   │                                  ^   │
//!            └───┘ `-`, `not`                       └───┘ `.part`, `| filter`, `is test`, closing bracket
//! ```
//! Open brackets are kept in a list, so that a text takes no stack however deep it nests.

use super::names::{FILTERS, TESTS, meant};
use super::reads::{FAULTS_MAX, Fault};
use super::token::{Kind, Token};
use std::ops::Range;

/// The words of a tag, as far as they are read.
pub(super) struct Fit<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
    /// Where the tag is: a fault of all of it.
    pub(super) tag: Range<usize>,
    /// Filters and tests that do not exist.
    pub(super) unknown: Vec<Fault>,
}

/// That the words do not fit.
pub(super) type Misfit = Box<Fault>;

/// What may follow.
#[derive(Clone, Copy)]
enum Next {
    /// A value. Behind most operators a `not` is none, and behind an opening bracket or a comma it may be closed.
    Value { not: bool, close: bool },
    /// What goes on with a value, or ends it. A filter and a test have no parts.
    More { parts: bool },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Group,
    List,
    Map,
    Call,
    Part,
}

/// A bracket that is open.
struct Open {
    bracket: Bracket,
    at: usize,
    /// Whether parts may follow when it is closed.
    parts: bool,
    /// Whether an `if` in it waits for its `else`.
    waits: bool,
    /// Colons since the last comma.
    colons: usize,
    /// Whether the argument that is read has a name, or is a list of some.
    is_named: bool,
    /// Whether an argument with a name was before.
    had_named: bool,
    /// Where what is read between two commas begins.
    begins: usize,
}

const VALUE: Next = Next::Value { not: true, close: false };
const OPERAND: Next = Next::Value { not: false, close: false };
const MORE: Next = Next::More { parts: true };

impl<'t> Fit<'t> {
    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn written(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &self.text[token.at.clone()])
    }

    /// The name that stands at a place; nothing if it is none.
    pub(super) fn name(&self, at: usize) -> &'t str {
        if self.kind(at) == Some(Kind::Name) { self.written(at) } else { "" }
    }

    pub(super) fn is_sign(&self, at: usize, sign: char) -> bool {
        self.kind(at) == Some(Kind::Sign(sign))
    }

    /// Goes on behind a sign; whether it is there.
    pub(super) fn skip(&mut self, sign: char) -> bool {
        let is_there = self.is_sign(self.at, sign);
        self.at += usize::from(is_there);
        is_there
    }

    pub(super) fn fault(&self, at: usize, message: String, hint: impl Into<String>) -> Misfit {
        let place = self.tokens.get(at).map_or(self.tag.clone(), |token| token.at.clone());
        Box::new(Fault { at: place, message, hint: hint.into() })
    }

    /// Whether two words stand side by side, as one operator does.
    fn is_pair(&self, sign: char) -> bool {
        let touch = |one: &Token, two: &Token| one.at.end == two.at.start;
        self.is_sign(self.at, sign)
            && self.is_sign(self.at + 1, sign)
            && touch(&self.tokens[self.at], &self.tokens[self.at + 1])
    }

    /// Reads one expression, up to the first word that does not belong to it.
    pub(super) fn expression(&mut self, has_if: bool) -> Result<(), Misfit> {
        self.rest(Vec::new(), VALUE, has_if)
    }

    /// Reads a filter that stands alone, and those behind it.
    pub(super) fn filters(&mut self) -> Result<(), Misfit> {
        let mut open = Vec::new();
        let next = self.filter(&mut open)?;
        self.rest(open, next, false)
    }

    fn rest(&mut self, mut open: Vec<Open>, mut next: Next, has_if: bool) -> Result<(), Misfit> {
        let mut waits = false;
        loop {
            next = match next {
                Next::Value { not, close } => self.value(&mut open, not, close)?,
                Next::More { parts } => match (self.name(self.at), open.last_mut()) {
                    ("if", inside) if has_if || inside.is_some() => {
                        *inside.map_or(&mut waits, |inside| &mut inside.waits) = true;
                        self.at += 1;
                        VALUE
                    }
                    ("else", inside) if inside.as_ref().map_or(waits, |inside| inside.waits) => {
                        *inside.map_or(&mut waits, |inside| &mut inside.waits) = false;
                        self.at += 1;
                        VALUE
                    }
                    _ => match self.more(&mut open, parts)? {
                        Some(next) => next,
                        None if open.is_empty() => return Ok(()),
                        None => self.inside(&mut open)?,
                    },
                },
            };
        }
    }

    /// Where a value is wanted.
    fn value(&mut self, open: &mut Vec<Open>, not: bool, close: bool) -> Result<Next, Misfit> {
        let Some(kind) = self.kind(self.at) else { return Err(self.missing()) };
        let opened = match kind {
            Kind::Name if not && self.name(self.at) == "not" => {
                self.at += 1;
                return Ok(VALUE);
            }
            Kind::Name | Kind::Number => {
                self.at += 1;
                return Ok(MORE);
            }
            Kind::Text => {
                while self.kind(self.at) == Some(Kind::Text) {
                    self.at += 1;
                }
                return Ok(MORE);
            }
            Kind::Sign('-') => {
                self.at += 1;
                return Ok(OPERAND);
            }
            Kind::Sign('(') => Bracket::Group,
            Kind::Sign('[') => Bracket::List,
            Kind::Sign('{') => Bracket::Map,
            kind => {
                let Some(inside) = open.last_mut() else { return Err(self.missing()) };
                let begins = inside.begins == self.at;
                match kind {
                    Kind::Sign('*') if inside.bracket == Bracket::Call && begins => {
                        inside.is_named = true;
                        inside.had_named |= self.is_pair('*');
                        self.at += 1 + usize::from(self.is_pair('*'));
                        return Ok(VALUE);
                    }
                    Kind::Sign(':') if inside.bracket == Bracket::Part && inside.colons < 2 && close => {
                        return self.inside(open);
                    }
                    Kind::Sign(sign) if close && closes(inside.bracket) == sign => {
                        if inside.bracket == Bracket::Part && inside.colons == 0 {
                            return Err(self.missing());
                        }
                        return self.inside(open);
                    }
                    _ => return Err(self.missing()),
                }
            }
        };
        Ok(self.open(open, opened, true))
    }

    fn open(&mut self, open: &mut Vec<Open>, bracket: Bracket, parts: bool) -> Next {
        let at = self.at;
        self.at += 1;
        open.push(Open {
            bracket,
            at,
            parts,
            waits: false,
            colons: 0,
            is_named: false,
            had_named: false,
            begins: self.at,
        });
        Next::Value { not: true, close: true }
    }

    /// Behind a value: what goes on with it. Nothing where none of that follows.
    fn more(&mut self, open: &mut Vec<Open>, parts: bool) -> Result<Option<Next>, Misfit> {
        let Some(kind) = self.kind(self.at) else { return Ok(None) };
        Ok(Some(match kind {
            Kind::Sign('.' | '[') if !parts => {
                let message = "a filter or a test has no parts".to_owned();
                return Err(self.fault(self.at, message, "put it in brackets first: `(x | first).name`"));
            }
            Kind::Sign('.') => {
                if !matches!(self.kind(self.at + 1), Some(Kind::Name | Kind::Number)) {
                    let message = "a name is missing behind `.`".to_owned();
                    return Err(self.fault(self.at, message, "name a part, or take `.` away"));
                }
                self.at += 2;
                MORE
            }
            Kind::Sign('[') => self.open(open, Bracket::Part, true),
            Kind::Sign('(') if parts => self.open(open, Bracket::Call, true),
            Kind::Sign('|') => {
                self.at += 1;
                self.filter(open)?
            }
            Kind::Sign('*' | '/') => {
                let is_pair = self.is_pair('*') || self.is_pair('/');
                self.at += 1 + usize::from(is_pair);
                OPERAND
            }
            Kind::Compare | Kind::Sign('+' | '-' | '%' | '~' | '<' | '>') => self.passed(OPERAND),
            Kind::Name => match self.name(self.at) {
                "and" | "or" => self.passed(VALUE),
                "in" => self.passed(OPERAND),
                "not" if self.name(self.at + 1) == "in" => {
                    self.at += 2;
                    OPERAND
                }
                "is" => {
                    self.at += 1;
                    self.test(open)?
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    fn passed(&mut self, next: Next) -> Next {
        self.at += 1;
        next
    }

    fn filter(&mut self, open: &mut Vec<Open>) -> Result<Next, Misfit> {
        self.known("filter", &FILTERS)?;
        Ok(match self.is_sign(self.at, '(') {
            true => self.open(open, Bracket::Call, false),
            false => Next::More { parts: false },
        })
    }

    /// A test, and what it is given without brackets.
    fn test(&mut self, open: &mut Vec<Open>) -> Result<Next, Misfit> {
        self.at += usize::from(self.name(self.at) == "not");
        self.known("test", &TESTS)?;
        Ok(match self.kind(self.at) {
            Some(Kind::Sign('(')) => self.open(open, Bracket::Call, false),
            Some(Kind::Name) if !["and", "or", "else", "is"].contains(&self.name(self.at)) => OPERAND,
            Some(Kind::Text | Kind::Number | Kind::Sign('+' | '-' | '[' | '{')) => OPERAND,
            _ => Next::More { parts: false },
        })
    }

    /// The name of a filter or a test.
    fn known(&mut self, what: &str, names: &[&str]) -> Result<(), Misfit> {
        let from = self.at;
        if self.name(from).is_empty() {
            let before = from.checked_sub(1).map(|before| self.written(before)).unwrap_or_default();
            let message = format!("the name of a {what} is missing behind `{before}`");
            let hint = match before {
                "|" if self.is_sign(from, '|') => "for one or the other, write `or`".to_owned(),
                before => format!("name one, or take `{before}` away"),
            };
            return Err(self.fault(from.saturating_sub(1), message, hint));
        }
        self.at += 1;
        while self.is_sign(self.at, '.') && !self.name(self.at + 1).is_empty() {
            self.at += 2;
        }
        let place = self.tokens[from].at.start..self.tokens[self.at - 1].at.end;
        let name = &self.text[place.clone()];
        if !names.contains(&name) && self.unknown.len() < FAULTS_MAX {
            let message = format!("there is no {what} `{name}`");
            self.unknown.push(Fault { at: place, message, hint: meant(what, name, names) });
        }
        Ok(())
    }

    /// A comma, a colon or an end inside of a bracket.
    fn inside(&mut self, open: &mut Vec<Open>) -> Result<Next, Misfit> {
        let Some(inside) = open.last_mut() else { return Err(self.unexpected()) };
        let Some(Kind::Sign(sign)) = self.kind(self.at) else {
            return Err(if self.at < self.tokens.len() { self.unexpected() } else { self.unclosed(inside) });
        };
        let (bracket, is_empty) = (inside.bracket, inside.begins == self.at);
        let ends = sign == ',' || sign == closes(bracket);
        if ends && bracket == Bracket::Map && inside.colons == 0 && !is_empty {
            let message = format!("`:` and a value are missing before `{sign}`");
            return Err(self.fault(self.at, message, "write `{'key': value}`"));
        }
        if ends && bracket == Bracket::Call && !is_empty && !inside.is_named && inside.had_named {
            let message = "an argument without a name stands behind one that has a name".to_owned();
            return Err(self.fault(inside.begins, message, "give it a name too, or put it first"));
        }
        match (bracket, sign) {
            (Bracket::Map, ':') if inside.colons == 0 => inside.colons = 1,
            (Bracket::Part, ':') if inside.colons < 2 => {
                (inside.colons, inside.waits) = (inside.colons + 1, false);
                self.at += 1;
                return Ok(Next::Value { not: true, close: true });
            }
            (Bracket::Call, '=') if !inside.is_named && self.is_argument(inside.begins) => {
                (inside.is_named, inside.had_named) = (true, true);
            }
            (Bracket::Part, ',') => return Err(self.unexpected()),
            (_, ',') => {
                (inside.colons, inside.is_named, inside.waits, inside.begins) =
                    (0, false, false, self.at + 1);
                self.at += 1;
                return Ok(Next::Value { not: true, close: true });
            }
            (_, sign) if sign == closes(bracket) => {
                self.at += 1;
                let parts = inside.parts;
                open.pop();
                return Ok(Next::More { parts });
            }
            (_, ')' | ']' | '}') => return Err(self.unclosed(inside)),
            _ => return Err(self.unexpected()),
        }
        inside.waits = false;
        self.at += 1;
        Ok(VALUE)
    }

    /// Whether what is read is a name alone, or in brackets, to which `=` may give a value.
    fn is_argument(&self, begins: usize) -> bool {
        let last = self.at.saturating_sub(1);
        self.is_sign(last, ')') || (last == begins && !self.name(begins).is_empty())
    }

    fn unclosed(&self, inside: &Open) -> Misfit {
        let message = format!("`{}` is never closed", self.written(inside.at));
        self.fault(inside.at, message, format!("close it: `{}`", closes(inside.bracket)))
    }
}

fn closes(bracket: Bracket) -> char {
    match bracket {
        Bracket::Group | Bracket::Call => ')',
        Bracket::List | Bracket::Part => ']',
        Bracket::Map => '}',
    }
}
