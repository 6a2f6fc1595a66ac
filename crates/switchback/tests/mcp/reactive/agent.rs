//! An agent that does what each step says and decides nothing, with sub-agents who do the same, as many at a time as it is told.

use crate::client::Client;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// So many steps no example has.
const STEPS_MAX: usize = 300;

/// What comes of a step.
pub(crate) enum Done {
    /// It was done, and gives nothing.
    Plainly,
    /// It gave this.
    Gives(Value),
    /// It could not be done.
    Fails(&'static str),
}

/// Who can do what: a step, and the task that it belongs to (empty for the main flow).
pub(crate) type Hand<'a> = dyn FnMut(&Value, &str) -> Done + 'a;

/// One call and what was answered.
pub(crate) struct Said {
    /// The task of the sub-agent who called; empty for the agent itself.
    pub(crate) task: String,
    pub(crate) tool: &'static str,
    pub(crate) with: Value,
    pub(crate) answer: Value,
}

/// One conversation about one run.
pub(crate) struct Agent<'a> {
    pub(crate) client: &'a mut Client,
    pub(crate) run: String,
    hand: Box<Hand<'a>>,
    /// What was handed out, in order: `step`, or `task/step`.
    pub(crate) seen: Vec<String>,
    /// All calls, in order.
    pub(crate) said: Vec<Said>,
}

impl<'a> Agent<'a> {
    /// Looks at a workflow as the protocol has it, and starts it.
    pub(crate) fn start(
        client: &'a mut Client,
        workflow: &str,
        inputs: Value,
        hand: impl FnMut(&Value, &str) -> Done + 'a,
    ) -> Agent<'a> {
        let (seen, said) = (Vec::new(), Vec::new());
        let mut agent = Agent { client, run: String::new(), hand: Box::new(hand), seen, said };
        let info = agent.call("", "workflow_get_info", json!({ "workflow": workflow }));
        assert_eq!(info["name"], workflow, "{info:#}");
        // With a key: whoever dies meanwhile, it is the same run.
        let arguments = json!({ "workflow": workflow, "inputs": inputs, "request_key": "one" });
        let started = agent.call("", "workflow_start", arguments);
        agent.run = started["workflow_id"].as_str().unwrap_or_else(|| panic!("{started:#}")).to_owned();
        agent
    }

    fn call(&mut self, task: &str, tool: &'static str, mut with: Value) -> Value {
        if !task.is_empty() {
            with["task_id"] = task.into();
        }
        let answer = self.client.good(tool, with.clone());
        self.said.push(Said { task: task.to_owned(), tool, with, answer: answer.clone() });
        answer
    }

    /// Does all that there is to do, and gives the state in the end.
    pub(crate) fn finish(&mut self) -> Value {
        while let Some(step) = self.next("") {
            match step["type"].as_str() {
                Some("parallel_tasks") => self.delegate(&step),
                _ => self.carry_out(&step, ""),
            }
        }
        let over = json!({ "workflow_id": self.run, "status": "success" });
        let mut over = self.call("", "workflow_complete", over);
        assert_eq!(over["success"], true, "{over:#}");
        over["final_state"].take()
    }

    /// The step that is due for a task, or for the main flow.
    pub(crate) fn next(&mut self, task: &str) -> Option<Value> {
        assert!(self.seen.len() < STEPS_MAX, "no end: {:?}", self.seen);
        let question = json!({ "workflow_id": self.run, "wait_seconds": 30 });
        let mut answer = self.call(task, "workflow_get_next_step", question);
        assert!(answer.get("step").is_some(), "{answer:#}");
        Some(answer["step"].take()).filter(|step| !step.is_null())
    }

    /// Sub-agents take turns until each of them has nothing left to do. One that failed may be offered once more afterwards.
    fn delegate(&mut self, step: &Value) {
        self.seen.push(step["id"].as_str().unwrap().to_owned());
        let tasks = step["definition"]["tasks"].as_array().unwrap_or_else(|| panic!("{step:#}"));
        let width = step["definition"]["max_parallel"].as_u64().map_or(tasks.len(), |width| width as usize);
        let mut waiting: VecDeque<String> =
            tasks.iter().map(|task| task["task_id"].as_str().unwrap().to_owned()).collect();
        let mut working: VecDeque<String> = waiting.drain(..width.min(tasks.len())).collect();
        while let Some(task) = working.pop_front() {
            match self.next(&task) {
                Some(step) => {
                    self.carry_out(&step, &task);
                    working.push_back(task);
                }
                None => working.extend(waiting.pop_front()),
            }
        }
    }

    /// Does a step and says what came of it.
    pub(crate) fn carry_out(&mut self, step: &Value, task: &str) {
        let id = step["id"].as_str().unwrap_or_else(|| panic!("{step:#}"));
        self.seen.push(if task.is_empty() { id.to_owned() } else { format!("{task}/{id}") });
        let mut report = json!({ "workflow_id": self.run, "step_id": id });
        match (self.hand)(step, task) {
            Done::Plainly => {}
            Done::Gives(result) => report["result"] = result,
            Done::Fails(error) => {
                report["status"] = "failed".into();
                report["error"] = error.into();
            }
        }
        let heard = self.call(task, "workflow_step_complete", report);
        assert_eq!(heard["success"], true, "{heard:#}");
    }
}
