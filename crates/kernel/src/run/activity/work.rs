//! Work in an adapter's hands: reports, retries, interruption. And the timers of all activities.

use super::{ASK, AWAKE, DONE, FAILED, GIVE_UP, REDO, REST, Stage, TOLD_AGAIN, TOLD_DONE, TOLD_FAILED};
use crate::event::{Report, Resolution};
use crate::id::Purpose;
use crate::plan::OnInterrupt;
use crate::run::Moment;
use crate::table::Row;
use crate::{Failure, FailureKind, Fields, News};

/// How often what was interrupted is done again without asking: something that ends the server each time must not end it for
/// ever.
const REDONE_MAX: u32 = 3;

impl Moment<'_> {
    /// An adapter reported.
    pub(in crate::run) fn reported(&mut self, key: &str, report: Report) {
        match (&self.activity(key).stage, report) {
            (Stage::Working, Report::Done { outputs }) => {
                self.reach(DONE);
                self.end(key, None, outputs);
            }
            (Stage::Working, Report::Failed { failure, outputs }) => {
                self.attempt_failed(key, failure, outputs, (REST, FAILED));
            }
            (Stage::Verifying { .. }, Report::Done { .. }) => self.held(key),
            // What the check itself gives is none of the step's outputs, also where both have one name.
            (Stage::Verifying { .. }, Report::Failed { failure, .. }) => self.held_not(key, failure),
            (Stage::Stopping { checking: true, .. }, Report::Done { .. }) => self.stopped(key, Fields::new()),
            (Stage::Stopping { checking: true, .. }, Report::Failed { failure, .. }) => {
                self.stopped_by(key, failure, Fields::new());
            }
            (Stage::Nested { .. }, Report::Failed { failure, .. }) => self.child_refused(key, failure),
            (Stage::Stopping { .. }, Report::Done { outputs }) => self.stopped(key, outputs),
            (Stage::Stopping { .. }, Report::Failed { failure, outputs }) => {
                self.stopped_by(key, failure, outputs);
            }
            _ => unreachable!("BUG: a report for `{key}` was admitted"),
        }
    }

    /// An attempt failed: another one follows after a rest, or the activity is over.
    pub(super) fn attempt_failed(&mut self, key: &str, failure: Failure, outputs: Fields, rows: (Row, Row)) {
        let (rests, fails) = rows;
        let retry = &self.step(key).retry;
        let failed = self.activity(key).failed + 1;
        let is_last = matches!(failure.kind, FailureKind::Cancelled | FailureKind::Unended);
        if failed >= retry.attempts_max || is_last {
            self.reach(fails);
            self.end(key, Some(failure), outputs);
            return;
        }
        self.reach(rests);
        let due = self.after(retry.rest_ms(failed));
        self.alter(key, |activity| (activity.failed, activity.stage) = (failed, Stage::Resting { due }));
        let (attempt, id) = (self.activity(key).attempt, self.activity(key).id(key, Purpose::Retry));
        self.news(News::Retrying { key: key.to_owned(), attempt, failure, due });
        self.timer(id, due);
    }

    /// Recovery found an attempt neither done nor undone.
    pub(in crate::run) fn interrupted(&mut self, key: &str) {
        match &self.activity(key).stage {
            Stage::Stopping { .. } => self.stopped(key, Fields::new()),
            Stage::Verifying { .. } => self.check_again(key),
            Stage::Working => self.work_interrupted(key),
            _ => unreachable!("BUG: an interruption of `{key}` was admitted"),
        }
    }

    fn work_interrupted(&mut self, key: &str) {
        self.news(News::Interrupted { key: key.to_owned(), attempt: self.activity(key).attempt });
        let activity = self.activity(key);
        let redone = activity.attempt.saturating_sub(activity.failed + 1);
        match self.step(key).on_interrupt {
            OnInterrupt::Retry if redone < REDONE_MAX => {
                self.reach(REDO);
                self.next_attempt(key);
            }
            OnInterrupt::Retry | OnInterrupt::Ask => {
                self.reach(ASK);
                self.alter(key, |activity| activity.stage = Stage::Interrupted);
            }
            OnInterrupt::Fail => {
                self.reach(GIVE_UP);
                self.end(key, Some(interruption()), Fields::new());
            }
        }
    }

    /// Someone said what became of an interrupted attempt.
    pub(in crate::run) fn resolved(&mut self, key: &str, resolution: Resolution) {
        match resolution {
            Resolution::Retry => {
                self.reach(TOLD_AGAIN);
                self.next_attempt(key);
            }
            Resolution::Done { outputs } => {
                self.reach(TOLD_DONE);
                self.end(key, None, outputs);
            }
            Resolution::Fail => {
                self.reach(TOLD_FAILED);
                self.end(key, Some(interruption()), Fields::new());
            }
        }
    }

    /// A timer of an activity fired.
    pub(in crate::run) fn activity_timer_fired(&mut self, key: &str) {
        match &self.activity(key).stage {
            Stage::Resting { .. } => self.rested(key),
            Stage::Offered { .. } => self.not_answered(key),
            Stage::Nested { .. } => self.child_late(key),
            Stage::Sleeping { .. } => {
                self.reach(AWAKE);
                self.end(key, None, Fields::new());
            }
            _ => unreachable!("BUG: a timer of `{key}` was admitted"),
        }
    }
}

fn interruption() -> Failure {
    Failure::new(FailureKind::Interrupted, "was interrupted, and counts as failed")
}
