//! A result on its way to the step that it is for.
//!
//! ```text
//!  which step ── the one that is named, else the one that has been due longest
//!       └── its attempt? ── fits? ── submit
//! ```
//! Nothing but the due result moves a run. A result that came before is recognised: the same one is answered as the first one
//! would be now, another one is refused.

use super::resume_workflow::given_before;
use super::status;
use crate::mcp::call::Call;
use crate::mcp::next::{OVER, next};
use crate::mcp::problem::{Problem, said};
use crate::mcp::runs;
use crate::mcp::submit::{Taken, humans_only, submit};
use crate::mcp::wait::{Patience, wait};
use crate::mcp::watch::Watch;
use engine::asking::{self, Asked, AskedKind, Misfit};
use engine::dialects::steps::due::Action;
use engine::dialects::steps::instructions::{self, Reader};
use engine::dialects::steps::view::word;
use engine::dialects::view::asked::{question_id, step};
use engine::kernel::event::Claim;
use engine::kernel::{Command, EffectId, Fields, Refusal, Status};
use serde_json::{Value, json};

/// Longest reason why a step could not be done.
const ERROR_CHARS_MAX: usize = 4_000;

pub(super) fn result_schema() -> Value {
    json!({
        "description": "What became of the step: {stdout, stderr, exit_code}, what the tool answered, {response}, or what the user \
            said."
    })
}

pub(super) fn attempt_schema() -> Value {
    json!({
        "type": "integer",
        "minimum": 1,
        "description": "The attempt, as it was given with the step: an old result then never counts for a new attempt."
    })
}

pub(super) fn error_schema() -> Value {
    json!({ "type": "string", "description": "Why the step could not be done, instead of `result`." })
}

/// What a caller says of a step.
enum Said {
    Result(Value),
    Error(String),
}

impl Said {
    fn of(call: &Call) -> Result<Said, Problem> {
        let error = call.arguments.text("error")?.map(str::trim).filter(|error| !error.is_empty());
        match (call.arguments.value("result"), error) {
            (Some(result), None) => Ok(Said::Result(result.clone())),
            (None, Some(error)) => Ok(Said::Error(error.chars().take(ERROR_CHARS_MAX).collect())),
            (Some(_), Some(_)) => Err(Problem::new(
                "wrong-argument",
                "`result` and `error` cannot both be given",
            )
            .help(
                "Nothing was changed. Give `result` where the step was done, `error` where it could not be",
            )),
            // Null is what some tools answer.
            (None, None) if call.arguments.is_null("result") => Ok(Said::Result(Value::Null)),
            (None, None) => Err(Problem::new(
                "missing-argument",
                format!("{} needs `result`, or `error`", call.arguments.tool()),
            )
            .help("Nothing was changed. Give what became of the step")),
        }
    }
}

/// Hands in what a caller says of a step, and has the run watched from then on.
pub(super) async fn hand_in(call: &Call, watch: &mut Watch, step_id: Option<&str>) -> Result<Asked, Problem> {
    let said = match Said::of(call) {
        Ok(said) => said,
        Err(problem) => return Err(shown(problem, watch, watch.view.asked.first())),
    };
    if step_id.is_none()
        && (call.made_before().is_some() || watch.view.asked.is_empty())
        && let Said::Result(result) = &said
        && let Some(asked) = given_before(call, &watch.view.run, result).await?
    {
        watch.taken(call, &asked, Taken::Recorded(None)).await?;
        return Ok(asked);
    }
    let attempt = call.arguments.number("attempt")?;
    let (asked, is_due) = match pick(watch, step_id) {
        Some(asked) => (asked.clone(), true),
        None => match asked_before(call, watch, step_id, attempt).await? {
            Some(asked) => (asked, false),
            None => return Err(not_due(watch, step_id)),
        },
    };
    if is_due && let Some(attempt) = attempt.filter(|attempt| *attempt != asked.attempt) {
        return Err(old(watch, &asked, attempt));
    }
    if asked.is_gate() {
        return Err(humans_only(&asked));
    }
    let command = match said {
        Said::Result(result) => {
            let fitted = asking::fit(&asked, result).map_err(|misfit| unfit(watch, &asked, &misfit))?;
            asking::answer(&asked, fitted, call.caller())
        }
        Said::Error(error) => {
            let claim = Claim { error: Some(error), ..Claim::default() };
            let (effect, result) = (asked.effect.clone(), Fields::new());
            Command::Submit { effect, result, by: call.caller(), claim }
        }
    };
    let seq = submit(call, &asked, command).await.map_err(|error| refused(watch, &asked, error))?;
    watch.taken(call, &asked, Taken::Recorded(seq)).await?;
    Ok(asked)
}

