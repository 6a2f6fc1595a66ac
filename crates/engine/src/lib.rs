//! Placeholder.

pub mod journal;
mod kill_point;

pub use kill_point::kill_point;
