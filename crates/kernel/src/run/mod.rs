//! A run: one execution of a plan, as a plain value that can be saved, loaded and compared.
//!
//! ```text
//!  command ── admit ── event ── apply ── happen ── agenda: task, task, ... ── settle ── turn
//!             admit.rs         turn.rs   happen.rs         moment.rs         phase.rs
//! ```
//! `admit` only reads. `apply` is total: it lets the event happen, then works off the agenda until nothing is left
//! to do or a question must be answered first. All that a transition may touch is in [`Moment`]; flows and
//! activities are written as methods of it.

pub(crate) mod activity;
mod admit;
mod change;
mod compute;
mod execution;
mod happen;
mod hold;
mod key;
pub(crate) mod life;
mod moment;
mod open;
pub(crate) mod phase;
mod scope;
mod state;
mod status;
mod turn;
mod write;

pub use execution::{Bounds, Run};
pub use life::{Outcome, Snapshot};
pub use open::{Open, OpenKind};
pub use status::{Status, Waiting};
pub use turn::Turn;

pub(crate) use activity::Owner;
pub(crate) use life::Life;
pub(crate) use moment::{Moment, Task};
pub(crate) use scope::{Gather, Item, Scope, Stop, of_item, shallow};
pub(crate) use write::{Changes, Writer};
pub(crate) use {hold::Weigh, key::Key};
