//! Finds forms in letters that come one by one, blanks aside.

use super::super::forms::is_blank;
use super::Forms;
use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use std::collections::VecDeque;
use std::sync::Arc;

/// The blanks in a row that may stand inside a form.
pub(super) const GAP_MAX: usize = 64;

/// A byte of what is read, and where in the stream it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) byte: u8,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What is to be masked.
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) mask: Arc<str>,
}

/// How far the reading of a stream has come.
#[derive(Clone)]
pub(super) struct Matcher {
    state: StateID,
    /// The offsets of the last bytes that are not blanks, as many as the longest form has.
    places: VecDeque<usize>,
    /// Blanks in a row.
    blanks: usize,
}

impl Matcher {
    pub(super) fn new(forms: &Forms) -> Matcher {
        Matcher { state: start(forms), places: VecDeque::new(), blanks: 0 }
    }

    /// Begins anew.
    pub(super) fn clear(&mut self, forms: &Forms) {
        (self.state, self.blanks) = (start(forms), 0);
        self.places.clear();
    }

    /// Goes on as another has come so far.
    pub(super) fn follow(&mut self, other: &Matcher) {
        (self.state, self.blanks) = (other.state, other.blanks);
        self.places.clone_from(&other.places);
    }

    /// Takes the next byte, and gives the longest form that ends with it.
    pub(super) fn step(&mut self, forms: &Forms, unit: Unit) -> Option<Found> {
        if is_blank(unit.byte) {
            self.blanks += 1;
            if self.blanks > GAP_MAX {
                self.state = start(forms);
                self.places.clear();
            }
            return None;
        }
        self.blanks = 0;
        if self.places.len() == forms.longest {
            self.places.pop_front();
        }
        self.places.push_back(unit.start);
        let automaton = &forms.automaton;
        self.state = automaton.next_state(Anchored::No, self.state, unit.byte);
        if !automaton.is_match(self.state) {
            return None;
        }
        let ending =
            (0..automaton.match_len(self.state)).map(|index| automaton.match_pattern(self.state, index));
        let form = ending.max_by_key(|form| automaton.pattern_len(*form))?;
        let start = self.places[self.places.len() - automaton.pattern_len(form)];
        Some(Found { start, end: unit.end, mask: Arc::clone(&forms.masks[form.as_usize()]) })
    }

    /// Where the next form may begin, if it may begin with what has come: with any of the last bytes, the longest one short.
    pub(super) fn reach(&self, forms: &Forms) -> Option<usize> {
        let reach = self.places.len().saturating_sub(forms.longest - 1);
        self.places.get(reach).copied()
    }
}

fn start(forms: &Forms) -> StateID {
    forms.automaton.start_state(Anchored::No).expect("BUG: the automaton begins anywhere")
}
