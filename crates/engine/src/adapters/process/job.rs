//! What the caller asks for: a command, where and with what it runs, and what may end it early.
//!
//! Plain values. Nothing here is checked: a job that cannot be started says so in its outcome.

use std::collections::BTreeMap;
use std::future::pending;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::watch;

use super::captured::OutputLimit;
use crate::secrets::{Masker, Secret};

/// Says how long a process may take between SIGTERM and SIGKILL unless the job says otherwise.
const GRACE_DEFAULT: Duration = Duration::from_secs(2);

/// One command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// What is executed.
    pub script: Script,
    /// The folder it starts in.
    pub dir: PathBuf,
    /// The complete environment: nothing is inherited from the server.
    pub env: BTreeMap<String, String>,
    /// Variables that are secrets; they stand in the place of others of the same name, and in no text about the job.
    pub secrets: BTreeMap<String, Secret>,
    /// What is masked in its output before anybody sees it.
    pub mask: Masker,
    /// Which rights the files do not get that it makes; `None` is as the server has it.
    pub umask: Option<u32>,
    /// How long it may take; `None` is without limit.
    pub timeout: Option<Duration>,
    /// How much of each output stream is kept.
    pub output: OutputLimit,
    /// Whose process it is.
    pub note: NoteSpec,
    /// How long its tree may take to end after SIGTERM before SIGKILL follows.
    pub grace: Duration,
}

impl Job {
    /// Makes a job with an empty environment, no time-out and the default limits.
    pub fn new(script: Script, dir: impl Into<PathBuf>, note: NoteSpec) -> Job {
        Job {
            script,
            dir: dir.into(),
            env: BTreeMap::new(),
            secrets: BTreeMap::new(),
            mask: Masker::default(),
            umask: None,
            timeout: None,
            output: OutputLimit::default(),
            note,
            grace: GRACE_DEFAULT,
        }
    }
}

/// What a job executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// A text for the system's shell: `/bin/sh -c text`.
    Sh(String),
    /// A program with its arguments. A bare name is looked up in the PATH of the job's environment, a
    /// relative path starts at the job's folder.
    Shell {
        /// The program's name or path.
        program: String,
        /// Its arguments, without the name of the program.
        args: Vec<String>,
    },
}

/// The effect a process is started for; together with the run it names the note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSpec {
    /// The run's id.
    pub run: String,
    /// The effect's id, different for every attempt.
    pub effect: String,
}

/// What may end a job before its time: each becomes `true` once and stays so.
#[derive(Debug, Clone)]
pub struct Stops {
    cancel: watch::Receiver<bool>,
    shutdown: watch::Receiver<bool>,
}

/// Which of the two stops came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Its run does not want it any more.
    Cancel,
    /// The server shuts down.
    Shutdown,
}

impl Stops {
    /// Pairs the cancel signal of one effect with the shutdown signal of the server.
    pub fn new(cancel: watch::Receiver<bool>, shutdown: watch::Receiver<bool>) -> Stops {
        Stops { cancel, shutdown }
    }

    /// Makes a pair that never stops anything.
    pub fn never() -> Stops {
        Stops { cancel: watch::channel(false).1, shutdown: watch::channel(false).1 }
    }

    /// Tells whether a stop has come already.
    pub(super) fn already(&self) -> Option<Stop> {
        if *self.cancel.borrow() {
            Some(Stop::Cancel)
        } else {
            self.shutdown.borrow().then_some(Stop::Shutdown)
        }
    }

    /// Waits for the first stop.
    pub(crate) async fn first(&mut self) -> Stop {
        tokio::select! {
            () = raised(&mut self.cancel) => Stop::Cancel,
            () = raised(&mut self.shutdown) => Stop::Shutdown,
        }
    }
}

/// Waits until the value is true; for ever if its sender goes away before.
async fn raised(signal: &mut watch::Receiver<bool>) {
    if signal.wait_for(|raised| *raised).await.is_err() {
        pending::<()>().await;
    }
}
