//! `resume_workflow`: gives a run the answer it waits for, and waits on.
//!
//! ```text
//!  which question ── the one that is named, or the only one that is open
//!        └── the answer fits? ── submit ── wait ── answer like execute_workflow
//! ```
//! A call may come twice: from an agent that heard nothing, or from our own pipe after a daemon has died. The same answer to
//! the same question is taken once, and both hear the same.

use super::execute_workflow::go_on;
use super::{Hints, Later, Tool, schema, status};
use crate::cli::undecided;
use crate::mcp::answer::Answered;
use crate::mcp::call::Call;
use crate::mcp::elicit::again;
use crate::mcp::next::next;
use crate::mcp::problem::{Problem, said};
use crate::mcp::questions;
use crate::mcp::runs::{self, Sight};
use crate::mcp::submit::{Taken, relay};
use crate::mcp::wait::Patience;
use crate::mcp::watch::Watch;
use crate::settings::Toolset;
use engine::asking::{self, Asked, Unpicked};
use engine::kernel::RunId;
use engine::store::RunRow;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "resume_workflow",
    title: "Answer a paused run",
    description: "Use this to give a run the answer it is paused for: what a person said to its question, or the result of \
        work that a step hands to you; to look at a run or to wait for it use get_workflow_status. Give `workflow_id` and \
        `response`: true or false, one of the choices, a text, or for your own work what `output_schema` asks for. \
        `question_id` is needed only where several questions are open; an answer names them all. A response that does not \
        fit is refused with what would fit, and nothing moves; so is a second, different one. A question that only a human \
        may answer (a gate) is refused: the person answers it themselves. Never make up what a person would say. Then the \
        call waits and answers like execute_workflow.",
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: true },
    toolset: Some(Toolset::Blocks),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_id": schema::workflow_id("The id of the paused run, or any unique beginning of it."),
                "response": {
                    "description": "The answer: true or false, one of the choices, a text, or an object for work of yours."
                },
                "question_id": {
                    "type": "string",
                    "description": "Which question, as `questions` names it; not needed where only one is open."
                },
                "attempt": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The attempt that is answered; another one that is due by now is then not answered by mistake."
                },
                "wait_seconds": schema::wait_seconds(
                    "How long this call waits for the run afterwards; 0 answers at once. Without it: as long as a call may take."
                ),
                "request_key": schema::request_key(
                    "Accepted and ignored: the same answer to the same question_id is taken once without one."
                ),
            }),
            &["workflow_id"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(resume(call)) },
};

async fn resume(call: &Call) -> Answered {
    let patience = Patience::of(call.arguments.wait_seconds()?, call.visit.settings().call_seconds);
    call.arguments.request_key()?;
    let word = call.arguments.run()?.ok_or_else(|| {
        Problem::new("missing-argument", "resume_workflow needs the argument `workflow_id`: the id of a run")
            .help("get_workflow_status() without an id shows the runs of this folder")
    })?;
    if let Some(again) = again(call).await? {
        let mut watch = status::watch(call, &again.run).await?;
        watch.goes_on(again);
        return go_on(call, watch, patience).await;
    }
    let sight = Sight::of(&call.visit, false);
    let row = call.visit.look(move |_, reader| runs::find(reader, &word, &sight)).await??;
    if row.parked_at.is_some() {
        return Err(parked(&row));
    }
    let mut watch = status::watch(call, &row.id).await?;
    let (asked, taken) = give(call, &watch, &row.id).await?;
    watch.taken(call, &asked, taken).await?;
    go_on(call, watch, patience).await
}

/// Gives the answer, or finds that it was given before.
async fn give(call: &Call, watch: &Watch, run: &RunId) -> Result<(Asked, Taken), Problem> {
    let named = call.arguments.text("question_id")?.map(str::trim).filter(|id| !id.is_empty());
    let Some(response) = call.arguments.value("response").cloned() else { return Err(nothing_said(watch)) };
    if named.is_none()
        && (call.made_before().is_some() || watch.view.asked.is_empty())
        && let Some(asked) = given_before(call, run, &response).await?
    {
        return Ok((asked, Taken::Recorded(None)));
    }
    let asked = match asking::pick(&watch.view.asked, named) {
        Ok(asked) => asked.clone(),
        Err(Unpicked::NothingAsked) => return Err(nothing_asked(watch)),
        Err(Unpicked::Several(_)) => return Err(several(watch)),
        Err(Unpicked::Unknown { named, .. }) => match answered(call, run, &named).await? {
            // What belongs to a sub-agent is handed in by it.
            Some(asked) if !is_delegated(watch, &asked) => asked,
            _ => return Err(unknown(watch, &named)),
        },
    };
    if let Some(attempt) = call.arguments.number("attempt")?.filter(|attempt| *attempt != asked.attempt) {
        return Err(old(&asked, attempt));
    }
    let taken = relay(call, &asked, response).await?;
    Ok((asked, taken))
}

