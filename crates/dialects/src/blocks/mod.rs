//! The `blocks` dialect: a graph of blocks with `${...}` references.
//!
//! ```text
//! text ── world ── reader ── graph ── plan          read.rs
//!         (names)  (values,  (who waits
//!                  conditions) for whom)
//! plan + news ── view
//! ```

mod block;
mod condition;
mod graph;
mod inputs;
mod jinja;
mod kind;
mod read;
mod reader;
mod reference;
mod render_block;
pub mod shell;
mod shell_block;
mod template;
mod value;
pub mod view;
mod world;

pub use block::SHELL_TIMEOUT_MS;
pub use jinja::TEMPLATE_BYTES_MAX;
pub use read::{WIDTH_MAX, read};

#[cfg(test)]
mod tests;
