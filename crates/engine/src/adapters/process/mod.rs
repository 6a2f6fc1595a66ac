//! The process adapter: runs one command, keeps a bounded part of its output, and ends it as a tree.
//!
//! ```text
//! Job ── Launch ── note created ── spawn ── follow ── settle ── note removed ── Outcome
//!        (checked)                 (child:  (exit, time-out,  (leftovers ended,
//!                                   signals, cancel, shutdown) pipes emptied)
//!                                   session, stdio, pid into
//!                                   the note, folder, exec)
//! ```
//!
//! What a command gets: its own process group (and session, if the server has a terminal), `/dev/null` as
//! stdin, two pipes, no other file descriptor, default signals, exactly the environment of its [`Job`] and one
//! variable more ([`MARKER`]), by which its descendants are known.
//!
//! When it ends: a step ends when its command exits. What is still in its process group then (a background
//! job) has a fifth of a second to close the pipes and is ended after it. A process that left the group, by
//! `setsid` for example, is a daemon on purpose and outlives a command that *exited*; time-out, cancel and
//! shutdown end it too (on Linux; elsewhere the group is all that is ended). SIGTERM comes first, SIGKILL
//! after the grace. Only a process that left the group, lost its parents and dropped its environment escapes.
//!
//! Invariant: from the first instruction of the command to the end of its tree there is a note that names
//! its pid, so that [`Notes::recover`] finds it after a crash of the server at any point.

mod captured;
mod exit;
mod files;
mod job;
mod launch;
mod marked;
mod members;
mod note;
mod notes;
mod outcome;
mod pipes;
mod reason;
mod recover;
mod run;
mod running;
mod spawn;
mod tree;

#[cfg(test)]
mod tests;

pub use captured::{Captured, OutputLimit};
pub(crate) use files::given_files;
pub use files::take_files;
pub(crate) use job::Stop;
pub use job::{Job, NoteSpec, Script, Stops};
pub(crate) use marked::Marked;
#[cfg(target_os = "linux")]
pub use members::environment_of;
pub use note::{MARKER, NoteError};
pub use notes::Notes;
pub use outcome::{Ended, NotStarted, Outcome, Reason};
pub use recover::Recovered;
pub use run::{Begun, run};
