//! How the step of a lane ended: what it gave is written, or what its failure asks for is done. Where the plan keeps books
//! of steps (`books.rs`), they are kept in the same change.

use super::{ELSE, ELSE_NOT, LANE_FAIL, Moved, STEP_DONE, STEP_FAIL, STEP_PASS, STEP_TAKE};
use crate::news::ChangedBy;
use crate::plan::{Node, OnFailure, Step, Write};
use crate::run::{Moment, Owner, Stop, Writer};
use crate::{Data, Failure, FailureKind, Fields};

impl<'m> Moment<'m> {
    /// The activity of a lane's step has ended.
    pub(crate) fn lane_step_ended(&mut self, lane: u32, failure: Option<Failure>, outputs: Fields) {
        self.sequence().lane(lane).ended = Some((failure, outputs));
        self.wake(lane);
    }

    /// How often the step of a lane was tried.
    pub(crate) fn lane_step_tried(&mut self, lane: u32, attempts: u32) {
        self.sequence().lane(lane).tried = attempts;
    }

    /// What the step of a lane changes of the state was changed already.
    pub(crate) fn lane_step_written(&mut self, lane: u32) {
        self.sequence().lane(lane).written = true;
    }

    /// A lane's step ended: writes what it gave, or does what its failure asks for.
    pub(super) fn take_end(&mut self, lane: u32) -> Result<Moved, Stop> {
        let Some(Node::Do { step, writes, on_failure, otherwise }) = self.node(lane) else {
            unreachable!("BUG: a lane was busy with something that is no step")
        };
        let (failure, outputs) = self.lane(lane).ended.clone().expect("BUG: nothing ended");
        let step = &self.plan.steps[*step as usize];
        let said_no =
            |failure: &Failure| matches!(failure.kind, FailureKind::Operation | FailureKind::Declined);
        // Silence has said nothing that could be taken.
        let is_said = !outputs.is_empty() && failure.as_ref().is_some_and(said_no);
        let taken = *on_failure == OnFailure::Take && is_said;
        let failure = match failure.filter(|_| !taken) {
            Some(failure) => Some(failure),
            None => self.write_what_it_gave(lane, step, writes, &outputs)?,
        };
        if let Some(failure) = &failure {
            self.write_otherwise(lane, step, otherwise, (&outputs, failure))?;
        }
        let state = self.sequence().lane(lane);
        (state.ended, state.busy, state.tried, state.written) = (None, false, 0, false);
        match failure {
            None => self.reach(if taken { STEP_TAKE } else { STEP_DONE }),
            Some(failure) if *on_failure == OnFailure::Continue && failure.kind != FailureKind::Access => {
                self.reach(STEP_PASS);
            }
            Some(failure) => {
                let failure = self.blamed(lane, &step.id, failure);
                let failure = self.first_cause(lane, failure);
                return self.step_failed(lane, failure);
            }
        }
        Ok(self.forward(lane))
    }

    /// A step failed that may not: what follows its failure is done, or the run fails, or the lane is over and the one that
    /// forked it decides. Whoever read what they did not declare fails the run in any case.
    pub(super) fn step_failed(&mut self, lane: u32, failure: Failure) -> Result<Moved, Stop> {
        if self.is_caught(lane, &failure) {
            return Ok(self.catch(lane, failure));
        }
        let of_run = self.sequence().lane(lane).parent.is_none();
        if of_run || failure.kind == FailureKind::Access {
            self.reach(STEP_FAIL);
            return Err(failure.into());
        }
        self.reach(LANE_FAIL);
        self.lane_over(lane, Some(failure));
        Ok(Moved::Busy)
    }

    /// Writes what a step gave, and says why that cannot be.
    fn write_what_it_gave(
        &mut self,
        lane: u32,
        step: &'m Step,
        writes: &[Write],
        outputs: &Fields,
    ) -> Result<Option<Failure>, Stop> {
        let writes = if self.lane(lane).written { &[] } else { writes };
        let books = self.books(lane, step, None);
        let by = Writer { result: Some(outputs), ..self.writer(lane, step) };
        match self.write_with_books(writes, &books, by, step) {
            Err(Stop::Ask(questions)) => Err(Stop::Ask(questions)),
            Err(Stop::Fail(failure)) => Ok(Some(failure)),
            Ok(()) => Ok(None),
        }
    }

    /// Writes what is to be written after a failure. Where that cannot be, the failure stays what it is.
    fn write_otherwise(
        &mut self,
        lane: u32,
        step: &'m Step,
        otherwise: &[Write],
        (outputs, failure): (&Fields, &Failure),
    ) -> Result<(), Stop> {
        let books = self.books(lane, step, Some(failure));
        if otherwise.is_empty() && books.is_empty() {
            return Ok(());
        }
        let error = Data::Inline(self.error_of(lane, failure));
        let by = Writer { result: Some(outputs), error: Some(&error), ..self.writer(lane, step) };
        let reason = match self.write_with_books(otherwise, &books, by, step) {
            Ok(()) => {
                self.reach(ELSE);
                return Ok(());
            }
            Err(Stop::Ask(questions)) => return Err(Stop::Ask(questions)),
            Err(Stop::Fail(failure)) => failure.message,
        };
        if let Err(Stop::Ask(questions)) = self.write(&books, by, ChangedBy::Step(step.id.clone())) {
            return Err(Stop::Ask(questions));
        }
        self.reach(ELSE_NOT);
        let message = format!("what is written after its failure could not be: {reason}");
        self.warned(Some(step.id.clone()), message);
        Ok(())
    }

    /// Writes, and keeps the books in the same change if that can be.
    fn write_with_books(
        &mut self,
        writes: &[Write],
        books: &[Write],
        by: Writer<'_>,
        step: &'m Step,
    ) -> Result<(), Stop> {
        let whose = || ChangedBy::Step(step.id.clone());
        if books.is_empty() {
            return self.write(writes, by, whose());
        }
        let both: Vec<Write> = writes.iter().chain(books).cloned().collect();
        match self.write(&both, by, whose()) {
            Err(Stop::Fail(failure)) => {
                self.write(writes, by, whose())?;
                let message = format!("the account of steps cannot be kept: {}", failure.message);
                self.warned(Some(step.id.clone()), message);
                Ok(())
            }
            other => other,
        }
    }

    fn writer(&self, lane: u32, step: &'m Step) -> Writer<'m> {
        let blames = self.step_of(Owner::Lane(lane));
        Writer { access: &step.access, step: blames, lane: Some(lane), result: None, error: None }
    }
}
