//! The run closes. What works is told to stop and awaited; what only waits is over; what was asked for in the very
//! turn that closes never leaves.

use super::{DROP, STOP, STOP_CHECK, STOP_CHILD, STOPPED, Stage, UNDO};
use crate::fault::planted;
use crate::id::Purpose;
use crate::run::Moment;
use crate::table::Row;
use crate::{EffectId, Failure, FailureKind, Fields, News, RunId};

impl Moment<'_> {
    /// Stops an activity. What must report stays as stopping.
    pub(in crate::run) fn stop(&mut self, key: &str) {
        let activity = self.activity(key);
        let id = |purpose| activity.id(key, purpose);
        match &activity.stage {
            Stage::Working => self.stop_work(key, id(Purpose::Work), false),
            Stage::Verifying { check: Some(_), .. } => self.stop_work(key, id(Purpose::Verify), true),
            Stage::Nested { child, .. } => self.stop_child(key, child.clone()),
            Stage::Offered { .. } => self.stop_waiting(key, Some(id(Purpose::Work))),
            Stage::Resting { .. } => self.stop_waiting(key, Some(id(Purpose::Retry))),
            Stage::Sleeping { .. } | Stage::Interrupted | Stage::Verifying { check: None, .. } => {
                self.stop_waiting(key, None);
            }
            Stage::Stopping { .. } => {}
        }
    }

    fn stop_work(&mut self, key: &str, id: EffectId, checking: bool) {
        if !self.withdraw(id) {
            return self.gone(key, UNDO, Fields::new());
        }
        self.reach(if checking { STOP_CHECK } else { STOP });
        self.alter(key, |activity| activity.stage = Stage::Stopping { checking, child: None });
    }

    fn stop_child(&mut self, key: &str, child: RunId) {
        self.withdraw_due(key);
        if self.take_back(&self.activity(key).id(key, Purpose::Work)) || planted!(self, CancelForgetsChild) {
            return self.gone(key, UNDO, Fields::new());
        }
        self.reach(STOP_CHILD);
        let cancelled = self.activity(key).cancel_child(key, child.clone());
        self.effect(cancelled);
        self.alter(key, |activity| activity.stage = Stage::Stopping { checking: false, child: Some(child) });
    }

    fn stop_waiting(&mut self, key: &str, id: Option<EffectId>) {
        self.withdraw_due(key);
        let left = id.is_none_or(|id| self.withdraw(id));
        self.gone(key, if left { DROP } else { UNDO }, Fields::new());
    }

    /// What was told to stop has.
    pub(super) fn stopped(&mut self, key: &str, outputs: Fields) {
        self.gone(key, STOPPED, outputs);
    }

    /// What was told to stop says that it did not succeed. If something of it goes on, whoever looks at the run has to know.
    pub(super) fn stopped_by(&mut self, key: &str, failure: Failure, outputs: Fields) {
        let failure = if failure.kind == FailureKind::Unended { failure } else { closed() };
        self.over(key, STOPPED, failure, outputs);
    }

    fn gone(&mut self, key: &str, row: Row, outputs: Fields) {
        self.over(key, row, closed(), outputs);
    }

    /// The activity is over, and nobody but views hears of it.
    fn over(&mut self, key: &str, row: Row, failure: Failure, outputs: Fields) {
        self.reach(row);
        let gone = self.remove(key);
        let (step, since) = (gone.step, gone.since);
        self.news(News::Ended { key: key.to_owned(), step, failure: Some(failure), outputs, since });
    }
}

fn closed() -> Failure {
    Failure::new(FailureKind::Cancelled, "the run closed")
}
