//! The books of steps: which succeeded, which failed and why, and how often they were tried again. The server keeps them by
//! itself in fields that the plan names.

use super::{Frame, Moved, Turns};
use crate::Failure;
use crate::news::ChangedBy;
use crate::plan::{Books, Expr, Key, Node, Step, Write, WriteKind};
use crate::run::{Moment, Owner, Stop, Writer};
use serde_json::{Value, json};

impl<'m> Moment<'m> {
    /// What is written into the books when a step has ended.
    pub(super) fn books(&self, lane: u32, step: &Step, failure: Option<&Failure>) -> Vec<Write> {
        let Some(books) = &self.plan.state.books else { return Vec::new() };
        let mut writes = Vec::new();
        let mut keep = |path: &Option<Vec<String>>, key: Option<&str>, kind, value: Value| {
            let Some(path) = path.clone() else { return };
            let keys = key.into_iter().map(|key| Key::Name(key.to_owned())).collect();
            writes.push(Write { path, keys, kind, value: Expr::Const(value) });
        };
        let retries = self.lane(lane).tried.saturating_sub(1);
        if retries > 0 {
            keep(&books.retries, Some(&step.id), WriteKind::Increment, retries.into());
        }
        let id = Value::from(step.id.as_str());
        match failure {
            None => keep(&books.completed, None, WriteKind::Append, id),
            Some(failure) => {
                let error = self.booked(lane, books, failure);
                keep(&books.failed, None, WriteKind::Append, id);
                keep(&books.last_error, None, WriteKind::Set, error.clone());
                keep(&books.errors, None, WriteKind::Append, error);
            }
        }
        writes
    }

    /// Whether books are kept of what failed where a lane stands: loops, forks and changes of the state. A step of
    /// somebody's has its own end, and what was caught before is there already.
    pub(super) fn is_booked(&self, lane: u32) -> bool {
        let of_others = matches!(self.node(lane), None | Some(Node::Do { .. } | Node::Raise));
        let is_new = self.lane(lane).failing.is_none();
        self.plan.revision >= 1 && is_new && !of_others && self.plan.state.books.is_some()
    }

    /// Keeps books of what failed where a lane stands, if that can be, and goes on with the failure.
    pub(super) fn book_failure(&mut self, lane: u32, failure: Failure) -> Result<Moved, Stop> {
        let step = self.planned(lane).and_then(|planned| self.step_of_node(planned));
        if let Some(step) = step.map(|step| &self.plan.steps[step as usize]) {
            let books = self.books(lane, step, Some(&failure));
            let (access, blames) = (&step.access, self.step_of(Owner::Lane(lane)));
            let by = Writer { access, step: blames, lane: Some(lane), result: None, error: None };
            match self.write(&books, by, ChangedBy::Step(step.id.clone())) {
                Err(Stop::Ask(questions)) => return Err(Stop::Ask(questions)),
                Err(Stop::Fail(not)) => {
                    let message = format!("the account of steps cannot be kept: {}", not.message);
                    self.warned(Some(step.id.clone()), message);
                }
                Ok(()) => {}
            }
        }
        let moved = self.failed_in(lane, failure)?;
        if let Some(lane) = self.sequence().lanes.get_mut(&lane) {
            lane.failing = None;
        }
        Ok(moved)
    }

    /// A failure as the books have it.
    fn booked(&self, lane: u32, books: &Books, failure: &Failure) -> Value {
        let mut error = self.error_of(lane, failure);
        error["timestamp"] = crate::clock::iso(self.now).into();
        if books.stacks {
            error["stack"] = json!(self.steps_around(lane));
        }
        error
    }

    /// The names of the steps that a lane is inside of, the innermost first, with those of the lanes it was forked from.
    fn steps_around(&self, lane: u32) -> Vec<&'m str> {
        let state = self.lane(lane);
        let inner = state.stack.iter().skip(1).map(Some).chain([None]);
        let nodes = state.stack.iter().zip(inner).filter_map(|(frame, inner)| self.node_around(frame, inner));
        let mut named: Vec<&str> = nodes.filter_map(|node| self.step_named(node)).collect();
        named.reverse();
        named.extend(state.parent.into_iter().flat_map(|(parent, _)| self.steps_around(parent)));
        named
    }

    /// The node of a frame that the frame inside of it belongs to. A loop stays at its node; all others have gone past it.
    fn node_around(&self, frame: &Frame, inner: Option<&Frame>) -> Option<&'m Node> {
        let stays = inner.is_none_or(|inner| Turns::is_loop(&inner.turns));
        let position = if stays { Some(frame.position) } else { frame.position.checked_sub(1) };
        self.body(frame.body).get(position? as usize)
    }
}
