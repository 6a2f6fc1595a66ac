//! What a caller can do with runs that live in Temporal: start, submit, load, cancel, wait for the end; and take
//! their recorded histories, to replay them without a server.

use super::host::{Host, Next, Submission};
use super::seed::Seed;
use super::worker::QUEUE;
use kernel::{Command, Outcome, Run, RunId};
use std::str::FromStr;
use std::time::Duration;
use temporalio_client::errors::{WorkflowGetResultError, WorkflowInteractionError, WorkflowUpdateError};
use temporalio_client::{
    Client, ClientOptions, Connection, ConnectionOptions, Url, WorkflowCancelOptions, WorkflowExecutionInfo,
    WorkflowHandle, WorkflowHistory, WorkflowIdReusePolicy, WorkflowStartOptions,
};
use temporalio_common::error::IncomingError;
use temporalio_sdk::workflow_replayer::{WorkflowReplayer, WorkflowReplayerOptions};

const NAMESPACE: &str = "default";

/// Something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server was not reached.
    #[error("no Temporal server at {url}: {reason}")]
    Unreachable {
        /// Where it should be.
        url: String,
        /// Why not.
        reason: String,
    },
    /// The kernel refused the command.
    #[error("{0}")]
    Refused(String),
    /// There is no such run.
    #[error("there is no run `{0}`")]
    NoSuchRun(RunId),
    /// The server said no.
    #[error("the Temporal server says: {0}")]
    Server(String),
}

impl Error {
    pub(super) fn server(error: impl std::fmt::Display) -> Self {
        Error::Server(error.to_string())
    }
}

pub(super) async fn connect(url: &str) -> Result<Client, Error> {
    let unreachable = |reason: String| Error::Unreachable { url: url.to_owned(), reason };
    let address = Url::from_str(url).map_err(|error| unreachable(error.to_string()))?;
    let connection = Connection::connect(ConnectionOptions::new(address).build()).await;
    let connection = connection.map_err(|error| unreachable(error.to_string()))?;
    Client::new(connection, ClientOptions::new(NAMESPACE).build()).map_err(Error::server)
}

/// Runs that live in Temporal.
pub struct Backend {
    client: Client,
}

impl Backend {
    /// Connects to a server.
    pub async fn connect(url: &str) -> Result<Self, Error> {
        Ok(Backend { client: connect(url).await? })
    }

    /// Starts a run. What the kernel refuses is refused here, before the server hears of it.
    pub async fn start(&self, seed: Seed) -> Result<(), Error> {
        let (run, start) = seed.clone().grow();
        if let Some(start) = start {
            run.admit(start, 0).map_err(|refusal| Error::Refused(refusal.to_string()))?;
        }
        let options = WorkflowStartOptions::new(QUEUE, run.id().as_str())
            .id_reuse_policy(WorkflowIdReusePolicy::RejectDuplicate)
            .build();
        self.client.start_workflow(Host::run, seed, options).await.map_err(Error::server)?;
        Ok(())
    }

    /// Sends a command and waits, for so long, until something is due.
    pub async fn submit(&self, run: &RunId, command: Command, wait: Duration) -> Result<Next, Error> {
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let (handle, sent) = (self.handle(run), Submission { command, wait_ms });
        let answer = handle.execute_update(Host::submit, sent, Default::default()).await;
        answer.map_err(|error| match error {
            WorkflowUpdateError::Failed(failure) => Error::Refused(failure.message),
            WorkflowUpdateError::NotFound(_) => Error::NoSuchRun(run.clone()),
            other => Error::server(other),
        })
    }

    /// The run as it stands. Whoever has it looks at it with the kernel, as on every backend.
    pub async fn load(&self, run: &RunId) -> Result<Run, Error> {
        loop {
            let seed =
                self.handle(run).query(Host::load, (), Default::default()).await.map_err(Error::server)?;
            if let Some(seed) = seed {
                return Ok(seed.grow().0);
            }
            tokio::task::yield_now().await;
        }
    }

