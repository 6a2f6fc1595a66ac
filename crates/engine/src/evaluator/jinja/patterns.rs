//! Regular expressions, in linear time. As filters (`text | regex_search(pattern)`) and as functions with the text last.

use minijinja::{Environment, Error, ErrorKind};
use regex::{Captures, Regex, RegexBuilder};

/// The largest compiled pattern.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// Adds them.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("regex_search", |text: &str, pattern: &str| search(pattern, text));
    environment.add_filter("regex_findall", |text: &str, pattern: &str| find_all(pattern, text));
    environment
        .add_filter("regex_replace", |text: &str, pattern: &str, with: &str| replace(pattern, with, text));
    environment.add_function("regex_search", search);
    environment.add_function("regex_findall", find_all);
    environment.add_function("regex_replace", replace);
}

/// The groups of the first match, or the match if there are none; an empty list if nothing matches.
fn search(pattern: &str, text: &str) -> Result<Vec<String>, Error> {
    let pattern = compiled(pattern)?;
    Ok(pattern.captures(text).map(|found| parts(&found)).unwrap_or_default())
}

/// Every match: the match itself, or its group if there is one, or the list of its groups.
fn find_all(pattern: &str, text: &str) -> Result<Vec<minijinja::Value>, Error> {
    let pattern = compiled(pattern)?;
    let value = |found: Captures<'_>| match parts(&found) {
        mut one if one.len() == 1 => one.remove(0).into(),
        groups => groups.into(),
    };
    Ok(pattern.captures_iter(text).map(value).collect())
}

/// All matches replaced. `\1` and `\g<name>` stand for groups, as in Python.
fn replace(pattern: &str, with: &str, text: &str) -> Result<String, Error> {
    Ok(compiled(pattern)?.replace_all(text, python_groups(with)).into_owned())
}

fn parts(found: &Captures<'_>) -> Vec<String> {
    let text =
        |part: Option<regex::Match<'_>>| part.map_or_else(String::new, |part| part.as_str().to_owned());
    if found.len() == 1 { vec![text(found.get(0))] } else { found.iter().skip(1).map(text).collect() }
}

fn compiled(pattern: &str) -> Result<Regex, Error> {
    RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build().map_err(|error| {
        let last = error.to_string();
        let last = last.lines().last().unwrap_or_default().trim().to_owned();
        Error::new(ErrorKind::InvalidOperation, format!("`{pattern}` is no regular expression: {last}"))
    })
}

/// Rewrites `\1` to `${1}`; a dollar is a dollar.
fn python_groups(with: &str) -> String {
    let mut rewritten = String::new();
    let mut letters = with.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek().copied()) {
            ('$', _) => rewritten.push_str("$$"),
            ('\\', Some(digit)) if digit.is_ascii_digit() => {
                let mut number = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                rewritten.push_str(&format!("${{{number}}}"));
            }
            ('\\', Some('g')) => match group_name(&mut letters) {
                Some(name) => rewritten.push_str(&format!("${{{name}}}")),
                None => rewritten.push('\\'),
            },
            _ => rewritten.push(letter),
        }
    }
    rewritten
}

/// The name in `g<name>`, if that is what comes.
fn group_name(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    let mut ahead = letters.clone();
    ahead.next();
    ahead.next_if_eq(&'<')?;
    let mut name = String::new();
    while let Some(letter) = ahead.next_if(|letter| letter.is_alphanumeric() || *letter == '_') {
        name.push(letter);
    }
    ahead.next_if_eq(&'>')?;
    *letters = ahead;
    (!name.is_empty()).then_some(name)
}
