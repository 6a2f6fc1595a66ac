//! Carries calls of terminals out: on a thread that may wait, for as long as the step may take. One that is called off has not
//! ended its session.

use super::hands::Hands;
use crate::adapters::process::Stop;
use crate::adapters::terminal::{self, Call};
use crate::kill_point;
use crate::terminals::{CallOff, Visitor};
use crate::turn::Home;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Failure, FailureKind, Fields, RunId};
use std::sync::Arc;
use std::time::Duration;

/// Who opens sessions for runs, as lists of sessions say.
const BY: &str = "workflow";

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
        self.runtime.spawn(async move {
            kill_point("before terminal");
            let (call_off, timeout) = (CallOff::default(), perform.timeout_ms.map(Duration::from_millis));
            let off = call_off.clone();
            let work = tokio::task::spawn_blocking(move || {
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
                done = work => Ended::Reported(
                    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic())),
                ),
                stop = stops.first() => match stop {
                    Stop::Cancel => Ended::Reported(cut(FailureKind::Cancelled, "it was withdrawn")),
                    Stop::Shutdown => Ended::Interrupted,
                },
                () = after(timeout) => Ended::Reported(cut(FailureKind::TimedOut, "it took too long")),
            };
            // Whoever still waits inside is let go.
            call_off.call_off();
            kill_point("terminal done");
            hands.over(&key, |hands| match ended {
                Ended::Reported(report) => hands.report(key.0.clone(), key.1.clone(), report),
                Ended::Interrupted => hands.interrupted(key.0.clone(), key.1.clone()),
            });
        });
    }
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
