//! A step on its way to being complete: which one is meant, what is said of it, and whether it may be.
//!
//! ```text
//!  step_id ── due? ── failed ─────────────────── submit the reason
//!                 ├── success with a result ──── fits? ── submit
//!                 ├── success without ────────── nothing is stored, or it was written already ── submit
//!                 │                          └── refused with the path that is missing
//!                 ├── the step of tasks ──────── all over? ── nothing more is to be said
//!                 └── was due before ─────────── the same again? ── as before
//! ```

use super::reactive::{self, Due, Whose};
use crate::mcp::call::Call;
use crate::mcp::problem::{Problem, said};
use crate::mcp::runs;
use crate::mcp::submit::{Taken, humans_only, submit};
use crate::mcp::watch::Watch;
use engine::asking::{self, Asked, Misfit};
use engine::dialects::near::near;
use engine::dialects::reactive::view::atomic::{self, Atomic};
use engine::dialects::view::State;
use engine::dialects::view::asked::{question_id, step};
use engine::kernel::event::Claim;
use engine::kernel::plan::Dialect;
use engine::kernel::{Command, Data, EffectId, Fields, Refusal, RunId, Status};
use serde_json::{Value, json};

/// Longest reason why a step could not be done.
const ERROR_CHARS_MAX: usize = 4_000;

/// Most attempts at a step.
const ATTEMPTS_MAX: u32 = 100;

/// The reason where none is given.
const NO_REASON: &str = "the agent says that it could not be done";

/// What a caller says of a step.
enum Said {
    /// It was done, and gave this; nothing where nothing was said.
    Done(Option<Value>),
    /// It could not be done.
    Failed(String),
}

impl Said {
    fn of(call: &Call) -> Result<Said, Problem> {
        let status = call.arguments.choice("status", &["success", "failed"])?;
        let error = call.arguments.text("error")?.map(str::trim).filter(|error| !error.is_empty());
        let result = call.arguments.value("result").cloned();
        let result = result.or_else(|| call.arguments.is_null("result").then_some(Value::Null));
        match (status, error, result) {
            (Some("failed"), error, None | Some(Value::Null)) | (None, error @ Some(_), None) => {
                Ok(Said::Failed(error.unwrap_or(NO_REASON).chars().take(ERROR_CHARS_MAX).collect()))
            }
            (Some("failed"), Some(error), Some(_)) => {
                Ok(Said::Failed(error.chars().take(ERROR_CHARS_MAX).collect()))
            }
            (Some("failed"), None, Some(result)) => Ok(Said::Failed(reason(&result))),
            (_, None, result) => Ok(Said::Done(result)),
            (_, Some(_), _) => Err(Problem::new(
                "wrong-argument",
                "`error` says why a step could not be done, and `status` says that it was",
            )
            .help("Nothing was changed. Give status=\"failed\" with `error`, or `result` alone")),
        }
    }
}

fn reason(result: &Value) -> String {
    let text = engine::dialects::view::asked::label(result);
    text.chars().take(ERROR_CHARS_MAX).collect()
}

/// Completes a step. Gives the question that it was, if something was handed in.
pub(super) async fn complete(
    call: &Call,
    watch: &mut Watch,
    whose: &Whose,
    step_id: &str,
) -> Result<Option<Asked>, Problem> {
    let said = Said::of(call)?;
    let attempt = call.arguments.number("attempt")?;
    let view = &watch.view;
    let due = whose.asked(view).find(|asked| atomic::is_meant(asked, step_id, &view.plan)).cloned();
    let Some(asked) = due else { return not_due(call, watch, whose, (step_id, attempt), said).await };
    if let Some(attempt) = attempt.filter(|attempt| *attempt != asked.attempt) {
        let error = format!("attempt {attempt} of `{step_id}` is not due: attempt {} is", asked.attempt);
        return Err(shown(Problem::new("old-attempt", error).help("Nothing was changed"), watch, whose));
    }
    if asked.is_gate() {
        return Err(humans_only(&asked));
    }
    if let Said::Failed(error) = &said
        && attempt.is_none()
        && let Some(before) = failed_before(call, watch, &asked, error).await?
    {
        return Ok(Some(before));
    }
    let command = command(call, watch, whose, &asked, said).await?;
    hand_in(call, watch, whose, asked, command).await.map(Some)
}

