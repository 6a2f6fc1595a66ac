//! What the agent is told: one sentence for each kind of step that ends with the exact next call, what the main agent does with
//! items for sub-agents, and the rules that a sub-agent gets with its id. Nothing in them depends on a conversation: whoever reads
//! one knows how to go on.

use super::due::{Action, Delegated};
use kernel::RunId;
use kernel::plan::GateLevel;
use serde_json::Value;

/// Who reads it: the tool by which they hand results in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The agent that talks to the user.
    Main,
    /// One that does nothing but the steps of one child.
    Sub,
}

impl Reader {
    fn tool(self) -> &'static str {
        match self {
            Reader::Main => "submit_result",
            Reader::Sub => "submit_step_result",
        }
    }
}

/// What to do about an action, with the call that hands its result in.
pub fn next(action: &Action, reader: Reader) -> String {
    let give = |result: &str| {
        let Action { run, step_id, attempt, .. } = action;
        format!(
            "call {}(workflow_id=\"{run}\", step_id=\"{step_id}\", attempt={attempt}, result={result})",
            reader.tool()
        )
    };
    if let Some(gate) = &action.gate {
        return gated(action, gate.level);
    }
    let text = |name: &str| action.parameters.get(name).and_then(Value::as_str).unwrap_or_default();
    let cannot = "If that cannot be done, give `error` (why) instead of `result`.";
    let elsewhere = action.elsewhere().unwrap_or_default();
    let next = match action.kind.as_str() {
        "shell" => format!(
            "Run `command` exactly as it is, then {}. A command that fails is a result too. {cannot}",
            give(r#"{"stdout": ..., "stderr": ..., "exit_code": ...}"#)
        ),
        "mcp_call" => format!(
            "Call the tool `{}` with `args`, then {}. {cannot}",
            text("tool"),
            give("<all that the tool answered>")
        ),
        "delegate" if action.parameters.contains_key("hints") => {
            format!("Do what `instructions` say, then {}. {cannot}", give(r#"{"applied_count": 2}"#))
        }
        "delegate" => match text("agent") {
            "" => format!("Do what `instructions` say, then {}. {cannot}", give(r#"{"response": ...}"#)),
            agent => format!(
                "Give `instructions` to the sub-agent {agent}, wait for its answer, then {}. {cannot}",
                give(r#"{"response": ...}"#)
            ),
        },
        "prompt" => asks(text("type"), &give),
        "wait" => {
            let waits = match reader {
                Reader::Main => "get_workflow_status",
                Reader::Sub => "get_next_step",
            };
            let run = &action.run;
            format!(
                "Nothing is to be done: the run goes on by itself. {waits}(workflow_id=\"{run}\", wait_seconds=45) waits for it."
            )
        }
        "set_state" => "Nothing is to be done: get_next_step gives the step that follows.".to_owned(),
        _ => format!("Do what it says, then {}. {cannot}", give("<the result>")),
    };
    again(action) + &elsewhere + &next
}

/// What is said first where a result did not hold.
fn again(action: &Action) -> String {
    match action.attempts_left {
        None => String::new(),
        Some(1) => "The last result did not hold, `note` says why: mend that, and do the step again. This is the last attempt. "
            .to_owned(),
        Some(left) => format!(
            "The last result did not hold, `note` says why: mend that, and do the step again. {left} attempts are left. "
        ),
    }
}

fn asks(kind: &str, give: &dyn Fn(&str) -> String) -> String {
    match kind {
        "info" => format!("Show `message` to the user as it is, then {}.", give(r#"{"acknowledged": true}"#)),
        "confirm" => format!(
            "Ask the user, wait for their answer, then {}. Never answer for them.",
            give(r#"{"confirmed": true or false}"#)
        ),
        "choice" => format!(
            "Let the user choose one of `options`, then {}. Never choose for them.",
            give(r#"{"selected": "<the option>"}"#)
        ),
        _ => format!(
            "Ask the user, wait for their answer, then {}. Never answer for them.",
            give(r#"{"input": "<what they said>"}"#)
        ),
    }
}

/// Only a human answers, and not through the agent.
fn gated(action: &Action, level: GateLevel) -> String {
    let run = &action.run;
    let how = match level {
        GateLevel::Ask => "",
        GateLevel::Proof => ", with their passphrase",
    };
    format!(
        "Only a human may answer this, and not through you. Tell the user that the run waits for them: they type \
         `switchback answer {run}` in a terminal of their own{how}. get_workflow_status(workflow_id=\"{run}\", \
         wait_seconds=45) waits for it."
    )
}

/// What the main agent does with items that belong to sub-agents.
pub fn delegating(root: &RunId, one: &Delegated) -> String {
    let Delegated { agent, task, count, done, open, width, seen, .. } = one;
    let how = match (*count, *width) {
        (1, _) => "",
        (_, 1) => " one after the other",
        _ => " in parallel",
    };
    let whom = match agent.as_str() {
        "@task" => "a sub-agent of its own (your tool for tasks)".to_owned(),
        named => format!("the sub-agent {named}, a fresh one for each"),
    };
    let items = if *count == 1 { "1 item".to_owned() } else { format!("{count} items") };
    format!(
        "Process {items}{how} using {agent}: give each entry of `items` that is not `in_work` to {whom}, with `prompt`, in which you put the \
         entry's `workflow_id` and `input` where it says so (without `input` where that is left out: each step has what it needs). Task: `{task}`; {} open now, {done} done. Do not do their steps \
         yourself, and tell them nothing else: each step comes to them from the server. When those that are open have ended, \
         call get_workflow_status(workflow_id=\"{root}\", wait_seconds=45, since={seen}): it gives the next items, or the next step.",
        open.len()
    )
}

/// The rules of a sub-agent, with its id and its item.
pub fn sub_agent(child: &str, task: &str, input: &str) -> String {
    format!(
        "<workflow-server-rules>\n\
         You carry out one task of a workflow, step by step. The server holds the steps and the state; you see one step at a \
         time, ready to be done.\n\
         \n\
         Again and again:\n\
         1. get_next_step(workflow_id) gives the next step: `step_id`, `attempt`, `type` and what it needs.\n\
         2. Do exactly that step:\n\
         \x20  - shell: run `command` as it is; result {{\"stdout\", \"stderr\", \"exit_code\"}}. A command that fails is a result \
         too.\n\
         \x20  - mcp_call: call the tool `tool` with `args`; result: all that it answered.\n\
         \x20  - delegate: do what `instructions` say; result {{\"response\"}}.\n\
         \x20  - set_state, wait, return: nothing is to be done; the server does it.\n\
         \x20  - foreach: give each of `items` to a sub-agent of your own with `prompt`, then do what `next` says.\n\
         3. submit_step_result(workflow_id, step_id, result, attempt) hands the result in, and answers with the next step.\n\
         Go on until `status` is `complete`, `failed` or `cancelled`, then stop and say so in one sentence.\n\
         \n\
         - Hand in what really happened. The server may check it.\n\
         - What cannot be done is handed in with `error` (why) instead of `result`.\n\
         - Do not ask the user, start no workflow, do nothing beside the steps.\n\
         - After an error of the server read `next` in its answer and do that.\n\
         \n\
         Workflow ID: {child}\n\
         Task: {task}\n\
         Input: {input}\n\
         </workflow-server-rules>\n\
         \n\
         Begin with get_next_step(workflow_id=\"{child}\")."
    )
}
