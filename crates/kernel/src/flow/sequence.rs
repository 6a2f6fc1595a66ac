//! The sequence flow (`steps`, `reactive`): lanes, each a stack of positions in nested bodies.
//!
//! A lane moves by itself through nodes that need nobody (branches, loops, writes), until it comes to a step,
//! a fork, or its end. Every loop and every goto has a bound.

use crate::language::kind;
use crate::plan::{Access, Body, Expr, Node, OnFailure, Place};
use crate::run::life::flow_of;
use crate::run::{Moment, Outcome, Owner, Stop, Task};
use crate::table::table;
use crate::{Data, Failure, FailureKind, Fields};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

table! { "sequence":
    STEP       = "moving",  "a step"                          => "busy";
    STEP_DONE  = "busy",    "the step succeeded"              => "moving";
    STEP_PASS  = "busy",    "it failed, and may"              => "moving";
    STEP_FAIL  = "busy",    "it failed, and may not"          => "run fails";
    SET        = "moving",  "a change of state"               => "moving";
    BRANCH     = "moving",  "a branch"                        => "moving";
    ROUND      = "moving",  "a loop, another round"           => "moving";
    LOOP_OVER  = "moving",  "a loop, no more rounds"          => "moving";
    LOOP_BOUND = "moving",  "a loop or goto past its bound"   => "run fails";
    BREAK      = "moving",  "break"                           => "moving";
    GOTO       = "moving",  "goto"                            => "moving";
    GIVE       = "moving",  "a value for the one who forked"  => "moving";
    FORK       = "moving",  "a fork with items"               => "joining";
    FORK_NONE  = "moving",  "a fork without items"            => "moving";
    NEXT_LANE  = "joining", "a lane ended, items are left"    => "joining";
    JOIN       = "joining", "the last lane ended"             => "moving";
    JOIN_FAIL  = "joining", "the last ended, one had failed"  => "run fails";
    LANE_FAIL  = "busy",    "a step of a forked lane failed"  => "lane over";
    LANE_OVER  = "moving",  "the end of a forked lane"        => "lane over";
    RETURN     = "moving",  "return"                          => "run ends";
    OVER       = "moving",  "the end of the first lane"       => "run ends";
}

/// Where a sequence is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SequenceLife {
    lanes: BTreeMap<u32, Lane>,
    next: u32,
}

/// One line of progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Lane {
    /// The lane it was forked from, and which item it has.
    parent: Option<(u32, u32)>,
    stack: Vec<Frame>,
    variables: Fields,
    /// How often each goto and step was met, by place.
    met: BTreeMap<String, u32>,
    /// How the step it was busy with ended.
    ended: Option<(Option<Failure>, Fields)>,
    busy: bool,
    join: Option<Join>,
    gives: Option<Data>,
}

/// A position in a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Frame {
    body: u32,
    position: u32,
    turns: Turns,
}

/// Whether a body is one of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Turns {
    Once,
    While { rounds: u32 },
    Foreach { items: Data, count: u32, next: u32 },
}

/// Lanes a lane waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Join {
    items: Data,
    count: u32,
    next: u32,
    open: u32,
    results: Vec<Option<Data>>,
    failure: Option<Failure>,
}

impl SequenceLife {
    /// A variable of a lane, or of one it was forked from.
    pub(crate) fn variable(&self, lane: u32, name: &str) -> Option<&Data> {
        let lane = self.lanes.get(&lane)?;
        lane.variables.get(name).or_else(|| self.variable(lane.parent?.0, name))
    }

    fn lane(&mut self, lane: u32) -> &mut Lane {
        self.lanes.get_mut(&lane).expect("BUG: no such lane")
    }

    fn top(&mut self, lane: u32) -> &mut Frame {
        self.lane(lane).stack.last_mut().expect("BUG: a lane without a position")
    }
}

/// What a node did to its lane.
enum Moved {
    /// Go on with what stands at the position now.
    On,
    /// Wait.
    Busy,
    /// The lane is over.
    Over,
}

impl<'m> Moment<'m> {
    pub(super) fn open_sequence(&mut self) {
        let lane = self.new_lane(None, 0, Fields::new());
        self.agenda.push_back(Task::Lane(lane));
    }