/// The earlier attempt at a step that has failed with the very same words, where nobody says which attempt is meant: the same
/// failure again is no second one.
async fn failed_before(
    call: &Call,
    watch: &mut Watch,
    asked: &Asked,
    error: &str,
) -> Result<Option<Asked>, Problem> {
    for attempt in (1..asked.attempt).rev() {
        let effect = EffectId::new(format!("{}#{attempt}", step(&asked.effect)));
        let Some(before) = find(call, &asked.run, vec![effect.clone()]).await? else { continue };
        let claim = Claim { error: Some(error.to_owned()), ..Claim::default() };
        let (result, by) = (Fields::new(), call.caller());
        let again = submit(call, &before, Command::Submit { effect, result, by, claim }).await;
        if let Ok(seq) = again {
            watch.taken(call, &before, Taken::Recorded(seq)).await?;
            return Ok(Some(before));
        }
    }
    Ok(None)
}

async fn hand_in(
    call: &Call,
    watch: &mut Watch,
    whose: &Whose,
    asked: Asked,
    command: Command,
) -> Result<Asked, Problem> {
    let seq = submit(call, &asked, command).await.map_err(|error| refused(watch, whose, &asked, error))?;
    watch.taken(call, &asked, Taken::Recorded(seq)).await?;
    whose.watches(watch);
    Ok(asked)
}

/// The command that says what became of a step.
async fn command(
    call: &Call,
    watch: &Watch,
    whose: &Whose,
    asked: &Asked,
    said: Said,
) -> Result<Command, Problem> {
    let (effect, by) = (asked.effect.clone(), call.caller());
    match said {
        Said::Failed(error) => {
            let claim = Claim { error: Some(error), ..Claim::default() };
            Ok(Command::Submit { effect, result: Fields::new(), by, claim })
        }
        Said::Done(Some(result)) => {
            let fitted = asking::fit(asked, result).map_err(|misfit| unfit(watch, whose, asked, &misfit))?;
            // What was added already is not added a second time.
            if adds(asked) && is_written(call, asked).await? {
                let claim = Claim { written: true, ..Claim::default() };
                return Ok(Command::Submit { effect, result: fitted, by, claim });
            }
            Ok(asking::answer(asked, fitted, by))
        }
        Said::Done(None) => match without_result(call, watch, whose, asked).await? {
            Some(fitted) => Ok(asking::answer(asked, fitted, by)),
            // It is there already, and is not written a second time.
            None => {
                let claim = Claim { written: true, ..Claim::default() };
                Ok(Command::Submit { effect, result: nothing(), by, claim })
            }
        },
    }
}

/// Whether a step adds what it gives to what is there, so that it makes a difference whether that is done once.
fn adds(asked: &Asked) -> bool {
    let update = asked.parameters.get("state_update").filter(|_| asked.dialect == Dialect::Reactive);
    update.is_some_and(|update| matches!(update["operation"].as_str(), Some("append" | "increment")))
}

/// Whether somebody has written all that a step is to write, since it is due.
async fn is_written(call: &Call, asked: &Asked) -> Result<bool, Problem> {
    let atomic = Atomic::of(asked);
    let history = reactive::history(call, &asked.run).await?;
    Ok(paths(&atomic).iter().all(|path| history.is_updated(step(&asked.effect), path)))
}

fn nothing() -> Fields {
    Fields::from([("result".to_owned(), Data::Inline(Value::Null))])
}

/// What a step gives that was done and of which nothing is said: it must store nothing, or have stored it already.
async fn without_result(
    call: &Call,
    watch: &Watch,
    whose: &Whose,
    asked: &Asked,
) -> Result<Option<Fields>, Problem> {
    if asked.dialect != Dialect::Reactive {
        let fitted = asking::fit(asked, Value::Null);
        return fitted.map(Some).map_err(|misfit| unfit(watch, whose, asked, &misfit));
    }
    let atomic = Atomic::of(asked);
    let paths = paths(&atomic);
    let history = reactive::history(call, &asked.run).await?;
    let missing: Vec<&str> =
        paths.iter().copied().filter(|path| !history.is_updated(step(&asked.effect), path)).collect();
    match (asked.word.as_str(), paths.as_slice(), missing.as_slice()) {
        // Nothing was written that the server would write as well.
        ("state_update", ..) if missing.len() == paths.len() => Ok(Some(nothing())),
        ("user_input", [], _) => Err(missing_result(watch, whose, &atomic, "what the user said")),
        (_, [], _) => Ok(Some(nothing())),
        (_, _, []) => Ok(None),
        (_, _, missing) => {
            let path = format!("the value of `{}`", missing.join("`, `"));
            Err(missing_result(watch, whose, &atomic, &path))
        }
    }
}

