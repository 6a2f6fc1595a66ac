//! A text as tags and the words in them. A tag ends at its closing braces outside of literals and brackets, as the evaluator
//! has it.

use std::ops::Range;

/// A tag: `{{ ... }}` or `{% ... %}`.
#[derive(Debug)]
pub(super) struct Tag {
    /// Whether it is a statement.
    pub(super) is_statement: bool,
    /// All of it.
    pub(super) at: Range<usize>,
    /// What stands between the braces.
    pub(super) inside: Range<usize>,
    /// The words of that.
    pub(super) tokens: Vec<Token>,
}

/// A word of code.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: Range<usize>,
}

/// The kinds of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// A literal, with its quotes.
    Text,
    /// One letter of punctuation; `==` and the like are [`Kind::Compare`].
    Sign(char),
    Compare,
}

/// What follows next in a text.
#[derive(Debug)]
pub(super) enum Piece {
    Tag(Tag),
    /// A comment, or text between `raw` and its end.
    Passed {
        at: Range<usize>,
        is_raw: bool,
    },
    /// Something that begins here is never closed: this, which is closed by that.
    Open(Range<usize>, &'static str, &'static str),
}

/// Goes through a text.
#[derive(Debug)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Scanner<'_> {
    type Item = Piece;

    /// The next tag, comment or raw text; plain text is passed by.
    fn next(&mut self) -> Option<Piece> {
        self.at += opening(self.rest())?;
        let from = self.at;
        let (is_raw, is_closed) = match &self.rest()[..2] {
            "{#" => (false, self.past("#}")),
            "{%" if self.is_tag("raw") => (true, self.raw()),
            opening => {
                let piece = self.tag(opening == "{%");
                if matches!(piece, Piece::Open(..)) {
                    // What it would be if it were closed elsewhere, nobody knows.
                    self.at = self.text.len();
                }
                return Some(piece);
            }
        };
        Some(match (is_closed, is_raw) {
            (true, is_raw) => Piece::Passed { at: from..self.at, is_raw },
            (false, false) => Piece::Open(from..from + 2, "this comment", "#}"),
            (false, true) => Piece::Open(from..from + 2, "`raw`", "{% endraw %}"),
        })
    }
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Scanner { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Goes on behind a text; whether it was there.
    fn past(&mut self, closing: &str) -> bool {
        let found = self.rest().find(closing);
        self.at += found.map_or(self.rest().len(), |place| place + closing.len());
        found.is_some()
    }

    /// Whether the tag that begins here is `{% name %}`.
    fn is_tag(&self, name: &str) -> bool {
        let Some(inside) = self.rest().strip_prefix("{%") else { return false };
        let inside = inside.strip_prefix(['-', '+']).unwrap_or(inside).trim_start();
        let after = inside.strip_prefix(name).map(|after| after.trim_start().trim_start_matches(['-', '+']));
        after.is_some_and(|after| after.starts_with("%}"))
    }

    /// Goes on behind `{% endraw %}`; whether it was there.
    fn raw(&mut self) -> bool {
        while self.past("%}") {
            let rest = self.rest();
            self.at += rest.find("{%").unwrap_or(rest.len());
            if self.is_tag("endraw") {
                return self.past("%}");
            }
        }
        false
    }

    fn tag(&mut self, is_statement: bool) -> Piece {
        let (from, closing) = (self.at, if is_statement { "%}" } else { "}}" });
        self.at += 2;
        self.at += usize::from(self.rest().starts_with(['-', '+']));
        let (inside, mut open, mut tokens) = (self.at, Vec::new(), Vec::new());
        while let Some(letter) = self.rest().chars().next() {
            if open.is_empty() {
                let rest = self.rest();
                let marked = rest.strip_prefix(['-', '+']).is_some_and(|rest| rest.starts_with(closing));
                if marked || rest.starts_with(closing) {
                    let to = self.at;
                    self.at += closing.len() + usize::from(marked);
                    return Piece::Tag(Tag { is_statement, at: from..self.at, inside: inside..to, tokens });
                }
            }
            match letter {
                '(' => open.push((self.at, "`(`", ")")),
                '[' => open.push((self.at, "`[`", "]")),
                '{' => open.push((self.at, "`{`", "}")),
                ')' | ']' | '}' => {
                    let opened = open.pop().filter(|(.., closing)| !closing.starts_with(letter));
                    if let Some((at, what, closing)) = opened {
                        return Piece::Open(at..at + 1, what, closing);
                    }
                }
                _ => {}
            }
            let begins = self.at;
            let kind = match self.word(letter) {
                Ok(kind) => kind,
                Err(quote) => return Piece::Open(begins..begins + 1, "this literal", quote),
            };
            tokens.extend(kind.map(|kind| Token { kind, at: begins..self.at }));
        }
        match is_statement {
            true => Piece::Open(from..from + 2, "`{%`", closing),
            false => Piece::Open(from..from + 2, "`{{`", closing),
        }
    }

    /// Goes on behind the word that begins with a letter. A literal that is never closed is told by its quote.
    fn word(&mut self, letter: char) -> Result<Option<Kind>, &'static str> {
        let rest = self.rest();
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let (length, kind) = match letter {
            '\'' | '"' => (literal(rest, letter)?, Kind::Text),
            'r' if rest[1..].starts_with(['\'', '"']) => {
                let quote = if rest[1..].starts_with('"') { '"' } else { '\'' };
                (1 + literal(&rest[1..], quote)?, Kind::Text)
            }
            letter if letter.is_ascii_digit() => (number(rest), Kind::Number),
            letter if is_name(letter) => {
                (rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()), Kind::Name)
            }
            letter if letter.is_whitespace() => {
                self.at += letter.len_utf8();
                return Ok(None);
            }
            '=' | '!' | '<' | '>' if rest[1..].starts_with('=') => (2, Kind::Compare),
            letter => (letter.len_utf8(), Kind::Sign(letter)),
        };
        self.at += length;
        Ok(Some(kind))
    }
}

/// Where the next tag or comment opens.
fn opening(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find('{')?;
        if matches!(text.as_bytes().get(at + 1), Some(b'{' | b'%' | b'#')) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The length of a literal that begins with a quote.
fn literal(text: &str, quote: char) -> Result<usize, &'static str> {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            letter if letter == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err(if quote == '"' { "\"" } else { "'" })
}

/// The length of a number. A dot belongs to it where no name follows, and so do an exponent and its sign.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    if matches!(bytes.get(..2), Some(b"0x" | b"0X" | b"0b" | b"0B" | b"0o" | b"0O")) {
        let is_hex = bytes[1].eq_ignore_ascii_case(&b'x');
        let inner =
            |byte: &u8| byte.is_ascii_digit() || *byte == b'_' || (is_hex && byte.is_ascii_hexdigit());
        return 2 + bytes[2..].iter().take_while(|byte| inner(byte)).count();
    }
    let (mut at, mut has_dot, mut exponent) = (0, false, None);
    while let Some(byte) = bytes.get(at) {
        let named = || text[at + 1..].starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        match byte {
            b'0'..=b'9' | b'_' => {}
            b'.' if !has_dot && exponent.is_none() && !named() => has_dot = true,
            b'e' | b'E' if exponent.is_none() => exponent = Some(at),
            b'+' | b'-' if exponent.is_some_and(|begins| begins + 1 == at) => {}
            _ => break,
        }
        at += 1;
    }
    at
}
