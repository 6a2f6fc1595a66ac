//! One way to read a stream: with the letters that its spellings stand for. It sleeps while there are none, because then it would
//! read what everybody reads.

use super::super::forms::is_blank;
use super::Forms;
use super::escape::{Escape, Letter, Read, SPELLING_BYTES_MAX};
use super::matcher::{Found, GAP_MAX, Matcher, Unit};

/// All ways, the outermost spelling first: what is quoted may be quoted again.
pub(super) const WAYS: [&[Escape]; 10] = [
    &[Escape::Percent],
    &[Escape::Percent, Escape::Percent],
    &[Escape::Form],
    &[Escape::Backslash],
    &[Escape::Backslash, Escape::Backslash],
    &[Escape::Backslash, Escape::Backslash, Escape::Backslash],
    &[Escape::Entity],
    &[Escape::Entity, Escape::Entity],
    &[Escape::Backslash, Escape::Entity],
    &[Escape::Entity, Escape::Backslash],
];

/// Whether any spelling may begin with a byte.
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'%' | b'+' | b'\\' | b'&')
}

/// A stream, read in one way.
pub(super) struct Reading {
    decoders: Vec<Decoder>,
    matcher: Matcher,
    /// The bytes since the last that was spelled.
    since: usize,
    is_awake: bool,
}

impl Reading {
    pub(super) fn new(way: &[Escape], forms: &Forms) -> Reading {
        let decoders = way.iter().map(|escape| Decoder::new(*escape)).collect();
        Reading { decoders, matcher: Matcher::new(forms), since: 0, is_awake: false }
    }

    pub(super) fn is_awake(&self) -> bool {
        self.is_awake
    }

    /// Takes the next byte. `plain` is how far those have come who read all as it stands.
    pub(super) fn push(&mut self, forms: &Forms, unit: Unit, plain: &Matcher, found: &mut dyn FnMut(Found)) {
        if !self.is_awake {
            if !self.decoders.iter().any(|decoder| decoder.escape.begins(unit.byte)) {
                return;
            }
            self.matcher.follow(plain);
            (self.is_awake, self.since) = (true, 0);
        }
        let Reading { decoders, matcher, since, .. } = self;
        feed(decoders, unit, &mut |unit| take(matcher, since, forms, unit, found));
        let has_read_all = self.decoders.iter().all(|decoder| decoder.pending.is_empty());
        // What it reads from here on is what all others read too.
        self.is_awake = !(has_read_all && self.since >= forms.longest);
    }

    /// Takes what is begun for what it is: nothing comes any more.
    pub(super) fn finish(&mut self, forms: &Forms, found: &mut dyn FnMut(Found)) {
        let Reading { decoders, matcher, since, .. } = self;
        for outer in 0..decoders.len() {
            let begun = std::mem::take(&mut decoders[outer].pending);
            for unit in begun {
                feed(&mut decoders[outer + 1..], unit, &mut |unit| take(matcher, since, forms, unit, found));
            }
        }
        self.matcher.clear(forms);
        self.is_awake = false;
    }

    /// Where the next form may begin, if it may begin with what has come.
    pub(super) fn reach(&self, forms: &Forms) -> Option<usize> {
        let begun = self.decoders.iter().filter_map(|decoder| Some(decoder.pending.first()?.start));
        begun.chain(self.matcher.reach(forms)).min().filter(|_| self.is_awake)
    }
}

fn take(matcher: &mut Matcher, since: &mut usize, forms: &Forms, unit: Unit, found: &mut dyn FnMut(Found)) {
    match (unit.is_spelled, is_blank(unit.byte)) {
        (true, _) => *since = 0,
        (false, false) => *since += 1,
        (false, true) => {}
    }
    matcher.step(forms, unit).into_iter().for_each(found);
}

/// Sends a byte through decoders, one behind the other.
fn feed(decoders: &mut [Decoder], unit: Unit, out: &mut dyn FnMut(Unit)) {
    match decoders.split_first_mut() {
        None => out(unit),
        Some((first, others)) => first.push(unit, &mut |unit| feed(others, unit, out)),
    }
}

struct Decoder {
    escape: Escape,
    /// The beginning of a spelling, or of what looks like one. Invariant: shorter than the longest.
    pending: Vec<Unit>,
    /// Blanks in a row inside it.
    blanks: usize,
}

impl Decoder {
    fn new(escape: Escape) -> Decoder {
        Decoder { escape, pending: Vec::new(), blanks: 0 }
    }

    fn push(&mut self, unit: Unit, out: &mut dyn FnMut(Unit)) {
        if self.pending.is_empty() {
            if !self.escape.begins(unit.byte) {
                return out(unit);
            }
        } else if is_blank(unit.byte) {
            return self.push_blank(unit, out);
        }
        self.blanks = 0;
        self.pending.push(unit);
        self.settle(out);
        debug_assert!(self.pending.len() < SPELLING_BYTES_MAX, "BUG: a spelling without end");
    }

    /// Blanks are read over inside spellings too, as where a line is broken; one behind a backslash is what that stands for.
    fn push_blank(&mut self, unit: Unit, out: &mut dyn FnMut(Unit)) {
        if let (Escape::Backslash, [backslash]) = (self.escape, &self.pending[..]) {
            let start = backslash.start;
            self.pending.clear();
            return out(Unit { start, is_spelled: true, ..unit });
        }
        self.blanks += 1;
        if self.blanks > GAP_MAX {
            self.pending.drain(..).for_each(&mut *out);
        }
        out(unit);
    }

    fn settle(&mut self, out: &mut dyn FnMut(Unit)) {
        while !self.pending.is_empty() {
            let mut bytes = [0; SPELLING_BYTES_MAX];
            let bytes = &mut bytes[..self.pending.len()];
            bytes.iter_mut().zip(&self.pending).for_each(|(byte, unit)| *byte = unit.byte);
            let (length, letter) = match self.escape.read(bytes) {
                Read::Open => return,
                Read::Itself => {
                    out(self.pending.remove(0));
                    continue;
                }
                Read::Spelled(length, letter) => (length, letter),
            };
            let (start, end) = (self.pending[0].start, self.pending[length - 1].end);
            self.pending.drain(..length);
            let unit = |byte: u8| Unit { byte, start, end, is_spelled: true };
            match letter {
                Letter::Byte(byte) => out(unit(byte)),
                Letter::Char(letter) => {
                    letter.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out(unit(byte)));
                }
            }
        }
    }
}