/// The paths that a step is to write.
fn paths(atomic: &Atomic) -> Vec<&str> {
    let updates = atomic.definition.get("updates").and_then(Value::as_array);
    let updates = updates.into_iter().flatten().filter_map(|update| update["path"].as_str());
    updates.chain(atomic.stored_at()).collect()
}

fn missing_result(watch: &Watch, whose: &Whose, atomic: &Atomic, what: &str) -> Problem {
    let error = format!("`{}` is not complete: {what} has not arrived", atomic.id);
    let help = "Nothing was changed. Give it as `result`, or write it with workflow_state_update first";
    shown(Problem::new("missing-result", error).help(help), watch, whose)
}

/// A step that is not due: the step of tasks, one that was due before, or none at all.
async fn not_due(
    call: &Call,
    watch: &mut Watch,
    whose: &Whose,
    (step_id, attempt): (&str, Option<u32>),
    said: Said,
) -> Result<Option<Asked>, Problem> {
    if let Some(done) = of_tasks(watch, whose, step_id)? {
        return Ok(done);
    }
    let before = asked_before(call, watch, whose, step_id, attempt).await?;
    let Some(asked) = before else { return Err(unknown(watch, whose, step_id)) };
    let command = match said {
        // Whoever says again that it is done says nothing new.
        Said::Done(None) => return Ok(None),
        said => command(call, watch, whose, &asked, said).await?,
    };
    hand_in(call, watch, whose, asked, command).await.map(Some)
}

/// The step that has tasks: it is complete when all of them are over.
fn of_tasks(watch: &Watch, whose: &Whose, step_id: &str) -> Result<Option<Option<Asked>>, Problem> {
    let view = &watch.view;
    let named = |id: &str| {
        step_id == id
            || [".parallel_tasks", ".parallel_foreach"].iter().any(|end| step_id == format!("{id}{end}"))
    };
    if let Some(tasks) = view.parallel.iter().find(|one| named(&one.step_id) && !one.open().is_empty()) {
        let error = format!("`{}` is not complete: its tasks {} are open", tasks.step_id, tasks.open_named());
        let help = "Nothing was changed. Each task is carried out by a sub-agent with its task_id; wait for all of them";
        return Err(shown(Problem::new("tasks-open", error).help(help), watch, whose));
    }
    let planned = view.plan.steps.iter().find(|step| named(&step.id) && step.kind == "parallel_foreach");
    let line = planned.and_then(|step| view.line(&step.id));
    Ok(line.filter(|line| line.state != State::Pending).map(|_| None))
}