fn is_delegated(watch: &Watch, asked: &Asked) -> bool {
    let mut open = watch.view.delegated.iter().flat_map(|one| &one.open);
    open.any(|(run, _)| asked.run.is_within(run))
}

/// The question that this very answer was given to last.
pub(super) async fn given_before(
    call: &Call,
    run: &RunId,
    response: &Value,
) -> Result<Option<Asked>, Problem> {
    let run = run.clone();
    let found = call.visit.look(move |_, reader| {
        let Some(last) = asking::last(reader, &run)? else { return Ok(None) };
        let root = asking::root(reader, &run)?;
        let id = engine::dialects::view::asked::question_id(&root, &last.run, &last.effect);
        Ok(asking::find(reader, &root, &id)?.map(|asked| (asked, last)))
    });
    let Some((asked, last)) = found.await?.map_err(runs::not_loaded)? else { return Ok(None) };
    let same = asking::fit(&asked, response.clone()).is_ok_and(|result| result == last.result);
    let is_since = call.made_before().is_none_or(|since| last.at >= since);
    Ok((same && is_since && last.by == call.caller()).then_some(asked))
}

/// A question that was asked before, by its id.
async fn answered(call: &Call, run: &RunId, id: &str) -> Result<Option<Asked>, Problem> {
    let (run, id) = (run.clone(), id.to_owned());
    let found = call.visit.look(move |_, reader| asking::find(reader, &asking::root(reader, &run)?, &id));
    found.await?.map_err(runs::not_loaded)
}

/// A problem that shows what is asked.
fn with_questions(problem: Problem, watch: &Watch) -> Problem {
    let problem = problem
        .with("workflow_id", watch.view.run.as_str().into())
        .with("status", watch.view.word().into())
        .with("questions", questions::documents(&watch.view.asked, true));
    match next(&watch.view) {
        Some(next) => problem.next(next),
        None => problem,
    }
}

fn nothing_said(watch: &Watch) -> Problem {
    let problem = Problem::new("missing-argument", "resume_workflow needs the argument `response`: the answer")
        .help("Nothing was changed. A run that was interrupted is no paused one: a person goes on with it by `switchback resume`");
    with_questions(problem, watch)
}

fn nothing_asked(watch: &Watch) -> Problem {
    let (view, run) = (&watch.view, &watch.view.run);
    let undecided: Vec<_> = view.all_undecided().collect();
    let why = match undecided.len() {
        0 => format!("it is {}", view.word()),
        1 => format!("{} was interrupted", undecided::list(view, &undecided)),
        _ => format!("{} were interrupted", undecided::list(view, &undecided)),
    };
    let problem = Problem::new("nothing-asked", format!("run {run} waits for no answer: {why}"))
        .help("Nothing was changed. get_workflow_status(workflow_id) shows how the run stands");
    with_questions(problem, watch)
}

fn several(watch: &Watch) -> Problem {
    let count = watch.view.asked.len();
    let problem =
        Problem::new("several-questions", format!("{count} questions are open: say which one is answered"))
            .options(watch.view.asked.iter().map(|asked| asked.question_id.clone()))
            .help("Call resume_workflow again with the `question_id` of one");
    with_questions(problem, watch)
}

fn unknown(watch: &Watch, named: &str) -> Problem {
    let problem = Problem::new("unknown-question", format!("no question is called `{}`", said(named)))
        .options(watch.view.asked.iter().map(|asked| asked.question_id.clone()))
        .near(named)
        .help(match watch.view.asked.is_empty() {
            true => "Nothing was changed. Nothing is asked now",
            false => "Nothing was changed. These are open",
        });
    with_questions(problem, watch)
}

fn old(asked: &Asked, attempt: u32) -> Problem {
    let due = asked.attempt;
    Problem::new(
        "old-attempt",
        format!("attempt {attempt} of `{}` is not due: attempt {due} is", asked.question_id),
    )
    .with("due", json!({ "question_id": asked.question_id, "attempt": due }))
    .with("question", questions::document(asked))
    .help("Nothing was changed. Look at the question again, then answer it with its attempt")
}

fn parked(row: &RunRow) -> Problem {
    let run = &row.id;
    Problem::new("set-aside", format!("run {run} was set aside by someone, and takes no answers"))
        .help("Nothing was changed")
        .next(format!("A person goes on with it by `switchback resume {run}`; then answer."))
}
