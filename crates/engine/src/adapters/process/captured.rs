//! A bounded record of an output stream: its head, its tail, and a count of what lay between.
//!
//! Bytes are kept as they came. Text is made from them on demand: what is not UTF-8 is shown as `\xNN` and
//! flagged (`lossy`), so that nobody takes the text for the bytes. Memory never exceeds the limit.

use std::mem;

/// How much of one stream is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimit {
    /// Bytes kept from the beginning.
    pub head_bytes_max: usize,
    /// Bytes kept from the end.
    pub tail_bytes_max: usize,
}

impl Default for OutputLimit {
    /// Keeps 512 KiB at either end.
    fn default() -> OutputLimit {
        OutputLimit { head_bytes_max: 512 * 1024, tail_bytes_max: 512 * 1024 }
    }
}

/// What was kept of one stream.
///
/// Invariant: `head.len() + tail.len() + dropped == total`, and `tail` is empty unless something was dropped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The first bytes; all of them if nothing was dropped.
    pub head: Vec<u8>,
    /// The last bytes.
    pub tail: Vec<u8>,
    /// How many bytes between them were left out.
    pub dropped: u64,
    /// How many bytes the stream had.
    pub total: u64,
    /// Whether the kept bytes are not all UTF-8, so that [`Captured::text`] shows some as `\xNN`.
    pub lossy: bool,
}

impl Captured {
    /// Shows the kept bytes as text, with a line that counts what was left out.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.head.len() + self.tail.len() + 64);
        push_escaped(&mut text, &self.head);
        if self.dropped > 0 {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("... {} bytes left out ...\n", self.dropped));
        }
        push_escaped(&mut text, &self.tail);
        text
    }

    /// Gives the kept bytes, head and tail in one.
    pub fn raw(&self) -> Vec<u8> {
        [self.head.as_slice(), self.tail.as_slice()].concat()
    }
}

/// Takes a stream piece by piece and keeps what the limit allows.
#[derive(Debug)]
pub(super) struct Collector {
    limit: OutputLimit,
    head: Vec<u8>,
    /// A ring once it is full: the oldest byte is at `tail_start`.
    tail: Vec<u8>,
    tail_start: usize,
    total: u64,
}

