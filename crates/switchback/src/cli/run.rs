//! `switchback run`: reads, checks, starts and follows.

use super::arguments::RunArguments;
use super::aside;
use super::desk::{self, Desk, Seating};
use super::error::{CommandError, Kind};
use super::exit::Exit;
use super::follow::{Followable, Followed, Signals, follow};
use super::store::{recordable, workspace};
use super::typed::Typed;
use super::{given, look, result, settled, target};
use crate::house::{Client, Flags};
use engine::backend::{Accepted, Error, Progress, Start};
use engine::kernel::{Fields, Plan, RunId};
use engine::library::Reading;
use engine::names;
use engine::view::View;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;

/// How many daemons more are asked that are about to end.
const DAEMONS_MAX: u32 = 2;

/// Carries the command out.
pub(crate) fn run(arguments: &RunArguments) -> Result<Exit, CommandError> {
    let reading = target::read(&arguments.workflow)?;
    target::show(&reading);
    let pinned = reading.pinned.clone();
    let Some(plan) = reading.plan.clone() else { return invalid(&reading, arguments.json) };
    let inputs = given::inputs(&plan, &arguments.inputs)?;
    let seating = Seating::unless(arguments.no_daemon, Seating::Daemon);
    let followed = desk::block_on(start(plan, pinned, inputs, seating, !arguments.no_input))??;
    result::finish(followed, arguments.json)
}

/// The definition is wrong, and people have been told.
fn invalid(reading: &Reading, json: bool) -> Result<Exit, CommandError> {
    if json {
        let error = CommandError {
            code: "invalid-definition".into(),
            kind: Kind::Invalid,
            message: reading.diagnostics.summary(),
            hints: Vec::new(),
        };
        let diagnostics = reading.diagnostics.to_json(&reading.sources());
        look::print_json(&json!({ "error": error.to_json(), "diagnostics": diagnostics }))?;
    }
    Ok(Exit::Invalid)
}

async fn start(
    plan: Arc<Plan>,
    pinned: Vec<Arc<Plan>>,
    inputs: Fields,
    seating: Seating,
    asks: bool,
) -> Result<Followed, CommandError> {
    let client = Client::here(recordable(workspace()?)?, Flags::default());
    let home = client.home(client.passed(), &settled::sound(&client)?);
    let mut desk = Desk::open(seating).await?;
    // Not before: whoever waits for a daemon in vain can end that.
    let mut signals = Signals::listen()?;
    aside::begin();
    let id = RunId::new(names::fresh(|name| is_taken(&desk, name)));
    let mut asked = Start { id, plan, inputs, home, request_key: None, pinned, is_brought: false };
    let mut begun = heard(&mut signals, &desk, &mut asked).await?;
    for _ in 0..DAEMONS_MAX {
        // One that was told to end just after it had let us in. What it has written down, it has begun.
        let has_left = matches!(begun, Err(Error::Stopped(_))) && desk.outlives_us();
        if !has_left || is_known(&desk, &asked.id)? {
            break;
        }
        desk = Desk::open(seating).await?;
        if is_known(&desk, &asked.id)? {
            break;
        }
        begun = heard(&mut signals, &desk, &mut asked).await?;
    }
    match begun {
        Ok((progress, started)) => {
            let folder = asked.home.folder.display().to_string();
            let view = View::new(asked.id, asked.plan, folder, super::time::now());
            let (since, typed) = (started.seq, Typed::open().filter(|_| asks));
            follow(Followable { desk, view, progress, signals, since, ours: true, typed }).await
        }
        Err(error) => {
            desk.close().await;
            Err(CommandError::from(error).of_new_run(&asked.id))
        }
    }
}

/// What came of the start of a run, unless a signal came first and nobody has said.
async fn heard(
    signals: &mut Signals,
    desk: &Desk,
    asked: &mut Start,
) -> Result<Result<(UnboundedReceiver<Progress>, Accepted), Error>, CommandError> {
    let begun = signals.hear(begin(desk, asked)).await;
    begun.ok_or_else(|| CommandError::unheard(&asked.id, "begin"))
}

/// Starts a run and listens to it; where its name is taken meanwhile, under another.
async fn begin(desk: &Desk, asked: &mut Start) -> Result<(UnboundedReceiver<Progress>, Accepted), Error> {
    for taken in 1.. {
        let progress = desk.backend().subscribe(&asked.id).await?;
        match desk.backend().start(asked.clone()).await {
            Err(Error::NameTaken(_)) => asked.id = RunId::new(names::another(taken)),
            started => return Ok((progress, started?)),
        }
    }
    unreachable!("BUG: there is always one more name")
}

fn is_known(desk: &Desk, run: &RunId) -> Result<bool, CommandError> {
    Ok(desk.reader.run(run)?.is_some())
}

/// A name that cannot be looked up is not known to be taken; the store itself refuses it if it is.
fn is_taken(desk: &Desk, name: &str) -> bool {
    desk.reader.run(&RunId::new(name)).is_ok_and(|run| run.is_some())
}
