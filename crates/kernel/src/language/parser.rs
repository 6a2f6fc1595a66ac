//! Reads a condition. Grammar, loosest first:
//!
//! ```text
//! any     = all ("or" all)*            ("||" too)
//! all     = not ("and" not)*           ("&&" too)
//! not     = "not" not | compare
//! compare = operand [op operand]       op: == != < <= > >= in "not in"
//! operand = literal | ${path} | "(" any ")" | "[" any, ... "]"
//! ```

use super::condition::{compare, cut, kind};
use super::lexer::{Placed, Word, words};
use super::{Compare, Condition, ParseError};
use serde_json::Value;
use std::ops::Range;

/// How deep parentheses, lists and `not` may nest. One such level is up to six levels of the plan's JSON form
/// (`any`, `all` and a comparison, two each), and JSON readers stop at 128.
const DEPTH_MAX: u32 = 16;

/// Reads a condition.
pub fn parse_condition(text: &str) -> Result<Condition, ParseError> {
    let mut reader = Reader { words: words(text)?, next: 0, end: text.len(), depth: 0 };
    let condition = reader.any()?;
    match reader.words.get(reader.next) {
        None => truth(condition, 0..text.len()),
        Some((_, place)) => Err(reader.unexpected(place.clone())),
    }
}

struct Reader {
    words: Vec<Placed>,
    next: usize,
    end: usize,
    depth: u32,
}

impl Reader {
    fn any(&mut self) -> Result<Condition, ParseError> {
        let mut items = vec![self.all()?];
        while self.takes("or", "||") {
            items.push(self.all()?);
        }
        Ok(if items.len() == 1 { items.remove(0) } else { Condition::Any(items) })
    }

    fn all(&mut self) -> Result<Condition, ParseError> {
        let mut items = vec![self.not()?];
        while self.takes("and", "&&") {
            items.push(self.not()?);
        }
        Ok(if items.len() == 1 { items.remove(0) } else { Condition::All(items) })
    }

    fn not(&mut self) -> Result<Condition, ParseError> {
        if !self.takes("not", "") {
            return self.compare();
        }
        self.deeper(|reader| Ok(Condition::Not(Box::new(reader.not()?))))
    }

    fn compare(&mut self) -> Result<Condition, ParseError> {
        let start = self.place().map_or(self.end, |place| place.start);
        let left = self.operand()?;
        let Some(how) = self.comparison() else { return Ok(left) };
        let right = self.operand()?;
        let end = self.words[self.next - 1].1.end;
        if let (Condition::Literal(left), Condition::Literal(right)) = (&left, &right) {
            compare(how, left, right).map_err(|message| ParseError::new(message, start..end))?;
        }
        if let Some(place) = self.place().filter(|_| self.comparison().is_some()) {
            return Err(ParseError::new("comparisons do not chain; join them with `and`", place));
        }
        Ok(Condition::Compare(how, Box::new(left), Box::new(right)))
    }

    fn comparison(&mut self) -> Option<Compare> {
        let how = match self.words.get(self.next)?.0.clone() {
            Word::Symbol("==") => Compare::Equal,
            Word::Symbol("!=") => Compare::Differs,
            Word::Symbol("<") => Compare::Below,
            Word::Symbol("<=") => Compare::AtMost,
            Word::Symbol(">") => Compare::Above,
            Word::Symbol(">=") => Compare::AtLeast,
            Word::Name(name) if name == "in" => Compare::In,
            Word::Name(name) if name == "not" && self.is_name(self.next + 1, "in") => {
                self.next += 1;
                Compare::NotIn
            }
            _ => return None,
        };
        self.next += 1;
        Some(how)
    }

    fn operand(&mut self) -> Result<Condition, ParseError> {
        let Some((word, place)) = self.words.get(self.next).cloned() else {
            let at = self.end.saturating_sub(1)..self.end.max(1);
            return Err(ParseError::new("a value is missing at the end", at));
        };
        self.next += 1;
        match word {
            Word::Literal(value) => Ok(Condition::Literal(value)),
            Word::Reference(path) => Ok(Condition::Reference(path)),
            Word::Symbol("(") => self.deeper(|reader| {
                let inner = reader.any()?;
                reader.close(")", place)?;
                Ok(inner)
            }),
            Word::Symbol("[") => self.deeper(|reader| reader.list(place)),
            Word::Name(name) => Err(bare(&name, place)),
            Word::Symbol(symbol) => {
                Err(ParseError::new(format!("a value is missing before `{symbol}`"), place))
            }
        }
    }

    fn list(&mut self, opened: Range<usize>) -> Result<Condition, ParseError> {
        let mut items = Vec::new();
        while !self.is_symbol("]") {
            items.push(self.any()?);
            if !self.takes("", ",") {
                break;
            }
        }
        self.close("]", opened)?;
        Ok(Condition::List(items))
    }

