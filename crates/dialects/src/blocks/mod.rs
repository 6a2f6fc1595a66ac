//! The `blocks` dialect: a graph of blocks with `${...}` references.
//!
//! ```text
//! text ── world ── reader ── graph ── plan          read.rs
//!         (names)  (values,  (who waits
//!                  conditions) for whom)
//! plan + news ── view
//! ```

mod block;
mod call;
mod condition;
pub mod file;
mod for_each;
mod graph;
mod inputs;
mod jinja;
mod read;
mod reader;
mod reference;
mod secrets;
pub mod shell;
mod template;
mod types;
mod value;
pub mod view;
mod whole;
mod world;

pub use for_each::{ITEMS_MAX, PARALLEL_MAX};
pub use jinja::TEMPLATE_BYTES_MAX;
pub use read::{WIDTH_MAX, read};
pub use types::SHELL_TIMEOUT_MS;
pub use whole::LEFT_OUT;

#[cfg(test)]
mod tests;
