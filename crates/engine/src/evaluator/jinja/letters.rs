//! What Python's texts can do with their letters. Places count letters, not bytes.

use super::room::room;
use minijinja::value::from_args;
use minijinja::{Error, ErrorKind, Value};
use regex::Regex;
use std::sync::OnceLock;

/// Methods without arguments.
pub(super) fn plain(text: &str, name: &str) -> Option<Value> {
    Some(match name {
        "title" => titled(text).into(),
        "swapcase" => text.chars().flat_map(swapped).collect::<String>().into(),
        "casefold" => text.replace(['ß', 'ẞ'], "ss").to_lowercase().into(),
        "isdecimal" => is_all(text, is_decimal).into(),
        "isdigit" => is_all(text, |letter| is_decimal(letter) || is_raised(letter)).into(),
        "isidentifier" => is_identifier(text).into(),
        "isprintable" => text.chars().all(|it| it == ' ' || !(it.is_control() || it.is_whitespace())).into(),
        "istitle" => (text.chars().any(is_cased) && titled(text) == text).into(),
        _ => return None,
    })
}

fn is_all(text: &str, is_one: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(is_one)
}

fn is_decimal(letter: char) -> bool {
    static DIGIT: OnceLock<Regex> = OnceLock::new();
    let digit = DIGIT.get_or_init(|| Regex::new(r"^\d$").expect("BUG: a pattern of our own"));
    letter.is_ascii_digit() || !letter.is_ascii() && digit.is_match(letter.encode_utf8(&mut [0; 4]))
}

/// Digits above or below the line.
fn is_raised(letter: char) -> bool {
    matches!(letter, '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '₀'..='₉')
}

fn is_cased(letter: char) -> bool {
    letter.is_lowercase() || letter.is_uppercase()
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Large where a word begins, which it does behind anything that is no letter.
fn titled(text: &str) -> String {
    let mut is_within = false;
    let mut made = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_within {
            true => made.extend(letter.to_lowercase()),
            false => made.extend(letter.to_uppercase()),
        }
        is_within = letter.is_alphabetic();
    }
    made
}

fn swapped(letter: char) -> Vec<char> {
    match letter.is_uppercase() {
        true => letter.to_lowercase().collect(),
        false => letter.to_uppercase().collect(),
    }
}

/// Blanks up to the next column that the width divides.
pub(super) fn expand_tabs(text: &str, width: usize) -> Result<String, Error> {
    let (mut made, mut column) = (String::new(), 0_usize);
    for letter in text.chars() {
        match letter {
            '\t' => {
                let missing = width.saturating_sub(column.checked_rem(width).unwrap_or(0));
                room("expandtabs", made.len().saturating_add(missing))?;
                made.extend(std::iter::repeat_n(' ', missing));
                column += missing;
            }
            _ => {
                made.push(letter);
                column = if matches!(letter, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    Ok(made)
}

/// `rsplit`: as `split`, but what is left whole is the beginning.
pub(super) fn split_from_end(text: &str, args: &[Value]) -> Result<Value, Error> {
    let (between, most): (Option<&str>, Option<i64>) = from_args(args)?;
    let most =
        most.and_then(|most| usize::try_from(most).ok()).map_or(usize::MAX, |most| most.saturating_add(1));
    let mut parts: Vec<&str> = match between {
        Some("") => return Err(Error::new(ErrorKind::InvalidOperation, "`rsplit` needs a separator")),
        Some(between) => text.rsplitn(most, between).collect(),
        None => {
            let (mut rest, mut parts) = (text.trim_end(), Vec::new());
            while !rest.is_empty() && parts.len() + 1 < most {
                let place = rest.rfind(char::is_whitespace).map_or(0, |place| place + width_at(rest, place));
                parts.push(&rest[place..]);
                rest = rest[..place].trim_end();
            }
            parts.extend((!rest.is_empty()).then_some(rest));
            parts
        }
    };
    parts.reverse();
    Ok(parts.into_iter().map(Value::from).collect())
}

fn width_at(text: &str, place: usize) -> usize {
    text[place..].chars().next().map_or(1, char::len_utf8)
}

/// A part of a text, in which something is looked for.
pub(super) struct Found<'t> {
    part: &'t str,
    /// Letters before it.
    before: usize,
    /// Whether it begins behind the end, where not even nothing is found.
    is_beyond: bool,
}

impl<'t> Found<'t> {
    /// The part between two places, which count from the end if they are negative.
    pub(super) fn within(text: &'t str, from: Option<i64>, to: Option<i64>) -> Self {
        let letters = text.chars().count();
        let place = |place: i64| match usize::try_from(place) {
            Ok(place) => place,
            Err(_) => letters.saturating_sub(usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX)),
        };
        let (from, to) = (from.map_or(0, place), to.map_or(letters, place).min(letters));
        let byte = |place: usize| text.char_indices().nth(place).map_or(text.len(), |(byte, _)| byte);
        let part = if from < to { &text[byte(from)..byte(to)] } else { "" };
        Found { part, before: from, is_beyond: from > to }
    }

    pub(super) fn count(&self, wanted: &str) -> usize {
        if self.is_beyond { 0 } else { self.part.matches(wanted).count() }
    }

    /// Where it stands, first or last, in letters.
    pub(super) fn place(&self, wanted: &str, from_end: bool) -> Option<usize> {
        let byte = if from_end { self.part.rfind(wanted) } else { self.part.find(wanted) };
        byte.filter(|_| !self.is_beyond).map(|byte| self.before + self.part[..byte].chars().count())
    }
}
