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

impl Nursery {
    /// Waits for a turn, but not longer than that, and not for whoever cancels.
    async fn turn(&self, until: Instant, cancelled: impl Future<Output = ()>) -> Result<Young, Problem> {
        let turn = tokio::select! {
            biased;
            turn = Arc::clone(&self.0).acquire_owned() => turn.ok(),
            () = cancelled => {
                let why = "the call was cancelled before its turn came";
                return Err(Problem::new("cancelled", why).help("Nothing was started"));
            }
            () = sleep_until(until) => {
                let why = format!("other calls of this client start runs, {AT_ONCE_MAX} at once, and its turn has not come");
                return Err(Problem::new("busy", why).help("Nothing was started. Call again when those have begun"));
            }
        };
        Ok(Young { until: Instant::now() + YOUNG, turn })
    }
}

/// A run that has just begun, or is about to.
pub(super) struct Young {
    pub(super) until: Instant,
    /// Nothing once it has settled.
    turn: Option<OwnedSemaphorePermit>,
}

impl Young {
    /// Waits for the turn of a call that starts a run. One that is cancelled before starts none.
    pub(super) async fn turn(call: &Call) -> Result<Young, Problem> {
        let until = call.came + Duration::from_secs(call.visit.settings().call_seconds);
        call.visit.nursery.turn(until, call.context.ct.cancelled()).await
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    /// Time for anything but what is waited for.
    const SOON: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_secs(45);

    async fn turn(nursery: &Nursery) -> Option<Young> {
        nursery.turn(Instant::now() + SOON, pending()).await.ok()
    }

    async fn full(nursery: &Nursery) -> Vec<Young> {
        let mut young = Vec::new();
        while let Some(one) = turn(nursery).await {
            young.push(one);
        }
        young
    }

    #[tokio::test(start_paused = true)]
    async fn so_many_are_young_at_once() {
        let nursery = Nursery::default();
        let mut young = full(&nursery).await;
        assert_eq!(young.len(), AT_ONCE_MAX);
        young.pop().unwrap().settled();
        young.extend(turn(&nursery).await);
        assert!(young.len() == AT_ONCE_MAX && turn(&nursery).await.is_none());
        // One that nobody waits for any more is young as long as the others.
        drop(young.pop());
        assert!(turn(&nursery).await.is_none());
        tokio::time::sleep(YOUNG).await;
        turn(&nursery).await.unwrap().settled();
        drop(young);
        assert_eq!(full(&nursery).await.len(), AT_ONCE_MAX, "all of them have grown up");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_gets_no_turn_is_told() {
        let nursery = Nursery::default();
        let _young = full(&nursery).await;
        let code =
            |told: Result<Young, Problem>| told.err().map(|problem| problem.into_json()["code"].take());
        let cancelled = nursery.turn(Instant::now() + LONG, async {}).await;
        assert_eq!(code(cancelled), Some("cancelled".into()));
        let late = nursery.turn(Instant::now() + LONG, pending()).await;
        assert_eq!(code(late), Some("busy".into()));
    }
}
