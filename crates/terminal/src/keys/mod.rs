//! Named keys in a text: `ls<Enter>`, `<C-c>`, `<S-Tab>`. Only who asks for it gets them; otherwise text is typed as it is.
//!
//! A key is a name between `<` and `>`, with `C-` (control), `M-` or `A-` (alt) and `S-` (shift) before it. A `<` that is not
//! followed by a letter, or has no `>` near it, is a plain one; `<lt>` always is. An unknown name is an error, never typed.

mod names;

use crate::near::near;
use crate::screen::Modes;
use names::{NAMES, Shape, shape};

/// The longest thing between `<` and `>` that is taken for a key.
const NAME_BYTES_MAX: usize = 24;

/// What is to be typed, key by key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys(Vec<Stroke>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stroke {
    Bytes(Vec<u8>),
    /// A key that is written differently while the program has asked for it.
    Arrow(u8),
}

/// A name that is no key, or a key that no terminal can send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// There is no such key.
    #[error("unknown key `<{name}>` at character {at}{}; write `<lt>` for a plain `<`", meant(.near))]
    Unknown {
        /// What stood between `<` and `>`.
        name: String,
        /// Where its `<` stands, counted from one.
        at: usize,
        /// What was probably meant.
        near: Vec<&'static str>,
    },
    /// Terminals have no bytes for it.
    #[error("no terminal can send `<{name}>` at character {at}; leave out the modifier")]
    Unsendable {
        /// What stood between `<` and `>`.
        name: String,
        /// Where its `<` stands, counted from one.
        at: usize,
    },
}

fn meant(near: &[&str]) -> String {
    let names: Vec<String> = near.iter().map(|name| format!("`<{name}>`")).collect();
    if names.is_empty() { String::new() } else { format!(", did you mean {}?", names.join(" or ")) }
}

/// What is held down while a key is pressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Held {
    shift: bool,
    alt: bool,
    control: bool,
}

impl Held {
    /// The number by which terminals tell of it.
    fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.control)
    }
}

impl Keys {
    /// Reads a text with named keys.
    pub fn parse(text: &str) -> Result<Keys, KeyError> {
        let mut strokes = Vec::new();
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let Some(name) = key_name(rest) else {
                plain(&mut strokes, character);
                rest = &rest[character.len_utf8()..];
                continue;
            };
            let at = text[..text.len() - rest.len()].chars().count() + 1;
            strokes.push(stroke(name, at)?);
            rest = &rest[name.len() + 2..];
        }
        Ok(Keys(strokes))
    }

    /// Gives the bytes that a terminal sends for them while a program has these modes on.
    pub fn bytes(&self, modes: Modes) -> Vec<u8> {
        let introducer: &[u8] = if modes.application_cursor { b"\x1bO" } else { b"\x1b[" };
        let bytes = |stroke: &Stroke| match stroke {
            Stroke::Bytes(bytes) => bytes.clone(),
            Stroke::Arrow(last) => [introducer, &[*last]].concat(),
        };
        self.0.iter().flat_map(bytes).collect()
    }
}

fn plain(strokes: &mut Vec<Stroke>, character: char) {
    let mut buffer = [0; 4];
    let bytes = character.encode_utf8(&mut buffer).as_bytes();
    match strokes.last_mut() {
        Some(Stroke::Bytes(last)) => last.extend_from_slice(bytes),
        _ => strokes.push(Stroke::Bytes(bytes.to_vec())),
    }
}

/// Gives what stands between `<` and `>` if the text begins with a key.
fn key_name(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?;
    let looked_at = inner.char_indices().take(NAME_BYTES_MAX);
    // `<C->>` is a key, and its name ends with the second.
    let mut ends = looked_at.filter(|(_, character)| *character == '>').map(|(place, _)| place);
    let end = ends.find(|place| !inner[..*place].ends_with('-') || !inner[place + 1..].starts_with('>'))?;
    let name = &inner[..end];
    let is_name =
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && !name.contains(char::is_whitespace);
    is_name.then_some(name)
}

fn stroke(name: &str, at: usize) -> Result<Stroke, KeyError> {
    let (held, key) = modifiers(name);
    let unsendable = || KeyError::Unsendable { name: name.to_owned(), at };
    let mut characters = key.chars();
    if let (Some(character), None) = (characters.next(), characters.next())
        && held != Held::default()
    {
        return character_bytes(character, held).map(Stroke::Bytes).ok_or_else(unsendable);
    }
    let Some(shape) = shape(key) else {
        let near = near(key, NAMES.iter().map(|(name, _)| *name));
        return Err(KeyError::Unknown { name: name.to_owned(), at, near });
    };
    named(shape, held).ok_or_else(unsendable)
}

