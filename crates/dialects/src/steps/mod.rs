//! The `steps` dialect: steps for an agent, one after the other, with Jinja in their texts.
//!
//! ```text
//! text ── world ── reader ── drafts ── plans          read.rs
//!         (units,  (values,  (one a    (one for the workflow, one for each
//!         steps,   what they unit)     way in which a task is used)
//!         names)   read)
//! ```
//! The workflow and each of its tasks is a *unit*: inputs, a state, and steps of its own.

mod agent;
mod body;
mod draft;
pub mod due;
pub mod fit;
mod head;
mod inputs;
pub mod instructions;
mod needs;
mod output;
mod read;
mod reader;
mod rules;
mod secrets;
mod server_shell;
mod step;
mod task;
mod types;
mod uses;
mod verify;
pub mod view;
mod world;

pub use agent::is_agent;
pub(crate) use inputs::{KINDS, declared, read as inputs};
pub use read::read;
pub use types::{CHILDREN_MAX, GOTO_MAX, PENDING_MAX, TIMEOUT_MS, TIMEOUT_MS_OF_DELEGATE};
pub use uses::{DEPTH_MAX, TASK_PLANS_MAX};
pub use world::STEPS_MAX;

/// The bytes that the state of a run may have.
pub const STATE_BYTES_MAX: u64 = 1024 * 1024;

#[cfg(test)]
mod tests;
