//! Begins a step: makes its inputs and sends its first attempt out. Later attempts have the same inputs.

use super::{AGAIN, Activity, NEST, NEST_AGAIN, OFFER, OFFER_AGAIN, Owner, PERFORM, REFUSE, SLEEP, Stage};
use crate::data::Data;
use crate::effect::Perform;
use crate::fault::planted;
use crate::id::Purpose;
use crate::plan::{Step, Work};
use crate::run::scope::Called;
use crate::run::{Moment, Stop, Weigh};
use crate::{Effect, Failure, Fields, News};
use serde_json::Value;

impl Moment<'_> {
    /// Begins a step. One whose inputs cannot be made has ended.
    pub(crate) fn begin(&mut self, owner: Owner, step: u32, key: String) -> Result<(), Stop> {
        if let Work::Make { outputs, .. } = &self.plan.steps[step as usize].work {
            return self.make(owner, step, &key, outputs);
        }
        match self.made(owner, step).and_then(|called| self.take_on(owner, step, &key, called)) {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => self.refuse(owner, step, &key, failure),
            Ok(()) => {
                self.reach(match self.plan.steps[step as usize].work {
                    Work::Server { .. } => PERFORM,
                    Work::Action { .. } => OFFER,
                    Work::Child { .. } => NEST,
                    Work::Wait { .. } => SLEEP,
                    Work::Make { .. } => unreachable!("BUG: `{key}` is nobody's work"),
                });
                self.launch(&key);
            }
        }
        Ok(())
    }

    /// Takes an activity on, if there is room for it.
    fn take_on(&mut self, owner: Owner, step: u32, key: &str, called: Called) -> Result<(), Stop> {
        let Called { inputs, workflow, ends_ms } = called;
        let (attempt, failed, since, stage) = (1, 0, self.now, Stage::Working);
        let activity = Activity { step, owner, attempt, failed, since, inputs, workflow, ends_ms, stage };
        let key = key.to_owned();
        self.hold((&key, &activity).weight())?;
        let replaced = self.life.activities.insert(key, activity);
        assert!(replaced.is_none(), "BUG: an activity was begun twice");
        Ok(())
    }

    /// Makes what a step is given.
    pub(super) fn made(&self, owner: Owner, step: u32) -> Result<Called, Stop> {
        let step = &self.plan.steps[step as usize];
        let each = self.each_of(owner)?;
        let scope = self.scope(&step.access).in_lane(owner.lane()).of_step(self.step_of(owner));
        let scope = scope.with_each(each.as_ref());
        let inputs = match &step.work {
            Work::Server { inputs, .. } | Work::Make { inputs, .. } => scope.fields(inputs)?,
            Work::Action { inputs, ends, .. } => {
                let inputs = scope.fields(inputs)?;
                let ends_ms = ends.as_ref().map(|ends| scope.wait(&ends.ms)).transpose()?;
                return Ok(Called { inputs, workflow: None, ends_ms });
            }
            Work::Child { inputs, workflow } => {
                let mut called = scope.child(workflow, inputs)?;
                if let Owner::Child(lane, item) = owner {
                    called.inputs.extend(self.item_inputs(lane, item)?);
                }
                return Ok(called);
            }
            Work::Wait { ms } => Fields::from([(MS.to_owned(), Data::Inline(scope.wait(ms)?.into()))]),
        };
        Ok(Called { inputs, workflow: None, ends_ms: None })
    }

    pub(super) fn refuse(&mut self, owner: Owner, step: u32, key: &str, failure: Failure) {
        self.reach(REFUSE);
        let failure = if self.step_of(owner).is_some() { failure.of_expression() } else { failure };
        self.news(News::Began { key: key.to_owned(), step, attempt: 1, inputs: Fields::new() });
        self.ended(
            key,
            super::end::Ended {
                owner,
                step,
                since: self.now,
                failure: Some(failure),
                outputs: Fields::new(),
            },
        );
    }

    /// Sends the current attempt out.
    fn launch(&mut self, key: &str) {
        let (activity, step) = (self.activity(key), self.step(key));
        let Activity { step: position, attempt, .. } = *activity;
        let inputs = activity.inputs.clone();
        self.news(News::Began { key: key.to_owned(), step: position, attempt, inputs });
        match &step.work {
            Work::Server { .. } => self.perform_work(key, step),
            Work::Action { .. } => self.offer(key, None),
            Work::Child { .. } => self.nest(key, step),
            Work::Wait { .. } => self.sleep(key),
            Work::Make { .. } => unreachable!("BUG: `{key}` is nobody's work"),
        }
    }

    fn perform_work(&mut self, key: &str, step: &Step) {
        self.alter(key, |activity| activity.stage = Stage::Working);
        let perform = self.activity(key).perform(key, step);
        if planted!(self, StepStartedTwice) && self.activity(key).attempt > 1 {
            self.effect(Effect::Perform(perform.clone()));
        }
        self.effect(Effect::Perform(perform));
    }

    fn sleep(&mut self, key: &str) {
        let activity = self.activity(key);
        let ms = activity.inputs.get(MS).and_then(Data::inline).and_then(Value::as_u64);
        let due = self.after(ms.expect("BUG: a wait without a time"));
        let id = activity.id(key, Purpose::Due);
        self.alter(key, |activity| activity.stage = Stage::Sleeping { due });
        self.timer(id, due);
    }

    /// The rest before another attempt is over.
    pub(super) fn rested(&mut self, key: &str) {
        self.reach(match self.step(key).work {
            Work::Child { .. } => NEST_AGAIN,
            Work::Action { .. } => OFFER_AGAIN,
            Work::Server { .. } | Work::Make { .. } | Work::Wait { .. } => AGAIN,
        });
        self.next_attempt(key);
    }

    pub(super) fn next_attempt(&mut self, key: &str) {
        self.alter(key, |activity| activity.attempt += 1);
        self.launch(key);
    }
}

/// The one input of a wait.
const MS: &str = "ms";

impl Activity {
    /// The effect of a server's work.
    pub(in crate::run) fn perform(&self, key: &str, step: &Step) -> Perform {
        let Work::Server { adapter, secrets, .. } = &step.work else {
            unreachable!("BUG: not the server's work")
        };
        Perform {
            id: self.id(key, Purpose::Work),
            step: self.name(key, step),
            adapter: *adapter,
            inputs: self.inputs.clone(),
            secrets: secrets.clone(),
            timeout_ms: step.timeout.ms(),
        }
    }
}
