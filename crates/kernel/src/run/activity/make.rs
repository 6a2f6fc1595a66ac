//! Work that needs no hand: what a step gives follows from what it is given. It has ended when the turn that begins it
//! has, nothing leaves for it, and there is nothing to interrupt, retry or time out.

use super::end::Ended;
use super::{MAKE, MAKE_NOT, Owner};
use crate::data::weight_of;
use crate::plan::Expr;
use crate::run::{Moment, Stop};
use crate::{Fields, News};

impl Moment<'_> {
    /// Begins and ends a step of nobody's. All that must be asked is asked before anything changes.
    pub(super) fn make(
        &mut self,
        owner: Owner,
        step: u32,
        key: &str,
        outputs: &[(String, Expr)],
    ) -> Result<(), Stop> {
        let inputs = self.made(owner, step).and_then(|called| {
            self.room(weight_of(&called.inputs))?;
            Ok(called.inputs)
        });
        let inputs = match inputs {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => {
                self.refuse(owner, step, key, failure);
                return Ok(());
            }
            Ok(inputs) => inputs,
        };
        let access = &self.plan.steps[step as usize].access;
        let made = self.each_of(owner).and_then(|each| {
            let scope = self.scope(access).in_lane(owner.lane()).of_step(self.step_of(owner));
            scope.with_each(each.as_ref()).with_result(Some(&inputs)).fields(outputs)
        });
        let (row, failure, outputs) = match made {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => (MAKE_NOT, Some(failure), Fields::new()),
            Ok(outputs) => (MAKE, None, outputs),
        };
        self.reach(row);
        if let Owner::Block(block) = owner {
            self.keep_inputs(block, &inputs);
        }
        self.news(News::Began { key: key.to_owned(), step, attempt: 1, inputs });
        self.ended(key, Ended { owner, step, since: self.now, failure, outputs });
        Ok(())
    }
}
