//! `switchback resume`: goes on with a run, and says what became of steps that were interrupted.

use super::arguments::ResumeArguments;
use super::aside;
use super::cancel::has;
use super::desk::{self, Desk, Seating};
use super::error::CommandError;
use super::exit::Exit;
use super::follow::{End, Followable, Followed, Signals, follow};
use super::look::{clean, typable};
use super::store::{Looked, directory, find};
use super::typed::Typed;
use super::{given, result, settled, target, undecided};
use engine::dialects::near::near;
use engine::kernel::command::Caller;
use engine::kernel::event::Resolution;
use engine::kernel::plan::{Adapter, Work};
use engine::kernel::{Command, Data, Fields, OpenKind, Outcome, RunId};
use engine::store::Reader;
use engine::view::{Undecided, View};

/// What a command gives.
const COMMAND_GIVES: [&str; 8] = [
    "stdout",
    "stderr",
    "exit_code",
    "duration_ms",
    "stdout_hex",
    "stderr_hex",
    "stdout_left_out_bytes",
    "stderr_left_out_bytes",
];

/// What someone says about interrupted steps.
struct Decision {
    /// The step; nothing for every one that is interrupted.
    step: Option<String>,
    /// What became of it.
    became: Resolution,
}

/// Carries the command out.
pub(crate) fn resume(arguments: &ResumeArguments) -> Result<Exit, CommandError> {
    settled::tell()?;
    let decision = decision(arguments)?;
    let looked = Looked::open_for(&directory()?, &arguments.run)?;
    let row = find(&looked.reader, &arguments.run)?;
    if row.ended_at.is_some() {
        let view = looked.view(&row)?;
        return over(looked, view, decision.as_ref(), arguments.json);
    }
    drop(looked);
    let seating = Seating::unless(arguments.no_daemon, Seating::Daemon);
    let followed = desk::block_on(go_on(&row.id, decision, seating, !arguments.no_input))?
        .map_err(|error| error.of_run(&row.id))?;
    result::finish(followed, arguments.json)
}

fn decision(arguments: &ResumeArguments) -> Result<Option<Decision>, CommandError> {
    let outputs = given::outputs(&arguments.outputs)?;
    let said = [
        (&arguments.retry, Resolution::Retry),
        (&arguments.done, Resolution::Done { outputs }),
        (&arguments.fail, Resolution::Fail),
    ];
    let mut said =
        said.into_iter().filter_map(|(step, became)| Some(Decision { step: step.clone()?, became }));
    Ok(said.next())
}

/// A run that has ended is shown again; it cannot go on, and nothing can be decided about it.
fn over(looked: Looked, view: View, decision: Option<&Decision>, json: bool) -> Result<Exit, CommandError> {
    let cancelled = matches!(view.outcome(), Some(Outcome::Cancelled { .. }));
    if cancelled || decision.is_some() {
        return Err(cannot_go_on(&view));
    }
    result::finish(Followed { view, reader: looked.reader, end: End::Settled, answered: 0 }, json)
}

fn cannot_go_on(view: &View) -> CommandError {
    let why = match view.outcome() {
        Some(Outcome::Failed { failure }) => format!(" ({})", clean(&failure.message)),
        _ => String::new(),
    };
    let message = format!("run {} has {}{why} and cannot go on", view.run, has(view.word()));
    CommandError::usage("run-over", message).hint(format!("what became of it: switchback show {}", view.run))
}

