//! Where runs live. Everything above the engine speaks to this trait and does not know which backend it is on.

use crate::turn::Home;
use kernel::command::Caller;
use kernel::{Command, Fields, News, Plan, Refusal, RunId, Status};
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use thiserror::Error;
use tokio::sync::mpsc::UnboundedReceiver;

/// An answer that comes later.
pub type Later<'b, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'b>>;

/// Where runs live.
pub trait Backend: Send + Sync {
    /// Starts a run. The same `request_key` with the same arguments gives the same run.
    fn start(&self, start: Start) -> Later<'_, Accepted>;
    /// Asks something of a run.
    fn submit(&self, run: &RunId, command: Command) -> Later<'_, Accepted>;
    /// Says where a run stands.
    fn query(&self, run: &RunId) -> Later<'_, Standing>;
    /// Asks a run to end.
    fn cancel(&self, run: &RunId, reason: &str, by: Caller) -> Later<'_, Accepted> {
        self.submit(run, Command::Cancel { reason: reason.to_owned(), by })
    }
    /// Carries a run on that nobody carries: what was open is asked for again or told that it was interrupted. One that
    /// is under way is left alone.
    fn recover(&self, run: &RunId) -> Later<'_, Accepted>;
    /// Sets a run aside: what works for it and for its children is stopped and told as interrupted, and nothing goes
    /// on until someone recovers it.
    fn park(&self, run: &RunId) -> Later<'_, Accepted>;
    /// Tells of every turn of a run, and of the runs below it, from now on until it has ended.
    fn subscribe(&self, run: &RunId) -> Later<'_, UnboundedReceiver<Progress>>;
}

/// What it takes to start a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Start {
    /// Its id, which the caller chooses. One that another run has is refused: two who choose at the same moment may choose the same.
    pub id: RunId,
    /// The plan.
    pub plan: Arc<Plan>,
    /// Values of its inputs.
    pub inputs: Fields,
    /// Its folder and environment.
    pub home: Home,
    /// A key by which a repeated request is recognised.
    pub request_key: Option<String>,
    /// The plans of the workflows that it calls by constant names, and of all that those call.
    #[serde(default)]
    pub pinned: Vec<Arc<Plan>>,
    /// Whether the request itself brings the plan: then another plan is another request, whatever its name.
    #[serde(default)]
    pub is_brought: bool,
}

/// A command was admitted and is committed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accepted {
    /// The run.
    pub run: RunId,
    /// The entry it became; 0 where the run was there already.
    pub seq: u64,
    /// Where the run stands after it.
    pub status: Status,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The run.
    pub run: RunId,
    /// Its last entry.
    pub seq: u64,
    /// How it stands.
    pub status: Status,
    /// What is open.
    pub open: Vec<kernel::Open>,
}

/// A turn was committed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// The run.
    pub run: RunId,
    /// Its entry.
    pub seq: u64,
    /// When.
    pub at: u64,
    /// What changed.
    pub news: Vec<News>,
    /// Where the run stands after it.
    pub status: Status,
}

/// Why a backend did not do what it was asked.
#[derive(Debug, Error)]
pub enum Error {
    /// The run refused the command; nothing moved.
    #[error("{0}")]
    Refused(Refusal),
    /// There is no such run.
    #[error("there is no run `{0}`")]
    NoRun(RunId),
    /// Another run has this name; nothing was started.
    #[error("another run is called `{0}` already")]
    NameTaken(RunId),
    /// The key was used for something else.
    #[error("request key `{0}` was used with other arguments")]
    KeyUsed(String),
    /// A secret that the plan uses has no value; nothing was started.
    #[error("{0}")]
    NoSecret(crate::secrets::Missing),
    /// The run cannot be brought back.
    #[error(transparent)]
    Load(#[from] crate::turn::LoadError),
    /// The store did not take it; nothing moved.
    #[error("{0}")]
    Store(String),
    /// Another process owns the store now; this one has stopped.
    #[error("another process has taken over the store; this one has stopped writing")]
    Fenced,
    /// The store was taken away; this process has stopped.
    #[error("{0}")]
    Lost(crate::store::Lost),
    /// Another process, which carries the runs, said this.
    #[error("{message}")]
    Told {
        /// The name of the error, in kebab-case.
        code: String,
        /// What it said.
        message: String,
    },
    /// The backend has stopped, for this reason.
    #[error("the engine has stopped: {0}")]
    Stopped(String),
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Error::Refused(refusal)
    }
}
