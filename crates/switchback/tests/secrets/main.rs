//! Secrets through the real binary: planted, used in every way that shows them, and then searched for in all that is left.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod command_line;
mod flows;
mod keyring;
mod lent;
mod missing;
mod taint;
mod traces;
mod waits;
mod world;
