//! The worker: one that takes turns with runs and sits at the desk, and one for each home it is.

use super::backend::{Error, connect};
use super::desk::Desk;
use super::home::Home;
use super::host::Host;
use std::time::Duration;
use temporalio_sdk::{Runtime, Worker, WorkerOptions};

/// The task queue of runs.
pub(super) const QUEUE: &str = "switchback";

/// How long a task waits for the worker that knows its run before another one may take it.
const TAKEOVER: Duration = Duration::from_secs(2);

/// The task queue of a home.
pub(super) fn queue_of(home: &str) -> String {
    format!("{QUEUE}/home/{home}")
}

/// Works until the server sends it away: takes turns, answers questions, and is the home of that name.
pub async fn work(url: &str, desk: Desk, name: &str, home: Home) -> Result<(), Error> {
    let client = connect(url).await?;
    let runtime = Runtime::from_current_tokio(Default::default()).map_err(Error::server)?;
    let turns = WorkerOptions::new(QUEUE).register_activities(desk).register_workflow::<Host>();
    let turns = turns.map_err(Error::server)?.sticky_queue_schedule_to_start_timeout(TAKEOVER).build();
    let effects = WorkerOptions::new(queue_of(name)).register_activities(home).build();
    let mut turns = Worker::new(&runtime, client.clone(), turns).map_err(Error::server)?;
    let mut effects = Worker::new(&runtime, client, effects).map_err(Error::server)?;
    tokio::try_join!(async { turns.run().await.map_err(Error::server) }, async {
        effects.run().await.map_err(Error::server)
    })?;
    Ok(())
}