    fn sequence(&mut self) -> &mut SequenceLife {
        flow_of!(self, Sequence).1
    }

    fn new_lane(&mut self, parent: Option<(u32, u32)>, body: u32, variables: Fields) -> u32 {
        let life = self.sequence();
        let lane = life.next;
        life.next += 1;
        let stack = vec![Frame { body, position: 0, turns: Turns::Once }];
        life.lanes.insert(lane, Lane { parent, stack, variables, ..Lane::default() });
        lane
    }

    /// Moves a lane as far as it goes without anyone's help.
    pub(crate) fn move_lane(&mut self, lane: u32) -> Result<(), Stop> {
        while self.sequence().lanes.contains_key(&lane) {
            let moved = if self.sequence().lane(lane).ended.is_some() {
                self.take_end(lane)?
            } else if self.sequence().lane(lane).busy || self.sequence().lane(lane).join.is_some() {
                Moved::Busy
            } else {
                self.at_node(lane)?
            };
            match moved {
                Moved::On => {}
                Moved::Busy => return Ok(()),
                Moved::Over => {
                    self.lane_over(lane, None);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn body(&self, body: u32) -> &'m Body {
        match &self.plan.flow {
            crate::plan::Flow::Sequence(sequence) => &sequence.bodies[body as usize],
            _ => unreachable!("BUG: a lane outside a sequence"),
        }
    }

    /// Does what stands at the lane's position.
    fn at_node(&mut self, lane: u32) -> Result<Moved, Stop> {
        let Frame { body, position, .. } = *self.sequence().top(lane);
        let Some(node) = self.body(body).get(position as usize) else {
            return self.end_of_body(lane);
        };
        match node {
            Node::Do { step, .. } => self.do_step(lane, *step),
            Node::Set { writes } => {
                self.write(writes, &Access::All, Some(lane), None)?;
                self.reach(SET);
                Ok(self.forward(lane))
            }
            Node::Branch { arms, otherwise } => self.branch(lane, arms, *otherwise),
            Node::While { condition, body, iterations_max } => {
                self.begin_while(lane, condition, *body, *iterations_max)
            }
            Node::Foreach { items, variable, body } => self.begin_foreach(lane, items, variable, *body),
            Node::Fork { items, .. } => self.fork(lane, items),
            Node::Give { value } => {
                let value = self.scope(&Access::All).in_lane(Some(lane)).data(value)?;
                self.reach(GIVE);
                self.sequence().lane(lane).gives = Some(value);
                Ok(self.forward(lane))
            }
            Node::Break => Ok(self.break_loop(lane)),
            Node::Goto { to, iterations_max } => self.goto(lane, *to, *iterations_max),
            Node::Return { value } => {
                let value = self.scope(&Access::All).in_lane(Some(lane)).data(value)?;
                self.reach(RETURN);
                self.close(Outcome::Succeeded { outputs: Fields::from([("result".into(), value)]) });
                Ok(Moved::Busy)
            }
        }
    }

    fn forward(&mut self, lane: u32) -> Moved {
        self.sequence().top(lane).position += 1;
        Moved::On
    }

    /// Counts how often a lane met a place.
    fn meet(&mut self, lane: u32, place: String) -> u32 {
        let count = self.sequence().lane(lane).met.entry(place).or_default();
        *count += 1;
        *count
    }

    fn do_step(&mut self, lane: u32, step: u32) -> Result<Moved, Stop> {
        let id = &self.plan.steps[step as usize].id;
        let times = self.sequence().lane(lane).met.get(id).copied().unwrap_or_default() + 1;
        let key = match (lane, times) {
            (0, 1) => id.clone(),
            (0, times) => format!("{id}@{times}"),
            (lane, times) => format!("{lane}/{id}@{times}"),
        };
        self.sequence().lane(lane).busy = true;
        if let Err(stop) = self.begin(Owner::Lane(lane), step, key) {
            self.sequence().lane(lane).busy = false;
            return Err(stop);
        }
        self.reach(STEP);
        let id = id.clone();
        self.meet(lane, id);
        Ok(if self.sequence().lane(lane).ended.is_some() { Moved::On } else { Moved::Busy })
    }

    /// A lane's step ended: writes what it gave, or does what its failure asks for.
    fn take_end(&mut self, lane: u32) -> Result<Moved, Stop> {
        let Frame { body, position, .. } = *self.sequence().top(lane);
        let Node::Do { step, writes, on_failure } = &self.body(body)[position as usize] else {
            unreachable!("BUG: a lane was busy with something that is no step")
        };
        let (failure, outputs) = self.sequence().lane(lane).ended.clone().expect("BUG: nothing ended");
        let access = &self.plan.steps[*step as usize].access;
        let failure = match failure {
            Some(failure) => Some(failure),
            None => match self.write(writes, access, Some(lane), Some(&outputs)) {
                Err(Stop::Fail(failure)) => Some(failure),
                other => {
                    other?;
                    None
                }
            },
        };
        let of_run = self.sequence().lane(lane).parent.is_none();
        self.sequence().lane(lane).ended = None;
        self.sequence().lane(lane).busy = false;
        match (failure, on_failure) {
            (None, _) => self.reach(STEP_DONE),
            (Some(failure), OnFailure::Continue) if failure.kind != FailureKind::Access => {
                self.reach(STEP_PASS)
            }
            (Some(failure), _) => {
                let id = &self.plan.steps[*step as usize].id;
                let failure = Failure::new(failure.kind, format!("step `{id}`: {}", failure.message));
                if of_run || failure.kind == FailureKind::Access {
                    self.reach(STEP_FAIL);
                    return Err(failure.into());
                }
                self.reach(LANE_FAIL);
                self.lane_over(lane, Some(failure));
                return Ok(Moved::Busy);
            }
        }
        Ok(self.forward(lane))
    }

    pub(crate) fn lane_step_ended(&mut self, lane: u32, failure: Option<Failure>, outputs: Fields) {
        self.sequence().lane(lane).ended = Some((failure, outputs));
        let task = Task::Lane(lane);
        if !self.agenda.contains(&task) {
            self.agenda.push_back(task);
        }
    }

    fn branch(&mut self, lane: u32, arms: &[(Expr, u32)], otherwise: Option<u32>) -> Result<Moved, Stop> {
        let mut chosen = otherwise;
        for (condition, body) in arms {
            if self.scope(&Access::All).in_lane(Some(lane)).holds(condition)? {
                chosen = Some(*body);
                break;
            }
        }
        self.reach(BRANCH);
        self.sequence().top(lane).position += 1;
        if let Some(body) = chosen {
            self.push(lane, body, Turns::Once);
        }
        Ok(Moved::On)
    }

    fn push(&mut self, lane: u32, body: u32, turns: Turns) {
        self.sequence().lane(lane).stack.push(Frame { body, position: 0, turns });
    }

    fn begin_while(&mut self, lane: u32, condition: &Expr, body: u32, max: u32) -> Result<Moved, Stop> {
        if !self.scope(&Access::All).in_lane(Some(lane)).holds(condition)? {
            self.reach(LOOP_OVER);
            return Ok(self.forward(lane));
        }
        self.bound(1, max)?;
        self.reach(ROUND);
        self.push(lane, body, Turns::While { rounds: 1 });
        Ok(Moved::On)
    }

    fn bound(&mut self, count: u32, max: u32) -> Result<(), Stop> {
        let max = max.min(self.plan.limits.iterations_max);
        if count <= max {
            return Ok(());
        }
        self.reach(LOOP_BOUND);
        let message = format!("a loop went past its bound of {max} rounds");
        Err(Failure::new(FailureKind::Limit, message).into())
    }

    fn begin_foreach(&mut self, lane: u32, items: &Expr, variable: &str, body: u32) -> Result<Moved, Stop> {
        let (items, count) = self.items(lane, items)?;
        if count == 0 {
            self.reach(LOOP_OVER);
            return Ok(self.forward(lane));
        }
        self.bound(count, u32::MAX)?;
        let first = self.item(&items, 0)?;
        self.hold(items.weight())?;
        self.life.held += items.weight();
        self.reach(ROUND);
        self.sequence().lane(lane).variables.insert(variable.to_owned(), first);
        self.push(lane, body, Turns::Foreach { items, count, next: 1 });
        Ok(Moved::On)
    }

    /// The items of a loop, and how many there are.
    fn items(&mut self, lane: u32, items: &Expr) -> Result<(Data, u32), Stop> {
        let scope = self.scope(&Access::All).in_lane(Some(lane));
        let data = scope.data(items)?;
        match scope.value(data.clone())? {
            Value::Array(list) => Ok((data, u32::try_from(list.len()).unwrap_or(u32::MAX))),
            other => Err(format!("a loop needs a list, and this is {}", kind(&other)).into()),
        }
    }

    fn item(&self, items: &Data, position: u32) -> Result<Data, Stop> {
        let value = self.scope(&Access::All).value(items.clone())?;
        Ok(Data::Inline(value.get(position as usize).cloned().unwrap_or(Value::Null)))
    }

    /// The end of a body: another round, or back to the body around it.
    fn end_of_body(&mut self, lane: u32) -> Result<Moved, Stop> {
        let frame = self.sequence().top(lane).clone();
        match frame.turns {
            Turns::Once => {
                self.sequence().lane(lane).stack.pop();
                let over = self.sequence().lane(lane).stack.is_empty();
                Ok(if over { Moved::Over } else { Moved::On })
            }
            Turns::While { rounds } => self.another_while(lane, rounds),
            Turns::Foreach { items, count, next } => self.another_item(lane, items, count, next),
        }
    }

    /// The node of the loop whose body the lane is in.
    fn loop_node(&mut self, lane: u32) -> &'m Node {
        let stack = &self.sequence().lane(lane).stack;
        let around = &stack[stack.len() - 2];
        let (body, position) = (around.body, around.position);
        &self.body(body)[position as usize]
    }

    fn another_while(&mut self, lane: u32, rounds: u32) -> Result<Moved, Stop> {
        let Node::While { condition, iterations_max, .. } = self.loop_node(lane) else {
            unreachable!("BUG: a round of no loop")
        };
        if !self.scope(&Access::All).in_lane(Some(lane)).holds(condition)? {
            return Ok(self.leave_loop(lane));
        }
        self.bound(rounds + 1, *iterations_max)?;
        self.reach(ROUND);
        let top = self.sequence().top(lane);
        (top.position, top.turns) = (0, Turns::While { rounds: rounds + 1 });
        Ok(Moved::On)
    }

    fn another_item(&mut self, lane: u32, items: Data, count: u32, next: u32) -> Result<Moved, Stop> {
        if next >= count {
            return Ok(self.leave_loop(lane));
        }
        let Node::Foreach { variable, .. } = self.loop_node(lane) else {
            unreachable!("BUG: an item of no loop")
        };
        let item = self.item(&items, next)?;
        self.reach(ROUND);
        self.sequence().lane(lane).variables.insert(variable.clone(), item);
        let top = self.sequence().top(lane);
        (top.position, top.turns) = (0, Turns::Foreach { items, count, next: next + 1 });
        Ok(Moved::On)
    }

    /// Leaves the innermost frame, which is one of a loop, and goes on after the loop.
    fn leave_loop(&mut self, lane: u32) -> Moved {
        self.reach(LOOP_OVER);
        self.pop(lane);
        self.forward(lane)
    }

    fn pop(&mut self, lane: u32) {
        let frame = self.sequence().lane(lane).stack.pop().expect("BUG: a lane without a position");
        if let Turns::Foreach { items, .. } = frame.turns {
            self.life.held = self.life.held.saturating_sub(items.weight());
        }
    }

    fn break_loop(&mut self, lane: u32) -> Moved {
        self.reach(BREAK);
        while let Some(frame) = self.sequence().lane(lane).stack.last() {
            let looped = frame.turns != Turns::Once;
            if self.sequence().lane(lane).stack.len() == 1 {
                return Moved::Over;
            }
            self.pop(lane);
            if looped {
                return self.forward(lane);
            }
        }
        Moved::Over
    }

    fn goto(&mut self, lane: u32, to: Place, max: u32) -> Result<Moved, Stop> {
        let Frame { body, position, .. } = *self.sequence().top(lane);
        let times = self.meet(lane, format!("goto {body}:{position}"));
        self.bound(times, max)?;
        while self.sequence().top(lane).body != to.body {
            if self.sequence().lane(lane).stack.len() == 1 {
                return Err("a goto leads into a body that is not around it".to_owned().into());
            }
            self.pop(lane);
        }
        self.reach(GOTO);
        self.sequence().top(lane).position = to.position;
        Ok(Moved::On)
    }

    fn fork(&mut self, lane: u32, items: &Expr) -> Result<Moved, Stop> {
        let (items, count) = self.items(lane, items)?;
        let (width, _) = self.fork_node(lane);
        if count == 0 {
            self.reach(FORK_NONE);
            return Ok(self.forward(lane));
        }
        self.bound(count, u32::MAX)?;
        self.hold(items.weight())?;
        self.life.held += items.weight();
        let results = vec![None; count as usize];
        self.sequence().lane(lane).join =
            Some(Join { items, count, next: 0, open: 0, results, failure: None });
        self.reach(FORK);
        for _ in 0..width.min(count).min(self.plan.limits.lanes_max) {
            self.fork_next(lane)?;
        }
        Ok(Moved::Busy)
    }

    fn fork_node(&mut self, lane: u32) -> (u32, OnFailure) {
        let Frame { body, position, .. } = *self.sequence().top(lane);
        match &self.body(body)[position as usize] {
            Node::Fork { width_max, on_failure, .. } => (*width_max, *on_failure),
            _ => unreachable!("BUG: a join of no fork"),
        }
    }

    /// Forks the lane of the next item.
    pub(crate) fn fork_next(&mut self, parent: u32) -> Result<(), Stop> {
        let Frame { body, position, .. } = *self.sequence().top(parent);
        let Node::Fork { variable, body, .. } = &self.body(body)[position as usize] else {
            unreachable!("BUG: a lane of no fork")
        };
        let join = self.sequence().lane(parent).join.as_ref().expect("BUG: a lane of no join");
        let (items, next) = (join.items.clone(), join.next);
        let item = self.item(&items, next)?;
        let join = self.sequence().lane(parent).join.as_mut().expect("BUG: a lane of no join");
        join.next += 1;
        join.open += 1;
        let lane = self.new_lane(Some((parent, next)), *body, Fields::from([(variable.clone(), item)]));
        self.agenda.push_back(Task::Lane(lane));
        Ok(())
    }

    /// A lane is over: the run is, or the lane that forked it hears of it.
    fn lane_over(&mut self, lane: u32, failure: Option<Failure>) {
        let gone = self.sequence().lanes.remove(&lane).expect("BUG: no such lane");
        let Some((parent, item)) = gone.parent else {
            self.reach(OVER);
            self.agenda.push_back(Task::Finish);
            return;
        };
        if failure.is_none() {
            self.reach(LANE_OVER);
        }
        let join = self.sequence().lane(parent).join.as_mut().expect("BUG: a lane of no join");
        join.open -= 1;
        join.results[item as usize] = gone.gives;
        join.failure = join.failure.take().or(failure);
        let (left, open) = (join.next < join.count, join.open);
        let stops = join.failure.is_some() && self.fork_node(parent).1 == OnFailure::Fail;
        if left && !stops {
            self.reach(NEXT_LANE);
            self.agenda.push_back(Task::Fork(parent));
        } else if open == 0 {
            self.join(parent);
        }
    }

    fn join(&mut self, lane: u32) {
        let rule = self.fork_node(lane).1;
        let Frame { body, position, .. } = *self.sequence().top(lane);
        let Node::Fork { collect, .. } = &self.body(body)[position as usize] else {
            unreachable!("BUG: a join of no fork")
        };
        let join = self.sequence().lane(lane).join.take().expect("BUG: nothing to join");
        self.life.held = self.life.held.saturating_sub(join.items.weight());
        if let (Some(failure), OnFailure::Fail) = (join.failure, rule) {
            self.reach(JOIN_FAIL);
            self.close(Outcome::Failed { failure });
            return;
        }
        self.reach(JOIN);
        if let Some(name) = collect {
            let given = join.results.into_iter().map(|given| match given {
                Some(Data::Inline(value)) => value,
                _ => Value::Null,
            });
            let list = Data::Inline(Value::Array(given.collect()));
            self.agenda.push_back(Task::Update(Fields::from([(name.clone(), list)])));
        }
        self.forward(lane);
        self.agenda.push_back(Task::Lane(lane));
    }
}
