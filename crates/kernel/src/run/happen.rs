//! Lets a fact happen: one line a kind, each to the room that knows it.

use super::admit::{fingerprint, fingerprint_of_answer};
use super::moment::Update;
use super::{Moment, Outcome, Task, Weigh};
use crate::command::Caller;
use crate::event::Report;
use crate::failure::{MESSAGE_BYTES_MAX, shortened};
use crate::news::ChangedBy;
use crate::{Digest, EffectId, Fact, Fields, News};

impl Moment<'_> {
    pub(super) fn happen(&mut self, fact: Fact) {
        match fact {
            Fact::Started { inputs } => self.start(inputs),
            Fact::Reported { effect, report } => self.reported(key(&effect), bounded_report(report)),
            Fact::Interrupted { effect } => self.interrupted(key(&effect)),
            Fact::Resolved { effect, resolution, .. } => self.resolved(key(&effect), resolution),
            Fact::Submitted { effect, result, claim, .. } => {
                self.take(&effect, fingerprint(&result, &claim));
                self.submitted(key(&effect), result, claim);
            }
            Fact::Answered { effect, approved, result, by } => {
                self.take(&effect, fingerprint_of_answer(approved, &result));
                self.answered(key(&effect), approved, with_caller(result, &by));
            }
            Fact::Fired { timer } => match timer.parts() {
                Some((key, ..)) => self.activity_timer_fired(key),
                None => self.run_timer_fired(&timer),
            },
            Fact::ChildEnded { effect, outcome, .. } => {
                self.child_ended(key(&effect), bounded_outcome(outcome))
            }
            Fact::Updated { values, changes, by, .. } => {
                let by = ChangedBy::Caller(by);
                self.agenda.push_back(Task::Update(Box::new(Update { values, changes, by })));
            }
            Fact::Marked { step, reason, by } => self.news(News::Marked { step, reason, by }),
            Fact::GaveUp { reason, .. } => self.give_up(shortened(reason, MESSAGE_BYTES_MAX)),
            Fact::CancelRequested { reason, .. } => self.cancel(shortened(reason, MESSAGE_BYTES_MAX)),
            Fact::Acknowledged => self.acknowledged(),
        }
    }

    /// Remembers a result that was taken, so that its repetition is recognised.
    fn take(&mut self, effect: &EffectId, fingerprint: Digest) {
        let taken = (effect.clone(), fingerprint);
        self.carry(taken.weight());
        self.life.taken.push_back(taken);
        while self.life.taken.len() > self.plan.limits.remembered_max as usize
            && let Some(forgotten) = self.life.taken.pop_front()
        {
            self.let_go(forgotten.weight());
        }
    }
}

fn key(effect: &EffectId) -> &str {
    effect.parts().expect("BUG: an admitted effect has a key").0
}

fn with_caller(mut result: Fields, by: &Caller) -> Fields {
    result.insert("answered_by".into(), by.label());
    result
}

fn bounded_report(report: Report) -> Report {
    match report {
        Report::Failed { failure, outputs } => Report::Failed { failure: failure.bounded(), outputs },
        done => done,
    }
}

fn bounded_outcome(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Failed { failure } => Outcome::Failed { failure: failure.bounded() },
        Outcome::Cancelled { reason } => Outcome::Cancelled { reason: shortened(reason, MESSAGE_BYTES_MAX) },
        succeeded => succeeded,
    }
}