/// The step of this name that was due before.
async fn asked_before(
    call: &Call,
    watch: &Watch,
    whose: &Whose,
    step_id: &str,
    attempt: Option<u32>,
) -> Result<Option<Asked>, Problem> {
    let lanes = match whose {
        Whose::Main => vec![0],
        Whose::Task(id) => {
            reactive::history(call, &watch.view.run).await?.lanes.remove(id).unwrap_or_default()
        }
    };
    let plain = plain(watch, step_id);
    let keys: Vec<String> = lanes.into_iter().rev().flat_map(|lane| keys(lane, &plain)).collect();
    for key in keys {
        let named = |attempt: u32| EffectId::new(format!("{key}#{attempt}"));
        let Some(attempt) = attempt else {
            // The last one is meant where nobody says which.
            let mut last = None;
            for attempt in 1..=ATTEMPTS_MAX {
                match find(call, &watch.view.run, vec![named(attempt)]).await? {
                    Some(found) => last = Some(found),
                    None => break,
                }
            }
            match last {
                Some(last) => return Ok(Some(last)),
                None => continue,
            }
        };
        if let Some(found) = find(call, &watch.view.run, vec![named(attempt)]).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The first of some effects that a run has asked something by.
async fn find(call: &Call, run: &RunId, effects: Vec<EffectId>) -> Result<Option<Asked>, Problem> {
    let run = run.clone();
    let found = call.visit.look(move |_, reader| {
        let root = asking::root(reader, &run)?;
        for effect in effects {
            if let Some(found) = asking::find(reader, &root, &question_id(&root, &run, &effect))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    });
    found.await?.map_err(runs::not_loaded)
}

/// The name of a step without the type behind it.
fn plain(watch: &Watch, step_id: &str) -> String {
    let steps = &watch.view.plan.steps;
    let is_own = steps.iter().any(|step| step.id == step_id);
    let typed = step_id.rsplit_once('.').filter(|(id, kind)| {
        let of_plan = |step: &&engine::kernel::plan::Step| step.id == *id && step.kind == *kind;
        !is_own && steps.iter().any(|step| of_plan(&step))
    });
    let plain = typed.map_or(step_id, |(id, _)| id);
    // Below the run that is looked at, the way to it stands before its name.
    plain.rsplit_once('/').map_or(plain, |(_, own)| own).to_owned()
}

/// What the activity of a step is called in a lane.
fn keys(lane: u32, step_id: &str) -> Vec<String> {
    match lane {
        0 => vec![step_id.to_owned()],
        lane if step_id.contains('@') => vec![format!("{lane}/{step_id}")],
        lane => vec![format!("{lane}/{step_id}@1")],
    }
}

/// A problem that shows what is due.
fn shown(problem: Problem, watch: &Watch, whose: &Whose) -> Problem {
    let (view, due) = (&watch.view, whose.due(&watch.view));
    let problem = problem.with("workflow_id", view.run.as_str().into());
    let problem = match &due {
        Due::Step(step) => problem.with("due", json!({ "step_id": step.id, "type": step.kind })),
        Due::Tasks(tasks) => problem.with(
            "due",
            json!({ "step_id": tasks.step_id, "type": "parallel_tasks", "open": tasks.open_named() }),
        ),
        _ => problem,
    };
    problem.next(reactive::next(view, whose, &due))
}

fn unknown(watch: &Watch, whose: &Whose, step_id: &str) -> Problem {
    let view = &watch.view;
    let named = said(step_id);
    if matches!(view.status, Status::Ended(_)) {
        let error = format!("run {} is over: `{named}` is not due", view.run);
        return shown(Problem::new("over", error).help("Nothing was changed"), watch, whose);
    }
    let known: Vec<&str> = view.plan.steps.iter().map(|step| step.id.as_str()).collect();
    let is_known = known.contains(&plain(watch, step_id).as_str());
    let near = if is_known { Vec::new() } else { near(step_id, known.iter().copied()) };
    let error = match is_known {
        true => format!("step `{named}` is not due"),
        false => format!("there is no step `{named}` that is due"),
    };
    let problem = Problem::new("wrong-step", error).help("Nothing was changed");
    let problem = if near.is_empty() { problem } else { problem.with("did_you_mean", json!(near)) };
    shown(problem, watch, whose)
}

fn unfit(watch: &Watch, whose: &Whose, asked: &Asked, misfit: &Misfit) -> Problem {
    let message = misfit.problems.first().map(|problem| problem.message.as_str()).unwrap_or_default();
    let error = format!("the result does not fit `{}`: {message}", atomic::id(asked));
    let code = if misfit.is_too_large() { "too-large" } else { "wrong-result" };
    let problem = Problem::new(code, error).with("expects", json!(misfit.fits));
    shown(problem.help("Nothing was changed. Hand it in again so that it fits"), watch, whose)
}

fn refused(watch: &Watch, whose: &Whose, asked: &Asked, error: engine::Error) -> Problem {
    let id = atomic::id(asked);
    match error {
        engine::Error::Refused(Refusal::AlreadyAnswered { .. } | Refusal::Over) => {
            let error = format!("`{id}` has another result already");
            shown(
                Problem::new("already-answered", error).help("Nothing was changed: the first one counts"),
                watch,
                whose,
            )
        }
        engine::Error::Refused(Refusal::TooLarge { size, max, .. }) => {
            let error = format!(
                "the result of `{id}` is too large: with it the state would have {size} bytes, and {max} are the most"
            );
            let help = "Nothing was changed. Hand in less: what is long belongs into a file, and its name into the result";
            shown(Problem::new("too-large", error).help(help), watch, whose)
        }
        engine::Error::Refused(Refusal::NotOpen { .. }) => {
            let error = format!("`{id}` is not due any more");
            shown(Problem::new("wrong-step", error).help("Nothing was changed"), watch, whose)
        }
        engine::Error::Refused(Refusal::Stale { .. }) => {
            let error = format!("attempt {} of `{id}` is not due any more", asked.attempt);
            shown(Problem::new("old-attempt", error).help("Nothing was changed"), watch, whose)
        }
        other => shown(runs::refused(other), watch, whose),
    }
}
