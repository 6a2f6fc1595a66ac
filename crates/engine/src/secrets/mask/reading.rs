//! Ways to read a stream: with the letters that its spellings stand for. Each sleeps while there are none, because then it would
//! read what everybody reads; what it reads may be read once more, in the same or another way.
//!
//! Invariant: whoever sleeps has nothing begun, and all that reads inside it sleeps too.

use super::super::forms::is_blank;
use super::Forms;
use super::escape::{Escape, Letter, Read, SPELLING_BYTES_MAX};
use super::matcher::{Found, GAP_MAX, Matcher, Unit};

/// All ways to read a stream: what is quoted may be quoted again.
pub(super) fn ways(forms: &Forms) -> Vec<Reading> {
    use Escape::{Backslash, Entity, Form, Percent};
    let way = |escape: Escape, inside: Vec<Reading>| Reading::new(escape, inside, forms);
    vec![
        way(Percent, vec![way(Percent, vec![]), way(Backslash, vec![])]),
        way(Form, vec![way(Backslash, vec![])]),
        way(Backslash, vec![way(Backslash, vec![way(Backslash, vec![])]), way(Entity, vec![])]),
        way(Entity, vec![way(Entity, vec![]), way(Backslash, vec![])]),
    ]
}

/// Whether any spelling may begin with a byte.
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'%' | b'+' | b'\\' | b'&')
}

/// A stream, read in one way.
pub(super) struct Reading {
    decoder: Decoder,
    matcher: Matcher,
    /// What is read once more.
    inside: Vec<Reading>,
    /// The bytes since the last that was spelled.
    since: usize,
    is_awake: bool,
}

impl Reading {
    fn new(escape: Escape, inside: Vec<Reading>, forms: &Forms) -> Reading {
        let decoder = Decoder { escape, pending: Vec::new(), blanks: 0 };
        Reading { decoder, matcher: Matcher::new(forms), inside, since: 0, is_awake: false }
    }

    pub(super) fn is_awake(&self) -> bool {
        self.is_awake
    }

    /// Takes the next byte. `outside` is how far those have come who read this byte as it is.
    pub(super) fn push(
        &mut self,
        forms: &Forms,
        unit: Unit,
        outside: &Matcher,
        found: &mut dyn FnMut(Found),
    ) {
        if !self.is_awake {
            if !self.decoder.escape.begins(unit.byte) {
                return;
            }
            self.matcher.follow(outside);
            (self.is_awake, self.since) = (true, 0);
        }
        self.decode(forms, found, |decoder, out| decoder.push(unit, out));
        if self.since >= forms.longest && self.decoder.pending.is_empty() {
            // What it reads from here on is what all others read too.
            self.sleep();
        }
    }

    /// Takes what is begun for what it is: nothing comes any more.
    pub(super) fn finish(&mut self, forms: &Forms, found: &mut dyn FnMut(Found)) {
        self.decode(forms, found, Decoder::give_up);
        self.inside.iter_mut().for_each(|reading| reading.finish(forms, found));
        self.sleep();
    }

    fn decode(
        &mut self,
        forms: &Forms,
        found: &mut dyn FnMut(Found),
        read: impl FnOnce(&mut Decoder, &mut dyn FnMut(Decoded)),
    ) {
        let Reading { decoder, matcher, inside, since, .. } = self;
        read(decoder, &mut |(unit, is_spelled)| {
            match (is_spelled, is_blank(unit.byte)) {
                (true, _) => *since = 0,
                (false, false) => *since += 1,
                (false, true) => {}
            }
            inside.iter_mut().for_each(|reading| reading.push(forms, unit, matcher, found));
            matcher.step(forms, unit).into_iter().for_each(&mut *found);
        });
    }

    fn sleep(&mut self) {
        self.is_awake = false;
        self.decoder.pending.clear();
        self.inside.iter_mut().for_each(Reading::sleep);
    }

    /// Where the next form may begin, if it may begin with what has come.
    pub(super) fn reach(&self, forms: &Forms) -> Option<usize> {
        let begun = self.decoder.pending.first().map(|unit| unit.start);
        let inside = self.inside.iter().filter_map(|reading| reading.reach(forms));
        inside.chain(begun).chain(self.matcher.reach(forms)).min().filter(|_| self.is_awake)
    }
}

struct Decoder {
    escape: Escape,
    /// The beginning of a spelling, or of what looks like one. Invariant: shorter than the longest.
    pending: Vec<Unit>,
    /// Blanks in a row inside it.
    blanks: usize,
}

/// A byte that was read, and whether it stood there in another spelling.
type Decoded = (Unit, bool);

impl Decoder {
    fn push(&mut self, unit: Unit, out: &mut dyn FnMut(Decoded)) {
        if self.pending.is_empty() {
            if !self.escape.begins(unit.byte) {
                return out((unit, false));
            }
        } else if is_blank(unit.byte) {
            return self.push_blank(unit, out);
        }
        self.blanks = 0;
        self.pending.push(unit);
        self.settle(out);
        debug_assert!(self.pending.len() < SPELLING_BYTES_MAX, "BUG: a spelling without end");
    }

    /// Takes all that is begun for what it is.
    fn give_up(&mut self, out: &mut dyn FnMut(Decoded)) {
        self.pending.drain(..).for_each(|unit| out((unit, false)));
    }

    /// Blanks are read over inside spellings too, as where a line is broken; one behind a backslash is what that stands for.
    fn push_blank(&mut self, unit: Unit, out: &mut dyn FnMut(Decoded)) {
        if let (Escape::Backslash, [backslash]) = (self.escape, &self.pending[..]) {
            let start = backslash.start;
            self.pending.clear();
            return out((Unit { start, ..unit }, true));
        }
        self.blanks += 1;
        if self.blanks > GAP_MAX {
            self.give_up(out);
        }
        out((unit, false));
    }

    fn settle(&mut self, out: &mut dyn FnMut(Decoded)) {
        while !self.pending.is_empty() {
            let mut bytes = [0; SPELLING_BYTES_MAX];
            let bytes = &mut bytes[..self.pending.len()];
            bytes.iter_mut().zip(&self.pending).for_each(|(byte, unit)| *byte = unit.byte);
            let (length, letter) = match self.escape.read(bytes) {
                Read::Open => return,
                Read::Itself => {
                    out((self.pending.remove(0), false));
                    continue;
                }
                Read::Spelled(length, letter) => (length, letter),
            };
            let (start, end) = (self.pending[0].start, self.pending[length - 1].end);
            self.pending.drain(..length);
            let unit = |byte: u8| (Unit { byte, start, end }, true);
            match letter {
                Letter::Byte(byte) => out(unit(byte)),
                Letter::Char(letter) => {
                    letter.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out(unit(byte)));
                }
            }
        }
    }
}
