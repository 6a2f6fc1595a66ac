//! Tasks: lanes of a fork that belong to sub-agents. Each has a name and what it is given, both made when the fork begins, so
//! that all of them can be told at once. A task that failed may begin again, in another lane, once all others have ended.

use super::{COUNT, Join, Lane, SequenceLife, TASK_AGAIN, TASK_LATER};
use crate::data::text_weight;
use crate::failure::shortened;
use crate::language::kind;
use crate::plan::{Node, Sequence, Tasks};
use crate::run::life::FlowLife;
use crate::run::{Gather, Moment, Scope, Stop, shallow};
use crate::{Data, Failure, FailureKind, Fields, News};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Longest name of a task, and longest reason that is held of one that failed.
const ID_BYTES_MAX: usize = 200;
const WHY_BYTES_MAX: usize = 300;

/// What each of these takes beside its data.
const TASKS: u64 = 120;
const TASK: u64 = 60;
const FAILED: u64 = 52;
const LANE_TASK: u64 = 96;

/// The task that a lane is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LaneTask {
    pub(super) id: String,
    /// What its item is called.
    pub(super) variable: String,
    /// What is done for each item, by name, where its steps are numbered on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// The highest number that its steps have had before it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) after: u32,
}

fn is_none(number: &u32) -> bool {
    *number == 0
}

impl LaneTask {
    pub(super) fn weight(&self) -> u64 {
        let task = self.task.as_ref().map_or(0, |task| text_weight(task));
        LANE_TASK + text_weight(&self.id) + text_weight(&self.variable) + task
    }
}

/// The tasks of a fork.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TaskLives {
    since: u64,
    /// For each task its name, what it is given, and what its sub-agent is told in place of the usual.
    told: Data,
    tasks: Vec<TaskLife>,
    /// Why tasks failed that have no attempt left.
    failed: BTreeMap<u32, Failure>,
    /// Tasks that failed and will begin again, and those of them whose time has come.
    again: Vec<u32>,
    due: Vec<u32>,
    /// The highest number that steps of such tasks had had when the fork began.
    #[serde(default, skip_serializing_if = "is_none")]
    after: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TaskLife {
    id: String,
    stage: TaskStage,
    attempts: u32,
}

/// How a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStage {
    /// It has not begun, or will begin again.
    Waiting,
    /// Its lane is open.
    Running,
    /// It succeeded.
    Done,
    /// It failed.
    Failed,
}

/// A fork whose lanes are tasks, as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Forking {
    /// The lane that is at it.
    pub lane: u32,
    /// The step of the definition that has the tasks.
    pub step: u32,
    /// What is done for each item, by name.
    pub task: String,
    /// Most tasks at once.
    pub width_max: u32,
    /// The list of the items.
    pub items: Data,
    /// A list with an object for each task: `task_id`, `context`, and `prompt` where there is one.
    pub told: Data,
    /// How each stands, in the same order.
    pub tasks: Vec<TaskState>,
}

/// How one task stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskState {
    /// Its name.
    pub id: String,
    /// How it stands.
    pub stage: TaskStage,
    /// How often it began.
    pub attempts: u32,
    /// Its lane, while that is open.
    pub lane: Option<u32>,
    /// Why it failed, if no attempt is left.
    pub failure: Option<Failure>,
}

impl TaskLives {
    pub(super) fn weight(&self) -> u64 {
        let tasks: u64 = self.tasks.iter().map(|task| TASK + text_weight(&task.id)).sum();
        let failed: u64 = self.failed.values().map(|failure| FAILED + text_weight(&failure.message)).sum();
        let lists = 11 * (self.again.len() + self.due.len()) as u64;
        TASKS + self.told.weight() + tasks + failed + lists
    }

    /// The first task that cannot begin, and why.
    pub(super) fn first_failed(&self) -> Option<&Failure> {
        self.failed.values().next()
    }

    /// Whether a task has failed for good.
    pub(super) fn has_failed(&self, task: u32) -> bool {
        self.failed.contains_key(&task)
    }

