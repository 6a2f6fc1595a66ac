//! The tasks of sub-agents in lanes of a run, with what each needs to know.

use crate::store::Reader;
use crate::turn::LoadError;
use crate::view::Values;
use dialects::reactive::view::tasks::{Parallel, State, Task};
use kernel::{Forking, Run, TaskStage, TaskState};
use serde_json::{Map, Value, json};

/// The tasks that lanes of a run are at; so many steps lead to the run from its root.
pub(super) fn parallel(reader: &Reader, run: &Run, above: usize) -> Result<Vec<Parallel>, LoadError> {
    let all = run.forking().into_iter();
    all.map(|fork| {
        let (told, items) = (Values(reader).value(&fork.told)?, Values(reader).value(&fork.items)?);
        Ok(of(run, above, &fork, (&told, &items)))
    })
    .collect()
}

fn of(run: &Run, above: usize, fork: &Forking, (told, items): (&Value, &Value)) -> Parallel {
    let step = &run.plan().steps[fork.step as usize];
    let task = |(state, index): (&TaskState, usize)| {
        let (told, item) = (&told[index], &items[index]);
        Task {
            id: state.id.clone(),
            context: context(run, &state.id, (told, item)),
            prompt: told["prompt"].as_str().map(str::to_owned),
            state: stage(state.stage),
            lane: state.lane,
            error: state.failure.as_ref().map(|failure| failure.message.clone()),
            attempts: state.attempts,
        }
    };
    Parallel {
        run: run.id().clone(),
        above,
        lane: fork.lane,
        step_id: step.id.clone(),
        task: fork.task.clone(),
        width: fork.width_max,
        tasks: fork.tasks.iter().zip(0..).map(task).collect(),
    }
}

/// What a sub-agent needs to know: its item, what the task is given of it, and where it belongs.
fn context(run: &Run, id: &str, (told, item): (&Value, &Value)) -> Map<String, Value> {
    let mut context = match item {
        Value::Object(members) => members.clone(),
        item => Map::from_iter([("item".to_owned(), item.clone())]),
    };
    context.extend(
        told["context"].as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())),
    );
    context.insert("workflow_id".to_owned(), json!(run.id()));
    context.insert("task_id".to_owned(), json!(id));
    context
}

fn stage(stage: TaskStage) -> State {
    match stage {
        TaskStage::Waiting => State::Waiting,
        TaskStage::Running => State::Running,
        TaskStage::Done => State::Done,
        TaskStage::Failed => State::Failed,
    }
}
