//! The ways in which programs spell letters that they may not write as they are, and which letter a spelling stands for.
//! Whoever spells chooses which letters: that is why what comes out is read, instead of guessing what went in.

/// The bytes of the longest spelling.
pub(super) const SPELLING_BYTES_MAX: usize = 12;

/// A way to spell letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// `%2F`, as in addresses.
    Percent,
    /// The same, and `+` for a blank, as in forms.
    Form,
    /// `\"`, `\n`, `\x2f`, `\057`, `\u002f`: shells, JSON, patterns and most languages.
    Backslash,
    /// `&amp;`, `&#38;`, `&#x26;`, as in pages.
    Entity,
}

/// What some bytes begin with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// What comes next decides it.
    Open,
    /// A byte that stands for itself.
    Itself,
    /// So many bytes that stand for others.
    Spelled(usize, Letter),
}

/// A letter, or a byte of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letter {
    Byte(u8),
    Char(char),
}

impl Escape {
    /// Whether a spelling may begin with a byte.
    pub(super) fn begins(self, byte: u8) -> bool {
        match self {
            Escape::Percent => byte == b'%',
            Escape::Form => matches!(byte, b'%' | b'+'),
            Escape::Backslash => byte == b'\\',
            Escape::Entity => byte == b'&',
        }
    }

    /// Reads what some bytes begin with.
    pub(super) fn read(self, bytes: &[u8]) -> Read {
        match (self, bytes) {
            (Escape::Form, [b'+', ..]) => Read::Spelled(1, Letter::Byte(b' ')),
            (Escape::Percent | Escape::Form, [b'%', rest @ ..]) => number(rest, 2, 16)
                .map_or_else(|open| open, |byte| Read::Spelled(3, Letter::Byte(byte as u8))),
            (Escape::Backslash, [b'\\', rest @ ..]) => behind_backslash(rest),
            (Escape::Entity, [b'&', rest @ ..]) => entity(rest),
            _ => Read::Itself,
        }
    }
}

/// The number that so many digits are, or what there is instead of one.
fn number(bytes: &[u8], digits: usize, radix: u32) -> Result<u32, Read> {
    let mut number = 0;
    for place in 0..digits {
        let byte = bytes.get(place).ok_or(Read::Open)?;
        number = number * radix + char::from(*byte).to_digit(radix).ok_or(Read::Itself)?;
    }
    Ok(number)
}

fn behind_backslash(rest: &[u8]) -> Read {
    let Some(first) = rest.first() else { return Read::Open };
    let digits = &rest[1..];
    let spelled = |bytes: usize, number: Result<u32, Read>, letter: fn(u32) -> Letter| match number {
        Ok(number) => Read::Spelled(1 + bytes, letter(number)),
        Err(Read::Open) => Read::Open,
        // No number: the letter itself, as `\-` is `-`.
        Err(_) => Read::Spelled(2, Letter::Byte(*first)),
    };
    match first {
        b'x' => spelled(3, number(digits, 2, 16), byte),
        b'0'..=b'7' => spelled(3, number(rest, 3, 8), byte),
        b'U' => spelled(9, number(digits, 8, 16), letter),
        b'u' if digits.first() == Some(&b'{') => in_braces(&digits[1..]),
        b'u' => match number(digits, 4, 16) {
            Ok(half @ 0xd800..0xdc00) => second_half(half, &digits[4..]),
            other => spelled(5, other, letter),
        },
        b'n' | b't' | b'r' => Read::Spelled(2, Letter::Byte(b' ')),
        b'a' => Read::Spelled(2, Letter::Byte(7)),
        b'b' => Read::Spelled(2, Letter::Byte(8)),
        b'v' => Read::Spelled(2, Letter::Byte(11)),
        b'f' => Read::Spelled(2, Letter::Byte(12)),
        b'e' | b'E' => Read::Spelled(2, Letter::Byte(27)),
        other => Read::Spelled(2, Letter::Byte(*other)),
    }
}

fn byte(number: u32) -> Letter {
    Letter::Byte(number as u8)
}

