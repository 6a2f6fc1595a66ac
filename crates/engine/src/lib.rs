//! The engine: carries runs. Turns are made by the kernel, kept in the journal, and their effects carried out by
//! adapters; after a crash what was open is carried on.
//!
//! ```text
//!  command ── backend (local | temporal) ── driver ── store ── effects ── adapters ── commands
//! ```
//! Nothing above this crate knows which backend it is on.
#![cfg_attr(
    not(test),
    warn(clippy::print_stdout, clippy::print_stderr, reason = "they panic where nobody reads")
)]

pub mod adapters;
pub mod answers;
pub mod asking;
pub mod backend;
mod births;
pub mod driver;
pub mod evaluator;
pub mod journal;
pub mod kept;
pub mod kill_point;
pub mod library;
pub mod local;
pub mod log;
pub mod mistake;
pub mod names;
pub mod secrets;
pub mod store;
#[cfg(feature = "temporal")]
pub mod temporal;
pub mod terminals;
pub mod turn;
pub mod view;

pub use backend::{Backend, Error};
pub use dialects;
pub use kernel;
pub use kill_point::kill_point;