async fn go_on(
    run: &RunId,
    decision: Option<Decision>,
    seating: Seating,
    asks: bool,
) -> Result<Followed, CommandError> {
    let desk = Desk::open(seating).await?;
    let mut signals = Signals::listen()?;
    aside::begin();
    let gone = || engine::Error::NoRun(run.clone());
    let unheard = || CommandError::unheard(run, "go on");
    // First of all: what happens while the run is looked at is told.
    let progress = signals.hear(desk.backend().subscribe(run)).await.ok_or_else(unheard)??;
    let row = desk.reader.run(run)?.ok_or_else(gone)?;
    let mut view = View::load(&desk.reader, run)?.ok_or_else(gone)?;
    // What was due has happened by now, and may have ended it.
    if decision.is_some() && view.outcome().is_some() {
        desk.close().await;
        return Err(cannot_go_on(&view));
    }
    view.left = view.outcome().is_none() && !desk.carries(&row);
    view.ask(&desk.reader)?;
    let decided = match check(&view, &desk.reader, decision) {
        Ok(decided) => decided,
        Err(error) => {
            desk.close().await;
            return Err(error);
        }
    };
    target::tell(&view.plan, &view.workspace);
    let ours = view.left || !decided.is_empty();
    let carried = signals.hear(carry_on(&desk, run, decided)).await;
    match carried.unwrap_or_else(|| Err(unheard())) {
        Ok(since) => {
            view.left = false;
            let typed = Typed::open().filter(|_| asks);
            follow(Followable { desk, view, progress, signals, since, ours, typed }).await
        }
        Err(error) => {
            desk.close().await;
            Err(error)
        }
    }
}

/// What is decided, by step. Said before anything moves: a mistake here must not start anything.
fn check(
    view: &View,
    reader: &Reader,
    decision: Option<Decision>,
) -> Result<Vec<(Undecided, Resolution)>, CommandError> {
    let Some(decision) = decision else { return Ok(Vec::new()) };
    let decided = meant(view, &decision)?.into_iter().map(|one| {
        let became = match &decision.became {
            Resolution::Done { outputs } if one.run == view.run => {
                Resolution::Done { outputs: whole(view, &one.step, outputs.clone())? }
            }
            Resolution::Done { outputs } => {
                let gone = || engine::Error::NoRun(one.run.clone());
                let below = View::load(reader, &one.run)?.ok_or_else(gone)?;
                Resolution::Done { outputs: whole(&below, &one.step, outputs.clone())? }
            }
            became => became.clone(),
        };
        Ok((one, became))
    });
    decided.collect()
}

/// The steps that are meant: every one, or by its name one of this very run, else the only one below it.
fn meant(view: &View, decision: &Decision) -> Result<Vec<Undecided>, CommandError> {
    let mut undecided: Vec<Undecided> = view.all_undecided().collect();
    let open = undecided::list(view, &undecided);
    if let Some(step) = &decision.step {
        undecided.retain(|one| one.step == *step);
        if undecided.iter().any(|one| one.run == view.run) {
            undecided.retain(|one| one.run == view.run);
        }
    }
    match (undecided.as_slice(), &decision.step) {
        ([], step) => Err(not_interrupted(view, step.as_deref(), &open)),
        ([_, _, ..], Some(step)) => Err(several(step, &undecided, &decision.became)),
        _ => Ok(undecided),
    }
}

fn several(step: &str, meant: &[Undecided], became: &Resolution) -> CommandError {
    let (flag, outputs) = match became {
        Resolution::Retry => ("--retry", None),
        Resolution::Done { outputs } => ("--done", Some(outputs)),
        Resolution::Fail => ("--fail", None),
    };
    let message = format!("`{step}` was interrupted in {} called runs; say in which", meant.len());
    let error = CommandError::usage("several-steps", message);
    let given: String = outputs.into_iter().flatten().map(|(name, _)| format!(" -o {name}=...")).collect();
    let named = meant.iter().take(undecided::NAMED_MAX);
    let commands = named.map(|one| format!("{}{given}", undecided::command(one, flag)));
    let more = undecided::more(meant.len().saturating_sub(undecided::NAMED_MAX));
    commands.chain(more).fold(error, CommandError::hint)
}

fn not_interrupted(view: &View, step: Option<&str>, open: &str) -> CommandError {
    let known = |step: &str| view.lines().iter().any(|line| line.id == step);
    let error = |message| CommandError::usage("not-interrupted", message);
    let error = match step {
        None => error(format!(
            "no step of {} waits for a decision: what was interrupted is done again when it goes on",
            view.run
        )),
        Some(step) if known(step) => {
            error(format!("`{step}` was not interrupted, so there is nothing to decide"))
        }
        Some(step) => error(format!("`{}` has no step `{step}`", view.plan.name))
            .near(&near(step, view.lines().iter().map(|line| line.id.as_str()))),
    };
    if open.is_empty() {
        return error.hint(format!("go on with: switchback resume {}", typable(view.run.as_str())));
    }
    error.hint(format!("interrupted: {open}"))
}

