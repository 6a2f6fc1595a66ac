//! Secrets: where their values are found, and how they are kept out of everything that is recorded.
//!
//! ```text
//! plan: names only ── effect: names only ── keeper ──┬── the keyring of the system
//!                                                    ├── secrets.toml, for its owner alone
//!                                                    └── what a client of the folder lends
//! process: environment ── output ── sieve ── event
//! ```
//! Invariant: a value is in the memory of the process that carries the run, in the place it came from, and in the environment
//! of the command that was given it. It is in no plan, event, journal, note, answer or log.

mod file;
mod forms;
mod guard;
mod keeper;
mod keyring;
mod mask;
mod secret;

pub use file::{File, FileError};
pub use keeper::{Keeper, Missing, used};
pub use keyring::{Asked, Keyring, Names, Trouble};
pub use mask::{Masker, Sieve};
pub use secret::{BYTES_MAX, CHARS_MIN, Secret, Unfit, is_name};
