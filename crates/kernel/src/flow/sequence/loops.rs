//! Loops: while, foreach, and the ways out of them, break and goto.

use super::{BREAK, COUNT, Foreach, Frame, GOTO, LEAVE, LOOP_BOUND, LOOP_OVER, Moved, ROUND, Turns};
use crate::data::text_weight;
use crate::language::kind;
use crate::plan::{Access, Expr, Node, Place};
use crate::run::{Moment, Stop, shallow};
use crate::{Data, Failure, FailureKind, Fields};
use serde_json::Value;

impl<'m> Moment<'m> {
    pub(super) fn begin_while(
        &mut self,
        lane: u32,
        condition: &Expr,
        body: u32,
        (max, leave): (u32, bool),
    ) -> Result<Moved, Stop> {
        if !self.decides(lane, condition)? {
            self.reach(LOOP_OVER);
            self.tell(lane, None, Fields::new());
            return Ok(self.forward(lane));
        }
        if leave && self.is_past(1, max) {
            self.tell(lane, None, Fields::new());
            self.left_at_bound(self.step_at(lane), max);
            return Ok(self.forward(lane));
        }
        self.bound(1, max)?;
        self.reach(ROUND);
        self.tell(lane, None, Fields::new());
        self.push(lane, Frame { body, position: 0, turns: Turns::While { rounds: 1 } });
        Ok(Moved::On)
    }

    pub(super) fn begin_foreach(
        &mut self,
        lane: u32,
        items: &Expr,
        variable: &str,
        body: u32,
    ) -> Result<Moved, Stop> {
        let (items, count) = self.items(lane, items)?;
        if count == 0 {
            self.reach(LOOP_OVER);
            self.tell(lane, None, Fields::new());
            return Ok(self.forward(lane));
        }
        self.bound(count, u32::MAX)?;
        let item = self.item(&items, 0)?;
        let each = Foreach { items, count, next: 1, variable: variable.to_owned(), item };
        let frame = Frame { body, position: 0, turns: Turns::Foreach(each) };
        self.room(frame.weight())?;
        self.reach(ROUND);
        self.tell(lane, None, Fields::new());
        self.push(lane, frame);
        Ok(Moved::On)
    }

    /// Fails where a loop or goto would go past its bound.
    pub(super) fn bound(&mut self, count: u32, max: u32) -> Result<(), Stop> {
        if !self.is_past(count, max) {
            return Ok(());
        }
        let max = max.min(self.plan.limits.iterations_max);
        self.reach(LOOP_BOUND);
        let message = format!("a loop went past its bound of {max} rounds");
        Err(Failure::new(FailureKind::Limit, message).into())
    }

    fn is_past(&self, count: u32, max: u32) -> bool {
        count > max.min(self.plan.limits.iterations_max)
    }

    /// Tells that a loop is left because it came to its bound.
    fn left_at_bound(&mut self, step: Option<&str>, max: u32) {
        self.reach(LEAVE);
        let max = max.min(self.plan.limits.iterations_max);
        let message = format!("a loop was left at its bound of {max} rounds, and its condition still holds");
        self.warned(step.map(str::to_owned), message);
    }

    /// The items of a loop, and how many there are.
    pub(super) fn items(&self, lane: u32, items: &Expr) -> Result<(Data, u32), Stop> {
        let scope = self.in_lane(lane);
        let data = scope.data(items)?;
        let count = match scope.value_of(&data)? {
            Value::Array(list) => u32::try_from(list.len()).unwrap_or(u32::MAX),
            other => return Err(format!("a loop needs a list, and this is {}", kind(other)).into()),
        };
        Ok((data, count))
    }

    /// One of the items of a loop.
    pub(in crate::flow) fn item(&self, items: &Data, position: u32) -> Result<Data, Stop> {
        let scope = self.scope(&Access::All);
        let item = scope.value_of(items)?.get(position as usize).cloned().unwrap_or(Value::Null);
        Ok(shallow(Data::Inline(item))?)
    }

    /// The end of a body: another round, or back to the body around it.
    pub(super) fn end_of_body(&mut self, lane: u32) -> Result<Moved, Stop> {
        match &self.sequence().top(lane).turns {
            Turns::Once | Turns::Try { .. } | Turns::Again { .. } | Turns::Caught { .. } => {
                self.rejoin(lane);
                let over = self.sequence().lane(lane).stack.is_empty();
                Ok(if over { Moved::Over } else { Moved::On })
            }
            Turns::While { rounds } => {
                let rounds = *rounds;
                self.another_round(lane, rounds).map_err(|stop| self.failed_loop(lane, stop))
            }
            Turns::Foreach(each) if each.next >= each.count => Ok(self.leave_loop(lane)),
            Turns::Foreach(_) => self.another_item(lane),
        }
    }

