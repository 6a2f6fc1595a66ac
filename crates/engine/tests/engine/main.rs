//! Tests of the engine from outside: the local backend over a real store, real processes and the clock.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod asking;
mod desk;
mod driver;
mod golden;
mod golden_steps;
mod local;
mod overdue;
mod patience;
mod plans;
