//! Child runs. Asking twice names one child; its end is awaited whatever happens; failure goes up by the step's rule.

use super::{Activity, CHILD_DONE, CHILD_FAILED, CHILD_LATE, CHILD_REFUSED, CHILD_REST, CHILD_WAITS, Stage};
use crate::failure::{Reached, gist};
use crate::id::Purpose;
use crate::plan::{Flow, Step, Work, Workflow};
use crate::run::{Moment, Outcome};
use crate::{Data, Effect, Failure, FailureKind, Fields, News, RunId};
use serde_json::Value;

/// Longest reason of a child that is told on; the child itself has all of it.
const WHY_BYTES_MAX: usize = 240;
const LATE: &str = "it took too long";
const CLOSES: &str = "the parent closes";

impl Moment<'_> {
    /// Asks for the child of the current attempt.
    pub(super) fn nest(&mut self, key: &str, step: &Step) {
        let due = step.timeout.ms().map(|ms| self.after(ms));
        let activity = self.activity(key);
        let child = self.life.id.child(&activity.id(key, Purpose::Work));
        let timer = activity.id(key, Purpose::Due);
        self.alter(key, |activity| activity.stage = Stage::Nested { child, due, late: false });
        let started = self.activity(key).child_effect(key, step, self.life.depth);
        let started = started.expect("BUG: a nested activity has a child");
        if let Effect::StartChild { child, workflow, .. } = &started {
            let (child, workflow) = (child.clone(), workflow.clone());
            self.news(News::Nested { key: key.to_owned(), child, workflow });
        }
        self.effect(started);
        if let Some(due) = due {
            self.timer(timer, due);
        }
    }

    /// A child run ended.
    pub(in crate::run) fn child_ended(&mut self, key: &str, outcome: Outcome) {
        let Stage::Nested { late, child, .. } = &self.activity(key).stage else {
            return self.stopped(key, Fields::new());
        };
        let (late, child) = (*late, child.clone());
        self.withdraw_due(key);
        let mut outputs = Fields::new();
        let failure = match outcome {
            Outcome::Succeeded { outputs } => {
                self.reach(CHILD_DONE);
                return self.end(key, None, outputs);
            }
            _ if late => {
                Failure::new(FailureKind::TimedOut, format!("the child run `{child}` took too long"))
            }
            Outcome::Failed { failure } => {
                outputs = self.seen_of(failure.reached.as_deref());
                let why = gist(&failure.message, WHY_BYTES_MAX);
                let message = format!("Child workflow failed: run `{child}`: {why}");
                Failure::new(FailureKind::Child, message)
            }
            Outcome::Cancelled { reason } => {
                let message = format!("Child workflow was cancelled: run `{child}`: {reason}");
                Failure::new(FailureKind::Child, message)
            }
        };
        self.attempt_failed(key, failure, outputs, (CHILD_REST, CHILD_FAILED));
    }

    /// What a machine sees of one that it ran and that failed: how far that came.
    fn seen_of(&self, reached: Option<&Reached>) -> Fields {
        let has_variables = matches!(&self.plan.flow, Flow::Machine(machine) if machine.variables.is_some());
        let Some(reached) = reached.filter(|_| has_variables) else { return Fields::new() };
        let field = |name: &str, value: Value| (name.to_owned(), Data::Inline(value));
        Fields::from([
            field("final_state", reached.state.as_str().into()),
            field("states_executed", reached.visits.into()),
            field("recursion_depth", reached.depth.into()),
        ])
    }

    /// There is no child: it could not be started.
    pub(super) fn child_refused(&mut self, key: &str, failure: Failure) {
        self.withdraw_due(key);
        self.attempt_failed(key, failure, Fields::new(), (CHILD_WAITS, CHILD_REFUSED));
    }

    /// A child takes too long: it is cancelled, and its end awaited.
    pub(super) fn child_late(&mut self, key: &str) {
        self.reach(CHILD_LATE);
        self.alter(key, |activity| {
            if let Stage::Nested { late, due, .. } = &mut activity.stage {
                (*late, *due) = (true, None);
            }
        });
        let cancelled = self.activity(key).child_effect(key, self.step(key), self.life.depth);
        self.effect(cancelled.expect("BUG: a nested activity has a child"));
    }
}

impl Activity {
    /// What is asked of the child: to start, or, when it is late, to end. `depth` is the parent's.
    pub(in crate::run) fn child_effect(&self, key: &str, step: &Step, depth: u32) -> Option<Effect> {
        let Stage::Nested { child, late, .. } = &self.stage else { return None };
        let Work::Child { workflow, .. } = &step.work else { return None };
        let (id, child) = (self.id(key, Purpose::Work), child.clone());
        if *late {
            return Some(Effect::CancelChild { id, child, reason: LATE.into() });
        }
        let (name, plan) = match workflow {
            Workflow::Pinned { name, plan } => (name.clone(), Some(*plan)),
            Workflow::Named(_) => (self.workflow.clone().expect("BUG: a child without a name"), None),
        };
        let inputs = self.inputs.clone();
        Some(Effect::StartChild { id, child, workflow: name, plan, inputs, depth: depth + 1 })
    }

    /// Asks the child to end because the parent does.
    pub(in crate::run) fn cancel_child(&self, key: &str, child: RunId) -> Effect {
        Effect::CancelChild { id: self.id(key, Purpose::Work), child, reason: CLOSES.into() }
    }
}
