//! The file adapter: reads and writes files inside the folders that a run may use, and nowhere else.
//!
//! ```text
//! Perform ── Job ── roots opened ── walk ── read ── (render, merge) ── write ── Report
//!            (checked)             (by handles,     (lock)            (temporary file, flushed,
//!                                   links resolved)                    named in one move)
//! ```
//! A path is walked from `/`, one directory handle after another, and every link is read and walked in turn. What counts
//! is the chain of handles at the end: one of its directories must be an allowed one, by identity, and none the data
//! directory of the server. So there is no moment between a check and a use in which a folder could become a link, and
//! `/proc/self/fd/3` is only a text. What stands at the end of a path must be a regular file; a FIFO, a socket or a device
//! is never opened. What decides over the server or git is read and never written ([`guard`]).
//!
//! Not seen from here: a hard link inside the folders to a file outside of them is that file. It is read like any other, and
//! a write does not touch it: the name gets a new file.
//!
//! The work is done on a thread of its own, because a disk may hang. Invariant: what was stopped has changed no file, and
//! what has changed one is not stopped; [`Gate`] decides between the two. At most an empty folder stays.

mod bytes;
mod exact;
mod gate;
mod gitfile;
mod guard;
mod job;
mod linked;
mod lock;
mod masked;
mod note;
mod operation;
mod render;
mod roots;
mod run;
mod state;
#[cfg(test)]
mod tests;
mod trouble;
mod walk;
mod write;

pub use exact::exact;
pub(crate) use note::{Created, keep};
pub(crate) use run::{Ended, Files, PLACES, clear, run};
pub(crate) use walk::{Aim, folder};

use gate::Gate;
use trouble::Trouble;
