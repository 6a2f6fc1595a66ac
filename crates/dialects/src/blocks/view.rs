//! What the tools of this dialect answer: the uniform response, with every block's inputs, outputs and
//! metadata. The words are those of the dialect: a run is a `success` or a `failure`.

use super::shell;
use crate::view::{Line, State, Timeline, shown};
use kernel::clock::iso;
use kernel::{Fields, Outcome, Plan};
use serde_json::{Map, Value, json};

/// Returns the response for a run that has ended.
pub fn response(plan: &Plan, timeline: &Timeline, outcome: &Outcome) -> Value {
    let (status, error) = match outcome {
        Outcome::Succeeded { .. } => ("success", None),
        Outcome::Failed { failure } => ("failure", Some(failure.message.clone())),
        Outcome::Cancelled { reason } => ("failure", Some(format!("the run was cancelled: {reason}"))),
    };
    let blocks = timeline.lines.iter().map(|line| (line.id.clone(), block(line)));
    json!({
        "status": status,
        "outputs": outputs(plan, outcome),
        "blocks": blocks.collect::<Map<_, _>>(),
        "metadata": metadata(plan, timeline),
        "error": error,
    })
}

/// The outputs in the order of the definition; a run that did not succeed has none.
fn outputs(plan: &Plan, outcome: &Outcome) -> Value {
    let Outcome::Succeeded { outputs } = outcome else { return json!({}) };
    let named = plan.outputs.iter().filter_map(|(name, _)| Some((name.clone(), shown(outputs.get(name)?))));
    Value::Object(named.collect())
}

fn metadata(plan: &Plan, timeline: &Timeline) -> Value {
    let ids = |states: &[State]| -> Value {
        let lines = timeline.lines.iter().filter(|line| states.contains(&line.state));
        lines.map(|line| Value::from(line.id.clone())).collect()
    };
    json!({
        "workflow_name": plan.name,
        "start_time": timeline.started_at.map(iso),
        "end_time": timeline.ended_at.map(iso),
        "duration_ms": timeline.duration_ms(),
        "total_blocks": timeline.lines.len(),
        "failed_blocks": ids(&[State::Failed, State::Crashed]),
        "skipped_blocks": ids(&[State::Skipped]),
    })
}

/// A block's inputs, outputs and metadata.
pub fn block(line: &Line) -> Value {
    let outputs = line.outputs.iter().map(|(name, data)| (name.clone(), shown(data)));
    json!({
        "inputs": inputs(&line.inputs),
        "outputs": outputs.collect::<Map<_, _>>(),
        "metadata": block_metadata(line),
    })
}

/// The inputs as they were written: the script and the variables of its references are our own affair.
fn inputs(fields: &Fields) -> Value {
    let (mut inputs, mut env) = (Map::new(), Map::new());
    for (name, data) in fields {
        match name.strip_prefix("env.") {
            Some(variable) if shell::is_variable(variable) => {}
            Some(variable) => drop(env.insert(variable.to_owned(), shown(data))),
            None if name == "script" => {}
            None => drop(inputs.insert(name.clone(), shown(data))),
        }
    }
    if !env.is_empty() {
        inputs.insert("env".to_owned(), Value::Object(env));
    }
    Value::Object(inputs)
}

fn block_metadata(line: &Line) -> Value {
    let state = line.state;
    let result = match state {
        State::Succeeded => Some("success"),
        State::Failed => Some("failure"),
        State::Crashed | State::Cancelled => Some("crashed"),
        State::Skipped => Some("skipped"),
        State::Pending | State::Running | State::Resting | State::Interrupted => None,
    };
    json!({
        "status": status(state),
        "outcome": state.outcome(),
        "result": result,
        "succeeded": state == State::Succeeded,
        "failed": matches!(state, State::Failed | State::Crashed | State::Cancelled),
        "skipped": state == State::Skipped,
        "operation_succeeded": state == State::Succeeded,
        "execution_time_ms": line.duration_ms,
        "start_time": line.started_at.map(iso),
        "attempts": line.attempt,
        "error": line.reason,
    })
}

/// The status in the six words of the dialect.
const fn status(state: State) -> &'static str {
    match state {
        State::Interrupted => "paused",
        State::Cancelled => "failed",
        state => state.status(),
    }
}
