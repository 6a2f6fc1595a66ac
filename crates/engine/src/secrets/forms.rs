//! The forms in which a value comes out of programs: itself, its lines, and what encoders and quoters make of either. What spells single
//! letters in another way (`\"`, `%22`, `&quot;`) is no form: the masker reads it.
//!
//! Forms are without blanks, as the masker reads text: `base64` breaks lines, `od` puts spaces between bytes, and where a letter has two
//! bytes one of them is mostly NUL.

use std::collections::BTreeSet;

/// The characters that are not blanks which a line of a value must have to be masked alone.
const LINE_CHARS_MIN: usize = 8;

/// The bytes of the shortest form: what is shorter is found everywhere.
const FORM_BYTES_MIN: usize = 4;

/// The bytes of the largest value of which those forms are known that have something between all bytes: they are five times as long.
const SPELLED_BYTES_MAX: usize = 4 * 1024;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// All forms of a value.
pub(super) fn forms(value: &str) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    for part in parts(value) {
        let mut texts = [encoded(part), quoted(part)].concat();
        if value.len() <= SPELLED_BYTES_MAX {
            texts.extend(hexes(part.as_bytes(), &["", "0x", "0X"], &["", ",", ":", ";", "-", "."]));
        }
        let texts = texts.into_iter().map(String::into_bytes).chain(utf16(part));
        let blank = |byte: &u8| is_blank(*byte);
        let stripped = texts.map(|text| text.into_iter().filter(|byte| !blank(byte)).collect::<Vec<u8>>());
        found.extend(stripped.filter(|form| form.len() >= FORM_BYTES_MIN));
    }
    found
}

/// Whether the masker reads over a byte.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\0')
}

/// The value, and its lines if there are several.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let long = |line: &&str| line.chars().filter(|letter| !letter.is_whitespace()).count() >= LINE_CHARS_MIN;
    let lines = value.lines().map(str::trim).filter(long).filter(move |line| *line != value);
    std::iter::once(value).chain(lines)
}

/// What encoders make of a text.
fn encoded(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut forms = vec![
        text.to_owned(),
        text.to_lowercase(),
        text.to_uppercase(),
        text.to_ascii_lowercase(),
        text.to_ascii_uppercase(),
    ];
    for alphabet in [BASE64, BASE64_URL] {
        forms.extend((0..3).flat_map(|shift| inside_base64(bytes, shift, alphabet)));
    }
    forms.extend(hexes(bytes, &["", "0x"], &["", ",", ":"]));
    forms
}

const HEX_LOWER: &[u8; 16] = b"0123456789abcdef";
const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// The bytes as hex, with all that may stand before and between them.
fn hexes(bytes: &[u8], before: &[&str], between: &[&str]) -> Vec<String> {
    let mut forms = Vec::new();
    for digits in [HEX_LOWER, HEX_UPPER] {
        let bytes: Vec<String> = bytes.iter().map(|byte| hex(*byte, digits)).collect();
        for before in before {
            let joined = between.iter().map(|between| bytes.join(&format!("{between}{before}")));
            forms.extend(joined.map(|joined| format!("{before}{joined}")));
        }
    }
    forms
}

fn hex(byte: u8, digits: &[u8; 16]) -> String {
    [byte >> 4, byte & 15].map(|digit| char::from(digits[usize::from(digit)])).iter().collect()
}

/// A text in base64, and the padding behind it.
fn base64(bytes: &[u8], alphabet: &[u8; 64]) -> (String, &'static str) {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        let digits = (0..=group.len()).map(|digit| bits >> (18 - 6 * digit) & 63);
        text.extend(digits.map(|digit| char::from(alphabet[digit as usize])));
    }
    let padding = match bytes.len() % 3 {
        1 => "==",
        2 => "=",
        _ => "",
    };
    (text, padding)
}

/// The digits that a text gives wherever it stands in something larger that is encoded, after so many other bytes of its
/// group: those that it shares with no neighbour, and all to the end where it is the last, without and with padding.
fn inside_base64(bytes: &[u8], shift: usize, alphabet: &[u8; 64]) -> [String; 3] {
    let (whole, padding) = base64(&[&[0; 2][..shift], bytes].concat(), alphabet);
    let first = (shift * 8).div_ceil(6);
    let end = (shift + bytes.len()) * 8 / 6;
    let last = &whole[first..];
    [whole[first..end].to_owned(), last.to_owned(), format!("{last}{padding}")]
}

/// In two bytes a letter, the low one first or last.
fn utf16(text: &str) -> [Vec<u8>; 2] {
    [u16::to_le_bytes, u16::to_be_bytes].map(|bytes| text.encode_utf16().flat_map(bytes).collect())
}

/// What quoters make of a text without spelling letters in another way, and what shells make of one in which letters are spelled.
fn quoted(text: &str) -> Vec<String> {
    let interpreted = interpreted(text);
    vec![
        text.replace('"', "\"\""),
        text.replace('\'', "''"),
        text.replace('\'', "'\\''"),
        text.replace('\'', "'\"'\"'"),
        formatted(&interpreted),
        interpreted,
        unescaped(text),
    ]
}

