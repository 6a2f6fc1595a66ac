//! Actions: what waits for the agent or the human. A result that does not come fails nothing unless the step says
//! so; at a gate, silence is a no.

use super::{
    APPROVE, Activity, CHECK, DECLINE, EXPIRE, GAVE_UP, GAVE_UP_REST, OVERDUE, OVERTIME, Owner, RESUME,
    Stage, TAKE,
};
use crate::clock::span;
use crate::effect::Action;
use crate::event::Claim;
use crate::id::Purpose;
use crate::plan::{OnOverdue, Step, Work};
use crate::run::{Moment, Stop, Task};
use crate::{Data, Digest, Effect, Failure, FailureKind, Fields, News};

impl Moment<'_> {
    /// Shows the action of the current attempt; `note` says why it is asked for again.
    pub(super) fn offer(&mut self, key: &str, note: Option<Data>) {
        let (activity, step) = (self.activity(key), self.step(key));
        let patience = self.life.overdue_ms.unwrap_or(self.plan.limits.overdue_ms);
        let grace = if expires(step) { 0 } else { patience };
        let due = match activity.ends_ms {
            Some(ms) => Some(self.after(ms)),
            None => step.timeout.ms().map(|ms| self.after(ms).saturating_add(grace)),
        };
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

    /// A result for an action came, or the word that there is none.
    pub(in crate::run) fn submitted(&mut self, key: &str, result: Fields, claim: Claim) {
        self.withdraw_due(key);
        let timeout_ms = self.step(key).timeout.ms().unwrap_or(u64::MAX);
        if let Some(error) = claim.error {
            let failure = Failure::new(FailureKind::Operation, error).bounded();
            return self.attempt_failed(key, failure, result, (GAVE_UP_REST, GAVE_UP));
        }
        if let Some(took_ms) = claim.took_ms.filter(|took_ms| *took_ms > timeout_ms) {
            self.reach(OVERTIME);
            let (took, timeout) = (span(took_ms), span(timeout_ms));
            let message = format!("took {took}, and its timeout is {timeout}");
            return self.end(key, Some(Failure::new(FailureKind::TimedOut, message)), result);
        }
        if self.step(key).verify.is_none() {
            if let (true, Owner::Lane(lane)) = (claim.written, self.activity(key).owner) {
                self.lane_step_written(lane);
            }
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
        if self.activity(key).ends_ms.is_some() {
            self.agenda.push_back(Task::Resume(key.to_owned()));
        } else if expires(self.step(key)) {
            self.expire(key);
        } else {
            self.overdue(key);
        }
    }

    /// An action ends by itself, and gives what its step says.
    pub(in crate::run) fn resume(&mut self, key: &str) -> Result<(), Stop> {
        // The run may have closed while an answer was awaited.
        let Some(activity) = self.life.activities.get(key) else { return Ok(()) };
        let (step, owner) = (self.step(key), activity.owner);
        let Work::Action { ends: Some(ends), .. } = &step.work else {
            unreachable!("BUG: `{key}` does not end by itself")
        };
        let made = self.each_of(owner).and_then(|each| {
            let scope = self.scope(&step.access).in_lane(owner.lane()).of_step(self.step_of(owner));
            scope.with_each(each.as_ref()).with_result(Some(&activity.inputs)).fields(&ends.gives)
        });
        let (failure, outputs) = match made {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => (Some(failure), Fields::new()),
            Ok(outputs) => (None, outputs),
        };
        self.reach(RESUME);
        self.withdraw(self.activity(key).id(key, Purpose::Work));
        self.end(key, failure, outputs);
        Ok(())
    }

    /// Silence has failed the attempt. At a gate it is a no, and nobody is asked twice.
    fn expire(&mut self, key: &str) {
        let step = self.step(key);
        let message = format!("no answer came within {}", span(step.timeout.ms().unwrap_or_default()));
        self.withdraw(self.activity(key).id(key, Purpose::Work));
        let kind = if is_gate(step) { FailureKind::Declined } else { FailureKind::TimedOut };
        let failure = Failure::new(kind, message);
        if is_gate(step) || self.plan.revision < 2 {
            self.reach(EXPIRE);
            return self.end(key, Some(failure), Fields::new());
        }
        self.attempt_failed(key, failure, Fields::new(), (GAVE_UP_REST, EXPIRE));
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