fn modifiers(name: &str) -> (Held, &str) {
    let (mut held, mut rest) = (Held::default(), name);
    while let (Some((modifier, key)), true) = (rest.split_at_checked(2), rest.len() > 2) {
        match modifier {
            "C-" | "c-" => held.control = true,
            "M-" | "m-" | "A-" | "a-" => held.alt = true,
            "S-" | "s-" => held.shift = true,
            _ => break,
        }
        rest = key;
    }
    (held, rest)
}

fn character_bytes(character: char, held: Held) -> Option<Vec<u8>> {
    let character = if held.shift { character.to_ascii_uppercase() } else { character };
    let mut bytes = if held.control {
        match character.to_ascii_uppercase() {
            code @ '@'..='_' => vec![code as u8 & 0x1f],
            '?' => vec![0x7f],
            _ => return None,
        }
    } else {
        character.to_string().into_bytes()
    };
    if held.alt {
        bytes.insert(0, 0x1b);
    }
    Some(bytes)
}

fn named(shape: Shape, held: Held) -> Option<Stroke> {
    let number = held.number();
    let bytes = match shape {
        Shape::Arrow(last) if number == 1 => return Some(Stroke::Arrow(last)),
        Shape::Function(last) if number == 1 => format!("\x1bO{}", last as char),
        Shape::Arrow(last) | Shape::Function(last) => format!("\x1b[1;{number}{}", last as char),
        Shape::Numbered(code) if number == 1 => format!("\x1b[{code}~"),
        Shape::Numbered(code) => format!("\x1b[{code};{number}~"),
        Shape::Byte(b'\t') if held.shift && !held.control => {
            format!("{}\x1b[Z", if held.alt { "\x1b" } else { "" })
        }
        Shape::Byte(b' ') if held.control && !held.shift => {
            format!("{}\0", if held.alt { "\x1b" } else { "" })
        }
        Shape::Byte(_) if held.control || held.shift => return None,
        Shape::Byte(byte) => format!("{}{}", if held.alt { "\x1b" } else { "" }, byte as char),
    };
    Some(Stroke::Bytes(bytes.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> String {
        String::from_utf8(Keys::parse(text).unwrap().bytes(Modes::default())).unwrap()
    }

    #[test]
    fn keys_become_what_a_terminal_sends() {
        let table = [
            ("ls -l<Enter>", "ls -l\r"),
            ("<C-c><C-d><c-x>", "\x03\x04\x18"),
            ("<Up><Down><Right><Left>", "\x1b[A\x1b[B\x1b[C\x1b[D"),
            ("<C-Right><S-Up><M-C-Left>", "\x1b[1;5C\x1b[1;2A\x1b[1;7D"),
            ("<F1><F5><S-F1><C-F5><F12>", "\x1bOP\x1b[15~\x1b[1;2P\x1b[15;5~\x1b[24~"),
            ("<Esc>:q<CR>", "\x1b:q\r"),
            ("<M-x><A-S-x><S-Tab><C-Space>", "\x1bx\x1bX\x1b[Z\0"),
            ("<BS><Del><Home><End><PageUp><PageDown>", "\x7f\x1b[3~\x1b[H\x1b[F\x1b[5~\x1b[6~"),
            ("<C-@><C-[><C-\\><C-]><C-^><C-_><C-?>", "\0\x1b\x1c\x1d\x1e\x1f\x7f"),
            ("ä€<Space>😀", "ä€ 😀"),
        ];
        for (text, bytes) in table {
            assert_eq!(typed(text), bytes, "{text}");
        }
    }

    #[test]
    fn a_plain_less_than_stays_one() {
        for text in
            ["a < b", "cat <<EOF", "1<2>0", "<", "x <-", "<this is no key, and a long one>", "< Enter>"]
        {
            assert_eq!(typed(text), text);
        }
        assert_eq!(typed("<lt>Enter>"), "<Enter>");
    }

    #[test]
    fn arrows_change_with_the_mode() {
        let modes = Modes { application_cursor: true, ..Modes::default() };
        assert_eq!(Keys::parse("<Up><C-Up>").unwrap().bytes(modes), b"\x1bOA\x1b[1;5A");
    }

    #[test]
    fn what_is_no_key_is_an_error_with_near_names() {
        let error = |text: &str| Keys::parse(text).unwrap_err().to_string();
        assert_eq!(
            error("ä<Entre>"),
            "unknown key `<Entre>` at character 2, did you mean `<Enter>`?; write `<lt>` for a plain `<`"
        );
        assert_eq!(error("<Banana>"), "unknown key `<Banana>` at character 1; write `<lt>` for a plain `<`");
        assert_eq!(error("a<b>"), "unknown key `<b>` at character 2; write `<lt>` for a plain `<`");
        assert_eq!(
            error("<C-Enter>"),
            "no terminal can send `<C-Enter>` at character 1; leave out the modifier"
        );
        assert_eq!(error("<C-1>"), "no terminal can send `<C-1>` at character 1; leave out the modifier");
    }
}
