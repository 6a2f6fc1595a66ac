//! Bodies that may fail, and what is done then. A failure goes up to the innermost body that may; without one it fails the
//! lane, or the run. Whoever reads what they did not declare fails the run in any case.

use super::spread::SpreadLife;
use super::{CATCH, CATCH_NONE, DoneAgain, EXIT, Frame, Join, Moved, RAISE, TASK_FAIL, TRY, Turns, WARN};
use crate::failure::{MESSAGE_BYTES_MAX, shortened};
use crate::plan::{Expr, Node};
use crate::run::{Moment, Stop, Task};
use crate::{Data, Failure, FailureKind, Fields, News};
use serde_json::{Value, json};

impl<'m> Moment<'m> {
    /// Begins a body that may fail.
    pub(super) fn begin_body(&mut self, lane: u32, body: u32, turns: Turns) -> Moved {
        self.reach(TRY);
        self.tell(lane, None, Fields::new());
        self.forward(lane);
        self.push(lane, Frame { body, position: 0, turns });
        Moved::On
    }

    /// Something failed in a lane that nobody has taken yet.
    pub(super) fn failed_in(&mut self, lane: u32, failure: Failure) -> Result<Moved, Stop> {
        let failure = self.first_cause(lane, failure);
        if self.is_caught(lane, &failure) {
            return Ok(self.catch(lane, failure));
        }
        let is_task = self.lane(lane).task.is_some();
        if !is_task || failure.kind == FailureKind::Access || self.waits(lane) {
            return Err(failure.into());
        }
        self.reach(TASK_FAIL);
        self.leave_lists(lane, &failure);
        self.lane_over(lane, Some(failure));
        Ok(Moved::Busy)
    }

    /// The failure that is told: where what follows a failure fails itself, that is still the first one.
    pub(super) fn first_cause(&self, lane: u32, failure: Failure) -> Failure {
        if self.plan.revision < 1 || failure.kind == FailureKind::Access {
            return failure;
        }
        let mut around = self.lane(lane).stack.iter().rev();
        match around.find(|frame| matches!(frame.turns, Turns::Try { .. } | Turns::Caught { .. })) {
            Some(Frame { turns: Turns::Caught { failure, .. }, .. }) => failure.clone(),
            _ => failure,
        }
    }

    /// Whether a failure in a lane is taken by a body that may fail. A lane that others still belong to cannot go on.
    pub(super) fn is_caught(&self, lane: u32, failure: &Failure) -> bool {
        self.catcher(lane).is_some() && failure.kind != FailureKind::Access && !self.waits(lane)
    }

    /// The innermost body of a lane that may fail. What follows a failure is not itself done again by the body that it follows.
    fn catcher(&self, lane: u32) -> Option<usize> {
        let mut follows = false;
        self.lane(lane).stack.iter().enumerate().rev().find_map(|(at, frame)| match &frame.turns {
            Turns::Try { .. } => Some(at),
            Turns::Caught { again: Some(_), .. } => {
                follows = true;
                None
            }
            Turns::Again { left, .. } => (!std::mem::take(&mut follows) && *left > 0).then_some(at),
            _ => None,
        })
    }

    /// Whether what fails in a lane is done again where it failed.
    pub(super) fn is_done_again(&self, lane: u32) -> bool {
        let frame = self.catcher(lane).map(|at| &self.lane(lane).stack[at]);
        frame.is_some_and(|frame| matches!(frame.turns, Turns::Again { .. }))
    }

    /// Whether lanes or children of a lane are still open.
    fn waits(&self, lane: u32) -> bool {
        let lane = self.lane(lane);
        lane.join.as_ref().is_some_and(|join| join.open > 0)
            || lane.spread.as_ref().is_some_and(SpreadLife::is_open)
    }

