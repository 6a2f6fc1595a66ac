//! Follows a run until it has ended or waits for someone, or until whoever started it has enough.
//!
//! The first SIGINT or SIGTERM ends what is open and sets the run aside; the second does not wait for that. When the
//! terminal goes away (SIGHUP) a run that the daemon carries goes on, as it does when whoever only looked on has enough;
//! one that this process carries is set aside.

use super::desk::Desk;
use super::error::CommandError;
use super::exit::Exit;
use super::inline::Inline;
use super::painter::Painter;
use super::typed::Typed;
use engine::backend::Progress;
use engine::kernel::RunId;
use engine::store::Reader;
use engine::view::View;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedReceiver;

/// How often running steps are drawn again.
const TICK: Duration = Duration::from_millis(100);

/// How following came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The run has ended, or waits for someone.
    Settled,
    /// A signal came, and the run was set aside.
    Interrupted,
    /// A signal came, and the run goes on without us.
    Left,
    /// More signals came, and nobody has said yet that the run was set aside.
    Unheard,
}

/// A run that was followed.
pub(crate) struct Followed {
    pub(crate) view: View,
    pub(crate) reader: Reader,
    pub(crate) end: End,
    /// How many questions were answered meanwhile.
    pub(crate) answered: usize,
}

/// The signals that ask the process to end.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    /// What was asked for while an engine was waited for.
    before: Option<Asks>,
}

/// How long whoever is told to end waits for the word of an engine on what it was asked.
const SOON: Duration = Duration::from_secs(3);

/// How long whoever was told to end goes on printing: nobody may be reading.
const PRINTING_MAX: Duration = Duration::from_secs(10);

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// To end what runs.
    Stop,
    /// Nothing: the terminal is gone, and only whoever needs it ends.
    Leave,
}

/// Whether somebody in this process hears signals.
static HEARD: AtomicBool = AtomicBool::new(false);

impl Signals {
    /// Whether signals are heard, and no longer end the process.
    pub(crate) fn are_heard() -> bool {
        HEARD.load(Ordering::Relaxed)
    }

    /// From now on signals are heard; before, they end the process.
    pub(crate) fn listen() -> Result<Signals, CommandError> {
        let signals = Signals::listening();
        HEARD.store(true, Ordering::Relaxed);
        signals.map_err(|error| CommandError::internal("no-signals", format!("no signals: {error}")))
    }

    fn listening() -> std::io::Result<Signals> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(signal);
        Ok(Signals { interrupt: interrupt?, terminate: terminate?, hangup: hangup?, before: None })
    }

    /// From now on a signal ends the process again: what is left is to print, and whoever reads may have gone to sleep. Where no
    /// thread can be had, printing to the end is all that is left. One that was told to end does not print for long.
    pub(crate) fn are_done(told: bool) {
        HEARD.store(false, Ordering::Relaxed);
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        // What came before was heard, and is not heard again here.
        let watch = async move {
            let Ok(mut signals) = Signals::listening() else { return };
            tokio::select! {
                _ = signals.next() => {}
                () = tokio::time::sleep(PRINTING_MAX), if told => {}
            }
            std::process::exit(Exit::Interrupted as i32);
        };
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(watch));
    }

    /// Waits for what an engine says to a command; nothing where a signal came and it did not say it soon after. A signal that came
    /// meanwhile is heard by whoever follows the run.
    pub(crate) async fn hear<T>(&mut self, word: impl Future<Output = T>) -> Option<T> {
        let mut word = std::pin::pin!(word);
        let asks = tokio::select! {
            biased;
            word = &mut word => return Some(word),
            asks = self.next() => asks,
        };
        self.before = Some(asks);
        tokio::time::timeout(SOON, word).await.ok()
    }

    pub(crate) async fn next(&mut self) -> Asks {
        if let Some(asks) = self.before.take() {
            return asks;
        }
        tokio::select! {
            _ = self.interrupt.recv() => Asks::Stop,
            _ = self.terminate.recv() => Asks::Stop,
            _ = self.hangup.recv() => Asks::Leave,
        }
    }
}

/// A run that is to be followed.
pub(crate) struct Followable {
    pub(crate) desk: Desk,
    pub(crate) view: View,
    pub(crate) progress: UnboundedReceiver<Progress>,
    pub(crate) signals: Signals,
    /// The entry of the last command: what the run was before it does not count.
    pub(crate) since: u64,
    /// Whether this command made it move; who only looks on stops nothing.
    pub(crate) ours: bool,
    /// Whoever can be asked.
    pub(crate) typed: Option<Typed>,
}

