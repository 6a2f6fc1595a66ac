//! Masks secrets in what programs say, before it becomes an event.
//!
//! ```text
//! bytes ── without blanks ── automaton of all forms ── ranges of the original ── [secret NAME]
//! ```
//! A stream is masked as it comes: what may be the beginning of a form is held back until it is one or is not. Every byte
//! costs one step, and what is held back is bounded by the longest form, so that a flood is masked as it flows.

use super::forms::{forms, is_blank};
use super::secret::Secret;
use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

/// The blanks in a row that may stand inside a form.
const GAP_MAX: usize = 64;

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
            state: start(&forms),
            forms,
            held: Vec::new(),
            passed: 0,
            places: VecDeque::new(),
            found: VecDeque::new(),
            blanks: 0,
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

fn start(forms: &Forms) -> StateID {
    forms.automaton.start_state(Anchored::No).expect("BUG: the automaton begins anywhere")
}

/// A stream on its way through a masker.
pub struct Sieve {
    forms: Arc<Forms>,
    state: StateID,
    /// Bytes that came and did not leave yet.
    held: Vec<u8>,
    /// How many have left: the offset of the first that is held.
    passed: usize,
    /// The offsets of the last bytes that are not blanks, as many as the longest form has.
    places: VecDeque<usize>,
    /// What is to be masked, in order; none touches another.
    found: VecDeque<Found>,
    /// Blanks in a row.
    blanks: usize,
}

struct Found {
    start: usize,
    end: usize,
    mask: Arc<str>,
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
            self.step(place, *byte);
        }
        let end = offset + bytes.len();
        // The next form may begin with any of the last bytes, the longest of them one short.
        let reach = self.places.len().saturating_sub(self.forms.longest - 1);
        let settled = self.places.get(reach).copied().unwrap_or(end);
        self.let_out(settled, out);
    }

    /// Lets out all that is left.
    pub fn finish(&mut self, out: &mut dyn FnMut(&[u8])) {
        self.let_out(self.passed + self.held.len(), out);
        (self.state, self.blanks) = (start(&self.forms), 0);
        self.places.clear();
    }

    fn step(&mut self, place: usize, byte: u8) {
        if is_blank(byte) {
            self.blanks += 1;
            if self.blanks > GAP_MAX {
                self.state = start(&self.forms);
                self.places.clear();
            }
            return;
        }
        self.blanks = 0;
        if self.places.len() == self.forms.longest {
            self.places.pop_front();
        }
        self.places.push_back(place);
        let automaton = &self.forms.automaton;
        self.state = automaton.next_state(Anchored::No, self.state, byte);
        if !automaton.is_match(self.state) {
            return;
        }
        let ending =
            (0..automaton.match_len(self.state)).map(|index| automaton.match_pattern(self.state, index));
        let Some(form) = ending.max_by_key(|form| automaton.pattern_len(*form)) else { return };
        let start = self.places[self.places.len() - automaton.pattern_len(form)];
        let mask = Arc::clone(&self.forms.masks[form.as_usize()]);
        self.mark(Found { start, end: place + 1, mask });
    }

    /// Adds what is to be masked; what it overlaps becomes one with it.
    fn mark(&mut self, mut new: Found) {
        while let Some(last) = self.found.pop_back_if(|last| last.end > new.start) {
            if last.end - last.start > new.end - new.start {
                new.mask = last.mask;
            }
            new.start = new.start.min(last.start);
        }
        self.found.push_back(new);
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

#[cfg(test)]
mod tests;
