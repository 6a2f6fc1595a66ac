//! The journal as bytes: how entries follow each other, and the file that carries a journal elsewhere.
//!
//! ```text
//!  first = sha256("switchback journal 1\n" run "\n" plan digest "\n")
//!  next  = sha256(hash of the one before, seq as u64 big-endian, body)
//! ```
//!
//! All of it is pure. A body is opaque: what an entry means is the business of whoever made it. Large data that
//! entries name is content-addressed and checked by its own digest, not by the chain.

mod broken;
mod chain;
mod file;
mod follow;
mod verify;
mod write;

#[cfg(test)]
mod tests;

pub use broken::{Broken, Place, Reason};
pub use chain::{Hash, Head};
pub use follow::Follow;
pub use verify::{Unverified, Verified, verify_file, verify_stream};
pub use write::{ExportError, Header, Writer};
