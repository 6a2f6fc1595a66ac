//! Limits, as data: every bound of a run in one place.

use serde::{Deserialize, Serialize};

/// The bounds of a run. A dialect may tighten them; nothing is unbounded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Largest value an event may carry inline; larger ones are stored and referred to.
    pub inline_bytes_max: u64,
    /// Largest weight of what a run holds. A snapshot never has more bytes than its run weighs.
    pub held_bytes_max: u64,
    /// Largest weight of a run's state.
    pub state_bytes_max: u64,
    /// Longest text that references around text may make.
    pub text_bytes_max: u64,
    /// What lists, mappings and texts that are made for one step, or for the outputs, may have together: in bytes of
    /// their JSON form. What is only passed on does not count.
    #[serde(default = "made_bytes_max", skip_serializing_if = "is_made_bytes_max")]
    pub made_bytes_max: u64,
    /// How deep runs may call runs.
    pub depth_max: u32,
    /// Most lanes open at once, beside the first.
    pub lanes_max: u32,
    /// Most iterations of one loop, and most jumps of one goto, where the plan does not say less.
    pub iterations_max: u32,
    /// Most items that one block may be done for.
    #[serde(default = "items_max", skip_serializing_if = "is_items_max")]
    pub items_max: u32,
    /// Most states a machine may enter.
    pub visits_max: u32,
    /// Most submitted results whose repetition is still recognised.
    pub remembered_max: u32,
    /// How long closing may take, in milliseconds.
    pub close_ms_max: u64,
    /// How long past its time-out an action is offered before it is called overdue.
    pub overdue_ms: u64,
}

/// Once a run holds half of what it may, all but the smallest data goes to the store.
const CROWDED_INLINE_BYTES_MAX: u64 = 256;

impl Limits {
    /// What all outputs of a run may have together, wherever they are: whoever asks for them gets them at once.
    pub fn given_bytes_max(&self) -> u64 {
        self.made_bytes_max.saturating_mul(4)
    }

    /// The largest value that a run takes inline when it would hold so much with it.
    pub fn inline_bytes_max_of(&self, held: u64) -> u64 {
        let crowded = held > self.held_bytes_max / 2;
        self.inline_bytes_max.min(if crowded { CROWDED_INLINE_BYTES_MAX } else { u64::MAX })
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            inline_bytes_max: 16 * 1024,
            held_bytes_max: 256 * 1024,
            state_bytes_max: 256 * 1024,
            text_bytes_max: 128 * 1024,
            made_bytes_max: made_bytes_max(),
            depth_max: 5,
            lanes_max: 256,
            iterations_max: 1_000,
            items_max: items_max(),
            visits_max: 1_000,
            remembered_max: 64,
            close_ms_max: 30_000,
            overdue_ms: 15 * 60 * 1_000,
        }
    }
}

/// Plans that were written before there were items say nothing of them.
const fn items_max() -> u32 {
    10_000
}

fn is_items_max(max: &u32) -> bool {
    *max == items_max()
}

/// Plans that were written before it was a limit of theirs say nothing of it.
const fn made_bytes_max() -> u64 {
    16 * 1024 * 1024
}

fn is_made_bytes_max(max: &u64) -> bool {
    *max == made_bytes_max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowded_run_takes_little() {
        let limits = Limits::default();
        assert_eq!(limits.inline_bytes_max_of(128 * 1024), 16 * 1024);
        assert_eq!(limits.inline_bytes_max_of(128 * 1024 + 1), 256);
        let limits = Limits { inline_bytes_max: 100, ..limits };
        assert_eq!(limits.inline_bytes_max_of(u64::MAX), 100);
    }
}
