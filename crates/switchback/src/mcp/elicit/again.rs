//! A call that is made again with an answer: what it stands on is opened, the answer is submitted, and the waiting goes on.

use super::form::Said;
use super::seal::{State, now, opened};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::questions;
use crate::mcp::runs;
use crate::mcp::submit::{Taken, take};
use engine::asking::{self, Asked};
use engine::kernel::RunId;
use rmcp::model::ElicitResult;
use serde_json::Value;

/// A call that goes on.
pub(in crate::mcp) struct Again {
    /// The run that is waited for.
    pub(in crate::mcp) run: RunId,
    /// The question.
    pub(in crate::mcp) asked: Asked,
    /// How often it was asked because an answer did not fit.
    pub(in crate::mcp) tries: u32,
    /// What became of the answer.
    pub(in crate::mcp) taken: Taken,
}

/// What a call brought back, if it did.
pub(in crate::mcp) async fn again(call: &Call) -> Result<Option<Again>, Problem> {
    let Some(sealed) = call.request_state.as_deref() else {
        return match call.input_responses.is_some() {
            true => Err(refused(call, "answers came without the state that says what they answer")),
            false => Ok(None),
        };
    };
    let state = opened(call, sealed).map_err(|why| refused(call, &why))?;
    let found = find(call, &state).await?;
    let Some(asked) = found.filter(|asked| asked.digest == state.shown) else {
        return Err(stale(call, &state, "what is asked now is not what was shown").await);
    };
    if now() > state.until {
        return Err(
            stale(call, &state, "the answer comes too late: a question can be answered for a day").await
        );
    }
    let answer = call.input_responses.as_ref().and_then(|all| all.get(&state.question_id));
    let Some(answer) = answer else {
        return Err(stale(call, &state, "the answer to the question is missing").await);
    };
    let taken = take(call, &asked, said(answer)).await?;
    Ok(Some(Again { run: state.watched, asked, tries: state.tries, taken }))
}

fn said(answer: &Value) -> Said {
    match serde_json::from_value::<ElicitResult>(answer.clone()) {
        Ok(result) => Said::of(result),
        Err(error) => Said::Garbled(format!("the answer is no answer to a form: {error}")),
    }
}

async fn find(call: &Call, state: &State) -> Result<Option<Asked>, Problem> {
    let (root, id) = (state.root.clone(), state.question_id.clone());
    let found = call.visit.look(move |_, reader| asking::find(reader, &root, &id)).await?;
    found.map_err(runs::not_loaded)
}

fn refused(call: &Call, why: &str) -> Problem {
    // The same call of one that starts a run would start another, unless a key says which one is meant.
    let has_key = matches!(call.arguments.request_key(), Ok(Some(_)));
    let next = match call.arguments.tool() == "execute_workflow" && !has_key {
        true => {
            "Do not make the call again: it would start a second run. get_workflow_status() shows the run that waits, \
             and with its workflow_id what is asked and how to answer."
        }
        false => "Make the call again without requestState and inputResponses; what is open is asked again.",
    };
    Problem::new("wrong-state", format!("this call does not go on with a question of ours: {why}"))
        .help("Nothing was changed. get_workflow_status() without an id shows the runs that wait, and what they ask")
        .next(next)
}

/// What was answered is not what is asked; what is asked is shown again.
async fn stale(call: &Call, state: &State, why: &str) -> Problem {
    let problem = Problem::new("stale-state", format!("the answer was not taken: {why}"))
        .help("Nothing was changed. get_workflow_status(workflow_id) shows how the run stands");
    let run = state.watched.clone();
    let open = call.visit.look(move |_, reader| asking::asked(reader, &run)).await;
    match open {
        Ok(Ok(open)) => problem
            .with("workflow_id", state.watched.as_str().into())
            .with("questions", questions::documents(&open, true))
            .next(questions::next(&state.watched, &open).unwrap_or_else(|| {
                format!("Nothing is asked now. get_workflow_status(workflow_id=\"{}\", wait_seconds=45) waits for the run.", state.watched)
            })),
        Ok(Err(error)) => runs::not_loaded(error),
        Err(problem) => problem,
    }
}
