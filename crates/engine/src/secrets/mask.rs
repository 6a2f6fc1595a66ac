//! Masks secrets in what programs say, before it becomes an event.
//!
//! ```text
//!          ┌ as they stand ──────────────────┐
//! bytes ───┤                                 ├─ no blanks ── automaton of all forms ── ranges ── [secret NAME]
//!          └ as spellings mean them, if any ─┘
//!            (\", %22, &quot;)
//! ```
//! A stream is masked as it comes: what may be the beginning of a form is held back until it is one or is not. Every byte
//! costs one step for each way that it is read, and what is held back is bounded by the longest form, so that a flood is masked as it flows.

mod escape;
mod matcher;
mod reading;

use super::forms::forms;
use super::secret::Secret;
use aho_corasick::nfa::contiguous;
use matcher::{Found, Matcher, Unit};
use reading::{Reading, is_special, ways};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

/// Knows all forms of some secrets.
#[derive(Clone, Default)]
pub struct Masker(Option<Arc<Forms>>);

struct Forms {
    automaton: contiguous::NFA,
    /// What stands in the place of each form.
    masks: Vec<Arc<str>>,
    longest: usize,
}

impl Masker {
    /// A masker for secrets and their names.
    pub fn new<'s>(secrets: impl IntoIterator<Item = (&'s str, &'s Secret)>) -> Masker {
        let mut masks: BTreeMap<Vec<u8>, Arc<str>> = BTreeMap::new();
        for (name, secret) in secrets {
            let mask: Arc<str> = format!("[secret {name}]").into();
            for form in forms(secret.expose()) {
                masks.entry(form).or_insert_with(|| Arc::clone(&mask));
            }
        }
        let Some(longest) = masks.keys().map(Vec::len).max() else { return Masker(None) };
        // It fails only beyond what fits into its numbers, of which all values together are a fraction.
        let automaton = contiguous::NFA::new(masks.keys()).expect("BUG: too many forms of secrets");
        Masker(Some(Arc::new(Forms { automaton, masks: masks.into_values().collect(), longest })))
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Masks a text.
    pub fn text(&self, text: &str) -> String {
        let Some(mut sieve) = self.sieve() else { return text.to_owned() };
        let mut out = Vec::with_capacity(text.len());
        sieve.push(text.as_bytes(), &mut |bytes| out.extend_from_slice(bytes));
        sieve.finish(&mut |bytes| out.extend_from_slice(bytes));
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Masks a stream, if there is something to mask.
    pub fn sieve(&self) -> Option<Sieve> {
        let forms = Arc::clone(self.0.as_ref()?);
        Some(Sieve {
            plain: Matcher::new(&forms),
            readings: Vec::new(),
            is_awake: false,
            forms,
            held: Vec::new(),
            passed: 0,
            found: VecDeque::new(),
        })
    }
}

/// Two maskers are the same if they know the same forms of the same values, which nobody compares: the same one is.
impl PartialEq for Masker {
    fn eq(&self, other: &Masker) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Eq for Masker {}

impl fmt::Debug for Masker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Masker({} forms)", self.0.as_ref().map_or(0, |forms| forms.masks.len()))
    }
}

/// A stream on its way through a masker.
pub struct Sieve {
    forms: Arc<Forms>,
    /// The bytes as they stand.
    plain: Matcher,
    /// The bytes as they may be meant; none before there is a spelling.
    readings: Vec<Reading>,
    /// Whether any of those reads something else than stands there.
    is_awake: bool,
    /// Bytes that came and did not leave yet.
    held: Vec<u8>,
    /// How many have left: the offset of the first that is held.
    passed: usize,
    /// What is to be masked, in order; none touches another.
    found: VecDeque<Found>,
}

impl fmt::Debug for Sieve {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Sieve({} bytes held)", self.held.len())
    }
}

impl Sieve {
    /// Takes bytes in, and lets those out of which it is known what they are.
    pub fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        let offset = self.passed + self.held.len();
        self.held.extend_from_slice(bytes);
        for (place, byte) in (offset..).zip(bytes) {
            self.step(Unit { byte: *byte, start: place, end: place + 1 });
        }
        let reaches = self.readings.iter().filter_map(|reading| reading.reach(&self.forms));
        let settled = reaches.chain(self.plain.reach(&self.forms)).min().unwrap_or(offset + bytes.len());
        self.let_out(settled, out);
    }

    /// Lets out all that is left.
    pub fn finish(&mut self, out: &mut dyn FnMut(&[u8])) {
        let Sieve { forms, readings, found, .. } = self;
        readings.iter_mut().for_each(|reading| reading.finish(forms, &mut |new| mark(found, new)));
        self.plain.clear(&self.forms);
        self.is_awake = false;
        self.let_out(self.passed + self.held.len(), out);
    }

    fn step(&mut self, unit: Unit) {
        let Sieve { forms, plain, readings, found, .. } = self;
        if self.is_awake || is_special(unit.byte) {
            if readings.is_empty() {
                *readings = ways(forms);
            }
            for reading in readings.iter_mut() {
                reading.push(forms, unit, plain, &mut |new| mark(found, new));
            }
            self.is_awake = readings.iter().any(Reading::is_awake);
        }
        plain.step(forms, unit).into_iter().for_each(|new| mark(found, new));
    }

    /// Lets out what lies before an offset. What is masked and reaches over it stays as a whole.
    fn let_out(&mut self, settled: usize, out: &mut dyn FnMut(&[u8])) {
        let from = self.passed;
        while let Some(found) = self.found.pop_front_if(|found| found.end <= settled) {
            out(&self.held[self.passed - from..found.start - from]);
            out(found.mask.as_bytes());
            self.passed = found.end;
        }
        let plain = self.found.front().map_or(settled, |found| found.start.min(settled));
        if plain > self.passed {
            out(&self.held[self.passed - from..plain - from]);
            self.passed = plain;
        }
        self.held.drain(..self.passed - from);
    }
}

/// Adds what is to be masked, in its place; what it overlaps becomes one with it.
fn mark(found: &mut VecDeque<Found>, mut new: Found) {
    let mut behind = Vec::new();
    while let Some(last) = found.pop_back_if(|last| last.end > new.start) {
        if last.start >= new.end {
            behind.push(last);
            continue;
        }
        if last.end - last.start > new.end - new.start {
            new.mask = last.mask;
        }
        (new.start, new.end) = (new.start.min(last.start), new.end.max(last.end));
    }
    found.push_back(new);
    found.extend(behind.into_iter().rev());
}

#[cfg(test)]
mod tests;
