//! Actions: what waits for the agent or the human. A result that does not come fails nothing unless the step says
//! so; at a gate, silence is a no.

use super::{APPROVE, Activity, CHECK, DECLINE, EXPIRE, OVERDUE, Stage, TAKE};
use crate::effect::Action;
use crate::id::Purpose;
use crate::plan::{OnOverdue, Step, Work};
use crate::run::{Moment, Task};
use crate::{Data, Digest, Effect, Failure, FailureKind, Fields, News};

impl Moment<'_> {
    /// Shows the action of the current attempt; `note` says why it is asked for again.
    pub(super) fn offer(&mut self, key: &str, note: Option<Data>) {
        let (activity, step) = (self.activity(key), self.step(key));
        let grace = if expires(step) { 0 } else { self.plan.limits.overdue_ms };
        let due = step.timeout.ms().map(|ms| self.after(ms).saturating_add(grace));
        let (shown, timer) = (Digest::of_json(&activity.inputs), activity.id(key, Purpose::Due));
        self.alter(key, |activity| activity.stage = Stage::Offered { shown, due, overdue: false, note });
        self.news(News::Offered { key: key.to_owned() });
        self.show(key);
        if let Some(due) = due {
            self.timer(timer, due);
        }
    }

    fn show(&mut self, key: &str) {
        let action = self.activity(key).action(key, self.step(key));
        self.effect(Effect::Offer(action.expect("BUG: an offered activity is an action")));
    }

    /// A result for an action came.
    pub(in crate::run) fn submitted(&mut self, key: &str, result: Fields) {
        self.withdraw_due(key);
        if self.step(key).verify.is_none() {
            self.reach(TAKE);
            self.end(key, None, result);
            return;
        }
        self.reach(CHECK);
        self.news(News::Checking { key: key.to_owned() });
        self.alter(key, |activity| activity.stage = Stage::Verifying { result, check: None });
        self.agenda.push_back(Task::Check(key.to_owned()));
    }

    /// A human answered a gate.
    pub(in crate::run) fn answered(&mut self, key: &str, approved: bool, result: Fields) {
        self.withdraw_due(key);
        if approved {
            self.reach(APPROVE);
            self.end(key, None, result);
        } else {
            self.reach(DECLINE);
            self.end(key, Some(Failure::new(FailureKind::Declined, "a human said no")), result);
        }
    }

    /// No result came in time.
    pub(super) fn not_answered(&mut self, key: &str) {
        if expires(self.step(key)) { self.expire(key) } else { self.overdue(key) }
    }

    fn expire(&mut self, key: &str) {
        self.reach(EXPIRE);
        let step = self.step(key);
        let kind = if is_gate(step) { FailureKind::Declined } else { FailureKind::TimedOut };
        let ms = step.timeout.ms().unwrap_or_default();
        self.withdraw(self.activity(key).id(key, Purpose::Work));
        self.end(key, Some(Failure::new(kind, format!("no answer came within {ms} ms"))), Fields::new());
    }

    fn overdue(&mut self, key: &str) {
        self.reach(OVERDUE);
        self.alter(key, |activity| {
            if let Stage::Offered { overdue, due, .. } = &mut activity.stage {
                (*overdue, *due) = (true, None);
            }
        });
        self.show(key);
    }

    /// Withdraws the timer of an action or child, if it has one.
    pub(super) fn withdraw_due(&mut self, key: &str) {
        let activity = self.activity(key);
        if let Some((Purpose::Due, _)) = activity.due() {
            self.withdraw(activity.id(key, Purpose::Due));
        }
    }
}

/// Whether nobody but a human may answer.
pub(in crate::run) fn is_gate(step: &Step) -> bool {
    matches!(step.work, Work::Action { gate: Some(_), .. })
}

/// Whether an action whose result does not come has failed.
fn expires(step: &Step) -> bool {
    step.on_overdue == OnOverdue::Fail || is_gate(step)
}

impl Activity {
    /// The action that an offered activity shows.
    pub(in crate::run) fn action(&self, key: &str, step: &Step) -> Option<Action> {
        let Stage::Offered { shown, overdue, note, .. } = &self.stage else { return None };
        let Work::Action { audience, gate, .. } = &step.work else { return None };
        Some(Action {
            id: self.id(key, Purpose::Work),
            step: self.name(key, step),
            attempt: self.attempt,
            audience: *audience,
            gate: gate.clone(),
            inputs: self.inputs.clone(),
            shown: *shown,
            timeout_ms: step.timeout.ms(),
            note: note.clone(),
            overdue: *overdue,
        })
    }
}
