//! Evaluation: what an expression of the plan means at this moment. Reads the run, changes nothing. Where the
//! kernel cannot know (a foreign expression, stored content), it stops with the question to ask.

mod ask;
mod braced;
mod compose;
mod gather;
mod layer;
mod make;
mod read;
mod truth;

pub(crate) use gather::Gather;
pub(crate) use layer::{Item, of_item};
pub(crate) use make::{Called, shallow};

use super::{Changes, Life};
use crate::plan::{Access, Plan};
use crate::{Answer, Data, Digest, Failure, FailureKind, Fields, Question};
use std::collections::BTreeMap;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// These must be answered first.
    Ask(Vec<Question>),
    /// There is none.
    Fail(Failure),
}

impl Stop {
    /// This must be answered first.
    pub(crate) fn ask(question: Question) -> Self {
        Stop::Ask(vec![question])
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Fail(failure)
    }
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Fail(Failure::new(FailureKind::Expression, message))
    }
}

/// What can be read, and by whom.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'s> {
    plan: &'s Plan,
    life: &'s Life,
    answers: &'s BTreeMap<Digest, Answer>,
    access: &'s Access,
    lane: Option<u32>,
    result: Option<&'s Fields>,
    each: Option<&'s Fields>,
    changes: Option<&'s Changes>,
    /// Why a step failed.
    error: Option<&'s Data>,
    /// The item that a task is made for: what it is called, what it is, and which.
    item: Option<(&'s str, &'s Data, u32)>,
    /// The step that is blamed for what it may not read.
    step: Option<&'s str>,
}

impl<'s> Scope<'s> {
    pub(crate) fn new(
        plan: &'s Plan,
        life: &'s Life,
        answers: &'s BTreeMap<Digest, Answer>,
        access: &'s Access,
    ) -> Self {
        let (lane, result, each, changes, error) = (None, None, None, None, None);
        let (item, step) = (None, None);
        Scope { plan, life, answers, access, lane, result, each, changes, error, item, step }
    }

    /// Sees the variables of a lane.
    pub(crate) fn in_lane(self, lane: Option<u32>) -> Self {
        Scope { lane, ..self }
    }

    /// Reads for a step of the definition, by its name.
    pub(crate) fn of_step(self, step: Option<&'s str>) -> Self {
        Scope { step, ..self }
    }

    /// Sees what a step gave.
    pub(crate) fn with_result(self, result: Option<&'s Fields>) -> Self {
        Scope { result, ..self }
    }

    /// Sees the item that a block is done for.
    pub(crate) fn with_each(self, each: Option<&'s Fields>) -> Self {
        Scope { each, ..self }
    }

    /// Sees changes of the state that are not made yet.
    pub(crate) fn over(self, changes: &'s Changes) -> Self {
        Scope { changes: Some(changes), ..self }
    }

    /// Sees why a step failed.
    pub(crate) fn with_error(self, error: Option<&'s Data>) -> Self {
        Scope { error, ..self }
    }

    /// Sees the item that a task is made for.
    pub(crate) fn with_item(self, variable: &'s str, item: &'s Data, index: u32) -> Self {
        Scope { item: Some((variable, item, index)), ..self }
    }
}
