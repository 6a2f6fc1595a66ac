//! What the caller gets back: how the command ended and what it said.
//!
//! An outcome is complete whatever happened: a command that could not be started has one too.

use std::fmt;

use super::captured::Captured;

/// What became of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// What it wrote to its standard output.
    pub stdout: Captured,
    /// What it wrote to its standard error.
    pub stderr: Captured,
    /// Milliseconds from the start to the end of the command, or of its tree if that was ended.
    pub duration_ms: u64,
    /// Some of its processes that could not be ended, and go on: another user's, or one that hangs inside the system.
    pub left: Vec<u32>,
    /// When it was started, in milliseconds since 1970.
    pub started_at_ms: u64,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It exited with this code.
    Exited(i32),
    /// It was ended by this signal, which the adapter did not send.
    Signalled(i32),
    /// It took longer than it may, and its tree was ended.
    TimedOut,
    /// Its caller cancelled it, and its tree was ended.
    Cancelled,
    /// The server shuts down: its tree was ended, and recovery decides by `on_interrupt` what comes next.
    Interrupted,
    /// Nothing was executed.
    NotStarted(NotStarted),
}

/// Why a command was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotStarted {
    /// The reason for the machine.
    pub reason: Reason,
    /// The reason for a person, with what to do next; it holds no value of the environment.
    pub text: String,
}

impl NotStarted {
    pub(super) fn new(reason: Reason, text: impl Into<String>) -> NotStarted {
        NotStarted { reason, text: text.into() }
    }
}

impl fmt::Display for NotStarted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// The reasons for which a command is not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The working folder does not exist or is not a folder.
    FolderMissing,
    /// The working folder may not be entered.
    FolderDenied,
    /// The program, or the interpreter it names, does not exist.
    ProgramMissing,
    /// The program may not be executed.
    ProgramDenied,
    /// The program is not one this system can execute.
    ProgramInvalid,
    /// Arguments and environment are larger than the system takes.
    TooLong,
    /// A name or value cannot be given to any process.
    Malformed,
    /// A process of the same effect is noted already.
    AlreadyNoted,
    /// The system is out of processes, memory or file descriptors; a later attempt may succeed.
    Busy,
    /// The disk has no room for a note of the process; a later attempt may succeed.
    Full,
    /// Anything else the system answered.
    System,
}
