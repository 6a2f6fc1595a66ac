//! The daemon from outside: how it is found, started, seen, replaced and ended, with the real binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by its panic")]

mod asked;
mod crowd;
mod decided;
mod gate;
mod life;
mod lost;
mod pipe;
mod still;
mod terminals;
mod told;
mod version;
mod world;
