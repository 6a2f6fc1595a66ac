//! The server's hands: carries out what adapters can do, beside the driving thread, and reports.

use super::thread::Mail;
use crate::adapters::process::{self, Notes, Stops};
use crate::adapters::shell;
use crate::driver::Letter;
use crate::kill_point;
use crate::turn::{Home, stored};
use crossbeam_channel::Sender;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::plan::Adapter;
use kernel::{Command, EffectId, Failure, FailureKind, Fields, Limits, RunId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};

/// Names an effect among all runs.
type Key = (RunId, EffectId);

/// Carries effects out.
pub(crate) struct Hands {
    notes: Arc<Notes>,
    runtime: tokio::runtime::Handle,
    inbox: Sender<Mail>,
    /// What is being carried out, and how to stop it.
    open: Mutex<HashMap<Key, watch::Sender<bool>>>,
    /// Told whenever one of them is over.
    over: Notify,
    shutdown: watch::Sender<bool>,
}

impl Hands {
    pub(super) fn new(notes: Notes, runtime: tokio::runtime::Handle, inbox: Sender<Mail>) -> Self {
        Hands {
            notes: Arc::new(notes),
            runtime,
            inbox,
            open: Mutex::default(),
            over: Notify::new(),
            shutdown: watch::channel(false).0,
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Key, watch::Sender<bool>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries one effect out; its report comes as a letter. While the server shuts down nothing new is begun: what
    /// stays open is found by the next recovery.
    pub(super) fn perform(self: &Arc<Self>, run: RunId, home: &Home, perform: Perform) {
        if *self.shutdown.borrow() {
            return;
        }
        match perform.adapter {
            Adapter::Noop => self.report(run, perform.id, Report::Done { outputs: perform.inputs }),
            Adapter::Process => self.process(run, home, perform),
            other => {
                let reason = format!("this version has no `{other:?}` adapter").to_lowercase();
                self.refuse(run, perform.id, reason);
            }
        }
    }

    /// Reports that an effect cannot be carried out.
    pub(super) fn refuse(&self, run: RunId, id: EffectId, reason: String) {
        let failure = Failure::new(FailureKind::Crashed, reason);
        self.report(run, id, Report::Failed { failure, outputs: Fields::new() });
    }

    /// Stops an effect, if it is being carried out; it still reports.
    pub(super) fn withdraw(&self, run: &RunId, id: &EffectId) {
        if let Some(stop) = self.open().get(&(run.clone(), id.clone())) {
            stop.send_replace(true);
        }
    }

    fn process(self: &Arc<Self>, run: RunId, home: &Home, perform: Perform) {
        let job = match shell::job(&run, home, &perform) {
            Ok(job) => job,
            Err(failure) => {
                return self.report(run, perform.id, Report::Failed { failure, outputs: Fields::new() });
            }
        };
        let (stop, cancel) = watch::channel(false);
        let key = (run, perform.id.clone());
        self.open().insert(key.clone(), stop);
        let (hands, stops) = (Arc::clone(self), Stops::new(cancel, self.shutdown.subscribe()));
        self.runtime.spawn(async move {
            kill_point("before process");
            let outcome = process::run(&job, &hands.notes, stops).await;
            kill_point("process ended");
            match shell::report(&outcome, &perform) {
                Some(report) => hands.report(key.0.clone(), perform.id, report),
                None => hands.interrupted(key.0.clone(), perform.id),
            }
            hands.open().remove(&key);
            hands.over.notify_waiters();
        });
    }

    fn report(&self, run: RunId, effect: EffectId, report: Report) {
        let inline = Limits::default().inline_bytes_max;
        let (report, contents) = match report {
            Report::Done { outputs } => {
                let (outputs, contents) = stored(outputs, inline);
                (Report::Done { outputs }, contents)
            }
            Report::Failed { failure, outputs } => {
                let (outputs, contents) = stored(outputs, inline);
                (Report::Failed { failure, outputs }, contents)
            }
        };
        let command = Command::Report { effect, report };
        let _ = self.inbox.send(Mail::Letter(Letter::Command { run, command, contents, reply: None }));
    }

    fn interrupted(&self, run: RunId, effect: EffectId) {
        let command = Command::Interrupt { effect };
        let letter = Letter::Command { run, command, contents: Vec::new(), reply: None };
        let _ = self.inbox.send(Mail::Letter(letter));
    }

    /// Runs something that may take its time.
    pub(super) fn aside(&self, work: impl FnOnce() + Send + 'static) {
        self.runtime.spawn_blocking(work);
    }

    /// Ends everything that is being carried out and waits until it has reported.
    pub(super) async fn shut_down(&self) {
        self.shutdown.send_replace(true);
        loop {
            let over = self.over.notified();
            tokio::pin!(over);
            over.as_mut().enable();
            if self.open().is_empty() {
                return;
            }
            over.await;
        }
    }
}
