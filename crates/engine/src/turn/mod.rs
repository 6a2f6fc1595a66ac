//! One turn as the journal keeps it, and a run as the driver holds it between turns.
//!
//! ```text
//!  command ── admit ── event ── apply ── questions? ── answers ── entry ── commit ── effects
//! ```

mod content;
mod entry;
mod gather;
mod home;
mod known;
mod replay;
mod rules;
mod seat;

pub use content::{Content, brought, stored};
pub use entry::{ENTRY_VERSION, EntryBody, decode};
pub use gather::{Body, LEVELS_MAX, gathered, wanted_bytes};
pub use home::{Home, Origin, WIDTH_MAX, usual_width};
pub(crate) use known::Known;
pub use replay::{Diverged, LoadError, Planted, Replayed, Seen, again, replay, replay_planted};
pub(crate) use replay::{read, replay_on};
pub use rules::fits;
pub use seat::Reply;
pub(crate) use seat::{Posted, Seat, TAIL_BYTES_MIN, Turning};