    /// Goes on with what follows a failure.
    pub(super) fn catch(&mut self, lane: u32, failure: Failure) -> Moved {
        let error = Data::Inline(self.error_of(lane, &failure));
        self.leave_lists(lane, &failure);
        let innermost = self.catcher(lane).expect("BUG: a failure that nobody catches");
        let joined = self.sequence().lane(lane).joined.take();
        let catch = match &mut self.sequence().lane(lane).stack[innermost].turns {
            Turns::Try { catch } => *catch,
            Turns::Again { catch, left } => {
                *left -= 1;
                let (body, again) = (*catch, Some(Box::new(DoneAgain { join: joined })));
                let turns = Turns::Caught { failure: failure.bounded(), error, again };
                self.reach(CATCH);
                self.push(lane, Frame { body, position: 0, turns });
                return Moved::On;
            }
            _ => unreachable!("BUG: no body that may fail"),
        };
        self.unwind(lane, innermost);
        match catch {
            None => self.reach(CATCH_NONE),
            Some(body) => {
                self.reach(CATCH);
                let failure = failure.bounded();
                self.push(
                    lane,
                    Frame { body, position: 0, turns: Turns::Caught { failure, error, again: None } },
                );
            }
        }
        Moved::On
    }

    /// Lets go of the list that a lane was at.
    fn leave_lists(&mut self, lane: u32, failure: &Failure) {
        self.tell_tasks(lane, failure);
        let state = self.sequence().lane(lane);
        let join = state.join.take().as_ref().map_or(0, Join::weight);
        let spread = state.spread.take().as_ref().map_or(0, SpreadLife::weight);
        self.let_go(join + spread);
    }

    /// A failure as it can be read: what, of which kind, and in which step.
    pub(super) fn error_of(&self, lane: u32, failure: &Failure) -> Value {
        let step = self.step_at(lane);
        let blame = step.map_or_else(String::new, |step| format!("step `{step}`: "));
        let message = failure.message.strip_prefix(&blame).unwrap_or(&failure.message);
        json!({
            "message": shortened(message.to_owned(), MESSAGE_BYTES_MAX),
            "type": failure.kind,
            "step": step,
        })
    }

    /// The name of the step that a lane stands at.
    pub(super) fn step_at(&self, lane: u32) -> Option<&'m str> {
        self.planned(lane).and_then(|planned| self.step_named(planned))
    }

    /// The name of the step that a node is.
    pub(super) fn step_named(&self, planned: &Node) -> Option<&'m str> {
        self.step_of_node(planned).map(|step| self.plan.steps[step as usize].id.as_str())
    }

    /// The step that a node is.
    pub(super) fn step_of_node(&self, planned: &Node) -> Option<u32> {
        let step = match (planned.who(), planned.inner()) {
            (Some((step, _)), _) => step,
            (None, Node::Do { step, .. }) => *step,
            (None, Node::Spread(spread)) => spread.step,
            (None, Node::Fork { tasks: Some(tasks), .. }) => tasks.step,
            (None, _) => return None,
        };
        Some(step)
    }

    /// Fails again with what was caught.
    pub(super) fn raise(&mut self, lane: u32) -> Result<Moved, Stop> {
        let caught = self.lane(lane).stack.iter().rev().find_map(|frame| match &frame.turns {
            Turns::Caught { failure, .. } => Some(failure.clone()),
            _ => None,
        });
        let Some(failure) = caught else {
            return Err("nothing was caught that could be raised again".to_owned().into());
        };
        self.reach(RAISE);
        Err(failure.into())
    }

    /// Ends the run as it stands. Nothing else of it goes on before that.
    pub(super) fn exit(&mut self, lane: u32) -> Moved {
        self.reach(EXIT);
        self.tell(lane, None, Fields::new());
        self.sequence().lane(lane).busy = true;
        self.agenda.push_front(Task::Finish);
        Moved::Busy
    }

    /// Tells a warning.
    pub(super) fn warn(&mut self, lane: u32, message: &Expr) -> Result<Moved, Stop> {
        let scope = self.in_lane(lane);
        let message = match scope.value(scope.data(message)?)? {
            Value::String(message) => message,
            other => other.to_string(),
        };
        self.reach(WARN);
        self.tell(lane, None, Fields::new());
        let step = self.step_at(lane).map(str::to_owned);
        self.warned(step, message);
        Ok(self.forward(lane))
    }

    /// Tells something that somebody should look at.
    pub(super) fn warned(&mut self, step: Option<String>, message: String) {
        self.news(News::Warned { step, message: shortened(message, MESSAGE_BYTES_MAX) });
    }
}