    /// Lets tasks that have failed begin again, but for those that cannot be. Says whether there are some.
    fn begin_failed_again(&mut self) -> bool {
        let cannot_be = |failure: &Failure| failure.kind == FailureKind::Expression;
        let (stay, again): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.failed).into_iter().partition(|(_, failure)| cannot_be(failure));
        self.failed = stay;
        self.due = again.into_keys().collect();
        for task in &self.due {
            self.tasks[*task as usize].stage = TaskStage::Waiting;
        }
        !self.due.is_empty()
    }

    /// When the fork began.
    pub(super) fn since(&self) -> u64 {
        self.since
    }

    /// The next task whose time to begin again has come.
    pub(super) fn next_due(&self) -> Option<u32> {
        self.due.first().copied()
    }

    /// Whether tasks wait until all others have ended.
    pub(super) fn has_later(&self) -> bool {
        !self.again.is_empty()
    }

    /// What is told of tasks that failed.
    pub(super) fn errors(&self) -> Vec<Value> {
        let errors = self.failed.iter().map(|(task, failure)| {
            let TaskLife { id, attempts, .. } = &self.tasks[*task as usize];
            json!({ "task_id": id, "message": failure.message, "type": failure.kind, "attempts": attempts })
        });
        errors.collect()
    }
}

impl Join {
    /// Lets tasks that have failed begin again. Says whether there are some.
    pub(super) fn begin_failed_again(&mut self) -> bool {
        let begins = self.tasks.as_mut().is_some_and(|tasks| tasks.begin_failed_again());
        self.failure = self.tasks.as_ref().and_then(|tasks| tasks.first_failed()).cloned();
        begins
    }
}

impl SequenceLife {
    /// The forks with tasks that lanes are at.
    pub(crate) fn forking(&self, planned: &Sequence) -> Vec<Forking> {
        let forking = self.lanes.iter().filter_map(|(at, lane)| {
            let (join, frame) = (lane.join.as_ref()?, lane.stack.last()?);
            let node = planned.bodies[frame.body as usize].get(frame.position as usize)?;
            let Node::Fork { tasks: Some(planned), width_max, .. } = node.inner() else { return None };
            let life = join.tasks.as_ref()?;
            let tasks = life.tasks.iter().zip(0..).map(|(task, index)| TaskState {
                id: task.id.clone(),
                stage: task.stage,
                attempts: task.attempts,
                lane: self.lane_of(*at, index),
                failure: life.failed.get(&index).cloned(),
            });
            let (step, task) = (planned.step, planned.task.clone());
            let (items, told) = (join.items.clone(), life.told.clone());
            Some(Forking {
                lane: *at,
                step,
                task,
                width_max: *width_max,
                items,
                told,
                tasks: tasks.collect(),
            })
        });
        forking.collect()
    }

    /// The open lane of an item of a fork.
    fn lane_of(&self, parent: u32, item: u32) -> Option<u32> {
        self.lanes.iter().find(|(_, lane)| lane.parent == Some((parent, item))).map(|(lane, _)| *lane)
    }

    /// The name of the innermost task that a lane belongs to.
    pub(crate) fn task_of(&self, lane: u32) -> Option<&str> {
        let lane = self.lanes.get(&lane)?;
        match &lane.task {
            Some(task) => Some(&task.id),
            None => self.task_of(lane.parent?.0),
        }
    }

    /// The names of all tasks of forks that lanes are at.
    fn task_ids(&self) -> BTreeSet<String> {
        let tasks = self.lanes.values().filter_map(|lane| lane.join.as_ref()?.tasks.as_ref());
        tasks.flat_map(|tasks| &tasks.tasks).map(|task| task.id.clone()).collect()
    }
}

/// One task as it is made: its name, what it is given, and its prompt.
struct Told {
    id: String,
    given: Fields,
    prompt: Option<Data>,
    /// Why it cannot begin.
    failure: Option<Failure>,
}

impl<'m> Moment<'m> {
    /// Makes the tasks of a fork. What must be asked is asked for all items at once.
    pub(super) fn tasks(
        &self,
        lane: u32,
        (variable, tasks_of): (&'m str, &'m Tasks),
        (items, count): (&Data, u32),
    ) -> Result<TaskLives, Stop> {
        let (mut told, mut asked) = (Vec::new(), Vec::new());
        for index in 0..count {
            let item = self.item(items, index)?;
            match one_task(self.in_lane(lane).with_item(variable, &item, index), tasks_of) {
                Ok(task) => told.push(task),
                Err(Stop::Ask(questions)) => asked.extend(questions),
                Err(Stop::Fail(failure)) => {
                    let scope = self.in_lane(lane).with_item(variable, &item, index);
                    match self.task_that_cannot_be(scope, tasks_of, &failure) {
                        Some(Ok(task)) => told.push(task),
                        Some(Err(Stop::Ask(questions))) => asked.extend(questions),
                        Some(Err(Stop::Fail(_))) | None => {
                            let nth = u64::from(index) + 1;
                            let message = format!("task {nth} of {count}: {}", failure.message);
                            return Err(Failure::new(failure.kind, message).into());
                        }
                    }
                }
            }
        }
        if !asked.is_empty() {
            return Err(Stop::Ask(asked));
        }
        self.told_apart(&mut told);
        let all = self.told_together(lane, &told)?;
        let failed: BTreeMap<u32, Failure> =
            told.iter().zip(0..).filter_map(|(task, index)| Some((index, task.failure.clone()?))).collect();
        let tasks = told.into_iter().map(|task| match task.failure {
            None => TaskLife { id: task.id, stage: TaskStage::Waiting, attempts: 0 },
            Some(_) => TaskLife { id: task.id, stage: TaskStage::Failed, attempts: 1 },
        });
        let (again, due) = (Vec::new(), Vec::new());
        let after = self.number_of(&tasks_of.task);
        Ok(TaskLives { since: self.now, told: all, tasks: tasks.collect(), failed, again, due, after })
    }

