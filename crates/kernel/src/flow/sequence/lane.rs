//! How a lane moves: from node to node, into a step and out of it again, to its end.

use super::{
    BRANCH, COUNT, Frame, GIVE, LANE_OVER, LAYERED_MOVES_MAX, LOOP_BOUND, Lane, Moved, OVER, RETURN, SET,
    STEP, SequenceLife, TURN_MOVES_MAX, Turns,
};
use crate::news::ChangedBy;
use crate::plan::{Body, Expr, Flow, Node};
use crate::run::life::{FlowLife, flow_of};
use crate::run::{Key, Moment, Owner, Scope, Stop, Task, Writer};
use crate::{Data, Failure, FailureKind, Fields};

impl<'m> Moment<'m> {
    pub(in crate::flow) fn open_sequence(&mut self) {
        let lane = self.new_lane(None, 0, Fields::new());
        self.wake(lane);
    }

    pub(super) fn sequence(&mut self) -> &mut SequenceLife {
        flow_of!(self, Sequence).1
    }

    /// A lane, to look at.
    pub(super) fn lane(&self, lane: u32) -> &Lane {
        let FlowLife::Sequence(life) = &self.life.flow else {
            unreachable!("BUG: a lane outside a sequence")
        };
        life.lanes.get(&lane).expect("BUG: no such lane")
    }

    /// Puts a lane on the agenda, once.
    pub(super) fn wake(&mut self, lane: u32) {
        let task = Task::Lane(lane);
        if !self.agenda.contains(&task) {
            self.agenda.push_back(task);
        }
    }

    pub(super) fn new_lane(&mut self, parent: Option<(u32, u32)>, body: u32, variables: Fields) -> u32 {
        let stack = vec![Frame { body, position: 0, turns: Turns::Once }];
        let new = Lane { parent, stack, variables, ..Lane::default() };
        self.carry(new.weight());
        let life = self.sequence();
        let lane = life.next;
        life.next += 1;
        life.lanes.insert(lane, new);
        lane
    }

    /// Moves a lane as far as it goes without anyone's help.
    pub(crate) fn move_lane(&mut self, lane: u32) -> Result<(), Stop> {
        while self.sequence().lanes.contains_key(&lane) {
            let moved = match self.next_move(lane) {
                // What is told of it is told; whether its note must be asked for first is another move.
                Err(Stop::Fail(failure)) if self.is_booked(lane) => {
                    self.sequence().lane(lane).failing = Some(failure);
                    continue;
                }
                Err(Stop::Fail(failure)) => self.failed_in(lane, failure)?,
                moved => moved?,
            };
            match moved {
                Moved::On => self.count_move()?,
                Moved::Busy => break,
                Moved::Over => self.lane_over(lane, None),
            }
        }
        Ok(())
    }

    /// Does what is next in a lane.
    fn next_move(&mut self, lane: u32) -> Result<Moved, Stop> {
        let state = self.lane(lane);
        if let Some(failure) = state.failing.clone() {
            self.book_failure(lane, failure)
        } else if state.ended.is_some() {
            self.take_end(lane)
        } else if state.busy {
            Ok(Moved::Busy)
        } else if state.join.is_some() {
            self.at_join(lane)
        } else if state.spread.is_some() {
            self.at_spread(lane)
        } else {
            self.at_node(lane)
        }
    }

    /// A turn that goes on and on is ended before others have to wait for it.
    fn count_move(&mut self) -> Result<(), Stop> {
        *self.moves += 1;
        let max = if self.plan.state.is_layered() { LAYERED_MOVES_MAX } else { TURN_MOVES_MAX };
        if *self.moves <= max {
            return Ok(());
        }
        self.reach(LOOP_BOUND);
        let message = format!("loops took more than {max} moves without a step");
        Err(Failure::new(FailureKind::Limit, message).into())
    }

