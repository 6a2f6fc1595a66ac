//! Open questions: what a run and those below it wait to be told, by the agent or by a human, and how what is said
//! becomes a command.
//!
//! ```text
//!  asked ── pick ── fit ── answer ── backend.submit(asked.run, command)
//! ```
//! Everything here reads the store as views do; nobody need carry the run. Whether an answer still counts is for the
//! kernel to say when it is submitted: a late one, another one and one for something else are refused there, the same one
//! again is [`Repeated`](kernel::Refusal::Repeated).

mod closed;
mod fit;
mod json;
mod last;
mod load;
mod pick;
mod plain;
mod say;
mod tasks;
mod touch;

pub use closed::why_closed;
pub use dialects::view::{Asked, AskedKind};
pub use fit::{Misfit, Problem, RESPONSE_BYTES_MAX, fit};
pub use json::{HUMANS_ONLY, details, document};
pub use last::{Last, last};
pub use load::{QUESTION_ID_BYTES_MAX, Waits, asked, driver, find, root, waits};
pub use pick::{Unpicked, pick};
pub use plain::are_plain;
pub use say::{answer, decline, is_taken};
pub use touch::{can_ask, touches};
