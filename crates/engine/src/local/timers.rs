//! Timers of all runs, by the time they are due.

use kernel::{EffectId, RunId};
use std::collections::{BTreeSet, HashMap};
use tokio::sync::watch;

/// Timers that have not fired.
#[derive(Debug, Default)]
pub(super) struct Timers {
    by_time: BTreeSet<(u64, RunId, EffectId)>,
    due: HashMap<(RunId, EffectId), u64>,
    count: watch::Sender<usize>,
}

impl Timers {
    pub(super) fn start(&mut self, run: &RunId, id: &EffectId, due: u64) {
        self.stop(run, id);
        self.due.insert((run.clone(), id.clone()), due);
        self.by_time.insert((due, run.clone(), id.clone()));
        self.count.send_replace(self.by_time.len());
    }

    pub(super) fn stop(&mut self, run: &RunId, id: &EffectId) {
        if let Some(due) = self.due.remove(&(run.clone(), id.clone())) {
            self.by_time.remove(&(due, run.clone(), id.clone()));
            self.count.send_replace(self.by_time.len());
        }
    }

    /// Stops all timers of these runs.
    pub(super) fn stop_all(&mut self, belongs: impl Fn(&RunId) -> bool) {
        self.by_time.retain(|(_, run, _)| !belongs(run));
        self.due.retain(|(run, _), _| !belongs(run));
        self.count.send_replace(self.by_time.len());
    }

    /// Tells how many run.
    pub(super) fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// When the next one is due.
    pub(super) fn next(&self) -> Option<u64> {
        self.by_time.first().map(|(due, ..)| *due)
    }

    /// Takes one that is due.
    pub(super) fn take_due(&mut self, now: u64) -> Option<(RunId, EffectId)> {
        if self.next()? > now {
            return None;
        }
        let (_, run, id) = self.by_time.pop_first()?;
        self.due.remove(&(run.clone(), id.clone()));
        self.count.send_replace(self.by_time.len());
        Some((run, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_once_in_order_and_can_be_stopped() {
        let (run, [a, b, c]) = (RunId::new("r"), ["a", "b", "c"].map(EffectId::new));
        let mut timers = Timers::default();
        timers.start(&run, &a, 30);
        timers.start(&run, &b, 10);
        timers.start(&run, &c, 20);
        timers.start(&run, &b, 25);
        timers.stop(&run, &c);
        assert_eq!(timers.take_due(24), None);
        assert_eq!(timers.take_due(40), Some((run.clone(), b)));
        assert_eq!(timers.take_due(40), Some((run, a)));
        assert_eq!(timers.next(), None);
    }
}