impl Collector {
    pub(super) fn new(limit: OutputLimit) -> Collector {
        Collector { limit, head: Vec::new(), tail: Vec::new(), tail_start: 0, total: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.limit.head_bytes_max - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.push_tail(rest);
    }

    fn push_tail(&mut self, bytes: &[u8]) {
        let max = self.limit.tail_bytes_max;
        let (_, bytes) = bytes.split_at(bytes.len().saturating_sub(max));
        let room = max - self.tail.len();
        let (fill, wrap) = bytes.split_at(room.min(bytes.len()));
        self.tail.extend_from_slice(fill);

        let (upper, lower) = wrap.split_at(wrap.len().min(max - self.tail_start));
        self.tail[self.tail_start..][..upper.len()].copy_from_slice(upper);
        self.tail[..lower.len()].copy_from_slice(lower);
        if max > 0 {
            self.tail_start = (self.tail_start + wrap.len()) % max;
        }
    }

    /// Gives what was kept; the collector is empty afterwards.
    pub(super) fn finish(&mut self) -> Captured {
        let Collector { mut head, mut tail, tail_start, total, .. } =
            mem::replace(self, Collector::new(self.limit));
        tail.rotate_left(tail_start);
        if head.len() as u64 + tail.len() as u64 == total {
            head.append(&mut tail);
        } else {
            head.truncate(head.len() - cut_character_bytes(&head));
            tail.drain(..orphan_bytes(&tail));
        }
        let dropped = total - head.len() as u64 - tail.len() as u64;
        let lossy = str::from_utf8(&head).is_err() || str::from_utf8(&tail).is_err();
        Captured { head, tail, dropped, total, lossy }
    }
}

/// Counts the bytes at the end that begin a character without finishing it.
fn cut_character_bytes(bytes: &[u8]) -> usize {
    let Some(back) = bytes.iter().rev().take(3).position(|byte| !is_continuation(*byte)) else { return 0 };
    let lead = bytes[bytes.len() - 1 - back];
    let length = match lead {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    if length > back + 1 { back + 1 } else { 0 }
}

/// Counts the bytes at the beginning that finish a character which is not there.
fn orphan_bytes(bytes: &[u8]) -> usize {
    let count = bytes.iter().take(4).take_while(|byte| is_continuation(**byte)).count();
    if count > 3 { 0 } else { count }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

fn push_escaped(text: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(head: usize, tail: usize, pieces: &[&[u8]]) -> Captured {
        let mut collector = Collector::new(OutputLimit { head_bytes_max: head, tail_bytes_max: tail });
        pieces.iter().for_each(|piece| collector.push(piece));
        let captured = collector.finish();
        assert_eq!(
            captured.head.len() as u64 + captured.tail.len() as u64 + captured.dropped,
            captured.total
        );
        captured
    }

    #[test]
    fn keeps_all_that_fits() {
        let captured = capture(4, 4, &[b"abc", b"def", b"gh"]);
        assert_eq!((captured.text().as_str(), captured.dropped, captured.lossy), ("abcdefgh", 0, false));
        assert_eq!((captured.raw(), captured.tail.len()), (b"abcdefgh".to_vec(), 0));
    }

    #[test]
    fn keeps_head_and_tail_whatever_the_pieces() {
        let all: Vec<u8> = (0..100).map(|number| b'a' + number % 26).collect();
        for size in 1..=100 {
            let pieces: Vec<&[u8]> = all.chunks(size).collect();
            let captured = capture(7, 10, &pieces);
            assert_eq!(
                (captured.head.as_slice(), captured.tail.as_slice()),
                (&all[..7], &all[90..]),
                "{size}"
            );
            assert_eq!((captured.dropped, captured.total), (83, 100));
        }
    }

    #[test]
    fn a_limit_of_zero_only_counts() {
        let captured = capture(0, 0, &[b"abc", b"def"]);
        assert_eq!((captured.text().as_str(), captured.total), ("... 6 bytes left out ...\n", 6));
    }

    #[test]
    fn says_how_much_was_left_out() {
        assert_eq!(capture(3, 3, &[b"abcdefghi"]).text(), "abc\n... 3 bytes left out ...\nghi");
        assert_eq!(capture(3, 3, &[b"ab\ndefghi"]).text(), "ab\n... 3 bytes left out ...\nghi");
    }

    #[test]
    fn never_splits_a_character_at_the_cut() {
        let text = "aä€😀".repeat(20);
        for head in 0..40 {
            for tail in 0..40 {
                let captured = capture(head, tail, &[text.as_bytes()]);
                assert!(!captured.lossy, "head {head}, tail {tail}: {}", captured.text());
                assert!(head - captured.head.len() <= 3 && tail - captured.tail.len() <= 3);
            }
        }
    }

    #[test]
    fn a_character_between_head_and_tail_is_whole_when_nothing_was_dropped() {
        assert_eq!(capture(2, 2, &["a€".as_bytes()]).text(), "a€");
    }

    #[test]
    fn shows_and_keeps_what_is_not_utf8() {
        let captured = capture(100, 100, &[b"caf\xe9 \xff\xfe ok \xe2\x82"]);
        assert_eq!(captured.text(), "caf\\xe9 \\xff\\xfe ok \\xe2\\x82");
        assert!(captured.lossy);
        assert_eq!(captured.raw(), b"caf\xe9 \xff\xfe ok \xe2\x82");
    }

    #[test]
    fn bytes_that_are_no_text_are_not_taken_for_a_cut_character() {
        let captured = capture(4, 4, &[&[0x80; 20]]);
        assert_eq!((captured.head.len(), captured.tail.len(), captured.dropped), (4, 4, 12));
    }
}