    /// Leaves the innermost frame. Where what failed is done again, lanes that were joined begin again where they are to.
    fn rejoin(&mut self, lane: u32) {
        let join = match &mut self.sequence().top(lane).turns {
            Turns::Caught { again: Some(again), .. } => again.join.take(),
            _ => None,
        };
        self.pop(lane);
        // What it weighs was carried by the frame, and is by the lane now.
        self.sequence().lane(lane).join = join;
    }

    /// A loop that fails after a round fails as the step that it is.
    fn failed_loop(&mut self, lane: u32, stop: Stop) -> Stop {
        let Stop::Fail(failure) = stop else { return stop };
        if self.plan.revision < 1 {
            return failure.into();
        }
        self.pop(lane);
        self.tell(lane, Some(failure.clone()), Fields::new());
        match self.step_at(lane) {
            Some(step) => self.blamed(lane, step, failure).into(),
            None => failure.into(),
        }
    }

    /// The node of the loop whose body the lane is in.
    fn loop_node(&self, lane: u32) -> &'m Node {
        let stack = &self.lane(lane).stack;
        let around = &stack[stack.len() - 2];
        &self.body(around.body)[around.position as usize]
    }

    fn another_round(&mut self, lane: u32, rounds: u32) -> Result<Moved, Stop> {
        let planned = self.loop_node(lane);
        let Node::While { condition, iterations_max, leave, .. } = planned.inner() else {
            unreachable!("BUG: a round of no loop")
        };
        if !self.holds(lane, planned, condition)? {
            return Ok(self.leave_loop(lane));
        }
        if *leave && self.is_past(rounds + 1, *iterations_max) {
            self.left_at_bound(self.step_named(planned), *iterations_max);
            self.pop(lane);
            return Ok(self.forward(lane));
        }
        self.bound(rounds + 1, *iterations_max)?;
        self.reach(ROUND);
        let top = self.sequence().top(lane);
        (top.position, top.turns) = (0, Turns::While { rounds: rounds + 1 });
        Ok(Moved::On)
    }

    fn another_item(&mut self, lane: u32) -> Result<Moved, Stop> {
        let Some(Frame { turns: Turns::Foreach(each), .. }) = self.lane(lane).stack.last() else {
            unreachable!("BUG: an item of no loop")
        };
        let item = self.item(&each.items, each.next)?;
        self.hold(item.weight())?;
        self.reach(ROUND);
        let top = self.sequence().top(lane);
        top.position = 0;
        let Turns::Foreach(each) = &mut top.turns else { unreachable!("BUG: an item of no loop") };
        each.next += 1;
        let before = std::mem::replace(&mut each.item, item);
        self.let_go(before.weight());
        Ok(Moved::On)
    }

    /// Leaves the innermost frame, which is one of a loop, and goes on after the loop.
    fn leave_loop(&mut self, lane: u32) -> Moved {
        self.reach(LOOP_OVER);
        self.pop(lane);
        self.forward(lane)
    }

    pub(super) fn break_loop(&mut self, lane: u32) -> Result<Moved, Stop> {
        let stack = &self.sequence().lane(lane).stack;
        let Some(innermost) = stack.iter().rposition(|frame| frame.turns.is_loop()) else {
            return Err("a break stands outside any loop".to_owned().into());
        };
        self.reach(BREAK);
        self.tell(lane, None, Fields::new());
        self.unwind(lane, innermost);
        Ok(self.forward(lane))
    }

    pub(super) fn goto(&mut self, lane: u32, to: Place, max: u32) -> Result<Moved, Stop> {
        let Frame { body, position, .. } = *self.sequence().top(lane);
        let place = format!("{body}:{position}");
        let state = self.sequence().lane(lane);
        let Some(target) = state.stack.iter().rposition(|frame| frame.body == to.body) else {
            return Err("a goto leads into a body that is not around it".to_owned().into());
        };
        let times = state.jumps.get(&place).copied().unwrap_or_default() + 1;
        self.bound(times, max)?;
        self.reach(GOTO);
        self.tell(lane, None, Fields::new());
        self.carry(if times == 1 { COUNT + text_weight(&place) } else { 0 });
        self.sequence().lane(lane).jumps.insert(place, times);
        self.unwind(lane, target + 1);
        self.sequence().top(lane).position = to.position;
        Ok(Moved::On)
    }

    /// Leaves all frames but the outermost `kept`.
    pub(super) fn unwind(&mut self, lane: u32, kept: usize) {
        while self.sequence().lane(lane).stack.len() > kept {
            self.pop(lane);
        }
    }
}
