//! The server's hands: what is being carried out, how it is stopped, and how it is reported. `carry` has what each
//! adapter does.

use super::desk::Desk;
use super::secret::masked;
use super::worker::Mail;
use crate::adapters::file::Files;
use crate::adapters::git;
use crate::adapters::process::{Notes, Stops};
use crate::answers::Answers;
use crate::driver::Letter;
use crate::mistake::{Mistake, caught, caught_here};
use crate::secrets::Keeper;
use crate::turn::{Reply, stored};
use kernel::event::Report;
use kernel::{Command, EffectId, Failure, FailureKind, Fields, Limits, RunId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Names an effect among all runs.
pub(super) type Key = (RunId, EffectId);

/// Carries effects out.
pub(crate) struct Hands {
    pub(super) notes: Arc<Notes>,
    pub(super) secrets: Arc<Keeper>,
    pub(super) answers: Arc<dyn Answers>,
    pub(super) files: Arc<Files>,
    /// Who is at work in which repository.
    pub(super) repositories: git::Queue,
    pub(super) runtime: tokio::runtime::Handle,
    desk: Arc<Desk>,
    open: Mutex<InHand>,
    /// How many are being carried out.
    count: watch::Sender<usize>,
}

/// What is being carried out, and how to stop it.
#[derive(Default)]
struct InHand {
    stops: HashMap<Key, Stop>,
    /// The server shuts down: nothing new is begun.
    closed: bool,
    /// The thread waits for something to be over.
    awaited: bool,
}

/// The two ways to stop an effect: its run does not want it any more, or it is interrupted.
struct Stop {
    withdraw: watch::Sender<bool>,
    interrupt: watch::Sender<bool>,
}

impl Hands {
    pub(super) fn new(
        notes: Notes,
        answers: Arc<dyn Answers>,
        runtime: tokio::runtime::Handle,
        desk: Arc<Desk>,
    ) -> Self {
        Hands {
            secrets: answers.secrets(),
            files: Arc::new(Files::new(notes.data().to_owned(), Arc::clone(&answers))),
            answers,
            notes: Arc::new(notes),
            repositories: git::Queue::default(),
            runtime,
            desk,
            open: Mutex::default(),
            count: watch::channel(0).0,
        }
    }

    fn open(&self) -> MutexGuard<'_, InHand> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells how many effects are being carried out.
    pub(super) fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    /// Whether nothing is being carried out but what is just being reported.
    pub(super) fn is_idle(&self) -> bool {
        self.desk.is_quiet()
    }

    /// Whether something may be begun; while the server shuts down nothing is.
    pub(super) fn is_open(&self) -> bool {
        !self.open().closed
    }

    /// An effect was withdrawn before it began.
    pub(super) fn never_began(&self, run: RunId, id: EffectId) {
        let failure = Failure::new(FailureKind::Cancelled, "it was withdrawn before it began");
        self.report(run, id, Report::Failed { failure, outputs: Fields::new() });
    }

    /// Reports that an effect cannot be carried out.
    pub(super) fn refuse(&self, run: RunId, id: EffectId, reason: String) {
        let failure = Failure::new(FailureKind::Crashed, reason);
        self.report(run, id, Report::Failed { failure, outputs: Fields::new() });
    }

    /// Stops an effect, if it is being carried out; it still reports.
    pub(super) fn withdraw(&self, run: &RunId, id: &EffectId) {
        if let Some(stop) = self.open().stops.get(&(run.clone(), id.clone())) {
            stop.withdraw.send_replace(true);
        }
    }

    /// Interrupts what is being carried out for these runs; each is told so. Says whether there is anything, and if
    /// so wakes the thread whenever something is over.
    pub(super) fn interrupt(&self, belongs: impl Fn(&RunId) -> bool) -> bool {
        let mut open = self.open();
        let theirs = open.stops.iter().filter(|((run, _), _)| belongs(run)).map(|(_, stop)| stop);
        let mut any = false;
        for stop in theirs {
            stop.interrupt.send_replace(true);
            any = true;
        }
        open.awaited |= any;
        any
    }

    /// Notes that something is being carried out, unless the server shuts down.
    pub(super) fn begin(&self, key: Key) -> Option<Stops> {
        let mut open = self.open();
        if open.closed {
            return None;
        }
        let (withdraw, interrupt) = (watch::channel(false).0, watch::channel(false).0);
        let stops = Stops::new(withdraw.subscribe(), interrupt.subscribe());
        open.stops.insert(key, Stop { withdraw, interrupt });
        self.desk.begins();
        self.count.send_replace(open.stops.len());
        Some(stops)
    }

    /// It is over: is reported, and then in hand no more. Whoever waits until nothing is finds every report posted.
    pub(super) fn over(&self, key: &Key, report: impl FnOnce(&Self)) {
        self.desk.ends();
        report(self);
        let mut open = self.open();
        open.stops.remove(key);
        self.count.send_replace(open.stops.len());
        let awaited = open.awaited;
        // Whoever posts may have to look at what is in hand.
        drop(open);
        if awaited {
            self.desk.post(Mail::Nudge);
        }
    }

    pub(super) fn report(&self, run: RunId, effect: EffectId, report: Report) {
        self.report_then(run, effect, report, None);
    }

    /// Reports, and hears when that is recorded.
    pub(super) fn report_then(&self, run: RunId, effect: EffectId, report: Report, reply: Option<Reply>) {
        self.send(run, effect, masked(report, &self.secrets.masker()), reply);
    }

    pub(super) fn send(&self, run: RunId, effect: EffectId, report: Report, reply: Option<Reply>) {
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
        self.desk.post(Mail::Letter(Letter::Command { run, command, contents, reply }));
    }

    pub(super) fn interrupted(&self, run: RunId, effect: EffectId) {
        let command = Command::Interrupt { effect };
        let letter = Letter::Command { run, command, contents: Vec::new(), reply: None };
        self.desk.post(Mail::Letter(letter));
    }

    /// Carries something out beside the driving thread. A mistake of ours in it fails the effect and holds up nobody.
    pub(super) fn carry(self: &Arc<Self>, key: &Key, work: impl Future<Output = ()> + Send + 'static) {
        let (hands, key) = (Arc::clone(self), key.clone());
        self.runtime.spawn(async move {
            if let Err(mistake) = caught(work).await {
                hands.broke(key, mistake);
            }
        });
    }

    /// The same on a thread that may be held up.
    pub(super) fn carry_aside(self: &Arc<Self>, key: &Key, work: impl FnOnce() + Send + 'static) {
        let (hands, key) = (Arc::clone(self), key.clone());
        self.aside(move || {
            if let Err(mistake) = caught_here(work) {
                hands.broke(key, mistake);
            }
        });
    }

    fn broke(&self, key: Key, mistake: Mistake) {
        if self.open().stops.contains_key(&key) {
            self.over(&key, |hands| hands.refuse(key.0.clone(), key.1.clone(), mistake.to_string()));
        }
    }

    /// Runs something that may take its time.
    pub(super) fn aside(&self, work: impl FnOnce() + Send + 'static) {
        self.runtime.spawn_blocking(work);
    }

    /// Ends everything that is being carried out and waits until it has reported.
    pub(super) async fn shut_down(&self) {
        self.open().closed = true;
        self.interrupt(|_| true);
        // The sender is ours, so waiting cannot fail.
        let _ = self.count().wait_for(|count| *count == 0).await;
    }
}
