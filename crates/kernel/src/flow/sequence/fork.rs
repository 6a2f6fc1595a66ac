//! Forks: a lane for each item, so many at once, and the join that waits for them.

use super::{CROWDED, FORK, FORK_NONE, JOIN, JOIN_FAIL, Join, Moved, NEXT_LANE, TASK};
use crate::data::{text_weight, weight_of};
use crate::fault::planted;
use crate::news::ChangedBy;
use crate::plan::{Expr, Node, OnFailure, Tasks};
use crate::run::life::FlowLife;
use crate::run::{Changes, Gather, Moment, Stop, shallow};
use crate::{Data, Failure, FailureKind, Fields, News};
use serde_json::Value;

/// A fork as the plan has it.
#[derive(Clone, Copy)]
struct Planned<'m> {
    variable: &'m str,
    body: u32,
    width_max: u32,
    on_failure: OnFailure,
    collect: Option<&'m str>,
    tasks: Option<&'m Tasks>,
}

impl<'m> Moment<'m> {
    /// Comes to a fork. The lanes themselves are forked by [`Moment::at_join`].
    pub(super) fn fork(&mut self, lane: u32, items: &Expr) -> Result<Moved, Stop> {
        let (items, count) = self.items(lane, items)?;
        let fork = self.fork_node(lane);
        if count == 0 {
            self.reach(FORK_NONE);
            self.tell_fork(lane, fork);
            if fork.tasks.is_some() {
                self.tell_join(lane, fork, self.now, None);
            }
            return Ok(self.forward(lane));
        }
        self.bound(count, u32::MAX)?;
        let tasks = fork.tasks.map(|tasks| self.tasks(lane, (fork.variable, tasks), (&items, count)));
        let tasks = tasks.transpose()?.map(Box::new);
        let results = vec![None; count as usize];
        let failure = tasks.as_ref().and_then(|tasks| tasks.first_failed().cloned());
        let join = Join { items, count, next: 0, open: 0, results, failure, tasks };
        self.hold(join.weight())?;
        self.reach(FORK);
        self.tell_fork(lane, fork);
        self.sequence().lane(lane).join = Some(join);
        Ok(Moved::On)
    }

    /// Tells that a lane came to a fork: one of tasks is a step that goes on, all others have ended.
    fn tell_fork(&mut self, lane: u32, fork: Planned<'_>) {
        let Some(tasks) = fork.tasks else { return self.tell(lane, None, Fields::new()) };
        let (key, step, inputs) = (self.next_key(lane, tasks.step), tasks.step, Fields::new());
        self.count_step(lane, step);
        self.news(News::Began { key, step, attempt: 1, inputs });
    }

    /// Tells that all tasks of a fork have ended.
    fn tell_join(&mut self, lane: u32, fork: Planned<'_>, since: u64, failure: Option<Failure>) {
        let Some(tasks) = fork.tasks else { return };
        let (key, step, outputs) = (self.key_of_list(lane, tasks.step), tasks.step, Fields::new());
        self.news(News::Ended { key, step, failure, outputs, since });
    }

    /// Tells that the tasks of a fork have ended, if a lane is at one: something failed beside them.
    pub(super) fn tell_tasks(&mut self, lane: u32, failure: &Failure) {
        let join = self.lane(lane).join.as_ref();
        if let Some(since) = join.and_then(|join| Some(join.tasks.as_ref()?.since())) {
            self.tell_join(lane, self.fork_node(lane), since, Some(failure.clone()));
        }
    }

    /// The run closes: tells of the forks whose tasks have not all ended.
    pub(crate) fn stop_tasks(&mut self) {
        let FlowLife::Sequence(life) = &self.life.flow else { return };
        let open = life
            .lanes
            .iter()
            .filter_map(|(lane, life)| Some((*lane, life.join.as_ref()?.tasks.as_ref()?.since())));
        for (lane, since) in open.collect::<Vec<_>>() {
            let fork = self.fork_node(lane);
            let failure = Failure::new(FailureKind::Cancelled, "the run closed");
            self.tell_join(lane, fork, since, Some(failure));
        }
    }

