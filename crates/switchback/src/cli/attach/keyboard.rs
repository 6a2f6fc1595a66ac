//! What a person types while they look at a terminal. Ctrl-\\ d leaves; Ctrl-\\ twice is one Ctrl-\\. Whoever only looks may leave by
//! Ctrl-C or `q` as well.

use std::io::Read;
use tokio::sync::mpsc::{Receiver, channel};

/// The first of the two keys that leave.
const PREFIX: u8 = 0x1c;

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Keys(String),
    Leave,
}

/// The keyboard, read by a thread that ends with the process.
pub(super) struct Keyboard {
    pieces: Receiver<Vec<u8>>,
    reading: Reading,
}

impl Keyboard {
    pub(super) fn begin(types: bool) -> Keyboard {
        let (told, pieces) = channel(16);
        std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(count) = std::io::stdin().read(&mut buffer) {
                if count == 0 || told.blocking_send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Keyboard { pieces, reading: Reading { types, ..Reading::default() } }
    }

    /// What is typed next; the end of the keyboard leaves.
    pub(super) async fn next(&mut self) -> Heard {
        match self.pieces.recv().await {
            Some(piece) => self.reading.take(&piece),
            None => Heard::Leave,
        }
    }
}

/// What of it is a key, and what leaves.
#[derive(Default)]
struct Reading {
    types: bool,
    is_prefixed: bool,
    /// The beginning of a character whose end has not come.
    cut: Vec<u8>,
}

impl Reading {
    fn take(&mut self, piece: &[u8]) -> Heard {
        let mut bytes = std::mem::take(&mut self.cut);
        for byte in piece {
            match (std::mem::take(&mut self.is_prefixed), *byte) {
                (true, b'd' | b'D') => return Heard::Leave,
                (true, PREFIX) => bytes.push(PREFIX),
                (true, other) => bytes.extend([PREFIX, other]),
                (false, PREFIX) => self.is_prefixed = true,
                (false, 0x03 | b'q') if !self.types => return Heard::Leave,
                (false, other) => bytes.push(other),
            }
        }
        let whole = match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => bytes.len(),
        };
        self.cut = bytes.split_off(whole);
        Heard::Keys(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(types: bool, pieces: &[&[u8]]) -> Vec<Heard> {
        let mut reading = Reading { types, ..Reading::default() };
        pieces.iter().map(|piece| reading.take(piece)).collect()
    }

    #[test]
    fn two_keys_leave_and_the_first_can_be_typed() {
        let keys = |text: &str| Heard::Keys(text.to_owned());
        assert_eq!(heard(true, &[b"ls\x1cd"]), [Heard::Leave]);
        assert_eq!(heard(true, &[b"a\x1c", b"d"]), [keys("a"), Heard::Leave]);
        assert_eq!(heard(true, &[b"\x1c\x1cx"]), [keys("\x1cx")]);
        assert_eq!(heard(true, &[b"\x1cx\x03q"]), [keys("\x1cx\x03q")]);
        assert_eq!(heard(false, &[b"x", b"q"]), [keys("x"), Heard::Leave]);
        assert_eq!(heard(true, &[b"\xc3", b"\xa4"]), [keys(""), keys("ä")]);
    }
}
