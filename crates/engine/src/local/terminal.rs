//! Carries calls of terminals out: on a thread that may wait, for as long as the step may take. One that is called off has not
//! ended its session; what it has done by then (typed, opened) is done, and is told, so that nothing is done twice or left behind.

use super::hands::Hands;
use crate::adapters::process::Stop;
use crate::adapters::terminal::{self, Call};
use crate::kill_point;
use crate::terminals::{CallOff, HELD_BY_HUMAN, Visitor};
use crate::turn::Home;
use dialects::states::tools::SESSION_ID;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Data, Failure, FailureKind, Fields, RunId};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinError, JoinHandle};

/// Who opens sessions for runs, as lists of sessions say.
const BY: &str = "workflow";

/// How long a call may take to let go.
const LET_GO_MAX: Duration = Duration::from_secs(10);

/// How a call ended.
enum Ended {
    Reported(Report),
    Interrupted,
}

impl Hands {
    pub(super) fn terminal(self: &Arc<Self>, run: RunId, home: Home, perform: Perform) {
        let key = (run, perform.id.clone());
        let Some(mut stops) = self.begin(key.clone()) else { return };
        let (hands, answers, run) = (Arc::clone(self), Arc::clone(&self.answers), key.0.to_string());
        self.carry(&key.clone(), async move {
            kill_point("before terminal");
            let (call_off, timeout) = (CallOff::default(), perform.timeout_ms.map(Duration::from_millis));
            let off = call_off.clone();
            let only_waits = terminal::only_waits(&perform);
            let mut work = tokio::task::spawn_blocking(move || {
                // Which terminals may be used stands in files.
                let Some((keeper, policy)) = answers.terminals(&home) else {
                    return cut(FailureKind::Crashed, "nobody keeps terminals here");
                };
                let visitor = Visitor { home, by: BY.to_owned(), run: Some(run), policy };
                let call = Call { answers: &*answers, keeper: &keeper, visitor: &visitor, call_off: &off };
                terminal::perform(&call, &perform)
            });
            let ended = tokio::select! {
                biased;
                done = &mut work => Ended::Reported(unwound(done)),
                stop = stops.first() => {
                    let done = let_go(&call_off, &mut work).await;
                    match (stop, done) {
                        (Stop::Cancel, _) => Ended::Reported(cut(FailureKind::Cancelled, "it was withdrawn")),
                        (Stop::Shutdown, Some(done)) if !only_waits && has_happened(&done) => {
                            Ended::Reported(done)
                        }
                        (Stop::Shutdown, _) => Ended::Interrupted,
                    }
                }
                () = after(timeout) => {
                    let done = let_go(&call_off, &mut work).await;
                    Ended::Reported(late(done))
                }
            };
            kill_point("terminal done");
            hands.over(&key, |hands| match ended {
                Ended::Reported(report) => hands.report(key.0.clone(), key.1.clone(), report),
                Ended::Interrupted => hands.interrupted(key.0.clone(), key.1.clone()),
            });
        });
    }
}

/// Lets go whoever waits inside, and gives what has come of the call by then.
async fn let_go(call_off: &CallOff, work: &mut JoinHandle<Report>) -> Option<Report> {
    call_off.call_off();
    tokio::time::timeout(LET_GO_MAX, work).await.ok().map(unwound)
}

fn unwound(done: Result<Report, JoinError>) -> Report {
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Whether there is something that would happen twice: not where a person held the session all the while.
fn has_happened(done: &Report) -> bool {
    match done {
        Report::Done { .. } => true,
        Report::Failed { outputs, .. } => {
            outputs.get("code").and_then(Data::inline).is_none_or(|code| code != HELD_BY_HUMAN)
        }
    }
}

/// That a call took too long. A session that it has opened is known all the same.
fn late(done: Option<Report>) -> Report {
    let session = match done {
        Some(Report::Done { mut outputs } | Report::Failed { mut outputs, .. }) => {
            outputs.remove_entry(SESSION_ID)
        }
        None => None,
    };
    let failure = Failure::new(FailureKind::TimedOut, "it took too long");
    Report::Failed { failure, outputs: session.into_iter().collect() }
}

fn cut(kind: FailureKind, message: &str) -> Report {
    Report::Failed { failure: Failure::new(kind, message), outputs: Fields::new() }
}

async fn after(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => std::future::pending().await,
    }
}
