//! What the tools of `reactive` share: whose steps are meant, what is due there, and how a run stands in their words.
//!
//! ```text
//!  task_id, sub_agent_context ── whose ── due: a step, tasks, nothing yet, nothing any more
//! ```
//! A run of any dialect has steps for these tools: what it asks becomes one of their seven types.

use super::driven;
use crate::mcp::call::Call;
use crate::mcp::next::cut_off;
use crate::mcp::problem::{Problem, said};
use crate::mcp::runs;
use crate::mcp::watch::{Wants, Watch};
use engine::asking::Asked;
use engine::dialects::reactive::RESUME;
use engine::dialects::reactive::view::atomic::{self, Atomic};
use engine::dialects::reactive::view::tasks::{Parallel, State, Task, named};
use engine::dialects::steps::due::Delegated;
use engine::dialects::steps::view::word;
use engine::kernel::plan::Dialect;
use engine::kernel::{Outcome, RunId, Status};
use engine::view::{Held, History, View};
use serde_json::{Map, Value, json};

/// Whose steps a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The agent's that drives the run.
    Main,
    /// A sub-agent's, by the name of its task.
    Task(String),
}

/// What is due.
pub(super) enum Due<'v> {
    /// A step.
    Step(Box<Atomic>),
    /// Tasks for sub-agents.
    Tasks(&'v Parallel),
    /// Items for sub-agents, each a run of its own.
    Items(&'v Delegated),
    /// The task has no room yet, or the server works for it.
    NotYet(&'v Parallel, &'v Task),
    /// The task is over.
    Over(&'v Task),
    /// Nothing.
    Nothing,
}

impl Whose {
    /// Whose steps a call means.
    pub(super) fn of(call: &Call) -> Result<Whose, Problem> {
        let own = call.arguments.text("task_id")?.map(str::trim).filter(|id| !id.is_empty());
        let context = object(call, "sub_agent_context")?;
        let named = ["task_id", "batch_id"].iter().find_map(|name| context.get(*name)?.as_str());
        match (own, named) {
            (Some(one), Some(other)) if one != other && context.contains_key("task_id") => {
                let error =
                    format!("`task_id` is `{}`, and in sub_agent_context it is `{}`", said(one), said(other));
                Err(Problem::new("wrong-argument", error).help("Nothing was changed. Give one of them"))
            }
            (None, None) => Ok(Whose::Main),
            (own, named) => Ok(Whose::Task(own.or(named).unwrap_or_default().to_owned())),
        }
    }

    /// What is due here.
    pub(super) fn due<'v>(&self, view: &'v View) -> Due<'v> {
        match self {
            Whose::Main => self.main(view),
            Whose::Task(id) => {
                let Some((parallel, task)) = find_task(view, id) else { return Due::Nothing };
                let inner = || view.parallel.iter().find(|one| is_of(one, parallel, task) && is_open(one));
                match self.asked(view).next() {
                    Some(asked) => Due::Step(Box::new(Atomic::of(asked))),
                    None if let Some(tasks) = inner() => Due::Tasks(tasks),
                    None if task.state.is_open() => Due::NotYet(parallel, task),
                    None => Due::Over(task),
                }
            }
        }
    }

    fn main<'v>(&self, view: &'v View) -> Due<'v> {
        if let Some(asked) = self.asked(view).find(|asked| !asked.ends && !is_held(asked)) {
            return Due::Step(Box::new(Atomic::of(asked)));
        }
        let is_of_a_task = |one: &Parallel| {
            view.parallel.iter().any(|outer| outer.tasks.iter().any(|task| is_of(one, outer, task)))
        };
        let tasks = view.parallel.iter().find(|one| is_open(one) && !is_of_a_task(one));
        match (tasks, view.delegated.first()) {
            (Some(tasks), _) => Due::Tasks(tasks),
            (None, Some(items)) => Due::Items(items),
            (None, None) => Due::Nothing,
        }
    }

    /// The questions that are for whoever is meant.
    pub(super) fn asked<'v>(&self, view: &'v View) -> impl Iterator<Item = &'v Asked> {
        let lane = match self {
            Whose::Main => None,
            Whose::Task(id) => {
                Some(find_task(view, id).and_then(|(parallel, task)| Some((parallel, task.lane?))))
            }
        };
        view.asked.iter().filter(move |asked| match &lane {
            None => !view.parallel.iter().any(|one| lane_in(one, asked).is_some_and(|lane| lane > 0)),
            Some(Some((parallel, lane))) => lane_in(parallel, asked) == Some(*lane),
            Some(None) => false,
        })
    }

    /// Waits for what is due here and for nothing else.
    pub(super) fn watches(&self, watch: &mut Watch) {
        let whose = self.clone();
        let due = move |view: &View| match whose.due(view) {
            Due::NotYet(..) => false,
            // A task that is not there any more is over, and nothing of it will come.
            Due::Nothing => whose != Whose::Main || held(view).is_some(),
            _ => true,
        };
        watch.wants = Some(Wants { due: Box::new(due), strict: *self != Whose::Main });
    }

    /// Waits for what comes next here, as far as that comes by itself: a task that is to be begun again waits for others.
    pub(super) fn moves_on(&self, watch: &mut Watch) {
        let whose = self.clone();
        let due = move |view: &View| match whose.due(view) {
            Due::NotYet(_, task) => task.state == State::Waiting,
            Due::Nothing => whose != Whose::Main || held(view).is_some(),
            _ => true,
        };
        watch.wants = Some(Wants { due: Box::new(due), strict: *self != Whose::Main });
    }

    /// How the task is named in a call.
    pub(super) fn argument(&self) -> String {
        match self {
            Whose::Main => String::new(),
            Whose::Task(id) => format!(", task_id=\"{id}\""),
        }
    }
}

