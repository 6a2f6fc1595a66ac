//! How the server carries effects out, one folder an adapter.
//!
//! An adapter takes one plain value that says what to do, does it, and gives one plain value that says what
//! happened. It knows no plan, no run and no journal; it never decides what comes next.

pub(crate) mod file;
mod format;
mod full;
pub(crate) mod git;
pub mod mounts;
mod own;
pub mod process;
pub(crate) mod schema;
pub(crate) mod shell;
pub(crate) mod terminal;

pub use file::exact;
pub use own::socket_folder;