fn letter(number: u32) -> Letter {
    Letter::Char(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// `\u{1f600}`, behind its brace.
fn in_braces(bytes: &[u8]) -> Read {
    const DIGITS_MAX: usize = 6;
    let digits = bytes.iter().take(DIGITS_MAX).take_while(|byte| byte.is_ascii_hexdigit()).count();
    match bytes.get(digits) {
        None => Read::Open,
        Some(b'}') if digits > 0 => number(bytes, digits, 16)
            .map_or_else(|open| open, |number| Read::Spelled(digits + 4, letter(number))),
        Some(_) => Read::Spelled(2, Letter::Byte(b'u')),
    }
}

/// `\ud83d\ude00`, behind the first of both.
fn second_half(first: u32, bytes: &[u8]) -> Read {
    let other = match bytes {
        [] | [b'\\'] => return Read::Open,
        [b'\\', b'u', digits @ ..] => number(digits, 4, 16),
        _ => Err(Read::Itself),
    };
    match other {
        Ok(second @ 0xdc00..0xe000) => {
            Read::Spelled(12, letter(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)))
        }
        Err(Read::Open) => Read::Open,
        _ => Read::Spelled(6, Letter::Char(char::REPLACEMENT_CHARACTER)),
    }
}

fn entity(bytes: &[u8]) -> Read {
    let most = SPELLING_BYTES_MAX - 2;
    let length =
        bytes.iter().take(most).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
    match bytes.get(length) {
        None if length < most => return Read::Open,
        Some(b';') => {}
        _ => return Read::Itself,
    }
    let name = str::from_utf8(&bytes[..length]).unwrap_or_default();
    let number = |digits: &str, radix: u32| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let found = match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => match name.strip_prefix("#x").or_else(|| name.strip_prefix("#X")) {
            Some(digits) => number(digits, 16),
            None => name.strip_prefix('#').and_then(|digits| number(digits, 10)),
        },
    };
    found.map_or(Read::Itself, |letter| Read::Spelled(length + 2, Letter::Char(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_stand_for_letters() {
        use Escape::{Backslash, Entity, Form, Percent};
        for (escape, bytes, length, letter) in [
            (Percent, "%2Fx", 3, '/'),
            (Percent, "%2f", 3, '/'),
            (Form, "+", 1, ' '),
            (Form, "%2B", 3, '+'),
            (Backslash, r#"\"x"#, 2, '"'),
            (Backslash, r"\\", 2, '\\'),
            (Backslash, r"\nx", 2, ' '),
            (Backslash, r"\x2fx", 4, '/'),
            (Backslash, r"\xg", 2, 'x'),
            (Backslash, r"\057", 4, '/'),
            (Backslash, r"\08", 2, '0'),
            (Backslash, r"\u002f", 6, '/'),
            (Backslash, r"\u{2f}", 6, '/'),
            (Backslash, r"\u{1f600}", 9, '😀'),
            (Backslash, r"\u{}", 2, 'u'),
            (Backslash, r"\ud83d\ude00", 12, '😀'),
            (Backslash, r"\ud83dx", 6, '\u{fffd}'),
            (Backslash, r"\ud83d\n", 6, '\u{fffd}'),
            (Backslash, r"\ude00", 6, '\u{fffd}'),
            (Backslash, r"\U0001f600", 10, '😀'),
            (Entity, "&amp;x", 5, '&'),
            (Entity, "&#38;", 5, '&'),
            (Entity, "&#x26;", 6, '&'),
            (Entity, "&#00000038;", 11, '&'),
        ] {
            let read = match escape.read(bytes.as_bytes()) {
                Read::Spelled(length, Letter::Byte(byte)) => (length, char::from(byte)),
                Read::Spelled(length, Letter::Char(letter)) => (length, letter),
                other => panic!("{bytes}: {other:?}"),
            };
            assert_eq!(read, (length, letter), "{bytes}");
            assert!(length <= SPELLING_BYTES_MAX);
            for cut in 1..length {
                let begun = escape.read(&bytes.as_bytes()[..cut]);
                assert!(begun == Read::Open || letter == '\u{fffd}' && cut >= 6, "{bytes} {cut}: {begun:?}");
            }
        }
    }

    #[test]
    fn what_is_no_spelling_is_itself() {
        for (escape, bytes) in [
            (Escape::Percent, "%4x"),
            (Escape::Percent, "+"),
            (Escape::Form, "%%"),
            (Escape::Entity, "&amp x"),
            (Escape::Entity, "& x"),
            (Escape::Entity, "&unknown;"),
            (Escape::Entity, "&#xd800;"),
            (Escape::Entity, "&#12345678901;"),
            (Escape::Backslash, "x"),
        ] {
            assert_eq!(escape.read(bytes.as_bytes()), Read::Itself, "{bytes}");
        }
    }
}
