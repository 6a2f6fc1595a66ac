//! What is wrong with an expression, for whoever wrote it: where, what, and what was probably meant.

use super::Scope;
use super::environment::base;
use super::scan::Scanned;
use crate::evaluator::limits::FUEL;
use dialects::jinja::{FILTERS, TESTS, left_out};
use dialects::near::near;
use minijinja::{Error, ErrorKind};

/// What a message is made from.
pub(super) struct Mistake<'m> {
    pub(super) source: &'m str,
    pub(super) scanned: &'m Scanned,
    pub(super) scope: &'m Scope,
}

impl Mistake<'_> {
    /// What the engine says, in our words.
    pub(super) fn words(&self, error: &Error) -> String {
        let at = self.first_letter(error.range().map_or(0, |range| range.start));
        let detail = error.detail().unwrap_or_default();
        if let Some(name) = undefined_in(detail) {
            return self.undefined(self.place_of(name, error).unwrap_or(at), name);
        }
        let said = match error.kind() {
            ErrorKind::UndefinedError => return self.undefined(at, self.text_at(error)),
            ErrorKind::UnknownFilter => unknown("filter", self.named(detail, error, &FILTERS), FILTERS),
            ErrorKind::UnknownTest => unknown("test", self.named(detail, error, &TESTS), TESTS),
            ErrorKind::UnknownFunction => function(word(detail, 0)),
            ErrorKind::OutOfFuel => format!("it takes more than {FUEL} steps: loop over less, or split it"),
            ErrorKind::SyntaxError => format!("syntax error: {detail}"),
            kind if detail.is_empty() => kind.to_string(),
            ErrorKind::InvalidOperation => detail.to_owned(),
            kind => format!("{kind}: {detail}"),
        };
        self.here(at, &said)
    }

    /// The first place from here on that is no blank.
    fn first_letter(&self, at: usize) -> usize {
        let rest = self.scanned.text.get(at..).unwrap_or_default();
        at + rest.len() - rest.trim_start().len()
    }

    /// That a statement wants to read another text.
    pub(super) fn elsewhere(&self, at: usize, name: &str) -> String {
        self.here(at, &format!("there is no `{name}` here, because an expression reads no other text"))
    }

    /// That something is undefined, and what is near.
    pub(super) fn undefined(&self, at: usize, name: &str) -> String {
        let near = self.near(name);
        let meant = if near.is_empty() {
            "give it a value, or use `| default(..)`".to_owned()
        } else {
            format!("did you mean {}?", listed(&near))
        };
        self.here(at, &format!("`{name}` is undefined: {meant}"))
    }

    /// That the whole expression is undefined.
    pub(super) fn undefined_whole(&self) -> String {
        let text = &self.scanned.text;
        self.undefined(text.len() - text.trim_start().len(), text.trim())
    }

    /// The names near to the first part of a path that is not there.
    fn near(&self, name: &str) -> Vec<String> {
        let parts: Vec<&str> = name.split('.').collect();
        for depth in 0..parts.len() {
            let Some(names) = self.scope.names(&parts[..depth]) else { return Vec::new() };
            if names.iter().any(|known| known == parts[depth]) {
                continue;
            }
            let found = near(parts[depth], names.iter().map(String::as_str));
            let prefix = parts[..depth].iter().map(|part| format!("{part}.")).collect::<String>();
            return found.into_iter().map(|name| format!("{prefix}{name}")).collect();
        }
        Vec::new()
    }

    /// Where a name stands within what the engine points at.
    fn place_of(&self, name: &str, error: &Error) -> Option<usize> {
        let range = error.range()?;
        let text = self.scanned.text.get(range.clone())?;
        let stands_alone = |place: &usize| {
            !text[..*place].ends_with(|letter| is_of_name(letter) || letter == '.')
                && !text[*place + name.len()..].starts_with(is_of_name)
        };
        text.match_indices(name).map(|(place, _)| place).find(stands_alone).map(|place| range.start + place)
    }

    fn text_at(&self, error: &Error) -> &str {
        let text = error.range().and_then(|range| self.scanned.text.get(range));
        text.unwrap_or(&self.scanned.text).trim()
    }

    /// The name that was not found: the engine says it, or it is the text in `map("name")` and its like that is no name.
    fn named<'n>(&'n self, detail: &'n str, error: &Error, known: &[&str]) -> &'n str {
        if !detail.is_empty() {
            return word(detail, 1);
        }
        let called = self.text_at(error);
        // The first one names an attribute.
        let others = usize::from(called.starts_with("selectattr") || called.starts_with("rejectattr"));
        let mut texts = texts_in(called).skip(others);
        texts.find(|text| !known.contains(text) && text.chars().all(is_of_name)).unwrap_or_default()
    }

    /// A sentence with its place in the source.
    fn here(&self, at: usize, said: &str) -> String {
        let place = self.source.floor_char_boundary(self.scanned.place(at).min(self.source.len()));
        let before = &self.source[..place];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}: {said}")
    }
}

/// The name in "`name` is undefined", wherever it stands.
fn undefined_in(detail: &str) -> Option<&str> {
    let before = &detail[..detail.find("` is undefined")?];
    before.rfind('`').map(|place| &before[place + 1..])
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// What stands in quotes.
fn texts_in(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = source;
    std::iter::from_fn(move || {
        let (_, behind) = rest.split_once(['"', '\''])?;
        let mark = rest[..rest.len() - behind.len()].chars().next_back()?;
        let (text, behind) = behind.split_once(mark)?;
        rest = behind;
        Some(text)
    })
}

fn word(detail: &str, position: usize) -> &str {
    detail.split(' ').nth(position).unwrap_or_default()
}

fn unknown<'n>(what: &str, name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    if name.is_empty() {
        return format!("there is no {what} of the name that is asked for");
    }
    if let Some(why) = left_out(name) {
        return format!("there is no `{name}` here, because {why}");
    }
    let near = near(name, names);
    let meant = if near.is_empty() { String::new() } else { format!(", did you mean {}?", listed(&near)) };
    format!("there is no {what} `{name}`{meant}")
}

fn function(name: &str) -> String {
    let names: Vec<String> = base().globals().map(|(name, _)| name.to_owned()).collect();
    unknown("function", name, names.iter().map(String::as_str))
}

fn listed<N: AsRef<str>>(names: &[N]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(" or ")
}
