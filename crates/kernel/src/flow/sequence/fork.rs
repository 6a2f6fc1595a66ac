//! Forks: a lane for each item, so many at once, and the join that waits for them.

use super::{CROWDED, FORK, FORK_NONE, JOIN, JOIN_FAIL, Join, Moved, NEXT_LANE};
use crate::data::{text_weight, weight_of};
use crate::plan::{Expr, Node, OnFailure};
use crate::run::{Gather, Moment, Stop, shallow};
use crate::{Data, Failure, FailureKind, Fields};
use serde_json::Value;

/// A fork as the plan has it.
#[derive(Clone, Copy)]
struct Planned<'m> {
    variable: &'m str,
    body: u32,
    width_max: u32,
    on_failure: OnFailure,
    collect: Option<&'m str>,
}

impl<'m> Moment<'m> {
    /// Comes to a fork. The lanes themselves are forked by [`Moment::at_join`].
    pub(super) fn fork(&mut self, lane: u32, items: &Expr) -> Result<Moved, Stop> {
        let (items, count) = self.items(lane, items)?;
        if count == 0 {
            self.reach(FORK_NONE);
            self.tell(lane, None, Fields::new());
            return Ok(self.forward(lane));
        }
        self.bound(count, u32::MAX)?;
        let results = vec![None; count as usize];
        let join = Join { items, count, next: 0, open: 0, results, failure: None };
        self.hold(join.weight())?;
        self.reach(FORK);
        self.tell(lane, None, Fields::new());
        self.sequence().lane(lane).join = Some(join);
        Ok(Moved::On)
    }

    /// The fork that a lane stands at.
    fn fork_node(&mut self, lane: u32) -> Planned<'m> {
        match self.node(lane) {
            Some(Node::Fork { variable, body, width_max, on_failure, collect, .. }) => Planned {
                variable,
                body: *body,
                width_max: *width_max,
                on_failure: *on_failure,
                collect: collect.as_deref(),
            },
            _ => unreachable!("BUG: a join of no fork"),
        }
    }

    fn join(&mut self, lane: u32) -> &mut Join {
        self.sequence().lane(lane).join.as_mut().expect("BUG: a lane that joins nothing")
    }

    /// Whether items are left for which lanes are still to be forked.
    fn is_left(&mut self, lane: u32) -> bool {
        let stops = self.fork_node(lane).on_failure == OnFailure::Fail;
        let join = self.join(lane);
        join.next < join.count && !(stops && join.failure.is_some())
    }

    /// Forks lanes while there are items and room, then waits for them, then goes on.
    pub(super) fn at_join(&mut self, lane: u32) -> Result<Moved, Stop> {
        let fork = self.fork_node(lane);
        while self.is_left(lane) && self.join(lane).open < fork.width_max && self.is_room() {
            self.fork_lane(lane, fork)?;
        }
        if self.join(lane).open > 0 {
            return Ok(Moved::Busy);
        }
        if self.is_left(lane) {
            self.reach(CROWDED);
            let message = format!("more than {} lanes at once", self.plan.limits.lanes_max);
            return Err(Failure::new(FailureKind::Limit, message).into());
        }
        self.leave_join(lane, fork)
    }

    /// Whether one more lane may be open. The first lane does not count.
    fn is_room(&mut self) -> bool {
        let lanes_max = self.plan.limits.lanes_max as usize;
        self.sequence().lanes.len() <= lanes_max
    }

    /// Forks the lane of the next item.
    fn fork_lane(&mut self, parent: u32, fork: Planned<'m>) -> Result<(), Stop> {
        let join = self.lane(parent).join.as_ref().expect("BUG: a lane that joins nothing");
        let next = join.next;
        let variables = Fields::from([(fork.variable.to_owned(), self.item(&join.items, next)?)]);
        self.room(weight_of(&variables))?;
        let join = self.join(parent);
        join.next += 1;
        join.open += 1;
        let lane = self.new_lane(Some((parent, next)), fork.body, variables);
        self.wake(lane);
        Ok(())
    }

    /// A forked lane is over.
    pub(super) fn join_lane(
        &mut self,
        parent: u32,
        item: u32,
        gives: Option<Data>,
        failure: Option<Failure>,
    ) {
        self.carry(gives.as_ref().map_or(0, Data::weight));
        let join = self.join(parent);
        join.open -= 1;
        join.results[item as usize] = gives;
        if let Some(failure) = failure
            && join.failure.is_none()
        {
            let weight = text_weight(&failure.message);
            join.failure = Some(failure);
            self.carry(weight);
        }
        if self.is_left(parent) {
            self.reach(NEXT_LANE);
        }
    }

    /// All lanes are over: collects what they gave, or fails as one of them did.
    fn leave_join(&mut self, lane: u32, fork: Planned<'_>) -> Result<Moved, Stop> {
        if fork.on_failure == OnFailure::Fail
            && let Some(failure) = self.join(lane).failure.clone()
        {
            self.reach(JOIN_FAIL);
            return Err(failure.into());
        }
        if let Some(name) = fork.collect {
            let list = self.collected(lane)?;
            let changes = self.with_computed(Fields::from([(name.to_owned(), list)]))?;
            self.put(changes)?;
        }
        self.reach(JOIN);
        let join = self.sequence().lane(lane).join.take().expect("BUG: nothing to join");
        self.let_go(join.weight());
        Ok(self.forward(lane))
    }

    /// What the lanes gave, in order of the items.
    fn collected(&mut self, lane: u32) -> Result<Data, Stop> {
        let results = self.join(lane).results.clone();
        let mut gather = Gather::default();
        gather.sign("[");
        let nothing = Data::Inline(Value::Null);
        gather.join(&results, |gather, given| gather.put(given.as_ref().unwrap_or(&nothing)));
        gather.sign("]");
        Ok(shallow(self.in_lane(lane).gathered(gather, self.plan.limits.inline_bytes_max)?)?)
    }
}
