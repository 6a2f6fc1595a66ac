//! Which names a text reads, and where. Every name that a template engine would look up is among them; some others may be, as
//! names that a statement binds are not followed to where they end.
//!
//! | written | what is read |
//! |---|---|
//! | `state.x`, `state['x']`, `state.get('x')` | `x` of `state` |
//! | `state`, `state[name]`, `state.items()` | all of `state` |
//! | `x \| name`, `x is name`, `x.name`, `f(name=x)` | `x` |

use super::nest::Nest;
use super::statement::misfits;
use super::token::{Kind, Piece, Scanner, Tag, Token};
use std::collections::BTreeSet;
use std::ops::Range;

/// The faults of one text that are told; after them the rest is left alone.
pub(super) const FAULTS_MAX: usize = 20;

/// Words of Jinja that are no names.
const WORDS: [&str; 15] = [
    "true", "false", "none", "True", "False", "None", "and", "or", "not", "in", "is", "if", "else", "elif",
    "for",
];

/// What an object can do in Jinja, with which a field of the same name is not meant where it is called.
const METHODS: [&str; 6] = ["get", "items", "keys", "values", "copy", "pop"];

/// What a text reads.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// The names, in the order written.
    pub(crate) names: Vec<Read>,
    /// Names that statements of the text give a meaning of their own, and where.
    pub(crate) bound: Vec<(String, Range<usize>)>,
    /// What is wrong with it.
    pub(crate) faults: Vec<Fault>,
    /// Whether it is one whole `{{ ... }}`, whose value keeps its type: what stands between the braces.
    pub(crate) whole: Option<Range<usize>>,
}

/// A name that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Read {
    /// The name.
    pub(crate) root: String,
    /// The part of it; nothing for all of it, or a part that is known only when it is read.
    pub(crate) field: Option<String>,
    /// Where both are written.
    pub(crate) at: Range<usize>,
    /// Whether the text says what holds where there is no such name: `x is defined`, `x | default(1)`.
    pub(crate) is_guarded: bool,
}

/// Something wrong with a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where.
    pub(crate) at: Range<usize>,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: String,
}

/// Whether a text is more than text.
pub(crate) fn is_code(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|opening| text.contains(opening))
}

/// Finds what a text reads.
pub(crate) fn reads(text: &str) -> Reads {
    let (mut reads, mut nest) = (Reads::default(), Nest::new());
    for piece in Scanner::new(text) {
        if reads.faults.len() == FAULTS_MAX {
            break;
        }
        match piece {
            Piece::Passed { .. } => {}
            Piece::Open(at, what, closing) => {
                let message = format!("{what} is never closed");
                reads.fault(at, message, format!("close it: `{closing}`"));
            }
            Piece::Tag(tag) => {
                let mut is_known = true;
                if tag.is_statement {
                    let place = tag.at.start..tag.at.start + 2;
                    if let Err((message, hint)) = nest.take(&text[tag.inside.clone()], place.clone()) {
                        is_known = false;
                        reads.fault(place, message, hint);
                    }
                } else if tag.at.start == 0 && matches!(&text[tag.at.end..], "" | "\n" | "\r\n") {
                    reads.whole = Some(tag.inside.clone());
                }
                if is_known {
                    let found = misfits(text, &tag);
                    found.into_iter().for_each(|fault| reads.fault(fault.at, fault.message, fault.hint));
                }
                Code { text, reads: &mut reads }.tag(&tag);
            }
        }
    }
    for (begin, end, place) in nest.rest() {
        reads.fault(place, format!("`{begin}` is never ended"), format!("end it: {{% {end} %}}"));
    }
    reads.faults.sort_by_key(|fault| fault.at.start);
    reads
}

/// What is wrong with a text, in words.
pub fn faults(text: &str) -> Vec<String> {
    reads(text).faults.into_iter().map(|fault| fault.message).collect()
}

impl Reads {
    /// The names that the text gives a meaning of its own.
    pub(crate) fn bound(&self) -> BTreeSet<&str> {
        self.bound.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn fault(&mut self, at: Range<usize>, message: String, hint: String) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Fault { at, message, hint });
        }
    }

    fn bind(&mut self, name: &str, at: Range<usize>) {
        self.bound.push((name.to_owned(), at));
    }
}

