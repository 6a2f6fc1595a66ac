//! Checks of claimed results: the server looks before it believes. A refusal that must count is an event of its own,
//! bounded by the step's cap.

use super::{Activity, CHECK_AGAIN, HOLDS, HOLDS_NEVER, HOLDS_NOT, Stage};
use crate::effect::Perform;
use crate::id::Purpose;
use crate::plan::Step;
use crate::run::{Moment, Stop};
use crate::{Data, Effect, Failure, FailureKind, Fields, News};
use std::collections::BTreeMap;

impl Moment<'_> {
    /// Makes what the check needs and sends it out.
    pub(in crate::run) fn check_result(&mut self, key: &str) -> Result<(), Stop> {
        // The run may have closed while an answer was awaited.
        let Some(activity) = self.life.activities.get(key) else { return Ok(()) };
        let Stage::Verifying { result, .. } = &activity.stage else { unreachable!("BUG: nothing to check") };
        let step = self.step(key);
        let verify = step.verify.as_ref().expect("BUG: a check without a rule");
        let made = self.each_of(activity.owner).and_then(|each| {
            let owner = activity.owner;
            let scope = self.scope(&step.access).in_lane(owner.lane()).of_step(self.step_of(owner));
            let inputs = scope.with_each(each.as_ref()).with_result(Some(result)).fields(&verify.inputs)?;
            self.room(crate::data::weight_of(&inputs))?;
            Ok(inputs)
        });
        match made {
            Ok(inputs) => self.begin_check(key, inputs),
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => self.held_not(key, failure),
        }
        Ok(())
    }

    fn begin_check(&mut self, key: &str, inputs: Fields) {
        self.alter(key, |activity| {
            if let Stage::Verifying { check, .. } = &mut activity.stage {
                *check = Some(inputs);
            }
        });
        self.perform_check(key);
    }

    /// A check was interrupted. Looking twice does no harm, under a new id: a late report of the first look is stale.
    pub(super) fn check_again(&mut self, key: &str) {
        self.reach(CHECK_AGAIN);
        self.alter(key, |activity| activity.attempt += 1);
        self.perform_check(key);
    }

    fn perform_check(&mut self, key: &str) {
        let check = self.activity(key).check(key, self.step(key));
        self.effect(Effect::Perform(check.expect("BUG: nothing to check")));
    }

    /// The claimed result holds.
    pub(super) fn held(&mut self, key: &str) {
        self.reach(HOLDS);
        let Stage::Verifying { result, .. } = &self.activity(key).stage else {
            unreachable!("BUG: no result of `{key}` is being checked")
        };
        let result = result.clone();
        self.end(key, None, result);
    }

    /// The claimed result does not hold: another one is asked for, or the activity is over.
    pub(super) fn held_not(&mut self, key: &str, failure: Failure) {
        let failed = self.activity(key).failed + 1;
        let max = self.step(key).verify.as_ref().map_or(1, |verify| verify.attempts_max);
        let message = format!("the result does not hold: {}", failure.message);
        let failure = Failure::new(FailureKind::Unverified, message);
        self.news(News::Unverified { key: key.to_owned(), failure: failure.clone() });
        if failed >= max {
            self.reach(HOLDS_NEVER);
            self.end(key, Some(failure), Fields::new());
            return;
        }
        self.reach(HOLDS_NOT);
        self.alter(key, |activity| {
            activity.failed = failed;
            activity.attempt += 1;
        });
        self.offer(key, Some(Data::Inline(failure.message.into())));
    }
}

impl Activity {
    /// The effect of a check.
    pub(in crate::run) fn check(&self, key: &str, step: &Step) -> Option<Perform> {
        let (Stage::Verifying { check: Some(inputs), .. }, Some(verify)) = (&self.stage, &step.verify) else {
            return None;
        };
        Some(Perform {
            id: self.id(key, Purpose::Verify),
            step: self.name(key, step),
            adapter: verify.adapter,
            inputs: inputs.clone(),
            secrets: BTreeMap::new(),
            timeout_ms: verify.timeout.ms().or(step.timeout.ms()),
        })
    }
}
