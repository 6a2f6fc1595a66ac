//! JSON as people write it: comments and a comma too many are let through, and everything knows its place in the text.
//! It only reads; what changes a text is in `json_edit`.

use serde_json::{Map, Value};
use std::ops::Range;

/// How deep values may lie in each other.
const DEPTH_MAX: usize = 128;

/// What is wrong, and at which byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) at: usize,
    pub(crate) message: String,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Object(Object),
    Array(Vec<Node>),
    /// Text, a number, or one of the three words.
    Plain(Value),
}

/// An object: its members in order, and what is needed to add one.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) members: Vec<Member>,
    /// Whether a comma follows the last member.
    pub(super) comma_last: bool,
    /// Where the last thing before the closing brace ends: a member, a comma, a comment, or the opening brace.
    pub(super) end_inside: usize,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) key_at: usize,
    pub(super) value: Node,
}

impl Node {
    /// The value without places. Of two members with one key the later counts, as it does for the clients.
    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Plain(value) => value.clone(),
            Kind::Array(items) => items.iter().map(Node::value).collect(),
            Kind::Object(object) => {
                let members = object.members.iter().map(|member| (member.key.clone(), member.value.value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    pub(super) fn object(&self) -> Option<&Object> {
        match &self.kind {
            Kind::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl Object {
    /// The member that counts for a key.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.members.iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }
}

/// Reads a whole text; nothing if it is empty.
pub(super) fn read(text: &str) -> Result<Option<Node>, Mistake> {
    let mut reader = Reader { text, at: 0, end: 0 };
    reader.at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    reader.space()?;
    if reader.peek().is_none() && reader.end == 0 {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.space()?;
    match reader.peek() {
        None => Ok(Some(node)),
        Some(_) => Err(reader.mistake("the document has ended, and something follows")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Where the last token or comment ended.
    end: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake { at: self.at, message: message.into() }
    }

    fn unexpected(&self, wanted: &str) -> Mistake {
        match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => self.mistake(format!("expected {wanted}, found `{found}`")),
            None => self.mistake(format!("expected {wanted}, but the file ends here")),
        }
    }

    fn step(&mut self, bytes: usize) {
        self.at += bytes;
        self.end = self.at;
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Result<(), Mistake> {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            match rest {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => self.at += 1,
                [b'/', b'/', ..] => {
                    let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    let length = if rest[..length].ends_with(b"\r") { length - 1 } else { length };
                    self.step(length);
                }
                [b'/', b'*', ..] => match self.text[self.at + 2..].find("*/") {
                    Some(length) => self.step(length + 4),
                    None => return Err(self.mistake("a comment has no end")),
                },
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Mistake> {
        if depth > DEPTH_MAX {
            return Err(self.mistake(format!("values lie deeper than {DEPTH_MAX} in each other")));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.object(depth)?),
            Some(b'[') => Kind::Array(self.array(depth)?),
            Some(b'"') => Kind::Plain(Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => Kind::Plain(self.word()?),
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Object, Mistake> {
        self.step(1);
        let (mut members, mut comma_last) = (Vec::new(), false);
        loop {
            self.space()?;
            let key_at = self.at;
            match self.peek() {
                Some(b'}') => break,
                Some(b'"') if members.is_empty() || comma_last => {
                    let key = self.string()?;
                    self.space()?;
                    if self.peek() != Some(b':') {
                        return Err(self.unexpected("`:`"));
                    }
                    self.step(1);
                    self.space()?;
                    members.push(Member { key, key_at, value: self.value(depth + 1)? });
                    comma_last = self.comma()?;
                }
                _ if members.is_empty() || comma_last => {
                    return Err(self.unexpected("a key in quotes or `}`"));
                }
                _ => return Err(self.unexpected("`,` or `}`")),
            }
        }
        let end_inside = self.end;
        self.step(1);
        Ok(Object { members, comma_last, end_inside })
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Node>, Mistake> {
        self.step(1);
        let (mut items, mut comma_last) = (Vec::new(), true);
        loop {
            self.space()?;
            match self.peek() {
                Some(b']') => break,
                Some(_) if comma_last => {
                    items.push(self.value(depth + 1)?);
                    comma_last = self.comma()?;
                }
                _ => return Err(self.unexpected("`,` or `]`")),
            }
        }
        self.step(1);
        Ok(items)
    }

    fn comma(&mut self) -> Result<bool, Mistake> {
        self.space()?;
        let found = self.peek() == Some(b',');
        if found {
            self.step(1);
        }
        Ok(found)
    }

    fn string(&mut self) -> Result<String, Mistake> {
        let rest = &self.text.as_bytes()[self.at..];
        let mut length = 1;
        loop {
            match rest.get(length) {
                Some(b'"') => break,
                Some(b'\\') => length += 2,
                Some(b'\n') | None => return Err(self.mistake("a text in quotes has no end")),
                Some(_) => length += 1,
            }
        }
        let quoted = &self.text[self.at..=self.at + length];
        let read =
            serde_json::from_str(quoted).map_err(|_| self.mistake(format!("{quoted} is no text of JSON")))?;
        self.step(length + 1);
        Ok(read)
    }

    fn word(&mut self) -> Result<Value, Mistake> {
        let rest = &self.text[self.at..];
        let is_in = |letter: char| letter.is_ascii_alphanumeric() || ['-', '+', '.'].contains(&letter);
        let length = rest.find(|letter| !is_in(letter)).unwrap_or(rest.len());
        let read = serde_json::from_str(&rest[..length])
            .map_err(|_| self.mistake(format!("`{}` is no value of JSON", &rest[..length])))?;
        self.step(length);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str) -> Value {
        read(text).unwrap().unwrap().value()
    }

    fn mistake(text: &str) -> (usize, String) {
        let mistake = read(text).unwrap_err();
        (mistake.at, mistake.message)
    }

    #[test]
    fn comments_and_a_comma_too_many_are_let_through() {
        let text = "\u{feff}// top\n{ /* a */ \"a\": [1, -2.5e3, null,], // b\n \"é\\n\": {\"x\": true,}, }\r\n// end";
        assert_eq!(value(text), json!({ "a": [1, -2500.0, null], "é\n": { "x": true } }));
        assert_eq!(value("{\"u\": \"http://x//y\"}"), json!({ "u": "http://x//y" }));
        assert!(
            read(" \n").unwrap().is_none()
                && read("").unwrap().is_none()
                && read("\u{feff}").unwrap().is_none()
        );
    }

    #[test]
    fn of_two_equal_keys_the_later_counts() {
        assert_eq!(value("{\"a\": 1, \"a\": 2}"), json!({ "a": 2 }));
    }

    #[test]
    fn mistakes_have_their_place() {
        assert_eq!(mistake("{\"a\": 1 \"b\": 2}"), (8, "expected `,` or `}`, found `\"`".to_owned()));
        assert_eq!(mistake("{\"a\" 1}").1, "expected `:`, found `1`");
        assert_eq!(mistake("{\"a\": }").1, "expected a value, found `}`");
        assert_eq!(mistake("{a: 1}").1, "expected a key in quotes or `}`, found `a`");
        assert_eq!(mistake("{\"a\": 1").1, "expected `,` or `}`, but the file ends here");
        assert_eq!(mistake("{\"a\": \"x\n\"}"), (6, "a text in quotes has no end".to_owned()));
        assert_eq!(mistake("{} {}"), (3, "the document has ended, and something follows".to_owned()));
        assert_eq!(mistake("{} /* x"), (3, "a comment has no end".to_owned()));
        assert_eq!(mistake("[01]").1, "`01` is no value of JSON");
        assert_eq!(mistake("// only this").1, "expected a value, but the file ends here");
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(DEPTH_MAX + 1)).is_ok());
        assert_eq!(mistake(&nested(DEPTH_MAX + 2)).1, "values lie deeper than 128 in each other");
    }
}
