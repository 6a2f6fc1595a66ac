//! Waits for a run without asking twice: its turns are told, folded into a view, and passed on as progress.
//!
//! ```text
//!  subscribe ── start, or look ── turn ── view ── settled? ── answer
//!                                  │       └── a question for a human ── asked through their client
//!                                  └── tell, if someone listens
//! ```
//! A call waits until the run has ended or waits for someone, until its time is up, or until it is cancelled; the run
//! does not notice. Whoever listens to progress is told something at least every ten seconds, and waits as long as it
//! takes unless it said for how long. A human who can be asked through the client is asked, and waited for at most as long as
//! a call may take, unless their client hangs up. Where another call of the same client asks them already, this one waits
//! beside its form.

use super::call::Call;
use super::elicit::{Live, Way, sealed};
use super::front::Beside;
use super::last::Until;
use super::problem::Problem;
use super::runs;
use super::submit::take;
use super::tell::Teller;
use super::visit::{lost, no_house};
use super::watch::Watch;
use super::young::Young;
use engine::asking::{self, Asked};
use engine::view::View;
use rmcp::model::InputRequiredResult;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long nothing may be said to someone who listens.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(10);

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

/// Waits until the run has settled, or there is a reason to answer before, and looks how it stands then. Gives the result of the call
/// where that is a question to a human.
pub(super) async fn wait(
    call: &Call,
    watch: &mut Watch,
    patience: Patience,
) -> Result<Option<InputRequiredResult>, Problem> {
    match until_settled(call, watch, patience).await? {
        Waited::Settled => {}
        Waited::Enough => watch.settle(call).await?,
        Waited::Asks(asks) => return Ok(Some(asks)),
    }
    Ok(None)
}

/// Why a call waits no longer.
enum Waited {
    /// The run has settled, and that is how it was looked at.
    Settled,
    /// There is another reason to answer.
    Enough,
    /// A question goes to the human behind the call.
    Asks(InputRequiredResult),
}

