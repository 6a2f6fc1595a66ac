//! `<`, `>`, `<=`, `>=`: the engine orders values of all kinds, so that the text '12' would be more than the number 90. As in
//! Python, only what is of one kind has an order. A comparison becomes a call, by letters that are added around it:
//!
//! ```text
//!  state.score >= 90 and ok                 what is written
//!  _ordered(state.score ,'>=', 90) and ok   what the engine gets
//! ```

use super::undefined::defined;
use minijinja::value::{Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Value};
use std::cmp::Ordering;

/// What a comparison is called; a name that nobody else takes.
const ORDERED: &str = "_ordered";

/// Adds it, and the tests that compare.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_function(ORDERED, ordered);
    for (operator, names) in
        [("<", ["lt", "lessthan"]), (">", ["gt", "greaterthan"]), ("<=", ["le", "<="]), (">=", ["ge", ">="])]
    {
        for name in names.into_iter().chain([operator]) {
            environment.add_test(name, move |left: &Value, right: &Value| compared(left, operator, right));
        }
    }
}

/// Values with operators between them: whether each holds.
fn ordered(parts: Rest<Value>) -> Result<bool, Error> {
    for pair in parts.windows(3).step_by(2) {
        if !compared(&pair[0], pair[1].as_str().unwrap_or_default(), &pair[2])? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a comparison holds.
pub(super) fn compared(left: &Value, operator: &str, right: &Value) -> Result<bool, Error> {
    defined(left)?;
    defined(right)?;
    if matches!(operator, "==" | "!=") {
        return Ok((left == right) == (operator == "=="));
    }
    let kind = |value: &Value| match value.kind() {
        ValueKind::Bool => ValueKind::Number,
        ValueKind::Iterable => ValueKind::Seq,
        kind => kind,
    };
    let has_order =
        matches!(kind(left), ValueKind::Number | ValueKind::String | ValueKind::Seq | ValueKind::Plain);
    if !has_order || kind(left) != kind(right) {
        let words = format!(
            "`{operator}` compares a {} with a {}: make both numbers with `| int`, or texts with `| string`",
            left.kind(),
            right.kind()
        );
        return Err(Error::new(ErrorKind::InvalidOperation, words));
    }
    let number = |value: &Value| {
        if value.kind() == ValueKind::Bool { u8::from(value.is_true()).into() } else { value.clone() }
    };
    let order = number(left).cmp(&number(right));
    Ok(match operator {
        "<" => order == Ordering::Less,
        ">" => order == Ordering::Greater,
        "<=" => order != Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

/// What is added to code, by place, so that its comparisons are calls.
pub(super) fn calls(code: &str) -> Vec<(usize, String)> {
    let mut finder = Finder { code, chains: vec![Chain::default()], added: Vec::new() };
    let mut at = 0;
    while at < code.len() {
        at += finder.token(at);
    }
    while !finder.chains.is_empty() {
        finder.ends(code.len());
        finder.chains.pop();
    }
    finder.added.sort_by_key(|(place, _)| *place);
    finder.added
}

/// Values with operators between them, as far as they are read.
#[derive(Default)]
struct Chain {
    begins: Option<usize>,
    /// Where the last of its letters ends.
    ends: usize,
    operators: Vec<(usize, usize)>,
    /// Whether an operator is among them that only the engine knows.
    is_left: bool,
}

struct Finder<'c> {
    code: &'c str,
    /// One for each bracket that is open.
    chains: Vec<Chain>,
    added: Vec<(usize, String)>,
}

impl Finder<'_> {
    /// Looks at what begins here; gives how long it is.
    fn token(&mut self, at: usize) -> usize {
        let rest = &self.code[at..];
        let first = rest.chars().next().unwrap_or(' ');
        let length = match first {
            '\'' | '"' => literal(rest, first),
            '<' | '>' | '=' | '!' if rest[1..].starts_with('=') => 2,
            _ if is_of_word(first) => rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        match &rest[..length] {
            "," | ":" | "=" | "and" | "or" | "if" | "elif" | "else" | "set" => self.ends(at),
            "not" if !rest[length..].trim_start().starts_with("in ") => self.ends(at),
            "in" | "not" => self.here(at, length).is_left = true,
            "<" | ">" | "<=" | ">=" | "==" | "!=" => self.here(at, length).operators.push((at, length)),
            "(" | "[" | "{" => {
                self.here(at, length);
                self.chains.push(Chain::default());
            }
            ")" | "]" | "}" => {
                self.ends(at);
                self.chains.pop();
                self.here(at, length);
            }
            word if word.trim().is_empty() => {}
            _ => drop(self.here(at, length)),
        }
        length
    }

    /// The chain to which something belongs.
    fn here(&mut self, at: usize, length: usize) -> &mut Chain {
        if self.chains.is_empty() {
            self.chains.push(Chain::default());
        }
        let last = self.chains.len() - 1;
        let chain = &mut self.chains[last];
        chain.begins.get_or_insert(at);
        chain.ends = at + length;
        chain
    }

    /// A chain ends before this place.
    fn ends(&mut self, at: usize) {
        let Some(chain) = self.chains.last_mut().map(std::mem::take) else { return };
        let Chain { begins: Some(begins), ends, operators, is_left: false } = chain else { return };
        let has_order = operators.iter().any(|(place, _)| self.code[*place..].starts_with(['<', '>']));
        let ends_of = |(place, length): &(usize, usize)| (*place, place + length);
        let bounds =
            [(begins, begins)].into_iter().chain(operators.iter().map(ends_of)).chain([(ends, ends)]);
        let sides: Vec<(usize, usize)> = bounds.collect();
        // What lacks a value is left to the engine, which says so.
        let has_sides = sides.windows(2).all(|pair| !self.code[pair[0].1..pair[1].0].trim().is_empty());
        if !has_order || !has_sides || ends > at {
            return;
        }
        self.added.push((begins, format!("{ORDERED}(")));
        for (place, length) in operators {
            self.added.push((place, ",'".to_owned()));
            self.added.push((place + length, "',".to_owned()));
        }
        self.added.push((ends, ")".to_owned()));
    }
}

pub(super) fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// How long a literal is, its quotes among it.
pub(super) fn literal(text: &str, quote: char) -> usize {
    let mut is_escaped = true;
    let end = text.find(|letter| {
        let ends = letter == quote && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}