/// What a run that has failed waits for until somebody resumes it.
pub(super) fn held(view: &View) -> Option<&Asked> {
    view.asked.iter().find(|asked| is_held(asked))
}

fn is_held(asked: &Asked) -> bool {
    asked.dialect == Dialect::Reactive && asked.word == RESUME
}

/// Why a run is held: the step that failed, and its words.
fn why_held(asked: &Asked) -> String {
    let shown = |name: &str| asked.parameters.get(name).and_then(Value::as_str);
    let message = shown("message").unwrap_or_default();
    shown("step").map_or_else(|| message.to_owned(), |step| format!("step `{step}`: {message}"))
}

/// The lane of a run with tasks that a question stands in, if it stands in that run or below it.
fn lane_in(parallel: &Parallel, asked: &Asked) -> Option<u32> {
    asked.run.is_within(&parallel.run).then(|| asked.path.get(parallel.above))?.map(|key| atomic::lane(key).0)
}

/// Whether tasks are those of a step of another task.
fn is_of(one: &Parallel, outer: &Parallel, task: &Task) -> bool {
    one.run == outer.run && task.lane == Some(one.lane)
}

fn is_open(one: &Parallel) -> bool {
    one.tasks.iter().any(|task| task.state.is_open())
}

/// The open task of a name.
pub(super) fn find_task<'v>(view: &'v View, id: &str) -> Option<(&'v Parallel, &'v Task)> {
    view.parallel.iter().find_map(|one| Some((one, one.task(id)?)))
}

/// An argument that is an object; some clients send objects as text.
pub(super) fn object(call: &Call, name: &str) -> Result<Map<String, Value>, Problem> {
    let wrong = || {
        let error = format!("`{name}` must be an object");
        Problem::new("wrong-argument", error).help(format!("Call {} again with one", call.arguments.tool()))
    };
    match call.arguments.value(name) {
        None => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members.clone()),
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| wrong()),
        Some(_) => Err(wrong()),
    }
}

/// The run that a call names, to be watched for whoever is meant; a task must be one of it.
pub(super) async fn watch(call: &Call, tool: &str) -> Result<(Watch, Whose), Problem> {
    let whose = Whose::of(call)?;
    let mut watch = driven::watch(call, tool).await?;
    whose.watches(&mut watch);
    if let Whose::Task(id) = &whose
        && find_task(&watch.view, id).is_none()
        && !was_task(call, &watch.view.run, id).await?
    {
        return Err(unknown_task(call, &watch.view, id).await?);
    }
    Ok((watch, whose))
}