/// Waits until the server has looked whether a result holds, where that is the result of a run below the one that is watched:
/// others may ask for something meanwhile, and whoever handed it in wants to hear of this one first.
pub(super) async fn looked_at(
    call: &Call,
    watch: &Watch,
    asked: &Asked,
    patience: Patience,
) -> Result<(), Problem> {
    if asked.attempts_left.is_none() || asked.run == watch.view.run {
        return Ok(());
    }
    let mut own = status::watch(call, &asked.run).await?;
    own.asks = false;
    wait(call, &mut own, patience).await.map(|_| ())
}

/// What whoever handed a result in is told, where the server looked and it did not hold.
pub(super) fn held_not(call: &Call, watch: &Watch, handed_in: &Asked) -> Option<Problem> {
    // Whoever says that it could not be done claims nothing.
    call.arguments.value("result")?;
    unverified(watch, handed_in)
}

/// The same, whatever was said.
pub(super) fn unverified(watch: &Watch, handed_in: &Asked) -> Option<Problem> {
    let id = step(&handed_in.effect);
    let is_it =
        |one: &&Asked| one.run == handed_in.run && step(&one.effect) == id && one.attempt > handed_in.attempt;
    let due = watch.view.asked.iter().find(is_it)?;
    let (note, left) = (due.note.as_ref()?, due.attempts_left?);
    let (run, action) = (&watch.view.run, Action::of(due));
    let reader = if watch.view.plan.agent.is_some() { Reader::Sub } else { Reader::Main };
    let problem = Problem::new("unverified", format!("the result of `{id}` was not accepted: {note}"))
        .with("workflow_id", run.as_str().into())
        .with("attempt", json!(due.attempt))
        .with("attempts_left", json!(left))
        .help("The server looked before it believed the result, and counts what does not hold. Mend the cause first");
    Some(
        match reader {
            Reader::Main => problem.with("action", action.to_json(run)),
            Reader::Sub => problem.with("step", action.to_step()),
        }
        .next(instructions::next(&action, reader)),
    )
}

/// Says that a step was seen in which nothing was to be done.
pub(super) async fn acknowledge(call: &Call, watch: &Watch, action: &Action) -> Result<(), Problem> {
    let asked =
        watch.view.asked.iter().find(|asked| asked.run == action.run && asked.effect == action.effect);
    let Some(asked) = asked else { return Ok(()) };
    let fitted = asking::fit(asked, Value::Null).map_err(|misfit| unfit(watch, asked, &misfit))?;
    match submit(call, asked, asking::answer(asked, fitted, call.caller())).await {
        // Someone else saw it at the same time.
        Ok(_) | Err(engine::Error::Refused(_)) => Ok(()),
        Err(error) => Err(runs::refused(error)),
    }
}

/// The step that is meant, if it is due: by what its own run calls it, by the way to it, or by the id of its question.
fn pick<'w>(watch: &'w Watch, step_id: Option<&str>) -> Option<&'w Asked> {
    let asked = &watch.view.asked;
    let Some(named) = step_id else { return asked.first() };
    let own = asked.iter().find(|one| one.run == watch.view.run && step(&one.effect) == named);
    let by_way = || asked.iter().find(|one| one.path.join("/") == named || one.question_id == named);
    own.or_else(by_way).or_else(|| {
        let mut below = asked.iter().filter(|one| step(&one.effect) == named);
        below.next().filter(|_| below.next().is_none())
    })
}

/// The step of this name that was due before.
async fn asked_before(
    call: &Call,
    watch: &Watch,
    step_id: Option<&str>,
    attempt: Option<u32>,
) -> Result<Option<Asked>, Problem> {
    let Some(named) = step_id.map(str::to_owned) else { return Ok(None) };
    let run = watch.view.run.clone();
    let found = call.visit.look(move |_, reader| {
        let root = asking::root(reader, &run)?;
        let effect = EffectId::new(format!("{named}#{}", attempt.unwrap_or(1)));
        asking::find(reader, &root, &question_id(&root, &run, &effect))
    });
    found.await?.map_err(runs::not_loaded)
}

/// A problem that shows what is due.
fn shown(problem: Problem, watch: &Watch, due: Option<&Asked>) -> Problem {
    let view = &watch.view;
    let problem = problem.with("workflow_id", view.run.as_str().into());
    let problem = match due.map(Action::of) {
        Some(action) => {
            let due = json!({ "step_id": action.step_id, "attempt": action.attempt });
            problem.with("due", due).with("action", action.to_json(&view.run))
        }
        None => problem,
    };
    match next(view) {
        Some(next) => problem.next(next),
        None => problem,
    }
}

