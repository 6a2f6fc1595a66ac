//! What the program has written, byte by byte, as long as it is kept: the last mebibyte, and where the last input was typed.

use std::collections::VecDeque;
use std::time::Instant;

use crate::session::Exit;
use crate::wait::Mark;

/// How much is kept.
pub(crate) const BYTES_MAX: usize = 1024 * 1024;

/// Output, counted from the first byte of the session.
pub(crate) struct Output {
    bytes: VecDeque<u8>,
    /// Where the first kept byte stands.
    start: u64,
    /// When the last byte came.
    pub(crate) last: Instant,
    /// The last input: only what comes after it is matched.
    pub(crate) mark: Mark,
    /// Where each of those who wait has come to; what they have not seen is not dropped.
    pub(crate) readers: Vec<(u64, u64)>,
    /// Nothing more will come.
    pub(crate) is_closed: bool,
    /// How the program ended.
    pub(crate) exit: Option<Exit>,
    /// What broke, if something of ours did.
    pub(crate) fault: Option<String>,
}

/// A piece of raw output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins, counted from the first byte of the session.
    pub start: u64,
    /// Its bytes; none if nothing came in time.
    pub bytes: Vec<u8>,
    /// Whether nothing more will come after it.
    pub is_last: bool,
}

impl Piece {
    /// Tells where the next piece begins.
    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl Output {
    pub(crate) fn new(mark: Mark) -> Output {
        Output {
            bytes: VecDeque::new(),
            start: 0,
            last: Instant::now(),
            mark,
            readers: Vec::new(),
            is_closed: false,
            exit: None,
            fault: None,
        }
    }

    /// Tells whether nobody is to be waited for any more: the program has ended, or closed its terminal.
    pub(crate) fn is_over(&self) -> bool {
        self.is_closed || self.exit.is_some()
    }

    /// Where the next byte will stand.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Where the first kept byte stands.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Tells whether so many more bytes would push out what somebody waits to see.
    pub(crate) fn would_outrun(&self, count: usize) -> bool {
        let first = (self.end() + count as u64).saturating_sub(BYTES_MAX as u64);
        self.readers.iter().any(|(_, seen)| *seen < first)
    }

    /// Keeps what came, and drops the oldest for it.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let surplus = self.bytes.len().saturating_sub(BYTES_MAX);
        self.bytes.drain(..surplus);
        self.start += surplus as u64;
        self.last = Instant::now();
    }

    /// Copies what is kept from a place on, and not more than so much.
    pub(crate) fn from(&self, place: u64, bytes_max: usize) -> Piece {
        let start = place.clamp(self.start, self.end());
        let first = (start - self.start) as usize;
        let last = self.bytes.len().min(first + bytes_max);
        let bytes: Vec<u8> = self.bytes.range(first..last).copied().collect();
        let is_last = self.is_over() && last == self.bytes.len();
        Piece { start, bytes, is_last }
    }
}