/// Whether a run had a task of this name before.
async fn was_task(call: &Call, run: &RunId, id: &str) -> Result<bool, Problem> {
    Ok(history(call, run).await?.lanes.contains_key(id))
}

async fn unknown_task(call: &Call, view: &View, id: &str) -> Result<Problem, Problem> {
    let mut known: Vec<String> = Vec::new();
    for one in &view.parallel {
        known.extend(one.tasks.iter().map(|task| task.id.clone()));
    }
    known.extend(history(call, &view.run).await?.lanes.into_keys());
    known.sort();
    known.dedup();
    let error = format!("run {} has no task `{}`", view.run, said(id));
    let problem = Problem::new("unknown-task", error).options(known).near(id);
    Ok(problem.help("Nothing was changed. Name one of its tasks"))
}

/// What happened to a run.
pub(super) async fn history(call: &Call, run: &RunId) -> Result<History, Problem> {
    let run = run.clone();
    let loaded = call.visit.look(move |_, reader| History::load(reader, &run)).await?;
    Ok(loaded.map_err(runs::not_loaded)?.unwrap_or_default())
}

/// The state of a run as agents read it.
pub(super) async fn flat(call: &Call, run: &RunId) -> Result<Map<String, Value>, Problem> {
    let run = run.clone();
    let loaded = call.visit.look(move |_, reader| Held::load(reader, &run)).await?;
    Ok(loaded.map_err(runs::not_loaded)?.map(|held| held.flat()).unwrap_or_default())
}

/// What is due, and how the run stands, as members of an answer: `step` is null where nothing is.
pub(super) fn standing(view: &View, whose: &Whose) -> Value {
    let due = whose.due(view);
    let mut value = json!({
        "step": match &due {
            Due::Step(step) => step.to_json(),
            Due::Tasks(tasks) => tasks.to_json(),
            Due::Items(items) => of_items(items),
            _ => Value::Null,
        },
        "workflow_id": view.run,
        "status": status(view, &due),
    });
    match &due {
        Due::NotYet(parallel, task) if task.state == State::Waiting => {
            value["running_tasks"] = json!(parallel.running());
        }
        Due::Over(task) => {
            if let Some(error) = &task.error {
                value["error"] = json!(error);
            }
        }
        _ => {}
    }
    if let Some(error) = view.error().filter(|_| matches!(due, Due::Nothing)) {
        value["error"] = json!(error);
    }
    if let Some(asked) = held(view).filter(|_| matches!((&due, whose), (Due::Nothing, Whose::Main))) {
        value["error"] = why_held(asked).into();
    }
    value["next"] = next(view, whose, &due).into();
    value
}

