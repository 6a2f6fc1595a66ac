//! What is seen of a run of this dialect: its log, and the answer with every field that the two sources name.
//!
//! ```text
//! news ── Log (what happened, by state) ── Seen (with plan and values) ── entries, phases, answer
//! ```

mod answer;
mod entries;
mod log;
mod phases;

#[cfg(test)]
mod tests;

pub use answer::{Answer, failed, signature};
pub use entries::Seen;
pub use log::{Log, Visit};
