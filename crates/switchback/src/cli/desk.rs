//! The store as its one owner has it: opened, what a crash left behind ended, and runs carried.

use super::error::CommandError;
use super::look::talk;
use super::store::directory;
use engine::adapters::process::{Notes, Recovered};
use engine::answers::Nobody;
use engine::local::Local;
use engine::store::{Reader, Store};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How long a process that a crash has left behind may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// How long what is ended at once may take to be gone.
const AT_ONCE: Duration = Duration::from_millis(500);

/// A backend over the store that this process owns.
pub(crate) struct Desk {
    pub(crate) local: Local,
    pub(crate) reader: Reader,
}

impl Desk {
    /// Becomes the owner of the store and ends what a crash has left running.
    pub(crate) async fn open() -> Result<Desk, CommandError> {
        let dir = directory()?;
        let store = Store::open(&dir)?;
        let notes = Notes::open(&dir).map_err(|error| {
            CommandError::internal("process-note", format!("failed to keep process notes: {error}"))
        })?;
        notes.recover(GRACE).await?.iter().for_each(tell);
        let reader = Reader::open(&dir)?;
        let local = Local::open(store, notes, Arc::new(Nobody), tokio::runtime::Handle::current());
        Ok(Desk { local, reader })
    }
}

fn tell(recovered: &Recovered) {
    let Recovered { run, effect, pid, was_alive, is_gone } = recovered;
    let step = effect.split('#').next().unwrap_or(effect);
    let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    match (was_alive, is_gone) {
        (true, true) => talk(&format!("ended the process of `{step}`{pid} that {run} had left running")),
        (_, false) => talk(&format!("the process of `{step}`{pid} of {run} cannot be ended")),
        (false, true) => {}
    }
}

/// Runs something on a runtime of its own. Whatever still runs at its end is killed.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = Runtime::new().map_err(|error| {
        CommandError::internal("no-runtime", format!("the system gives no threads: {error}"))
    })?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(AT_ONCE);
    Ok(done)
}