    /// The task of an item that does not give what it needs: it has a name, and has failed. That a turn has taken too long
    /// is no fault of an item.
    fn task_that_cannot_be(
        &self,
        scope: Scope<'_>,
        tasks: &Tasks,
        failure: &Failure,
    ) -> Option<Result<Told, Stop>> {
        if self.plan.revision < 1 || failure.kind != FailureKind::Expression {
            return None;
        }
        let named = || {
            let named = scope.all(std::iter::once(&tasks.id))?.into_iter().next();
            let id = task_id(&scope.value(named.expect("BUG: a task without a name"))?)?;
            let failure = Failure::new(failure.kind, shortened(failure.message.clone(), WHY_BYTES_MAX));
            Ok(Told { id, given: Fields::new(), prompt: None, failure: Some(failure) })
        };
        Some(named())
    }

    /// The highest number that steps have had in lanes of a task that are over.
    fn number_of(&self, task: &str) -> u32 {
        let FlowLife::Sequence(life) = &self.life.flow else { return 0 };
        life.numbers.get(task).copied().unwrap_or_default()
    }

    /// Notes the highest number that a step has had in a lane of a task that is over: no later one has it again.
    pub(super) fn note_numbers(&mut self, gone: &Lane) {
        let Some(LaneTask { task: Some(task), after, .. }) = &gone.task else { return };
        let most = after + gone.begun.values().max().copied().unwrap_or_default();
        let numbers = &mut self.sequence().numbers;
        let known = numbers.contains_key(task);
        let number = numbers.entry(task.clone()).or_default();
        *number = (*number).max(most);
        self.carry(if known { 0 } else { COUNT + text_weight(task) });
    }

    /// Tells tasks of one name apart by numbers, also from those of other forks that are open.
    fn told_apart(&self, told: &mut [Told]) {
        let FlowLife::Sequence(life) = &self.life.flow else { return };
        let (mut taken, mut numbers) = (life.task_ids(), BTreeMap::<String, u32>::new());
        for task in told {
            if taken.insert(task.id.clone()) {
                continue;
            }
            let number = numbers.entry(task.id.clone()).or_insert(2);
            let mut id = format!("{}_{number}", task.id);
            while !taken.insert(id.clone()) {
                *number += 1;
                id = format!("{}_{number}", task.id);
            }
            *number += 1;
            task.id = id;
        }
    }

    /// All tasks as one list, which is content where it is large.
    fn told_together(&self, lane: u32, told: &[Told]) -> Result<Data, Stop> {
        let mut gather = Gather::default();
        gather.sign("[");
        gather.join(told, |gather, task| {
            gather.sign("{\"task_id\":");
            gather.say(&task.id);
            gather.sign(",\"context\":{");
            gather.join(&task.given, |gather, (name, data)| {
                gather.say(name);
                gather.sign(":");
                gather.put(data);
            });
            gather.sign("}");
            if let Some(prompt) = &task.prompt {
                gather.sign(",\"prompt\":");
                gather.put(prompt);
            }
            gather.sign("}");
        });
        gather.sign("]");
        let inline_bytes_max = self.plan.limits.inline_bytes_max_of(self.life.held);
        Ok(shallow(self.in_lane(lane).gathered(gather, inline_bytes_max)?)?)
    }

