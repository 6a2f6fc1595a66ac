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

impl Default for Limits {
    fn default() -> Self {
        Limits {
            inline_bytes_max: 16 * 1024,
            held_bytes_max: 256 * 1024,
            state_bytes_max: 256 * 1024,
            text_bytes_max: 128 * 1024,
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