    fn close(&mut self, symbol: &str, opened: Range<usize>) -> Result<(), ParseError> {
        if !self.is_symbol(symbol) {
            return Err(ParseError::new(format!("`{symbol}` is missing"), opened));
        }
        self.next += 1;
        Ok(())
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        if self.depth == DEPTH_MAX {
            let place = self.place().unwrap_or(0..self.end);
            return Err(ParseError::new(format!("nested deeper than {DEPTH_MAX}"), place));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn takes(&mut self, name: &str, symbol: &str) -> bool {
        let taken = self.is_name(self.next, name) || self.is_symbol(symbol);
        self.next += usize::from(taken);
        taken
    }

    fn is_name(&self, position: usize, wanted: &str) -> bool {
        matches!(self.words.get(position), Some((Word::Name(name), _)) if name == wanted)
    }

    fn is_symbol(&self, wanted: &str) -> bool {
        matches!(self.words.get(self.next), Some((Word::Symbol(symbol), _)) if *symbol == wanted)
    }

    fn place(&self) -> Option<Range<usize>> {
        self.words.get(self.next).map(|(_, place)| place.clone())
    }

    fn unexpected(&self, place: Range<usize>) -> ParseError {
        ParseError::new("expected `and`, `or` or a comparison here", place)
    }
}

/// A condition that is one constant must be true or false.
fn truth(condition: Condition, place: Range<usize>) -> Result<Condition, ParseError> {
    match &condition {
        Condition::Literal(Value::Bool(_)) => Ok(condition),
        Condition::Literal(value) => {
            let message = format!("a condition needs true or false, and {} is {}", cut(value), kind(value));
            Err(ParseError::new(message, place))
        }
        _ => Ok(condition),
    }
}

fn bare(name: &str, place: Range<usize>) -> ParseError {
    let message = if name.contains('.') {
        format!("`{name}` is no value; write `${{{name}}}`")
    } else {
        format!("`{name}` is no value; put quotes around text")
    };
    ParseError::new(message, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_point_at_their_place() {
        for (text, message, at) in [
            ("", "a value is missing at the end", 0..1),
            ("${a} ==", "a value is missing at the end", 6..7),
            ("${a} = 1", "`=` has no meaning here", 5..6),
            ("${a} == production", "`production` is no value; put quotes around text", 8..18),
            ("blocks.a.failed", "`blocks.a.failed` is no value; write `${blocks.a.failed}`", 0..15),
            ("(${a}", "`)` is missing", 0..1),
            ("${a} in ['x'", "`]` is missing", 8..9),
            ("1 < 2 < 3", "comparisons do not chain; join them with `and`", 6..7),
            ("${a} ${b}", "expected `and`, `or` or a comparison here", 5..9),
            ("1 == == 2", "a value is missing before `==`", 5..7),
            ("'open", "the closing ' is missing", 0..1),
            ("'${a}' == 'x'", "a reference in quotes would be plain text; take the quotes away", 0..6),
            ("true and 'a' < 3", "\"a\" (text) and 3 (a number) have no order", 9..16),
            ("1 in 5", "nothing can be `in` 5 (a number)", 0..6),
            ("'no'", "a condition needs true or false, and \"no\" is text", 0..4),
            ("null", "a condition needs true or false, and null is nothing", 0..4),
            ("12ab == 1", "`12ab` is no number", 0..4),
            (
                "18446744073709551617 == 1",
                "the number `18446744073709551617` cannot be kept as it is: it has too many digits",
                0..20,
            ),
            (
                "1 == 0.1000000000000000000001",
                "the number `0.1000000000000000000001` cannot be kept as it is: it has too many digits",
                5..29,
            ),
            ("${a", "`}` is missing after `${`", 0..2),
        ] {
            assert_eq!(parse_condition(text), Err(ParseError::new(message, at)), "{text}");
        }
    }

    #[test]
    fn depth_has_an_edge() {
        let nested = |depth: usize| format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
        assert!(parse_condition(&nested(16)).is_ok());
        assert!(parse_condition(&nested(17)).is_err());
        assert!(parse_condition(&"not ".repeat(100_000)).is_err());
        assert!(parse_condition(&vec!["true"; 10_000].join(" and ")).is_ok());
    }

    #[test]
    fn the_deepest_condition_can_be_stored_in_a_plan() {
        let deepest = format!("{}true{}", "(true or true and true == ".repeat(16), ")".repeat(16));
        let condition = parse_condition(&deepest).unwrap();
        let stored = serde_json::to_string(&[[[[[[[[[[[[condition]]]]]]]]]]]]).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&stored).is_ok());
    }
}
