//! The MCP door, through the real binary: what is listed, what is answered, and every way to get it wrong.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod asking;
mod client;
mod elicitation;
mod errors;
mod execute;
mod limits;
mod list;
mod looking;
mod reactive;
mod requests;
mod resources;
mod settings;
mod start;
mod states;
mod steps;
mod waiting;
mod world;
