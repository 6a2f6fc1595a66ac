//! Terminals as the server keeps them: sessions with short ids that outlive whoever opened them.
//!
//! ```text
//!  request (plain) ── keeper ──┬── policy: may it be?
//!                              ├── note beside the store ── session (crate `terminal`) ── recording
//!                              └── answer (plain): success, or error and what to do next
//! ```
//! One request and one answer a tool; the MCP tools and the effects of workflows are the same code. Every call here is a plain
//! call that may wait, so whoever has an async runtime calls it on a thread for that. Nothing here knows a protocol, a plan or a
//! run.
//!
//! Invariant: from before the first process of a session to the end of the last there is a note that bears its mark, so that
//! [`Keeper::open`] finds and ends what a crash has left, and says which sessions were lost.

mod answer;
mod call_off;
mod close;
mod control;
mod held;
mod keeper;
mod look;
mod note;
mod opening;
mod policy;
mod recordings;
mod refused;
mod request;
mod table;
mod typing;
mod visitor;
mod waiting;
mod words;

#[cfg(test)]
mod tests;

pub use answer::{Answer, Awaited, Exited, Listed, Opened, Row, Sent, Shown};
pub use call_off::CallOff;
pub use control::{Control, Frame};
pub use keeper::Keeper;
pub(crate) use keeper::NO_SESSION;
pub use look::noted;
pub use policy::{Deny, Policy, SESSIONS_MAX, SESSIONS_MAX_MOST};
pub use refused::Refused;
pub use request::{Await, ContentMode, Exit, Look, Open, Pace, Request, Send, TOOLS, Unread};
pub(crate) use typing::HELD_BY_HUMAN;
pub use visitor::Visitor;