async fn until_settled(call: &Call, watch: &mut Watch, patience: Patience) -> Result<Waited, Problem> {
    let mut teller = Teller::of(&call.context);
    let now = Instant::now();
    let mut until = match patience {
        Patience::WhileHeard(_) if teller.is_some() => None,
        // Whatever the call has waited for before counts too.
        Patience::For(time) | Patience::WhileHeard(time) => Some(call.came + time),
    };
    let mut way = Way::of(call).filter(|_| patience != Patience::For(Duration::ZERO));
    let mut last: Option<Until> = None;
    let mut silence = now + SILENCE_MAX;
    let mut live: Option<Live> = None;
    let mut beside: Option<Beside> = None;
    loop {
        if let (Some(way), None, None) = (way, &live, &beside)
            && let Some(asked) = watch.for_a_form(call.visit.shows_gates)
        {
            match ask(call, watch, way, asked, until).await {
                Ok(Asking::Live(asking)) => live = Some(*asking),
                Ok(Asking::Result(result)) => return Ok(Waited::Asks(result)),
                Ok(Asking::Beside(form)) => {
                    watch.stand_still();
                    beside = Some(form);
                }
                Err(why) => watch.give_up(why),
            }
        }
        if live.is_none() && watch.is_settled() {
            // Another door may have answered since.
            watch.settle(call).await?;
            if watch.is_settled() {
                watch.young.take().into_iter().for_each(Young::settled);
                return Ok(Waited::Settled);
            }
            continue;
        }
        let patient = live.as_ref().map(|live| live.until);
        let young = watch.young.as_ref().map(|young| young.until);
        tokio::select! {
            biased;
            () = call.context.ct.cancelled() => {
                withdraw(live, "the call was cancelled").await;
                return Ok(Waited::Enough);
            }
            said = said(&mut live), if patient.is_some() => {
                let Some(live) = live.take() else { continue };
                let taken = take(call, &live.asked, said).await?;
                watch.taken(call, &live.asked, taken).await?;
            }
            heard = call.visit.last.heard(last) => {
                last = Some(heard);
                until = Some(until.map_or(heard.at, |until| until.min(heard.at)));
                // Whoever has hung up fills in no form.
                way = None;
                if let Some(live) = live.take() {
                    live.withdraw("nobody can answer any more; the question stays open").await;
                    watch.give_up("the client hung up while the person was asked".to_owned());
                }
            }
            () = sleep_until(until.unwrap_or(now)), if until.is_some() => {
                withdraw(live, "the call waits no longer; the question stays open").await;
                watch.catch_up();
                watch.leave();
                watch.view.left |= last.is_some_and(|last| last.is_the_end) && watch.view.needs_carrier();
                if beside.is_some() {
                    watch.give_up("the person is being asked already, by another call".to_owned());
                }
                return Ok(Waited::Enough);
            }
            () = sleep_until(young.unwrap_or(now)), if young.is_some() => watch.young = None,
            () = sleep_until(patient.unwrap_or(now)), if patient.is_some() => {
                if let Some(live) = live.take() {
                    live.expire().await;
                }
                watch.give_up("the person was asked and has not answered in time".to_owned());
            }
            was_heard = gone(&mut beside), if beside.is_some() => {
                beside = None;
                watch.reload(call).await?;
                if was_heard && watch.stands() {
                    watch.give_up("the person was asked by another call and gave no answer".to_owned());
                }
            }
            turn = watch.progress.recv() => {
                let Some(turn) = turn else { return Err(stopped(call, &watch.view)) };
                let is_news = watch.take(call, &turn).await?;
                if let Some(closed) = live.take_if(|live| !watch.is_open(&live.asked)) {
                    let asked = closed.asked.clone();
                    let why = call.visit.look(move |_, reader| asking::why_closed(reader, &asked)).await?;
                    closed.withdraw(why.map_err(runs::not_loaded)?).await;
                }
                if let Some(listener) = teller.as_mut().filter(|_| is_news) {
                    match listener.turn(&watch.view, &turn).await {
                        Ok(true) => silence = Instant::now() + SILENCE_MAX,
                        Ok(false) => {}
                        Err(_) => return Ok(Waited::Enough),
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
                if let Some(listener) = &mut teller {
                    let open = watch.view.asked.first().filter(|_| watch.is_waiting());
                    let asked = live.as_ref().map(|live| &live.asked).or(open);
                    let told = match asked {
                        Some(asked) => listener.asked(&watch.view, &asked.step()).await,
                        None => listener.alive(&watch.view).await,
                    };
                    if told.is_err() {
                        return Ok(Waited::Enough);
                    }
                }
            }
        }
    }
}

/// A question on its way to someone.
enum Asking {
    Live(Box<Live>),
    /// Another call asks it already.
    Beside(Beside),
    Result(InputRequiredResult),
}

/// Puts a question to the human behind a call, or says why that cannot be.
async fn ask(
    call: &Call,
    watch: &Watch,
    way: Way,
    asked: Asked,
    until: Option<Instant>,
) -> Result<Asking, String> {
    match way {
        Way::Sealed => sealed(call, &watch.view.run, &asked, watch.tries(&asked)).map(Asking::Result),
        Way::Live => {
            let most = Instant::now() + Duration::from_secs(call.visit.settings().call_seconds);
            let until = until.map_or(most, |until| until.min(most));
            let front = match call.visit.fronts.put(&asked) {
                Ok(front) => front,
                Err(form) => return Ok(Asking::Beside(form)),
            };
            let live = Live::ask(call, asked, front, until).await;
            live.map(|live| Asking::Live(Box::new(live)))
        }
    }
}

/// What was said to the question that is in front of someone.
async fn said(live: &mut Option<Live>) -> super::elicit::Said {
    match live {
        Some(live) => live.said().await,
        None => std::future::pending().await,
    }
}

/// Whether whoever is asked by another call was heard, once its form is gone.
async fn gone(beside: &mut Option<Beside>) -> bool {
    match beside {
        Some(form) => form.gone().await,
        None => std::future::pending().await,
    }
}

async fn withdraw(live: Option<Live>, why: &str) {
    if let Some(live) = live {
        live.withdraw(why).await;
    }
}

/// Whether a run that should move is moved by nobody.
async fn is_left(call: &Call, view: &View) -> Result<bool, Problem> {
    let run = view.run.clone();
    let is_carried = call.visit.look(move |visit, reader| runs::is_carried(visit, reader, &run)).await??;
    Ok(view.needs_carrier() && !is_carried)
}

/// The engine went away under the run; what was recorded is kept.
fn stopped(call: &Call, view: &View) -> Problem {
    let run = &view.run;
    let why = match call.visit.house() {
        Ok(house) => house.local.stopped(),
        Err(problem) => return problem,
    };
    if let engine::Error::Lost(reason) = &why {
        return lost(&format!("run {run}: {reason}"));
    }
    no_house(&format!("run {run}: {why}")).next(format!(
        "What was recorded is kept. Once the reason is gone, a person goes on with `switchback resume {run}`."
    ))
}