    /// The fork that a lane stands at.
    fn fork_node(&self, lane: u32) -> Planned<'m> {
        match self.node(lane) {
            Some(Node::Fork { variable, body, width_max, on_failure, collect, tasks, .. }) => Planned {
                variable,
                body: *body,
                width_max: *width_max,
                on_failure: *on_failure,
                collect: collect.as_deref(),
                tasks: tasks.as_deref(),
            },
            _ => unreachable!("BUG: a join of no fork"),
        }
    }

    fn join(&mut self, lane: u32) -> &mut Join {
        self.sequence().lane(lane).join.as_mut().expect("BUG: a lane that joins nothing")
    }

    /// Whether items are left for which lanes are still to be forked.
    fn is_left(&self, lane: u32) -> bool {
        self.next_item(lane).is_some()
    }

    /// The next item for which a lane is to be forked: one that none was forked for, or else a task that begins again.
    fn next_item(&self, lane: u32) -> Option<u32> {
        let join = self.lane(lane).join.as_ref().expect("BUG: a lane that joins nothing");
        if self.is_stopped(lane, join) {
            return None;
        }
        let cannot_be = |item: &u32| join.tasks.as_ref().is_some_and(|tasks| tasks.has_failed(*item));
        if let Some(next) = (join.next..join.count).find(|item| !cannot_be(item)) {
            return Some(next);
        }
        join.tasks.as_ref().and_then(|tasks| tasks.next_due())
    }

    /// Whether all lanes have ended, and tasks that failed are to begin again.
    fn is_time_for_more(&self, lane: u32) -> bool {
        let join = self.lane(lane).join.as_ref().expect("BUG: a lane that joins nothing");
        join.open == 0
            && !self.is_stopped(lane, join)
            && join.tasks.as_ref().is_some_and(|tasks| tasks.has_later())
    }

    /// Whether no more lanes are forked because one has failed. Tasks all begin, whatever becomes of others.
    fn is_stopped(&self, lane: u32, join: &Join) -> bool {
        let fork = self.fork_node(lane);
        let all_begin = fork.tasks.is_some() && self.plan.revision >= 1;
        fork.on_failure == OnFailure::Fail && join.failure.is_some() && !all_begin
    }

    /// Forks lanes while there are items and room, then waits for them, then goes on.
    pub(super) fn at_join(&mut self, lane: u32) -> Result<Moved, Stop> {
        let fork = self.fork_node(lane);
        if !self.is_left(lane) && self.is_time_for_more(lane) {
            self.tasks_again(lane);
        }
        let more = u32::from(planted!(self, TooManyTasks) && fork.tasks.is_some());
        while self.join(lane).open < fork.width_max.saturating_add(more)
            && self.is_room()
            && let Some(item) = self.next_item(lane)
        {
            self.fork_lane(lane, fork, item)?;
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
    fn fork_lane(&mut self, parent: u32, fork: Planned<'m>, item: u32) -> Result<(), Stop> {
        let join = self.lane(parent).join.as_ref().expect("BUG: a lane that joins nothing");
        let given = join.tasks.as_ref().map(|tasks| self.given_to(parent, tasks, item)).transpose()?;
        let mut variables = given.clone().unwrap_or_default();
        variables.insert(fork.variable.to_owned(), self.item(&join.items, item)?);
        self.room(weight_of(&variables))?;
        let join = self.join(parent);
        join.next = join.next.max(item + 1);
        join.open += 1;
        let lane = self.new_lane(Some((parent, item)), fork.body, variables);
        if let (Some(tasks), Some(given)) = (fork.tasks, given) {
            self.reach(TASK);
            self.task_began((parent, item), (lane, tasks, fork.variable), given);
        }
        self.wake(lane);
        Ok(())
    }

    /// A forked lane is over.
    pub(super) fn join_lane(
        &mut self,
        (parent, item): (u32, u32),
        lane: u32,
        gives: Option<Data>,
        failure: Option<Failure>,
    ) {
        self.carry(gives.as_ref().map_or(0, Data::weight));
        let join = self.join(parent);
        join.open -= 1;
        // A task that began again may have given something before.
        let before = std::mem::replace(&mut join.results[item as usize], gives);
        self.let_go(before.as_ref().map_or(0, Data::weight));
        let tasks = self.fork_node(parent).tasks;
        let is_last =
            tasks.is_none_or(|tasks| self.task_ended((parent, item), (lane, tasks), failure.as_ref()));
        let join = self.join(parent);
        if let Some(failure) = failure.filter(|_| is_last)
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
    fn leave_join(&mut self, lane: u32, fork: Planned<'m>) -> Result<Moved, Stop> {
        let failure = self.join(lane).failure.clone().filter(|_| fork.on_failure == OnFailure::Fail);
        let warning = self.write_joined(lane, fork, failure.is_none())?;
        let mut join = self.sequence().lane(lane).join.take().expect("BUG: nothing to join");
        self.let_go(join.weight());
        if let Some(warning) = warning {
            self.warned(self.step_at(lane).map(str::to_owned), warning);
        }
        let since = join.tasks.as_ref().map_or(self.now, |tasks| tasks.since());
        self.tell_join(lane, fork, since, failure.clone());
        let Some(failure) = failure else {
            self.reach(JOIN);
            return Ok(self.forward(lane));
        };
        self.reach(JOIN_FAIL);
        if self.is_done_again(lane) && join.begin_failed_again() {
            self.sequence().lane(lane).joined = Some(join);
        }
        Err(match fork.tasks {
            None => failure.into(),
            Some(tasks) => self.blamed(lane, &self.plan.steps[tasks.step as usize].id, failure).into(),
        })
    }

    /// Writes what the lanes gave, and why tasks failed. Where only that cannot be written, it is told.
    fn write_joined(&mut self, lane: u32, fork: Planned<'m>, collects: bool) -> Result<Option<String>, Stop> {
        let mut changes = Changes::default();
        if let Some(name) = fork.collect.filter(|_| collects) {
            changes.fields.insert(name.to_owned(), self.collected(lane)?);
        }
        let join = self.lane(lane).join.as_ref().expect("BUG: nothing to join");
        let errors = join.tasks.as_ref().map_or_else(Vec::new, |tasks| tasks.errors());
        let path = fork.tasks.and_then(|tasks| tasks.errors.as_ref()).filter(|_| !errors.is_empty());
        let Some(path) = path else {
            self.put_joined(lane, changes)?;
            return Ok(None);
        };
        let both = self.appended(changes.clone(), path, errors);
        match both.and_then(|both| self.put_joined(lane, both)) {
            Err(Stop::Fail(failure)) => {
                self.put_joined(lane, changes)?;
                Ok(Some(format!("why tasks failed could not be written: {}", failure.message)))
            }
            Err(Stop::Ask(questions)) => Err(Stop::Ask(questions)),
            Ok(()) => Ok(None),
        }
    }

    fn put_joined(&mut self, lane: u32, changes: Changes) -> Result<(), Stop> {
        if changes.fields.is_empty() {
            return Ok(());
        }
        let changes = self.with_computed(changes)?;
        let by = self.step_at(lane).map_or(ChangedBy::Run, |step| ChangedBy::Step(step.to_owned()));
        Ok(self.put(changes, by)?)
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
