//! The runs in memory, and how many of them belong to one family: a run that nobody called, and all below it.

use crate::turn::Seat;
use kernel::RunId;
use std::collections::HashMap;

/// The runs in memory.
#[derive(Default)]
pub(super) struct Seats {
    seats: HashMap<RunId, Seat>,
    /// How many there are, by the run that nobody called.
    families: HashMap<String, usize>,
}

impl Seats {
    pub(super) fn get(&self, run: &RunId) -> Option<&Seat> {
        self.seats.get(run)
    }

    pub(super) fn get_mut(&mut self, run: &RunId) -> Option<&mut Seat> {
        self.seats.get_mut(run)
    }

    pub(super) fn contains(&self, run: &RunId) -> bool {
        self.seats.contains_key(run)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&RunId, &Seat)> {
        self.seats.iter()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Seat> {
        self.seats.values()
    }

    #[cfg(feature = "faults")]
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Seat> {
        self.seats.values_mut()
    }

    /// How many runs of the family of a run are in memory.
    pub(super) fn family(&self, run: &RunId) -> usize {
        self.families.get(head(run)).copied().unwrap_or_default()
    }

    pub(super) fn insert(&mut self, run: RunId, seat: Seat) {
        *self.families.entry(head(&run).to_owned()).or_default() += 1;
        let replaced = self.seats.insert(run, seat);
        assert!(replaced.is_none(), "BUG: a run was seated twice");
    }

    pub(super) fn remove(&mut self, run: &RunId) -> Option<Seat> {
        let seat = self.seats.remove(run)?;
        self.leave(run);
        Some(seat)
    }

    pub(super) fn retain(&mut self, stays: impl Fn(&RunId) -> bool) {
        let gone: Vec<RunId> = self.seats.keys().filter(|run| !stays(run)).cloned().collect();
        gone.iter().for_each(|run| drop(self.remove(run)));
    }

    fn leave(&mut self, run: &RunId) {
        let head = head(run);
        if let Some(count) = self.families.get_mut(head) {
            *count -= 1;
            if *count == 0 {
                self.families.remove(head);
            }
        }
    }
}

/// The run that nobody called, above a run or itself.
fn head(run: &RunId) -> &str {
    run.as_str().split('/').next().unwrap_or_default()
}
