//! Runs of one client that have just begun: so many at once, and whoever wants more waits for their turn. Thousands that are asked for
//! at once then leave the disk and the cores to other clients in between. A run that works for longer holds up nobody.

use super::call::Call;
use super::problem::Problem;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// How many are young at once.
const AT_ONCE_MAX: usize = 32;

/// How long a run is young that has not settled before.
const YOUNG: Duration = Duration::from_millis(250);

/// The turns of one client.
pub(super) struct Nursery(Arc<Semaphore>);

impl Default for Nursery {
    fn default() -> Nursery {
        Nursery(Arc::new(Semaphore::new(AT_ONCE_MAX)))
    }
}

/// A run that has just begun, or is about to.
pub(super) struct Young {
    pub(super) until: Instant,
    turn: Option<OwnedSemaphorePermit>,
}

impl Young {
    /// Waits for the turn of a call that starts a run. One that is cancelled before starts none.
    pub(super) async fn turn(call: &Call) -> Result<Young, Problem> {
        let turns = Arc::clone(&call.visit.nursery.0);
        let turn = tokio::select! {
            biased;
            // Nobody closes it.
            turn = turns.acquire_owned() => turn.ok(),
            () = call.context.ct.cancelled() => {
                let why = "the call was cancelled before its turn came";
                return Err(Problem::new("cancelled", why).help("Nothing was started"));
            }
            () = sleep_until(call.came + Duration::from_secs(call.visit.settings().call_seconds)) => {
                let why = format!("other calls of this client start runs, {AT_ONCE_MAX} at once, and its turn has not come");
                return Err(Problem::new("busy", why).help("Nothing was started. Call again when those have begun"));
            }
        };
        Ok(Young { until: Instant::now() + YOUNG, turn })
    }

    /// It has settled: the next one may begin.
    pub(super) fn settled(mut self) {
        self.turn = None;
    }
}

/// Whoever started it waits no longer: it stays young until its time is over.
impl Drop for Young {
    fn drop(&mut self) {
        let (until, turn) = (self.until, self.turn.take());
        let left = turn.filter(|_| until > Instant::now());
        if let (Some(turn), Ok(runtime)) = (left, Handle::try_current()) {
            runtime.spawn(async move {
                sleep_until(until).await;
                drop(turn);
            });
        }
    }
}