/// What `echo` and `printf` of many shells make of a text that has backslashes in it; `\c` ends it.
fn interpreted(text: &str) -> String {
    let (mut out, mut letters) = (String::new(), text.chars().peekable());
    while let Some(letter) = letters.next() {
        let next = if letter == '\\' { letters.next() } else { None };
        match next {
            None => out.push(letter),
            Some('c') => break,
            Some('\\') => out.push('\\'),
            // Blanks, which are read over.
            Some('n' | 't' | 'r') => {}
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('v') => out.push('\u{b}'),
            Some(other) => out.extend([letter, other]),
        }
    }
    out
}

/// What `printf` makes of a text that it takes for its format.
fn formatted(text: &str) -> String {
    let (mut out, mut letters) = (String::new(), text.chars());
    while let Some(letter) = letters.next() {
        match (letter, letter == '%') {
            (_, true) => match letters.next() {
                Some('%') | None => out.push('%'),
                Some('d' | 'i' | 'u' | 'x' | 'X' | 'o') => out.push('0'),
                Some('s' | 'b' | 'c' | 'q') => {}
                Some(other) => out.extend(['%', other]),
            },
            (letter, false) => out.push(letter),
        }
    }
    out
}

/// What `read` without `-r` makes of a text.
fn unescaped(text: &str) -> String {
    let (mut out, mut letters) = (String::new(), text.chars());
    while let Some(letter) = letters.next() {
        out.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(value: &str, form: &str) -> bool {
        forms(value).contains(form.as_bytes())
    }

    #[test]
    fn base64_is_known_at_every_place_of_a_group() {
        assert_eq!(base64(b"light work.", BASE64), ("bGlnaHQgd29yay4".to_owned(), "="));
        let value = "s3cr3t/+key";
        for before in ["", "a", "ab", "abc", "user:"] {
            for after in ["", "\n", "x", "yz"] {
                let (text, _) = base64(format!("{before}{value}{after}").as_bytes(), BASE64);
                let found =
                    forms(value).into_iter().any(|form| text.contains(str::from_utf8(&form).unwrap()));
                assert!(found, "{before}{value}{after}: {text}");
            }
        }
        let (url, _) = base64("??>>".as_bytes(), BASE64_URL);
        assert!(url.contains(['-', '_']) && has("??>>", &url));
    }

    #[test]
    fn what_programs_make_of_a_value_is_known() {
        let value = "p@ss/w ö'\"$&";
        for form in [
            "704073732f7720c3b627222426",
            "704073732F7720C3B627222426",
            "0x700x400x730x730x2f0x770x200xc30xb60x270x220x240x26",
            "0x70:0x40:0x73:0x73:0x2F:0x77:0x20:0xC3:0xB6:0x27:0x22:0x24:0x26",
            "0x70,0x40,0x73,0x73,0x2F,0x77,0x20,0xC3,0xB6,0x27,0x22,0x24,0x26",
            "70-40-73-73-2f-77-20-c3-b6-27-22-24-26",
            "p@ss/wö'\\''\"$&",
            "p@ss/wö'\"'\"'\"$&",
            "p@ss/wö'\"\"$&",
            "p@ss/wö''\"$&",
            "P@SS/WÖ'\"$&",
            "P@SS/Wö'\"$&",
        ] {
            assert!(has(value, form), "{form}");
        }
    }

    #[test]
    fn hex_with_something_between_has_an_edge() {
        for (bytes, is_known) in [(SPELLED_BYTES_MAX, true), (SPELLED_BYTES_MAX + 1, false)] {
            let value = "k".repeat(bytes);
            assert_eq!(has(&value, &vec!["6b"; bytes].join("-")), is_known, "{bytes}");
            assert!(has(&value, &vec!["6b"; bytes].join(":")) && has(&value, &"6b".repeat(bytes)));
        }
    }

    #[test]
    fn two_bytes_a_letter_are_known_without_their_nuls() {
        assert_eq!(utf16("aö"), [b"a\0\xf6\0".to_vec(), b"\0a\0\xf6".to_vec()]);
        let forms = forms("aŁ bö");
        assert!(forms.contains(&b"aA\x01b\xf6"[..]) && forms.contains(&b"a\x01Ab\xf6"[..]), "{forms:?}");
    }

    #[test]
    fn what_shells_make_of_backslashes_is_known() {
        let value = "a%sb\\nc\\\\d\\0e%%";
        assert_eq!(interpreted(value), "a%sbc\\d\\0e%%");
        for form in [interpreted(value), formatted(&interpreted(value)), unescaped(value)] {
            assert!(has(value, &form), "{form}");
        }
        assert_eq!(
            (formatted("a%sb%%c%d%"), unescaped("a\\nb\\\\")),
            ("ab%c0%".to_owned(), "anb\\".to_owned())
        );
        assert!(has("shown\\cnot shown", "shown"));
    }

    #[test]
    fn lines_are_parts_if_they_are_long_enough() {
        let value = "-----BEGIN KEY-----\n  line one\nshort\n";
        assert!(has(value, "-----BEGINKEY-----lineoneshort"));
        assert!(has(value, "-----BEGINKEY-----"));
        assert!(!has(value, "short"));
        assert!(has("12345678\n1234567", "12345678") && !has("12345678\n1234567", "1234567"));
    }
}
