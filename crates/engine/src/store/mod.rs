//! The store: one SQLite file in a data directory, written by one owner and read by anyone.
//!
//! ```text
//!  driver ── Store ── commit(&[Write]) ── one transaction, one flush ── switchback.db
//!  cli ───── Reader ─ run, runs, load ───────────────────────────────────────┘
//! ```
//!
//! The store is a synchronous library: no threads, no clock but the one in the lock file's text, no retries.
//! Bodies are bytes to it; of the kernel it knows the names of runs and the digests of data.
//!
//! Invariant: what `commit` has answered with `Ok` survives a power cut; what it has answered with an error has
//! left no trace. Invariant: one owner. The lock keeps a second one out, and the epoch, which is checked inside
//! every transaction, keeps out an owner that lost the lock without noticing. Invariant: nothing is recorded in a file that
//! nobody finds any more (see `ground`).

mod apply;
mod check;
mod commit;
mod connect;
mod directory;
mod error;
mod export;
mod ground;
mod load;
mod lock;
mod open;
mod read;
mod retain;
mod rows;
mod schema;
mod step;
mod verify;
mod wal;
mod write;

#[cfg(test)]
mod tests;

pub use directory::{make as make_directory, network as network_file_system, written_by_owner_alone};
pub use error::{Conflict, Fault, Kind, Lost, OpenError, WriteError};
pub use export::ExportError;
pub use ground::Ground;
pub use load::{Loaded, Snapshot};
pub use lock::Owner;
pub use open::{Counters, Store};
pub use read::{Content, Filter, Found, Reader, Request};
pub use retain::Freed;
pub use rows::{Entry, RunRow};
pub use schema::KNOWN as VERSION;
pub use verify::{Sound, VerifyError};
pub use write::{NewRun, Write};

/// The name of the store's file in the data directory.
pub const FILE: &str = "switchback.db";
