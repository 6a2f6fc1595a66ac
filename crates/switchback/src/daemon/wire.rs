//! Our own door, line by line: what the command line asks of the daemon, and what comes back. One JSON value a line;
//! answers carry the number of what they answer, and may come in any order.

use engine::backend::{Accepted, Error, Progress, Standing, Start};
use engine::kernel::{Command, Refusal, RunId};
use serde::{Deserialize, Serialize};

/// The longest line.
pub(super) const LINE_BYTES_MAX: usize = 64 << 20;

/// Something is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) id: u64,
    pub(super) ask: Ask,
}

/// What can be asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    Start(Box<Start>),
    Submit {
        run: RunId,
        command: Command,
        /// The passphrase that whoever answers a gate has typed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        proof: Option<Passphrase>,
    },
    Recover(RunId),
    Park(RunId),
    Query(RunId),
    /// Whether whoever asks counts as a human.
    Human,
    Subscribe(RunId),
    Report,
    /// The second says whether another daemon is started right away.
    Halt(Halt, bool),
}

/// What nobody may see.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Passphrase(pub(crate) String);

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a passphrase")
    }
}

/// How the daemon is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Halt {
    /// Only if nothing is being carried out.
    IfQuiet,
    /// What is being carried out is interrupted.
    Now,
}

/// Something comes back.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Told {
    pub(super) id: u64,
    pub(super) tell: Tell,
}

/// What can come back.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tell {
    Accepted(Accepted),
    Standing(Standing),
    /// From now on there is progress.
    Subscribed,
    Progress(Progress),
    /// There is no more progress.
    Over,
    /// They do.
    Human,
    Report(Report),
    /// It ends now, for good or to be started again.
    Halting(bool),
    Failed(WireError),
}

/// What a daemon says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// Its version.
    pub(crate) version: String,
    /// Its process.
    pub(crate) pid: u32,
    /// When it was started, in milliseconds since 1970.
    pub(crate) since: u64,
    /// How many MCP clients are connected.
    pub(crate) clients: usize,
    /// How many effects are being carried out.
    pub(crate) effects: usize,
    /// How many timers run.
    pub(crate) timers: usize,
    /// How many terminals are open.
    #[serde(default)]
    pub(crate) terminals: usize,
}

/// Why something was not done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WireError {
    pub(super) code: String,
    pub(super) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<Refusal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<RunId>,
}

impl From<Error> for WireError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let (refusal, run) = match &error {
            Error::Refused(refusal) => (Some(refusal.clone()), None),
            Error::NoRun(run) => (None, Some(run.clone())),
            _ => (None, None),
        };
        WireError { code: crate::cli::code_of(error), message, refusal, run }
    }
}

impl From<WireError> for Error {
    fn from(error: WireError) -> Self {
        match error {
            WireError { refusal: Some(refusal), .. } => Error::Refused(refusal),
            WireError { run: Some(run), .. } => Error::NoRun(run),
            WireError { code, message, .. } => Error::Told { code, message },
        }
    }
}