    /// Asks a run to close.
    pub async fn cancel(&self, run: &RunId, reason: &str) -> Result<(), Error> {
        let options = WorkflowCancelOptions::builder().reason(reason).build();
        self.handle(run).cancel(options).await.map_err(|error| match error {
            WorkflowInteractionError::NotFound(_) => Error::NoSuchRun(run.clone()),
            other => Error::server(other),
        })
    }

    /// Waits for the end, over as many Temporal runs as it takes.
    pub async fn outcome(&self, run: &RunId) -> Result<Outcome, Error> {
        match self.handle(run).get_result(Default::default()).await {
            Ok(outcome) => Ok(outcome),
            Err(WorkflowGetResultError::Cancelled { details }) => {
                details.deserialize().map_err(Error::server)
            }
            Err(WorkflowGetResultError::Failed(error)) => match *error {
                IncomingError::Application(failed) => match failed.details() {
                    Ok(Some(outcome)) => Ok(outcome),
                    _ => Err(Error::server(failed)),
                },
                other => Err(Error::server(other)),
            },
            Err(other) => Err(Error::server(other)),
        }
    }

    /// Temporal's own word for where a run is.
    pub async fn status(&self, run: &RunId) -> Result<String, Error> {
        let described = self.handle(run).describe(Default::default()).await.map_err(Error::server)?;
        Ok(format!("{:?}", described.status()))
    }

    /// The recorded histories of a run, one for each Temporal run it took, the first one first.
    pub async fn histories(&self, run: &RunId) -> Result<Vec<Vec<u8>>, Error> {
        let described = self.handle(run).describe(Default::default()).await.map_err(Error::server)?;
        let info = described.raw_description.workflow_execution_info.unwrap_or_default();
        let mut next = Some(info.first_run_id);
        let mut histories = Vec::new();
        while let Some(run_id) = next {
            let history = self.handle_of(run, run_id).fetch_history(Default::default());
            let bytes = history.to_json().await.map_err(Error::server)?;
            next = continued_by(&bytes)?;
            histories.push(bytes);
        }
        Ok(histories)
    }

    fn handle(&self, run: &RunId) -> WorkflowHandle<Client, Host> {
        self.client.get_workflow_handle::<Host>(run.as_str())
    }

    fn handle_of(&self, run: &RunId, run_id: String) -> WorkflowHandle<Client, Host> {
        let info = WorkflowExecutionInfo::builder().namespace(NAMESPACE.to_owned());
        let info = info.workflow_id(run.to_string()).run_id(run_id).build();
        WorkflowHandle::new(self.client.clone(), info)
    }
}

/// The Temporal run that a history says it was continued by.
fn continued_by(history: &[u8]) -> Result<Option<String>, Error> {
    fn find(value: &serde_json::Value) -> Option<&str> {
        match value {
            serde_json::Value::Object(fields) => fields.iter().find_map(|(name, value)| {
                let here = (name == "new_execution_run_id").then(|| value.as_str()).flatten();
                here.filter(|id| !id.is_empty()).or_else(|| find(value))
            }),
            serde_json::Value::Array(items) => items.iter().find_map(find),
            _ => None,
        }
    }
    let history: serde_json::Value = serde_json::from_slice(history).map_err(Error::server)?;
    Ok(find(&history).map(str::to_owned))
}

/// Replays a recorded history without a server, a desk or a home. It must lead where it led.
pub async fn replay(history: &[u8]) -> Result<(), Error> {
    let options = WorkflowReplayerOptions::new().register_workflow::<Host>().map_err(Error::server)?.build();
    let replayer = WorkflowReplayer::new(options).map_err(Error::server)?;
    let history = WorkflowHistory::from_json(history).map_err(Error::server)?;
    replayer.replay_workflow(history).await.map_err(Error::server)?;
    Ok(())
}