fn status(view: &View, due: &Due<'_>) -> &'static str {
    match due {
        Due::NotYet(_, task) if task.state == State::Waiting => "waiting",
        Due::NotYet(..) => "running",
        Due::Over(task) => task.state.as_str(),
        Due::Step(_) | Due::Tasks(_) | Due::Items(_) => "waiting",
        Due::Nothing => word(&view.status, view.waits_for_someone()),
    }
}

/// What to do next.
pub(super) fn next(view: &View, whose: &Whose, due: &Due<'_>) -> String {
    let (run, task) = (&view.run, whose.argument());
    if let Some(cut) = cut_off(view).filter(|_| matches!(due, Due::Nothing | Due::NotYet(..))) {
        return cut;
    }
    match due {
        Due::Step(step) if step.humans_only => format!(
            "Only a human may answer `{}`: tell them to type `switchback answer {run}` in a terminal of their own, then call \
             workflow_get_next_step(workflow_id=\"{run}\"{task}, wait_seconds=45).",
            step.id
        ),
        Due::Step(step) => {
            let result = match (step.kind, step.stored_at()) {
                ("user_message" | "state_update", _) => "",
                (_, Some(_)) | ("user_input", _) => ", result=...",
                _ => "",
            };
            // Where it was tried before, an old result must not count for this attempt.
            let attempt =
                if step.attempt > 1 { format!(", attempt={}", step.attempt) } else { String::new() };
            format!(
                "Carry `{}` out, then call workflow_step_complete(workflow_id=\"{run}\"{task}, step_id=\"{}\"{attempt}, \
                 status=\"success\"{result}); with status=\"failed\" and `error` where it could not be done.",
                step.id, step.id
            )
        }
        Due::Tasks(tasks) => format!(
            "Give every task to a sub-agent, wait until all are done, then call workflow_step_complete(workflow_id=\"{run}\"{task}, \
             step_id=\"{}\"). Open: {}.",
            tasks.step_id,
            tasks.open_named()
        ),
        Due::Items(items) => format!(
            "Give every task to a sub-agent, wait until all are done, then call workflow_get_next_step(workflow_id=\"{run}\", \
             wait_seconds=45). {} of {} are done.",
            items.done, items.count
        ),
        Due::NotYet(parallel, one) if one.state == State::Waiting => {
            let (running, width) = (parallel.running(), parallel.width);
            let (why, what) = match running.len() < width as usize && one.attempts > 0 {
                true => (format!("It begins again when {} are over", named(&running)), "that"),
                false => (
                    format!(
                        "At most {width} tasks have steps at a time, and {} have them now",
                        named(&running)
                    ),
                    "room",
                ),
            };
            format!(
                "{why}. workflow_get_next_step(workflow_id=\"{run}\"{task}, wait_seconds=45) waits for {what}."
            )
        }
        Due::NotYet(..) => format!(
            "The server works for this task. workflow_get_next_step(workflow_id=\"{run}\"{task}, wait_seconds=45) waits for its \
             next step."
        ),
        Due::Over(_) => "This task is over: say in one sentence how it ended, and stop.".to_owned(),
        Due::Nothing => ended(view, whose),
    }
}

fn ended(view: &View, whose: &Whose) -> String {
    let run = &view.run;
    match (&view.status, whose) {
        (_, Whose::Task(_)) => "This task is over: say in one sentence how it ended, and stop.".to_owned(),
        (Status::Ended(Outcome::Succeeded { .. }), _) => {
            format!(
                "Call workflow_complete(workflow_id=\"{run}\", status=\"success\"), then tell the user what came of it."
            )
        }
        (Status::Ended(_), _) => format!(
            "The run is over. workflow_debug_info(workflow_id=\"{run}\") and get_workflow_status(workflow_id=\"{run}\") show what \
             happened; mend the cause, then start it again."
        ),
        _ if held(view).is_some() => format!(
            "A step has failed, and the run is held. Mend the cause, then workflow_resume(workflow_id=\"{run}\") tries it again; \
             workflow_complete(workflow_id=\"{run}\", status=\"failed\") ends the run instead."
        ),
        _ => format!(
            "No step is due yet. workflow_get_next_step(workflow_id=\"{run}\", wait_seconds=45) waits for one."
        ),
    }
}

/// Items of a run whose children belong to sub-agents, as tasks.
fn of_items(items: &Delegated) -> Value {
    let task = |(run, item): &(RunId, Value)| json!({ "task_id": run, "context": { "workflow_id": run, "item": item } });
    json!({
        "id": items.step_id,
        "type": "parallel_tasks",
        "instructions": "Create sub-agents for ALL tasks. Each asks for its steps with workflow_get_next_step and the workflow_id of \
            its own context. Wait for ALL to complete.",
        "definition": {
            "tasks": items.open.iter().map(task).collect::<Vec<_>>(),
            "max_parallel": items.width,
            "sub_agent_task": items.task,
            "sub_agent_prompt": engine::dialects::reactive::view::prompts::sub_agent(
                "<workflow_id of the context>", "<leave it out>"
            ),
        },
    })
}

/// The schema of what says whose steps are meant.
pub(super) fn task_schema() -> Value {
    json!({ "type": "string", "description": "The task of a sub-agent, as `tasks` names it; without it the steps of the run itself." })
}

/// The schema of the same in the words of the source.
pub(super) fn context_schema() -> Value {
    json!({
        "type": ["object", "null"],
        "description": "The same as `task_id`, as an object: {task_id} or {batch_id}."
    })
}
