//! How long the questions of one turn may take, all of them together. A turn is recorded when the last one is answered; until
//! then nobody sees what happened or can end it, and the server cannot shut down in good order. Whoever answers looks here
//! before each question and adds what it took; whoever wants the turn to be over says so. To wait for others who are asked
//! something takes nobody's time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The patience with one turn.
#[derive(Debug, Default)]
pub struct Patience {
    state: Mutex<State>,
    /// Whether others are waited for.
    waits: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    spent: Duration,
    cancelled: bool,
    stops: Option<Instant>,
}

/// Why nothing more is asked, however quick it would be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Someone cancelled the run.
    Cancelled,
    /// The server shuts down.
    Stopped,
}

impl Over {
    /// The reason why there is no answer.
    pub fn words(self) -> String {
        match self {
            Over::Cancelled => "the run was cancelled before this was evaluated".to_owned(),
            Over::Stopped => "the server was stopped before this was evaluated: run it again".to_owned(),
        }
    }
}

impl Patience {
    /// What the questions of the turn have taken so far.
    pub fn spent(&self) -> Duration {
        self.state().spent
    }

    /// Some of them took this long.
    pub fn spend(&self, time: Duration) {
        let mut state = self.state();
        state.spent = state.spent.saturating_add(time);
    }

    /// The run is cancelled: nothing more is asked.
    pub fn cancel(&self) {
        self.state().cancelled = true;
    }

    /// The server shuts down: from then on nothing more is asked.
    pub fn stop_at(&self, at: Instant) {
        let mut state = self.state();
        state.stops = Some(state.stops.map_or(at, |known| known.min(at)));
    }

    /// Why nothing more is asked now.
    pub fn over(&self, now: Instant) -> Option<Over> {
        let state = self.state();
        let stopped = || state.stops.filter(|at| *at <= now).map(|_| Over::Stopped);
        if state.cancelled { Some(Over::Cancelled) } else { stopped() }
    }

    /// Waits for others.
    pub fn wait<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.waits.send_replace(true);
        let waited = wait();
        self.waits.send_replace(false);
        waited
    }

    /// Lets time pass, that in which others are waited for not counted.
    pub async fn pass(&self, mut time: Duration) {
        let mut waits = self.waits.subscribe();
        loop {
            let since = Instant::now();
            tokio::select! {
                () = tokio::time::sleep(time) => return,
                // The sender is ours, so waiting cannot fail.
                _ = waits.wait_for(|waits| *waits) => {}
            }
            time = time.saturating_sub(since.elapsed());
            let _ = waits.wait_for(|waits| !*waits).await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_when_someone_says_so() {
        let (patience, now) = (Patience::default(), Instant::now());
        assert_eq!(patience.over(now), None);
        let later = now + Duration::from_secs(1);
        patience.stop_at(later);
        patience.stop_at(later + Duration::from_secs(1));
        assert_eq!(patience.over(later - Duration::from_nanos(1)), None);
        assert_eq!(patience.over(later), Some(Over::Stopped));
        patience.cancel();
        assert_eq!(patience.over(now), Some(Over::Cancelled));
        patience.spend(Duration::MAX);
        patience.spend(Duration::from_secs(1));
        assert_eq!(patience.spent(), Duration::MAX);
    }
}