fn not_due(watch: &Watch, step_id: Option<&str>) -> Problem {
    let (view, due) = (&watch.view, watch.view.asked.first());
    let run = &view.run;
    if is_over(watch) {
        let status = word(&view.status, false);
        let how = match status {
            "failed" => "has failed",
            "cancelled" => "was cancelled",
            _ => "is complete",
        };
        let next = match view.plan.agent {
            Some(_) => OVER.to_owned(),
            None => format!("get_workflow_status(workflow_id=\"{run}\") shows what came of it."),
        };
        return Problem::new("over", format!("run {run} {how}: it takes no more results"))
            .with("status", json!(status))
            .help("Nothing was changed")
            .next(next);
    }
    if let Some(one) = view.delegated.iter().find(|one| due.is_none() || step_id == Some(&one.step_id)) {
        let error = format!("`{}` belongs to sub-agents, one for each item", one.step_id);
        let help = "Nothing was changed. Each hands its steps in with the workflow_id of its own item";
        return shown(Problem::new("delegated", error).help(help), watch, None);
    }
    let among = |named: &str| view.asked.iter().filter(|one| step(&one.effect) == named).count();
    let problem = match (step_id, due) {
        (Some(named), Some(_)) if among(named) > 1 => {
            let error = format!("`{}` is due in {} items: say in which", said(named), among(named));
            Problem::new("wrong-step", error)
                .help("Nothing was changed. Hand it in with the workflow_id of the item")
        }
        (Some(named), Some(_)) => Problem::new("wrong-step", format!("step `{}` is not due", said(named)))
            .help("Nothing was changed"),
        _ => Problem::new("nothing-due", format!("run {run} waits for no result: it is {}", view.word()))
            .help("Nothing was changed. get_workflow_status(workflow_id) shows how the run stands"),
    };
    shown(problem, watch, due)
}

fn old(watch: &Watch, asked: &Asked, attempt: u32) -> Problem {
    let (id, due) = (step(&asked.effect), asked.attempt);
    let error = format!("attempt {attempt} of `{id}` is not due: attempt {due} is");
    shown(Problem::new("old-attempt", error).help("Nothing was changed"), watch, Some(asked))
}

fn is_over(watch: &Watch) -> bool {
    matches!(watch.view.status, Status::Ended(_))
}

fn unfit(watch: &Watch, asked: &Asked, misfit: &Misfit) -> Problem {
    let id = step(&asked.effect);
    if is_over(watch) {
        return not_due(watch, Some(id));
    }
    let (code, what) = match asked.kind {
        AskedKind::Agent if misfit.is_too_large() => ("too-large", "the result"),
        AskedKind::Agent => ("malformed-result", "the result"),
        _ => ("wrong-answer", "the answer"),
    };
    let message = misfit.problems.first().map(|problem| problem.message.as_str()).unwrap_or_default();
    let problem = Problem::new(code, format!("{what} does not fit `{id}`: {message}"))
        .with("expects", json!(misfit.fits))
        .help("Nothing was changed. Hand it in again so that it fits");
    shown(problem, watch, Some(asked))
}

fn refused(watch: &Watch, asked: &Asked, error: engine::Error) -> Problem {
    let id = step(&asked.effect);
    match error {
        engine::Error::Refused(_) if is_over(watch) => not_due(watch, Some(id)),
        engine::Error::Refused(Refusal::AlreadyAnswered { .. }) => {
            let error = format!("`{id}` has another result already");
            let problem =
                Problem::new("already-answered", error).help("Nothing was changed: the first one counts");
            shown(problem, watch, watch.view.asked.first())
        }
        engine::Error::Refused(Refusal::TooLarge { size, max, .. }) => {
            let error = format!(
                "the result of `{id}` is too large: with it the state would have {size} bytes, and {max} are the most"
            );
            let help = "Nothing was changed. Hand in less: what is long belongs into a file, and its name into the result";
            shown(Problem::new("too-large", error).help(help), watch, Some(asked))
        }
        engine::Error::Refused(Refusal::WrongKind { .. }) => {
            let why = match asked.kind {
                AskedKind::Agent => "it goes on by itself, and cannot be given up",
                _ => "a person is asked: what counts is what they say, and `error` is not theirs",
            };
            let problem = Problem::new("wrong-answer", format!("`{id}`: {why}")).help("Nothing was changed");
            shown(problem, watch, Some(asked))
        }
        other => shown(runs::refused(other), watch, watch.view.asked.first()),
    }
}
