//! Our own door, line by line: what the command line asks of the daemon, and what comes back. One JSON value a line;
//! answers carry the number of what they answer, and may come in any order.

use crate::cli::NAME_TAKEN;
use engine::backend::{Accepted, Error, Progress, Standing, Start};
use engine::kernel::{Command, Refusal, RunId};
use engine::terminals::{Frame, Row};
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
    /// The terminals of a folder, or of all.
    Terminals(Option<String>),
    /// To look at a terminal on this connection, and to type in it where someone is named.
    Attach(Attach),
    /// What it looks like, once there is more than was seen.
    Frame(Option<u64>),
    /// Types into it.
    Type(String),
    /// The size of the terminal in which it is shown: columns and rows.
    Resize(u16, u16),
    Report,
    /// The second says whether another daemon is started right away.
    Halt(Halt, bool),
}

impl Ask {
    /// Whether it is to be done though whoever asked does not wait for the answer.
    pub(super) fn changes(&self) -> bool {
        match self {
            Ask::Start(_) | Ask::Submit { .. } | Ask::Recover(_) | Ask::Park(_) | Ask::Halt(..) => true,
            Ask::Query(_) | Ask::Human | Ask::Subscribe(_) | Ask::Terminals(_) | Ask::Report => false,
            // By whoever sits at a terminal, as long as they do.
            Ask::Attach(_) | Ask::Frame(_) | Ask::Type(_) | Ask::Resize(..) => false,
        }
    }
}

/// Which terminal, and who types in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attach {
    pub(crate) session: String,
    /// A name for others, and the size of their terminal: columns and rows. Without it they only look.
    pub(crate) types: Option<(String, u16, u16)>,
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
    Terminals(Vec<Row>),
    Frame(Box<Frame>),
    /// What was asked is done.
    Done,
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
            Error::NoRun(run) | Error::NameTaken(run) => (None, Some(run.clone())),
            _ => (None, None),
        };
        WireError { code: crate::cli::code_of(error), message, refusal, run }
    }
}

impl From<WireError> for Error {
    fn from(error: WireError) -> Self {
        match error {
            WireError { refusal: Some(refusal), .. } => Error::Refused(refusal),
            WireError { run: Some(run), code, .. } if code == NAME_TAKEN => Error::NameTaken(run),
            WireError { run: Some(run), .. } => Error::NoRun(run),
            WireError { code, message, .. } => Error::Told { code, message },
        }
    }
}
