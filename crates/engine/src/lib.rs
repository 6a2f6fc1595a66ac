//! Placeholder.

pub mod journal;
mod kill_point;
pub mod store;

pub use kill_point::kill_point;
