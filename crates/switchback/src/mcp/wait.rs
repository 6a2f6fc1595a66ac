//! Waits for a run without asking twice: its turns are told, folded into a view, and passed on as progress.
//!
//! ```text
//!  subscribe ── start, or look ── turn ── view ── settled? ── answer
//!                                  └── tell, if someone listens
//! ```
//! A call waits until the run has ended or waits for someone, until its time is up, or until it is cancelled; the run
//! does not notice. Whoever listens to progress is told something at least every ten seconds, and waits as long as it
//! takes unless it said for how long.

use super::call::Call;
use super::problem::Problem;
use super::runs;
use super::tell::Teller;
use super::visit::no_house;
use engine::backend::Progress;
use engine::kernel::{Status, Waiting};
use engine::view::View;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};

/// How long nothing may be said to someone who listens.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// A run that is watched.
pub(super) struct Watch {
    /// How it stands.
    pub(super) view: View,
    /// What happens to it.
    pub(super) progress: UnboundedReceiver<Progress>,
    /// The entry of the command that was sent: what the run was before it does not count.
    pub(super) since: u64,
}

impl Watch {
    /// Takes in what has happened already.
    fn catch_up(&mut self) {
        while let Ok(turn) = self.progress.try_recv() {
            self.view.take(&turn);
        }
    }
}

/// For how long a call waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// This long.
    For(Duration),
    /// As long as someone listens, else this long.
    WhileHeard(Duration),
}

impl Patience {
    /// What a caller said, within the bound of its settings; nothing said means as long as a call may take.
    pub(super) fn of(said: Option<u64>, call_seconds: u64) -> Patience {
        match said {
            Some(seconds) => Patience::For(Duration::from_secs(seconds.min(call_seconds))),
            None => Patience::WhileHeard(Duration::from_secs(call_seconds)),
        }
    }
}

/// Waits until the run has settled, or there is a reason to answer before.
pub(super) async fn wait(call: &Call, watch: &mut Watch, patience: Patience) -> Result<(), Problem> {
    let mut teller = Teller::of(&call.context);
    let now = Instant::now();
    let until = match patience {
        Patience::For(time) => Some(now + time),
        Patience::WhileHeard(_) if teller.is_some() => None,
        Patience::WhileHeard(time) => Some(now + time),
    };
    let mut silence = now + SILENCE_MAX;
    while watch.view.seq() < watch.since || !is_settled(&watch.view) {
        tokio::select! {
            biased;
            () = call.context.ct.cancelled() => return Ok(()),
            () = sleep_until(until.unwrap_or(now)), if until.is_some() => {
                watch.catch_up();
                return Ok(());
            }
            turn = watch.progress.recv() => {
                let Some(turn) = turn else { return Err(stopped(call, &watch.view)) };
                if !watch.view.take(&turn) {
                    continue;
                }
                if let Some(listener) = &mut teller {
                    match listener.turn(&watch.view, &turn).await {
                        Ok(true) => silence = Instant::now() + SILENCE_MAX,
                        Ok(false) => {}
                        Err(_) => return Ok(()),
                    }
                }
            }
            () = sleep_until(silence), if teller.is_some() => {
                silence = Instant::now() + SILENCE_MAX;
                // A sign of life is only given for what lives: a run may have been set aside meanwhile.
                watch.view.left = is_left(call, &watch.view).await?;
                if watch.view.left {
                    continue;
                }
                if let Some(listener) = &mut teller && listener.alive(&watch.view).await.is_err() {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Whether a run that should move is moved by nobody.
async fn is_left(call: &Call, view: &View) -> Result<bool, Problem> {
    let run = view.run.clone();
    let is_carried = call.visit.look(move |visit, reader| runs::is_carried(visit, reader, &run)).await??;
    Ok(view.needs_carrier() && !is_carried)
}

/// Whether nothing more happens by itself, or someone is to do something.
pub(super) fn is_settled(view: &View) -> bool {
    let someone = |one: &Waiting| matches!(one, Waiting::Agent(_) | Waiting::Human(_) | Waiting::Decision(_));
    match &view.status {
        Status::Ended(_) => true,
        Status::Waiting(waiting) => view.left || waiting.iter().any(someone),
        Status::Queued | Status::Running | Status::Closing => view.left,
    }
}

/// The engine went away under the run; what was recorded is kept.
fn stopped(call: &Call, view: &View) -> Problem {
    let run = &view.run;
    let why = match call.visit.house() {
        Ok(house) => house.local.stopped(),
        Err(problem) => return problem,
    };
    no_house(&format!("run {run}: {why}")).next(format!(
        "What was recorded is kept. Once the reason is gone, a person goes on with `switchback resume {run}`."
    ))
}
