//! The `reactive` dialect: steps over raw and computed state, with JavaScript in their texts.
//!
//! ```text
//! files ── world ── reader ── plan          read.rs
//! (the file, (fields,  (values,
//! what it    ids,      steps, tasks,
//! imports)   tasks)    computed fields)
//! ```
//! Several files may make one plan: each has its own sheet of mistakes, and a place always says which file it is in.

mod action;
mod body;
mod code;
mod command;
mod computed;
mod defaults;
mod failure;
mod files;
mod graph;
mod head;
mod include;
mod inputs;
mod names;
mod notes;
mod origin;
mod path;
mod read;
mod reader;
mod schema;
mod secrets;
mod step;
mod task;
mod timing;
mod types;
mod update;
mod value;
mod verify;
pub mod view;
mod world;

pub use computed::COMPUTED_MAX;
pub use failure::{RESUME, WORKFLOW_RETRIES_MAX};
pub use files::{IMPORT_DEPTH_MAX, IMPORTS_MAX};
pub use read::read;
pub use task::DEPTH_MAX;
pub use types::{ITERATIONS_DEFAULT, PARALLEL_DEFAULT, TIMEOUT_MS};
pub use world::STEPS_MAX;

/// The layers of the state, the one that is read first at the beginning.
pub const LAYERS: [&str; 4] = ["computed", "raw", "state", "included"];

/// The bytes that the state of a run may have.
pub const STATE_BYTES_MAX: u64 = 1024 * 1024;

/// Most rounds that a loop may have.
pub const ROUNDS_MAX: u32 = 10_000;

#[cfg(test)]
mod tests;