/// Follows a run and closes the desk.
pub(crate) async fn follow(run: Followable) -> Result<Followed, CommandError> {
    let Followable { desk, mut view, mut progress, mut signals, since, ours, typed } = run;
    let mut painter = Painter::new(&view);
    painter.asks = typed.is_some();
    painter.header(&view);
    let mut questions = Inline::new(typed);
    if view.seq() >= since {
        view.ask(&desk.reader)?;
    }
    let mut end = End::Settled;
    let mut tick = tokio::time::interval(TICK);
    let run = view.run.clone();
    let mut silent = Box::pin(silent(&desk, &run));
    let mut is_silent = false;
    loop {
        // What has happened is told before something is asked, and before the end.
        if progress.is_empty() {
            questions.put(&view, &mut painter);
            let is_told = view.seq() >= since.max(questions.since);
            let is_settled = is_told && !questions.is_asking();
            if is_settled && stands(&view, &desk.reader)? {
                // Another door may have answered since: what is told of it is what it was when it stood still.
                if view.ask_now(&desk.reader)? && stands(&view, &desk.reader)? {
                    break;
                }
            }
        }
        tokio::select! {
            biased;
            asks = signals.next() => {
                if questions.is_asking() && asks == Asks::Stop {
                    questions.leave(&mut painter);
                    continue;
                }
                if desk.outlives_us() && (asks == Asks::Leave || !ours) {
                    painter.end();
                    drop(silent);
                    let answered = questions.answered;
                    view.ask(&desk.reader)?;
                    Signals::are_done(true);
                    return Ok(Followed { view, reader: desk.reader, end: End::Left, answered });
                }
                end = End::Interrupted;
                break;
            }
            line = questions.line(), if questions.is_asking() => {
                let typed = questions.typed(line, (&desk, &mut view), &mut painter).await;
                typed.map_err(|error| error.of_run(&view.run))?;
            }
            turn = progress.recv() => match turn {
                Some(turn) => {
                    painter.turn(&mut view, &turn);
                    let seen = questions.turn(&desk, &mut view, (&turn, progress.is_empty()), &mut painter).await;
                    seen.map_err(|error| error.of_run(&view.run))?;
                }
                None => {
                    painter.end();
                    return Err(CommandError::from(desk.stopped()).of_run(&view.run));
                }
            },
            () = &mut silent, if !is_silent => {
                is_silent = true;
                painter.silent(desk.pid());
            }
            _ = tick.tick(), if painter.is_live() && !questions.is_asking() => painter.tick(&view),
        }
    }
    drop(silent);
    if end == End::Interrupted {
        painter.stopping();
        match set_aside(&desk, &view, &mut signals).await {
            Aside::At(seq) => {
                while view.seq() < seq
                    && let Some(turn) = progress.recv().await
                {
                    painter.turn(&mut view, &turn);
                }
            }
            Aside::Over => {}
            // Nobody has said that it stands still.
            Aside::Unheard if desk.outlives_us() => end = End::Unheard,
            Aside::Unheard => {}
        }
    }
    close(&desk, &mut signals).await;
    if end != End::Settled {
        while let Ok(progress) = progress.try_recv() {
            painter.turn(&mut view, &progress);
        }
        view.left |= end == End::Interrupted && view.outcome().is_none();
        view.ask(&desk.reader)?;
    }
    painter.end();
    Signals::are_done(end != End::Settled);
    Ok(Followed { view, reader: desk.reader, end, answered: questions.answered })
}

/// Whether a run has ended, or goes no further without somebody.
fn stands(view: &View, reader: &Reader) -> Result<bool, CommandError> {
    Ok(!view.needs_carrier() || Inline::holds(view, reader)?)
}

/// How long a daemon is not asked whether it is there, and then has to say so.
const SILENCE: Duration = Duration::from_secs(30);

/// Comes back once a daemon has been asked how a run stands and has not answered: it stands still, or its disk does. A
/// run in which nothing happens for hours is something else.
async fn silent(desk: &Desk, run: &RunId) {
    while desk.outlives_us() {
        tokio::time::sleep(SILENCE).await;
        if tokio::time::timeout(SILENCE, desk.backend().query(run)).await.is_err() {
            return;
        }
    }
    std::future::pending().await
}

/// Ends all processes and records it. A second signal does not wait for that: the runtime kills what is left, and
/// the next process records it.
async fn close(desk: &Desk, signals: &mut Signals) {
    tokio::select! {
        () = desk.close() => {}
        _ = signals.next() => {}
    }
}

/// How long whoever is told twice to end waits for the word that the run is set aside: it is asked for in any case.
const ASIDE_MAX: Duration = Duration::from_secs(3);

/// How long it waits when told once: longer than it takes to end everything. An engine that stands still never says the word.
const STOPPED_MAX: Duration = Duration::from_secs(60);

/// What became of setting a run aside.
enum Aside {
    /// It stands at this entry.
    At(u64),
    /// It cannot be set aside: it has ended meanwhile, or its engine has, and what follows shows which.
    Over,
    /// Nobody waited for the word.
    Unheard,
}

/// Sets the run aside, and waits for that. A second signal waits only a little, and a third not at all.
async fn set_aside(desk: &Desk, view: &View, signals: &mut Signals) -> Aside {
    let mut park = std::pin::pin!(desk.backend().park(&view.run));
    let told = tokio::select! {
        biased;
        parked = &mut park => Some(parked),
        () = tokio::time::sleep(STOPPED_MAX) => None,
        _ = signals.next() => tokio::select! {
            biased;
            parked = &mut park => Some(parked),
            () = tokio::time::sleep(ASIDE_MAX) => None,
            _ = signals.next() => None,
        },
    };
    match told {
        Some(Ok(accepted)) => Aside::At(accepted.seq),
        Some(Err(_)) => Aside::Over,
        None => Aside::Unheard,
    }
}
