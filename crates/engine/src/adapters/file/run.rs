//! Carries an effect on files out, beside everything else: on a thread of its own, until it is done, stopped, or out of time.

use super::job::Job;
use super::note::{Created, Errand};
use super::operation::{Done, Room};
use super::roots::Roots;
use super::walk::{Aim, walk};
use super::write::{Desk, sweep};
use super::{Gate, Trouble};
use crate::adapters::process::{Stop, Stops};
use crate::answers::Answers;
use crate::turn::Home;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Failure, FailureKind, Fields, RunId};
use rustix::fs::{AtFlags, unlinkat};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;

/// The inputs that may say where something is written.
pub(crate) const PLACES: [&str; 2] = ["target", "path"];

/// How long one that was stopped may take to clean up.
const GRACE: Duration = Duration::from_secs(1);

/// What all file effects of a server share.
pub(crate) struct Files {
    data: PathBuf,
    answers: Arc<dyn Answers>,
}

/// How it ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// Like this; the note may be forgotten once that is recorded.
    Reported(Report, Option<Created>),
    /// The server shuts down, or the run was set aside, before anything changed.
    Interrupted,
}

impl Files {
    /// Files of a server with this data directory, which no run may touch; templates are asked of these.
    pub(crate) fn new(data: PathBuf, answers: Arc<dyn Answers>) -> Files {
        Files { data, answers }
    }

    /// Takes away the files that were not yet what an attempt or those before it were for, if they died with their server.
    /// What cannot be reached any more stays where it is.
    pub(super) fn clear(&self, run: &RunId, home: &Home, perform: &Perform) {
        let path = PLACES.iter().find_map(|name| perform.inputs.get(*name)?.inline()?.as_str());
        let (Some(path), Ok(roots)) = (path, Roots::open(home, &self.data)) else { return };
        if let Ok(place) = walk(&roots, path, Aim::Write) {
            let errand = Errand::new(run, &perform.id);
            sweep(&place, &errand);
            // Most attempts leave nothing.
            let _ = unlinkat(&place.dir, errand.temporary(), AtFlags::empty());
        }
    }

    pub(super) fn carry_out(
        &self,
        run: &RunId,
        home: &Home,
        perform: &Perform,
        gate: &Gate,
    ) -> Result<Done, Trouble> {
        let job = Job::of(&perform.inputs)?;
        let roots = Roots::open(home, &self.data)?;
        let errand = Errand::new(run, &perform.id);
        let mask = &self.answers.secrets().masker();
        let desk = Desk { data: &self.data, errand: &errand, gate, umask: home.umask, mask };
        Room { roots: &roots, desk, answers: &*self.answers, run }.carry_out(job)
    }
}

/// Carries it out. A disk that hangs keeps its thread and nobody else.
pub(crate) async fn run(
    files: Arc<Files>,
    run: RunId,
    home: Home,
    perform: Perform,
    mut stops: Stops,
) -> Ended {
    let timeout_ms = perform.timeout_ms;
    let gate = Arc::new(Gate::default());
    let (tell, mut told) = oneshot::channel();
    let theirs = Arc::clone(&gate);
    let thread = std::thread::Builder::new().name("file".into()).spawn(move || {
        // Nobody listens to one that took too long to stop.
        let _ = tell.send(files.carry_out(&run, &home, &perform, &theirs));
    });
    if let Err(error) = thread {
        return failed(FailureKind::Crashed, format!("the system gives no thread: {error}"));
    }
    let out_of_time = async {
        match timeout_ms {
            // To wait for an evaluator that others use is not its own time.
            Some(ms) => gate.patience.pass(Duration::from_millis(ms)).await,
            None => std::future::pending().await,
        }
    };
    let end = tokio::select! {
        done = &mut told => return reported(done),
        stop = stops.first() => Some(stop),
        () = out_of_time => None,
    };
    if !gate.shut() {
        return reported(told.await);
    }
    let waited = if gate.waits.load(Ordering::SeqCst) {
        ": its folder is locked by somebody else, and it waited for that"
    } else {
        ""
    };
    // It cleans up; what hangs is not waited for.
    let _ = tokio::time::timeout(GRACE, told).await;
    match end {
        Some(Stop::Shutdown) => Ended::Interrupted,
        Some(Stop::Cancel) => failed(FailureKind::Cancelled, "was cancelled".to_owned()),
        None => {
            let seconds = Duration::from_millis(timeout_ms.unwrap_or_default()).as_secs_f64();
            let message =
                format!("timed out after {seconds} s{waited} (its `timeout` says how long it may take)");
            failed(FailureKind::TimedOut, message)
        }
    }
}

/// Takes away what an attempt left that died with its server; a disk that hangs is not waited for.
pub(crate) async fn clear(files: Arc<Files>, run: RunId, home: Arc<Home>, perform: Perform) {
    let (tell, told) = oneshot::channel();
    let thread = std::thread::Builder::new().name("file".into()).spawn(move || {
        files.clear(&run, &home, &perform);
        // Nobody listens to one that took too long.
        let _ = tell.send(());
    });
    if thread.is_ok() {
        let _ = tokio::time::timeout(GRACE, told).await;
    }
}

fn reported(done: Result<Result<Done, Trouble>, oneshot::error::RecvError>) -> Ended {
    match done {
        Ok(Ok((outputs, note))) => Ended::Reported(Report::Done { outputs }, note),
        Ok(Err(trouble)) => {
            let failure = trouble.into_failure();
            Ended::Reported(Report::Failed { failure, outputs: Fields::new() }, None)
        }
        Err(_) => failed(FailureKind::Crashed, "BUG: the thread of a file operation died".to_owned()),
    }
}

fn failed(kind: FailureKind, message: String) -> Ended {
    let failure = Failure::new(kind, message);
    Ended::Reported(Report::Failed { failure, outputs: Fields::new() }, None)
}
