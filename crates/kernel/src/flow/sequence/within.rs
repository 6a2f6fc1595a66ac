//! Nodes that the definition has as steps: each reads what its step may read, is passed by where its `when` does not
//! hold, has a line in every timeline, and its failures name it.

use super::{FAIL, Moved, PASS};
use crate::language::kind;
use crate::plan::{Access, Expr, Node};
use crate::run::{Moment, Owner, Scope, Stop};
use crate::{Failure, FailureKind, Fields, News};
use serde_json::Value;

impl<'m> Moment<'m> {
    /// Comes to a step of the definition. Whether it is done is asked first, and alone.
    pub(super) fn within(
        &mut self,
        lane: u32,
        step: u32,
        when: Option<&'m Expr>,
        node: &'m Node,
    ) -> Result<Moved, Stop> {
        let wanted = when.map_or(Ok(true), |when| self.in_lane(lane).truth(when));
        let moved = match wanted.map_err(|stop| worded(stop, None)) {
            Ok(true) => self.at(lane, node).map_err(|stop| worded(stop, Some(node))),
            Ok(false) => Ok(self.pass(lane, step)),
            Err(stop) => Err(stop),
        };
        let id = &self.plan.steps[step as usize].id;
        moved.map_err(|stop| match stop {
            Stop::Ask(question) => Stop::Ask(question),
            // What was caught has been told already, with the step that it belongs to.
            Stop::Fail(failure) if matches!(node, Node::Raise) => Stop::Fail(failure),
            Stop::Fail(failure) => {
                self.tell(lane, Some(failure.clone()), Fields::new());
                self.blamed(lane, id, failure).into()
            }
        })
    }

    fn pass(&mut self, lane: u32, step: u32) -> Moved {
        self.reach(PASS);
        self.news(News::Skipped { step, reason: "its `when` does not hold".to_owned() });
        self.forward(lane)
    }

    /// What may be read of the state by what stands somewhere.
    pub(super) fn access(&self, planned: Option<&'m Node>) -> &'m Access {
        match planned.and_then(Node::who) {
            Some((step, _)) => &self.plan.steps[step as usize].access,
            None => &Access::All,
        }
    }

    /// What may be read in a lane by what stands somewhere.
    pub(super) fn reading(&self, lane: u32, planned: Option<&'m Node>) -> Scope<'_> {
        let step = planned.and_then(Node::who).map(|(step, _)| self.plan.steps[step as usize].id.as_str());
        self.scope(self.access(planned)).in_lane(Some(lane)).of_step(step)
    }

    /// Whether a condition holds where the lane stands.
    pub(super) fn decides(&self, lane: u32, condition: &Expr) -> Result<bool, Stop> {
        self.planned(lane).map_or(Ok(false), |planned| self.holds(lane, planned, condition))
    }

    /// Whether a condition of a node holds: within a step by Python's rules.
    pub(super) fn holds(&self, lane: u32, planned: &'m Node, condition: &Expr) -> Result<bool, Stop> {
        let scope = self.reading(lane, Some(planned));
        if planned.who().is_some() { scope.truth(condition) } else { scope.holds(condition) }
    }

    /// The name of the step of the definition that an activity does.
    pub(crate) fn step_of(&self, owner: Owner) -> Option<&'m str> {
        let (step, _) = self.planned(owner.lane()?).and_then(Node::who)?;
        Some(&self.plan.steps[step as usize].id)
    }

    /// Tells how a step has ended that nobody but the lane does. What is no step is nobody's news.
    pub(super) fn tell(&mut self, lane: u32, failure: Option<Failure>, outputs: Fields) {
        let Some((step, _)) = self.planned(lane).and_then(Node::who) else { return };
        let (key, since) = (self.next_key(lane, step), self.now);
        self.count_step(lane, step);
        self.news(News::Ended { key, step, failure, outputs, since });
    }

    /// The failure of a step, with its name.
    pub(super) fn blamed(&self, lane: u32, id: &str, failure: Failure) -> Failure {
        let within = self.planned(lane).is_some_and(|planned| planned.who().is_some());
        if within && failure.kind == FailureKind::Access {
            return failure;
        }
        Failure::new(failure.kind, format!("step `{id}`: {}", failure.message))
    }

    /// The definition says that the run fails here.
    pub(super) fn fail(&mut self, lane: u32, message: &Expr) -> Result<Moved, Stop> {
        let scope = self.in_lane(lane);
        let message = match scope.value(scope.data(message)?)? {
            Value::String(message) => message,
            other => return Err(format!("a message is text, and this is {}", kind(&other)).into()),
        };
        self.reach(FAIL);
        Err(Failure::new(FailureKind::Operation, message).bounded().into())
    }
}

/// Says of an expression without a value what it was for.
fn worded(stop: Stop, node: Option<&Node>) -> Stop {
    match (stop, node) {
        (Stop::Ask(question), _) => Stop::Ask(question),
        (Stop::Fail(failure), Some(Node::Set { .. })) => failure.of("Invalid expression").into(),
        (Stop::Fail(failure), Some(Node::Return { .. })) => failure.of("Return expression failed").into(),
        (Stop::Fail(failure), _) => failure.of_expression().into(),
    }
}
