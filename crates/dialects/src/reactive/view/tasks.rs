//! Tasks for sub-agents: all of them at once, each with what it needs to know, and how each stands.

use super::prompts;
use kernel::RunId;
use serde_json::{Map, Value, json};

/// The tasks of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Parallel {
    /// The run whose step it is.
    pub run: RunId,
    /// How many steps lead to that run from its root.
    pub above: usize,
    /// The lane of that run which is at it.
    pub lane: u32,
    /// The step, as it is handed in.
    pub step_id: String,
    /// What is done for each item, by name.
    pub task: String,
    /// Most at once.
    pub width: u32,
    /// All of them, in the order of the items.
    pub tasks: Vec<Task>,
}

/// One task.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// What it is called.
    pub id: String,
    /// What it needs to know.
    pub context: Map<String, Value>,
    /// What its sub-agent is told in place of what they are usually told.
    pub prompt: Option<String>,
    /// How it stands.
    pub state: State,
    /// The lane it has, once it has begun.
    pub lane: Option<u32>,
    /// Why it failed, if it has.
    pub error: Option<String>,
    /// How often it has begun.
    pub attempts: u32,
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// There is no room for it yet.
    Waiting,
    /// It has begun.
    Running,
    /// It is done.
    Done,
    /// It has failed.
    Failed,
}

impl State {
    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Running => "running",
            State::Done => "complete",
            State::Failed => "failed",
        }
    }

    /// Whether something is still to be done.
    pub const fn is_open(self) -> bool {
        matches!(self, State::Waiting | State::Running)
    }
}

impl Parallel {
    /// The task that is called so, by its id or by the batch that it is about.
    pub fn task(&self, id: &str) -> Option<&Task> {
        let batch = |task: &&Task| task.context.get("batch_id").and_then(Value::as_str) == Some(id);
        self.tasks.iter().find(|task| task.id == id).or_else(|| self.tasks.iter().find(batch))
    }

    /// Those that are not over, by name.
    pub fn open(&self) -> Vec<&str> {
        self.tasks.iter().filter(|task| task.state.is_open()).map(|task| task.id.as_str()).collect()
    }

    /// Those that have begun and are not over, by name.
    pub fn running(&self) -> Vec<&str> {
        let running = |task: &&Task| task.state == State::Running;
        self.tasks.iter().filter(running).map(|task| task.id.as_str()).collect()
    }

    /// The step as agents receive it.
    pub fn to_json(&self) -> Value {
        let one_prompt = self.tasks.iter().all(|task| task.prompt == self.tasks[0].prompt);
        let task = |task: &Task| {
            let mut value =
                json!({ "task_id": task.id, "context": task.context, "status": task.state.as_str() });
            if !one_prompt {
                value["sub_agent_prompt"] = json!(self.prompt(task, &task.id));
            }
            value
        };
        // Once some are begun again, only those are handed out.
        let is_again =
            |task: &&Task| task.state.is_open() && task.attempts > u32::from(task.state == State::Running);
        let again = self.tasks.iter().any(|task| is_again(&task));
        let shown: Vec<Value> =
            self.tasks.iter().filter(|task| !again || task.state.is_open()).map(task).collect();
        let (count, width) = (shown.len(), self.width);
        let at_once = if (width as usize) < count {
            format!(
                " At most {width} of them have steps at a time; the others wait for their turn by themselves."
            )
        } else {
            String::new()
        };
        json!({
            "id": self.step_id,
            "type": "parallel_tasks",
            "instructions": format!(
                "Create sub-agents for ALL tasks, each with `sub_agent_prompt` and its own task_id and context. Execute them in \
                 parallel.{at_once} Wait for ALL to complete, then mark this step complete."
            ),
            "definition": {
                "tasks": shown,
                "max_parallel": width,
                "sub_agent_task": self.task,
                "sub_agent_prompt": self.tasks.first().filter(|_| one_prompt).map(|task| self.prompt(task, "<task_id>")),
            },
        })
    }

    /// What the sub-agent of a task is told.
    fn prompt(&self, task: &Task, id: &str) -> String {
        match &task.prompt {
            Some(own) => format!("{own}\n\n{}", prompts::ids(self.run.as_str(), id)),
            None => prompts::sub_agent(self.run.as_str(), id),
        }
    }
}
