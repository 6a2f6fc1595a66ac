//! What the tools of this dialect answer: the uniform response, with every block's inputs, outputs and
//! metadata. The words are those of the dialect: a run is a `success` or a `failure`.

use super::shell;
use crate::view::{Line, State, Timeline, shown};
use kernel::clock::iso;
use kernel::plan::Flow;
use kernel::{Data, Outcome, Plan, Status};
use serde_json::{Map, Value, json};
use std::convert::Infallible;

/// Returns the response for a run, however it stands. Whether someone must do something before it goes on is not known here.
pub fn response(plan: &Plan, timeline: &Timeline, status: &Status, is_paused: bool) -> Value {
    let (word, error) = match status {
        Status::Ended(Outcome::Succeeded { .. }) => ("success", None),
        Status::Ended(Outcome::Failed { failure }) => ("failure", Some(failure.message.clone())),
        Status::Ended(Outcome::Cancelled { reason }) => {
            ("cancelled", Some(format!("the run was cancelled: {reason}")))
        }
        _ if is_paused => ("paused", None),
        Status::Queued | Status::Running | Status::Waiting(_) | Status::Closing => ("running", None),
    };
    let blocks = timeline.lines.iter().map(|line| (line.id.clone(), block(line)));
    json!({
        "status": word,
        "outputs": outputs(plan, status),
        "blocks": blocks.collect::<Map<_, _>>(),
        "metadata": metadata(plan, timeline),
        "error": error,
    })
}

/// Returns the waves of a graph: each block as early as its dependencies let it. A block starts as soon as it is
/// ready and does not wait for its wave; this is how people see the shape.
pub fn waves(plan: &Plan) -> Vec<Vec<&str>> {
    let Flow::Graph(graph) = &plan.flow else { return Vec::new() };
    let mut wave: Vec<Option<usize>> = vec![None; graph.blocks.len()];
    let mut waves: Vec<Vec<&str>> = Vec::new();
    // A plan has no circles, so that every round places at least one block.
    while wave.contains(&None) {
        let ready = |position: usize| {
            let mut earlier = graph.blocks[position].depends_on.iter();
            wave[position].is_none() && earlier.all(|one| wave[*one as usize].is_some())
        };
        let placed: Vec<usize> = (0..wave.len()).filter(|position| ready(*position)).collect();
        assert!(!placed.is_empty(), "BUG: a plan has a circle of blocks");
        placed.iter().for_each(|position| wave[*position] = Some(waves.len()));
        waves.push(placed.into_iter().map(|position| plan.steps[position].id.as_str()).collect());
    }
    waves
}

/// The outputs in the order of the definition; a run that did not succeed has none.
fn outputs(plan: &Plan, status: &Status) -> Value {
    let Status::Ended(Outcome::Succeeded { outputs }) = status else { return json!({}) };
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
    let mut outputs: Map<_, _> = outputs.collect();
    if let Ok(Some(results)) = results(line, |data| Ok::<_, Infallible>(shown(data))) {
        outputs.insert(RESULTS.to_owned(), results);
    }
    json!({
        "inputs": inputs(line),
        "outputs": outputs,
        "metadata": block_metadata(line),
    })
}

/// Inputs that are nobody's but ours: a script, what an adapter is to do, a template as an evaluator takes it, what is not whole.
const OURS: [&str; 4] = ["script", "operation", "source", super::LEFT_OUT];

/// The output of a block that says what became of its items.
pub const RESULTS: &str = "results";

/// What became of the items of a block that are over, as its outputs have it where something reads them.
pub fn results<E>(line: &Line, mut value: impl FnMut(&Data) -> Result<Value, E>) -> Result<Option<Value>, E> {
    let Some(items) = &line.items else { return Ok(None) };
    items
        .iter()
        .filter(|item| item.state.is_over())
        .map(|item| row(item, &mut value))
        .collect::<Result<_, E>>()
        .map(Some)
}

fn row<E>(line: &Line, value: &mut impl FnMut(&Data) -> Result<Value, E>) -> Result<Value, E> {
    let index = line.id.strip_suffix(']').and_then(|id| id.rsplit_once('[')?.1.parse::<u32>().ok());
    let item = line.item.as_ref().map(&mut *value).transpose()?;
    let outputs = line.outputs.iter().map(|(name, data)| Ok((name.clone(), value(data)?)));
    Ok(json!({
        "index": index,
        "item": item,
        "succeeded": line.state == State::Succeeded,
        "outputs": outputs.collect::<Result<Map<_, _>, E>>()?,
        "error": line.reason,
    }))
}

/// The inputs as they were written: the script and the variables of its references are our own affair.
fn inputs(line: &Line) -> Value {
    if let Some(nested) = &line.nested {
        let given = line.inputs.iter().map(|(name, data)| (name.clone(), shown(data)));
        return json!({ "workflow": nested.workflow, "inputs": given.collect::<Map<_, _>>() });
    }
    let fields = &line.inputs;
    let (mut inputs, mut groups) = (Map::new(), Map::new());
    for (name, data) in fields {
        match name.split_once('.') {
            Some(("env" | "variables", variable)) if shell::is_variable(variable) => {}
            Some((group, variable)) => {
                groups.entry(group).or_insert_with(|| json!({}))[variable] = shown(data);
            }
            None if OURS.contains(&name.as_str()) => {}
            None => drop(inputs.insert(name.clone(), shown(data))),
        }
    }
    inputs.extend(groups);
    Value::Object(inputs)
}

fn block_metadata(line: &Line) -> Value {
    let state = line.state;
    let result = match state {
        State::Succeeded => Some("success"),
        State::Failed => Some("failure"),
        State::Crashed | State::Cancelled => Some("crashed"),
        State::Skipped => Some("skipped"),
        State::Pending | State::Running | State::Waiting | State::Resting | State::Interrupted => None,
    };
    let mut metadata = json!({
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
    });
    if let Some(nested) = &line.nested {
        metadata["child_run"] = json!(nested.run);
    }
    metadata
}

/// The status in the six words of the dialect.
const fn status(state: State) -> &'static str {
    match state {
        State::Interrupted | State::Waiting => "paused",
        State::Cancelled => "failed",
        state => state.status(),
    }
}
