//! `switchback cancel`: ends a run. One that nobody carries is ended here, and what a crash left of it first.

use super::arguments::CancelArguments;
use super::aside;
use super::desk::{self, Desk, Seating};
use super::error::CommandError;
use super::exit::Exit;
use super::follow::{Followable, Followed, Signals, follow};
use super::store::{directory, find};
use super::{result, store};
use engine::kernel::command::Caller;
use engine::kernel::{Outcome, Refusal, RunId};
use engine::kill_point;
use engine::view::View;

/// Carries the command out.
pub(crate) fn cancel(arguments: &CancelArguments) -> Result<Exit, CommandError> {
    // Looked up first: a word that means nothing needs no owner.
    let looked = store::Looked::open_for(&directory()?, &arguments.run)?;
    let run = find(&looked.reader, &arguments.run)?.id;
    drop(looked);
    let seating = Seating::unless(arguments.no_daemon, Seating::Either);
    let (followed, is_ours) =
        desk::block_on(end(&run, &arguments.reason, seating))?.map_err(|error| error.of_run(&run))?;
    if !is_ours && followed.view.outcome().is_some() {
        return Err(over(&followed.view));
    }
    let cancelled = matches!(followed.view.outcome(), Some(Outcome::Cancelled { .. }));
    let exit = result::finish(followed, arguments.json)?;
    Ok(if cancelled { Exit::Succeeded } else { exit })
}

/// Follows the run to its end, and says whether it is we who ended it.
async fn end(run: &RunId, reason: &str, seating: Seating) -> Result<(Followed, bool), CommandError> {
    let desk = Desk::open(seating).await?;
    let mut signals = Signals::listen()?;
    aside::begin();
    let unheard = || CommandError::unheard(run, "be cancelled");
    // First of all: what happens from now on is told.
    let progress = signals.hear(desk.backend().subscribe(run)).await.ok_or_else(unheard)??;
    let row = desk.reader.run(run)?.ok_or_else(|| engine::Error::NoRun(run.clone()))?;
    let by = Caller::Human { door: "command line".to_owned(), proven: false };
    // Asked before its journal is looked at: that takes time in which a long run would go on.
    let cancelled = signals.hear(desk.backend().cancel(run, reason, by)).await.ok_or_else(unheard)?;
    let (since, ours) = match cancelled {
        Ok(accepted) => (accepted.seq, true),
        // Somebody else ends it, or it has ended: it is waited for, to say how.
        Err(engine::Error::Refused(Refusal::Over)) => (row.head.seq, false),
        Err(error) => {
            desk.close().await;
            return Err(error.into());
        }
    };
    kill_point("cancel:looks");
    let view = View::load_until(&desk.reader, run, row.head.seq)?;
    let view = view.ok_or_else(|| engine::Error::NoRun(run.clone()))?;
    if view.outcome().is_some() {
        desk.close().await;
        return Err(over(&view));
    }
    Ok((follow(Followable { desk, view, progress, signals, since, ours, typed: None }).await?, ours))
}

/// That there is nothing left to end.
fn over(view: &View) -> CommandError {
    let message = format!("run {} has {} already", view.run, has(view.word()));
    CommandError::usage("run-over", message)
        .hint(format!("nothing was changed; what became of it: switchback show {}", view.run))
}

/// The word for an ended run as it follows `has`.
pub(crate) fn has(word: &str) -> String {
    match word {
        "cancelled" => "been cancelled".to_owned(),
        word => word.to_owned(),
    }
}