    /// What a task is given, as the variables of its lane.
    pub(super) fn given_to(&self, lane: u32, tasks: &TaskLives, index: u32) -> Result<Fields, Stop> {
        let scope = self.in_lane(lane);
        let told = scope.value_of(&tasks.told)?;
        let context = told.get(index as usize).and_then(|task| task.get("context")?.as_object());
        let given = context.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
        scope.kept(given.collect(), self.plan.limits.inline_bytes_max_of(self.life.held))
    }

    /// A task begins, in a lane of its own.
    pub(super) fn task_began(
        &mut self,
        (parent, index): (u32, u32),
        (lane, planned, variable): (u32, &Tasks, &str),
        context: Fields,
    ) {
        let (step, now) = (planned.step, self.number_of(&planned.task));
        let numbers_on = self.plan.revision >= 1;
        let item = self.lane(lane).variables.get(variable).cloned().unwrap_or(Data::Inline(Value::Null));
        let tasks = self.tasks_of(parent);
        let freed = if tasks.due.first() == Some(&index) { 11 } else { 0 };
        tasks.due.retain(|due| *due != index);
        let task = &mut tasks.tasks[index as usize];
        (task.stage, task.attempts) = (TaskStage::Running, task.attempts + 1);
        let (task_id, attempt) = (task.id.clone(), task.attempts);
        let after = if attempt > 1 { now } else { tasks.after };
        self.let_go(freed);
        let task = numbers_on.then(|| planned.task.clone());
        let life = LaneTask { id: task_id.clone(), variable: variable.to_owned(), task, after };
        self.carry(life.weight());
        self.sequence().lane(lane).task = Some(life);
        self.news(News::LaneBegan { lane, step, task_id, attempt, index, item, context });
    }

    /// The lane of a task is over. Says whether that is the last word about it.
    pub(super) fn task_ended(
        &mut self,
        (parent, index): (u32, u32),
        (lane, planned): (u32, &Tasks),
        failure: Option<&Failure>,
    ) -> bool {
        let tasks = self.tasks_of(parent);
        let task = &mut tasks.tasks[index as usize];
        let again = failure.is_some() && task.attempts <= planned.retries_max;
        task.stage = match failure {
            None => TaskStage::Done,
            Some(_) if again => TaskStage::Waiting,
            Some(_) => TaskStage::Failed,
        };
        let task_id = task.id.clone();
        let held = match failure {
            Some(_) if again => {
                tasks.again.push(index);
                11
            }
            Some(failure) => {
                let message = shortened(failure.message.clone(), WHY_BYTES_MAX);
                let weight = FAILED + text_weight(&message);
                tasks.failed.insert(index, Failure::new(failure.kind, message));
                weight
            }
            None => 0,
        };
        self.carry(held);
        if again {
            self.reach(TASK_LATER);
        }
        self.news(News::LaneEnded { lane, step: planned.step, task_id, failure: failure.cloned(), again });
        !again
    }

    /// All others have ended: those that failed may begin again.
    pub(super) fn tasks_again(&mut self, parent: u32) {
        self.reach(TASK_AGAIN);
        let tasks = self.tasks_of(parent);
        tasks.due = std::mem::take(&mut tasks.again);
        tasks.due.sort_unstable();
    }

    fn tasks_of(&mut self, parent: u32) -> &mut TaskLives {
        let join = self.sequence().lane(parent).join.as_mut().expect("BUG: a lane that joins nothing");
        join.tasks.as_mut().expect("BUG: a fork without tasks")
    }
}

/// The task of one item. All that must be asked is asked at once.
fn one_task(scope: Scope<'_>, tasks: &Tasks) -> Result<Told, Stop> {
    let wanted = std::iter::once(&tasks.id).chain(tasks.given.iter().map(|(_, given)| given));
    let mut made = scope.all(wanted.chain(&tasks.prompt))?.into_iter();
    let id = task_id(&scope.value(made.next().expect("BUG: a task without a name"))?)?;
    let given = tasks.given.iter().map(|(name, _)| name.clone()).zip(made.by_ref()).collect();
    Ok(Told { id, given, prompt: made.next(), failure: None })
}

/// The name of a task.
fn task_id(value: &Value) -> Result<String, String> {
    let id = match value {
        Value::String(id) => id.clone(),
        Value::Number(number) => number.to_string(),
        other => return Err(format!("its name must be text or a number, and this is {}", kind(other))),
    };
    match id.len() {
        0 => Err("its name is empty".to_owned()),
        bytes if bytes > ID_BYTES_MAX => {
            Err(format!("its name has {bytes} bytes; at most {ID_BYTES_MAX} are allowed"))
        }
        _ => Ok(id),
    }
}