/// The code of a text.
struct Code<'t, 'r> {
    text: &'t str,
    reads: &'r mut Reads,
}

impl<'t> Code<'t, '_> {
    fn word(&self, token: &Token) -> &'t str {
        &self.text[token.at.clone()]
    }

    fn is_name(&self, token: Option<&Token>, name: &str) -> bool {
        token.is_some_and(|token| token.kind == Kind::Name && self.word(token) == name)
    }

    fn tag(&mut self, tag: &Tag) {
        let tokens = tag.tokens.as_slice();
        if !tag.is_statement {
            return self.expression(tokens);
        }
        let Some((first, rest)) = tokens.split_first() else { return };
        match self.word(first) {
            "for" => self.loops(rest),
            "set" => self.sets(rest),
            "with" => {
                self.bind_before(rest, 0, is_equals);
                self.expression(rest);
            }
            "macro" => {
                ["caller", "varargs", "kwargs"].iter().for_each(|name| self.reads.bind(name, tag.at.clone()));
                if let Some((name, rest)) = rest.split_first() {
                    self.reads.bind(self.word(name), name.at.clone());
                    self.parameters(rest);
                }
            }
            "call" if is_sign(rest.first(), '(') => {
                let end = 1 + closing(rest);
                self.parameters(&rest[..end]);
                self.expression(&rest[end..]);
            }
            "filter" => self.expression(rest.get(1..).unwrap_or_default()),
            "if" | "elif" | "do" | "call" | "autoescape" => self.expression(rest),
            _ => {}
        }
    }

    /// `for a, b in list if condition recursive`.
    fn loops(&mut self, tokens: &[Token]) {
        let within = tokens.iter().position(|token| self.is_name(Some(token), "in"));
        let (targets, rest) = tokens.split_at(within.unwrap_or(0));
        targets.iter().filter(|token| token.kind == Kind::Name).for_each(|token| self.bind(token));
        if let Some(first) = tokens.first() {
            self.reads.bind("loop", first.at.clone());
        }
        let ends = self.is_name(rest.last(), "recursive") && rest.len() > 2;
        self.expression(&rest[..rest.len() - usize::from(ends)]);
    }

    /// `set a, b = x`, `set a = x`, `set part.of = x` or `set a | filter`, up to its end.
    fn sets(&mut self, tokens: &[Token]) {
        let is_end = |token: &Token| matches!(token.kind, Kind::Sign('=' | '|'));
        let (targets, rest) = tokens.split_at(tokens.iter().position(is_end).unwrap_or(tokens.len()));
        match targets.iter().any(|token| token.kind == Kind::Sign('.')) {
            true => self.expression(targets),
            false => {
                targets.iter().filter(|token| token.kind == Kind::Name).for_each(|token| self.bind(token));
            }
        }
        self.expression(rest);
    }

    /// `(a, b=x)`: the names and what they are without being given.
    fn parameters(&mut self, tokens: &[Token]) {
        let is_end = |token: Option<&Token>| {
            token.is_some_and(|token| matches!(token.kind, Kind::Sign('=' | ',' | ')')))
        };
        self.bind_before(tokens, 1, is_end);
        self.expression(tokens);
    }

    /// Binds the names of a list that stand before something, inside so many brackets.
    fn bind_before(&mut self, tokens: &[Token], inside: usize, is_end: fn(Option<&Token>) -> bool) {
        let mut depth = 0;
        for (at, token) in tokens.iter().enumerate() {
            depth = deeper(depth, token);
            let before = at.checked_sub(1).map(|before| tokens[before].kind);
            let begins = matches!(before, None | Some(Kind::Sign('(' | ',')));
            if token.kind == Kind::Name && begins && depth == inside && is_end(tokens.get(at + 1)) {
                self.bind(token);
            }
        }
    }

    fn bind(&mut self, token: &Token) {
        let name = self.word(token);
        self.reads.bind(name, token.at.clone());
    }

    fn expression(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Name) {
            let before = |count: usize| at.checked_sub(count).map(|before| &tokens[before]);
            let is_part = matches!(before(1).map(|token| token.kind), Some(Kind::Sign('.' | '|')));
            let is_test = self.is_name(before(1), "is")
                || (self.is_name(before(1), "not") && self.is_name(before(2), "is"));
            let is_word = WORDS.contains(&self.word(token));
            if !is_part && !is_test && !is_word && !is_equals(tokens.get(at + 1)) {
                self.name(token, &tokens[at + 1..]);
            }
        }
    }

    /// A name, and the part of it that is read.
    fn name(&mut self, token: &Token, after: &[Token]) {
        let (field, end) = match self.part(after) {
            Some((field, end)) => (Some(field.to_owned()), end),
            None => (None, token.at.end),
        };
        let is_guarded = self.is_guarded(after);
        self.reads.names.push(Read {
            root: self.word(token).to_owned(),
            field,
            at: token.at.start..end,
            is_guarded,
        });
    }

    fn is_guarded(&self, after: &[Token]) -> bool {
        let parts = after.chunks(2).take_while(
            |pair| matches!(pair, [dot, part] if dot.kind == Kind::Sign('.') && part.kind == Kind::Name),
        );
        match &after[parts.count() * 2..] {
            [is, not, word, ..] if self.is_name(Some(is), "is") && self.is_name(Some(not), "not") => {
                ["defined", "undefined"].contains(&self.word(word))
            }
            [is, word, ..] if self.is_name(Some(is), "is") => {
                ["defined", "undefined"].contains(&self.word(word))
            }
            [bar, word, ..] if bar.kind == Kind::Sign('|') => ["default", "d"].contains(&self.word(word)),
            _ => false,
        }
    }

    fn part(&self, after: &[Token]) -> Option<(&'t str, usize)> {
        let (sign, part) = (after.first()?, after.get(1)?);
        match (sign.kind, part.kind) {
            (Kind::Sign('.'), Kind::Name) => {
                let name = self.word(part);
                if !(is_sign(after.get(2), '(') && METHODS.contains(&name)) {
                    return Some((name, part.at.end));
                }
                let ends = matches!(after.get(4)?.kind, Kind::Sign(',' | ')'));
                let key = after.get(3).filter(|_| ends && name == "get").and_then(|key| self.literal(key))?;
                Some((key, after[3].at.end + usize::from(is_sign(after.get(4), ')'))))
            }
            (Kind::Sign('.'), Kind::Number) => Some((self.word(part).split('.').next()?, part.at.end)),
            (Kind::Sign('['), Kind::Text) if is_sign(after.get(2), ']') => {
                Some((self.literal(part)?, after[2].at.end))
            }
            _ => None,
        }
    }

    /// The text of a literal, if it is written as it is.
    fn literal(&self, token: &Token) -> Option<&'t str> {
        let written = self.word(token);
        let inside = written.strip_prefix(['\'', '"']).and_then(|rest| rest.get(..rest.len() - 1));
        inside.filter(|inside| token.kind == Kind::Text && !inside.contains('\\'))
    }
}

fn is_sign(token: Option<&Token>, sign: char) -> bool {
    token.is_some_and(|token| token.kind == Kind::Sign(sign))
}

fn is_equals(token: Option<&Token>) -> bool {
    is_sign(token, '=')
}

/// The position of the sign that closes the bracket with which tokens begin; the last one if there is none.
fn closing(tokens: &[Token]) -> usize {
    let mut depth = 0;
    let ends = |token: &Token| {
        depth = deeper(depth, token);
        depth == 0
    };
    tokens.iter().position(ends).unwrap_or(tokens.len().saturating_sub(1))
}

/// How many brackets are open behind a token.
fn deeper(depth: usize, token: &Token) -> usize {
    match token.kind {
        Kind::Sign('(' | '[' | '{') => depth + 1,
        Kind::Sign(')' | ']' | '}') => depth.saturating_sub(1),
        _ => depth,
    }
}