/// What a step gave, with nothing missing that is read later. That a command had happened means that it exited
/// with 0; what it printed nobody can know but the one who looked.
fn whole(view: &View, step: &str, mut outputs: Fields) -> Result<Fields, CommandError> {
    let (planned, is_item) = view.planned(step).expect("BUG: an interrupted step is not in the plan");
    if matches!(planned.work, Work::Server { adapter: Adapter::Process, .. }) {
        given_by_a_command(step, &outputs)?;
        outputs.entry("exit_code".to_owned()).or_insert(Data::Inline(0.into()));
    }
    // What is read of an item is read with all its outputs, whatever they are.
    let keeps = planned.keeps.iter().filter(|_| !is_item);
    let read = keeps.filter_map(|field| field.strip_prefix("outputs."));
    let missing: Vec<&str> = read.filter(|name| !outputs.contains_key(*name)).collect();
    if missing.is_empty() {
        return Ok(outputs);
    }
    let message = format!("something later reads {} of `{step}`", missing.join(", "));
    let flags: Vec<String> = missing.iter().map(|name| format!("-o {name}=...")).collect();
    let one = Undecided { run: view.run.clone(), step: step.to_owned() };
    let hint = format!("say what it gave: {} {}", undecided::command(&one, "--done"), flags.join(" "));
    Err(CommandError::usage("missing-outputs", message).hint(hint))
}

/// Nobody reads what no command gives: such a name is a slip of the hand.
fn given_by_a_command(step: &str, outputs: &Fields) -> Result<(), CommandError> {
    let unknown = outputs.keys().find(|name| !COMMAND_GIVES.contains(&name.as_str()));
    let Some(name) = unknown else { return Ok(()) };
    let error = CommandError::usage("unknown-output", format!("`{step}` has no output `{name}`"));
    Err(match near(name, COMMAND_GIVES).as_slice() {
        [] => error.hint(format!("it has: {}", COMMAND_GIVES.join(", "))),
        near => error.near(near),
    })
}

/// Tells the run that it was interrupted, and then what became of it. Gives the last entry of all that.
async fn carry_on(
    desk: &Desk,
    run: &RunId,
    decided: Vec<(Undecided, Resolution)>,
) -> Result<u64, CommandError> {
    desk.learn(run).await?;
    let mut since = desk.backend().recover(run).await?.seq;
    let by = Caller::Human { door: "command line".to_owned(), proven: false };
    for (Undecided { run: asks, step }, resolution) in decided {
        if asks != *run {
            desk.backend().recover(&asks).await?;
        }
        let open = desk.backend().query(&asks).await?.open;
        let of_step = || open.iter().filter(|open| open.step == step);
        let Some(effect) = of_step().find(|open| open.kind == OpenKind::Interrupted) else {
            // It is done again already, which is what was asked for.
            if matches!(resolution, Resolution::Retry) && of_step().next().is_some() {
                continue;
            }
            return Err(decided_elsewhere(run, &step));
        };
        let resolve = Command::Resolve { effect: effect.id.clone(), resolution, by: by.clone() };
        let resolved = desk.backend().submit(&asks, resolve).await?;
        if asks == *run {
            since = resolved.seq;
        }
    }
    Ok(since)
}

/// Two people may decide about the same step: one of them was first.
fn decided_elsewhere(run: &RunId, step: &str) -> CommandError {
    let message = format!(
        "nothing was decided here about `{}`: it does not wait for a decision any more, because someone else was first, or the run \
         went on with it",
        clean(step)
    );
    let run = typable(run.as_str());
    CommandError::usage("decided-elsewhere", message)
        .hint(format!("what became of it: switchback show {run}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_a_command_gives_is_documented() {
        let page = include_str!("../../../../docs/block-types.md");
        let tables = page.split("## Shell").nth(1).and_then(|rest| rest.split("\n## ").next());
        let shell = tables.expect("the page has a part about Shell");
        for output in COMMAND_GIVES {
            assert!(shell.contains(&format!("`{output}`")), "{output}");
        }
    }
}
