//! Keeps from the emulator the strings that it would hold without bound, and those whose meaning ends outside a screen.
//!
//! An operating system command (`ESC ]` to BEL or `ESC \`) is held here until it is whole, and handed on only if it is short and
//! about the title or about colours. Links, the clipboard and all others are dropped: text is all that leaves a screen.

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

/// The longest string that is handed on.
const BYTES_MAX: usize = 2_048;

/// What is handed on: titles, and colours that a program may ask for.
const NUMBERS: [&[u8]; 10] = [b"0", b"2", b"4", b"10", b"11", b"12", b"104", b"110", b"111", b"112"];

/// Where in the stream we are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum At {
    #[default]
    Text,
    /// Behind an ESC, which was handed on.
    Escape,
    /// Inside a string, none of which was handed on.
    String,
}

/// A filter between the program and the emulator.
#[derive(Debug, Default)]
pub(super) struct Strings {
    at: At,
    held: Vec<u8>,
    is_too_long: bool,
}

impl Strings {
    /// Hands on what may pass, in order.
    pub(super) fn pass(&mut self, bytes: &[u8], mut on: impl FnMut(&[u8])) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = match self.at {
                At::Text => self.text(rest, &mut on),
                At::Escape => self.escape(rest, &mut on),
                At::String => self.string(rest, &mut on),
            };
            rest = &rest[taken..];
        }
    }

    /// Hands on all up to the next string; sequences that are none go with the text around them.
    fn text(&mut self, rest: &[u8], on: &mut impl FnMut(&[u8])) -> usize {
        let mut from = 0;
        while let Some(found) = rest[from..].iter().position(|byte| *byte == ESC) {
            let place = from + found;
            if rest.get(place + 1).is_some_and(|next| *next != b']' && *next >= 0x20) {
                from = place + 2;
                continue;
            }
            self.at = At::Escape;
            on(&rest[..=place]);
            return place + 1;
        }
        on(rest);
        rest.len()
    }

    fn escape(&mut self, rest: &[u8], on: &mut impl FnMut(&[u8])) -> usize {
        if rest[0] == b']' {
            self.at = At::String;
            self.held.clear();
            self.is_too_long = false;
            return 1;
        }
        // Control characters are carried out inside an escape sequence and do not end it.
        let goes_on = rest[0] == ESC || rest[0] < 0x20 && rest[0] != CANCEL && rest[0] != SUBSTITUTE;
        self.at = if goes_on { At::Escape } else { At::Text };
        on(&rest[..1]);
        1
    }

    fn string(&mut self, rest: &[u8], on: &mut impl FnMut(&[u8])) -> usize {
        let is_end = |byte: &u8| matches!(*byte, BEL | ESC | CANCEL | SUBSTITUTE);
        let end = rest.iter().position(is_end);
        self.hold(&rest[..end.unwrap_or(rest.len())]);
        let Some(end) = end else { return rest.len() };
        self.finish(rest[end], on);
        end + 1
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = BYTES_MAX - self.held.len();
        self.is_too_long |= bytes.len() > room;
        self.held.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// The ESC in front was handed on: the string follows it, or what makes it mean nothing.
    fn finish(&mut self, end: u8, on: &mut impl FnMut(&[u8])) {
        let number = self.held.split(|byte| *byte == b';').next().unwrap_or_default();
        let is_whole = matches!(end, BEL | ESC) && !self.is_too_long;
        if is_whole && NUMBERS.contains(&number) {
            on(b"]");
            on(&self.held);
            on(&[end]);
        } else {
            on(b"\\");
            on(if end == ESC { &[ESC] } else { &[] });
        }
        self.at = if end == ESC { At::Escape } else { At::Text };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(pieces: &[&[u8]]) -> Vec<u8> {
        let (mut strings, mut out) = (Strings::default(), Vec::new());
        pieces.iter().for_each(|piece| strings.pass(piece, |bytes| out.extend_from_slice(bytes)));
        out
    }

    #[test]
    fn titles_and_colours_pass_whole_wherever_they_are_cut() {
        for text in
            [b"a\x1b]0;title\x07b".as_slice(), b"\x1b]2;t\x1b\\b", b"x\x1b]11;?\x07", b"\x1b[31mred\x1b[0m"]
        {
            assert_eq!(passed(&[text]), text);
            for cut in 0..text.len() {
                assert_eq!(passed(&[&text[..cut], &text[cut..]]), text, "cut at {cut}");
            }
        }
    }

    #[test]
    fn links_clipboard_and_all_others_are_dropped() {
        for dropped in ["8;;https://example.org", "52;c;aGVsbG8=", "133;A", "1337;File=x", "", "x", "0x;t"] {
            let text = format!("a\x1b]{dropped}\x07b\x1b]{dropped}\x1b\\c");
            assert_eq!(passed(&[text.as_bytes()]), b"a\x1b\\b\x1b\\\x1b\\c", "{dropped}");
        }
    }

    #[test]
    fn a_string_that_never_ends_is_not_held() {
        let mut strings = Strings::default();
        let mut count = 0;
        strings.pass(b"\x1b]0;", |bytes| count += bytes.len());
        for _ in 0..10_000 {
            strings.pass(&[b'x'; 1_000], |bytes| count += bytes.len());
        }
        assert_eq!((count, strings.held.len()), (1, BYTES_MAX));
        strings.pass(b"\x07after", |bytes| count += bytes.len());
        assert_eq!(count, 1 + 1 + 5);
    }

    #[test]
    fn what_cancels_a_string_ends_it() {
        assert_eq!(passed(&[b"a\x1b]0;ti\x18b"]), b"a\x1b\\b");
        assert_eq!(passed(&[b"\x1b\n]0;t\x07"]), b"\x1b\n]0;t\x07");
        assert_eq!(passed(&[b"\x1b\x18]0;t"]), b"\x1b\x18]0;t");
    }
}
