//! Words of a condition, each with its place.

use super::{ParseError, Path, closing};
use crate::exact::is_exact;
use serde_json::Value;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Literal(Value),
    Reference(Path),
    Symbol(&'static str),
    Name(String),
}

pub(super) type Placed = (Word, Range<usize>);

const SYMBOLS: [&str; 13] = ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "(", ")", "[", "]", ","];

pub(super) fn words(text: &str) -> Result<Vec<Placed>, ParseError> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(letter) = text[position..].chars().next() {
        if letter.is_whitespace() {
            position += letter.len_utf8();
            continue;
        }
        let (word, length) = word(&text[position..], letter, position)?;
        found.push((word, position..position + length));
        position += length;
    }
    Ok(found)
}

fn word(rest: &str, letter: char, at: usize) -> Result<(Word, usize), ParseError> {
    if rest.starts_with("${") {
        return reference(rest, at);
    }
    if letter == '\'' || letter == '"' {
        return quoted(rest, letter, at);
    }
    if letter.is_ascii_digit() || (letter == '-' && rest[1..].starts_with(|next: char| next.is_ascii_digit()))
    {
        return number(rest, at);
    }
    if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
        return Ok((Word::Symbol(symbol), symbol.len()));
    }
    if letter.is_alphabetic() || letter == '_' {
        let end = rest.find(|next: char| !(next.is_alphanumeric() || "_-.".contains(next)));
        let name = &rest[..end.unwrap_or(rest.len())];
        return Ok((named(name), name.len()));
    }
    Err(ParseError::new(format!("`{letter}` has no meaning here"), at..at + letter.len_utf8()))
}

fn named(name: &str) -> Word {
    match name {
        "true" | "True" => Word::Literal(Value::Bool(true)),
        "false" | "False" => Word::Literal(Value::Bool(false)),
        "null" | "None" => Word::Literal(Value::Null),
        _ => Word::Name(name.to_owned()),
    }
}

fn reference(rest: &str, at: usize) -> Result<(Word, usize), ParseError> {
    let end = closing(&rest[2..]).ok_or_else(|| ParseError::new("`}` is missing after `${`", at..at + 2))?;
    let inside = &rest[2..end + 2];
    let path = Path::parse(inside.trim(), at + 2 + inside.len() - inside.trim_start().len())?;
    Ok((Word::Reference(path), end + 3))
}

fn quoted(rest: &str, quote: char, at: usize) -> Result<(Word, usize), ParseError> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((position, letter)) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, other)) if other == '\\' || other == quote => text.push(other),
                Some((_, other)) => text.extend(['\\', other]),
                None => break,
            },
            letter if letter == quote && text.contains("${") => {
                let message = "a reference in quotes would be plain text; take the quotes away";
                return Err(ParseError::new(message, at..at + position + 1));
            }
            letter if letter == quote => {
                return Ok((Word::Literal(Value::String(text)), position + quote.len_utf8()));
            }
            letter => text.push(letter),
        }
    }
    Err(ParseError::new(format!("the closing {quote} is missing"), at..at + 1))
}

fn number(rest: &str, at: usize) -> Result<(Word, usize), ParseError> {
    let end = rest
        .char_indices()
        .skip(1)
        .find(|(_, letter)| !(letter.is_alphanumeric() || *letter == '.'))
        .map_or(rest.len(), |(position, _)| position);
    let text = &rest[..end];
    let whole = text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from));
    let value = whole.ok().or_else(|| {
        let number = text.parse::<f64>().ok().filter(|_| !text.ends_with('.'))?;
        serde_json::Number::from_f64(number).map(Value::Number)
    });
    let value = value.ok_or_else(|| ParseError::new(format!("`{text}` is no number"), at..at + end))?;
    if !is_exact(text) {
        let why = format!("the number `{text}` cannot be kept as it is: it has too many digits");
        return Err(ParseError::new(why, at..at + end));
    }
    Ok((Word::Literal(value), end))
}