    /// What a lane may read where it stands.
    pub(super) fn in_lane(&self, lane: u32) -> Scope<'_> {
        self.reading(lane, self.planned(lane))
    }

    pub(super) fn body(&self, body: u32) -> &'m Body {
        match &self.plan.flow {
            Flow::Sequence(sequence) => &sequence.bodies[body as usize],
            _ => unreachable!("BUG: a lane outside a sequence"),
        }
    }

    /// What stands at the lane's position; nothing at the end of a body.
    pub(super) fn planned(&self, lane: u32) -> Option<&'m Node> {
        let Frame { body, position, .. } = self.lane(lane).stack.last()?;
        self.body(*body).get(*position as usize)
    }

    /// The node at the lane's position, whatever it is within.
    pub(super) fn node(&self, lane: u32) -> Option<&'m Node> {
        self.planned(lane).map(Node::inner)
    }

    /// Does what stands at the lane's position.
    fn at_node(&mut self, lane: u32) -> Result<Moved, Stop> {
        match self.planned(lane) {
            None => self.end_of_body(lane),
            Some(Node::Within { step, when, node }) => self.within(lane, *step, when.as_ref(), node),
            Some(node) => self.at(lane, node),
        }
    }

    /// Does a node.
    pub(super) fn at(&mut self, lane: u32, node: &'m Node) -> Result<Moved, Stop> {
        match node {
            Node::Do { step, .. } => self.do_step(lane, *step),
            Node::Set { writes } => {
                let (access, step) = (self.access(self.planned(lane)), self.step_of(Owner::Lane(lane)));
                let by = Writer { access, step, lane: Some(lane), result: None, error: None };
                let changes = self.changes(writes, by)?;
                let written = changes.fields.clone();
                let by = self.step_at(lane).map_or(ChangedBy::Run, |step| ChangedBy::Step(step.to_owned()));
                self.put(changes, by)?;
                self.reach(SET);
                self.tell(lane, None, written);
                Ok(self.forward(lane))
            }
            Node::Branch { arms, otherwise } => self.branch(lane, arms, *otherwise),
            Node::While { condition, body, iterations_max, leave } => {
                self.begin_while(lane, condition, *body, (*iterations_max, *leave))
            }
            Node::Foreach { items, variable, body } => self.begin_foreach(lane, items, variable, *body),
            Node::Fork { items, .. } => self.fork(lane, items),
            Node::Give { value } => self.give(lane, value),
            Node::Break => self.break_loop(lane),
            Node::Goto { to, iterations_max } => self.goto(lane, *to, *iterations_max),
            Node::Return { value } => {
                let value = self.in_lane(lane).data(value)?;
                let outputs = Fields::from([("result".into(), value)]);
                self.givable(&outputs)?;
                self.reach(RETURN);
                self.tell(lane, None, outputs.clone());
                self.succeed(outputs)?;
                Ok(Moved::Busy)
            }
            Node::Fail { message } => self.fail(lane, message),
            Node::Try { body, catch } => Ok(self.begin_body(lane, *body, Turns::Try { catch: *catch })),
            Node::Again { body, catch, times_max } => {
                let turns = Turns::Again { catch: *catch, left: *times_max };
                Ok(self.begin_body(lane, *body, turns))
            }
            Node::Raise => self.raise(lane),
            Node::Exit => Ok(self.exit(lane)),
            Node::Warn { message } => self.warn(lane, message),
            Node::Spread(spread) => self.spread(lane, spread),
            Node::Within { .. } => unreachable!("BUG: a step stands within a step"),
        }
    }

    pub(super) fn forward(&mut self, lane: u32) -> Moved {
        self.sequence().top(lane).position += 1;
        Moved::On
    }

    fn do_step(&mut self, lane: u32, step: u32) -> Result<Moved, Stop> {
        let key = self.next_key(lane, step);
        self.begin(Owner::Lane(lane), step, key)?;
        self.reach(STEP);
        self.count_step(lane, step);
        let state = self.sequence().lane(lane);
        state.busy = true;
        // A step that could not begin has ended already.
        Ok(if state.ended.is_some() { Moved::On } else { Moved::Busy })
    }

    /// The key of a step that a lane does once more.
    pub(super) fn next_key(&self, lane: u32, step: u32) -> String {
        let times = self.lane(lane).begun.get(&step).copied().unwrap_or_default() + 1;
        Key::of_lane(lane, &self.plan.steps[step as usize].id, self.numbered(lane, times))
    }

    /// The number that a step has which a lane does for the `times`-th time: a task that was there before goes on from there.
    pub(super) fn numbered(&self, lane: u32, times: u32) -> u32 {
        self.lane(lane).task.as_ref().map_or(0, |task| task.after) + times
    }

    /// A lane does a step once more.
    pub(super) fn count_step(&mut self, lane: u32, step: u32) {
        let begun = &mut self.sequence().lane(lane).begun;
        let first = !begun.contains_key(&step);
        *begun.entry(step).or_default() += 1;
        self.carry(if first { COUNT } else { 0 });
    }

    fn branch(&mut self, lane: u32, arms: &[(Expr, u32)], otherwise: Option<u32>) -> Result<Moved, Stop> {
        let (mut chosen, mut held) = (otherwise, false);
        for (condition, body) in arms {
            if self.decides(lane, condition)? {
                chosen = Some(*body);
                held = true;
                break;
            }
        }
        self.reach(BRANCH);
        self.tell(lane, None, Fields::from([("result".into(), Data::Inline(held.into()))]));
        self.forward(lane);
        if let Some(body) = chosen {
            self.push(lane, Frame { body, position: 0, turns: Turns::Once });
        }
        Ok(Moved::On)
    }

    pub(super) fn push(&mut self, lane: u32, frame: Frame) {
        self.carry(frame.weight());
        self.sequence().lane(lane).stack.push(frame);
    }

    pub(super) fn pop(&mut self, lane: u32) {
        let frame = self.sequence().lane(lane).stack.pop().expect("BUG: a lane without a position");
        self.let_go(frame.weight());
    }

    fn give(&mut self, lane: u32, value: &Expr) -> Result<Moved, Stop> {
        let value = self.in_lane(lane).data(value)?;
        self.hold(value.weight())?;
        self.reach(GIVE);
        self.tell(lane, None, Fields::new());
        let before = self.sequence().lane(lane).gives.replace(value);
        self.let_go(before.as_ref().map_or(0, Data::weight));
        Ok(self.forward(lane))
    }

    /// A lane is over: the run is, or the lane that forked it hears of it.
    pub(super) fn lane_over(&mut self, lane: u32, failure: Option<Failure>) {
        let gone = self.sequence().lanes.remove(&lane).expect("BUG: no such lane");
        self.let_go(gone.weight());
        self.note_numbers(&gone);
        let Some((parent, item)) = gone.parent else {
            self.reach(OVER);
            self.agenda.push_back(Task::Finish);
            return;
        };
        if failure.is_none() {
            self.reach(LANE_OVER);
        }
        self.join_lane((parent, item), lane, gone.gives, failure);
        self.wake(parent);
    }
}
