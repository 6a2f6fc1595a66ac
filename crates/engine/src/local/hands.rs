//! The server's hands: carries out what adapters can do, beside the driving thread, and reports.

use super::secret::masked;
use super::thread::Mail;
use crate::adapters::file::{self, Created, Files};
use crate::adapters::git;
use crate::adapters::process::{self, Notes, Stops};
use crate::adapters::shell;
use crate::answers::Answers;
use crate::driver::Letter;
use crate::kill_point;
use crate::secrets::Keeper;
use crate::turn::{Home, Reply, stored};
use crossbeam_channel::Sender;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::plan::Adapter;
use kernel::{Command, EffectId, Failure, FailureKind, Fields, Limits, RunId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Names an effect among all runs.
type Key = (RunId, EffectId);

/// Carries effects out.
pub(crate) struct Hands {
    notes: Arc<Notes>,
    /// Who is at work in which repository.
    repositories: git::Queue,
    pub(super) secrets: Arc<Keeper>,
    files: Arc<Files>,
    runtime: tokio::runtime::Handle,
    inbox: Sender<Mail>,
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
        inbox: Sender<Mail>,
    ) -> Self {
        Hands {
            secrets: answers.secrets(),
            files: Arc::new(Files::new(notes.data().to_owned(), answers)),
            notes: Arc::new(notes),
            repositories: git::Queue::default(),
            runtime,
            inbox,
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

    /// Whether something may be begun; while the server shuts down nothing is.
    pub(super) fn is_open(&self) -> bool {
        !self.open().closed
    }

    /// An effect was withdrawn before it began.
    pub(super) fn never_began(&self, run: RunId, id: EffectId) {
        let failure = Failure::new(FailureKind::Cancelled, "it was withdrawn before it began");
        self.report(run, id, Report::Failed { failure, outputs: Fields::new() });
    }

    /// Carries one effect out; its report comes as a letter. While the server shuts down nothing new is begun.
    pub(super) fn perform(self: &Arc<Self>, run: RunId, home: &Home, perform: Perform) {
        if self.open().closed {
            return;
        }
        match perform.adapter {
            Adapter::Noop => self.report(run, perform.id, Report::Done { outputs: perform.inputs }),
            Adapter::Process => self.process(run, home, perform),
            Adapter::Git => self.git(run, home.clone(), perform),
            Adapter::File => self.file(run, home.clone(), perform),
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
    fn begin(&self, key: Key) -> Option<Stops> {
        let mut open = self.open();
        if open.closed {
            return None;
        }
        let (withdraw, interrupt) = (watch::channel(false).0, watch::channel(false).0);
        let stops = Stops::new(withdraw.subscribe(), interrupt.subscribe());
        open.stops.insert(key, Stop { withdraw, interrupt });
        self.count.send_replace(open.stops.len());
        Some(stops)
    }

    /// It is over, and its report is on its way.
    fn over(&self, key: &Key) {
        let mut open = self.open();
        open.stops.remove(key);
        self.count.send_replace(open.stops.len());
        if open.awaited {
            let _ = self.inbox.send(Mail::Nudge);
        }
    }

    fn process(self: &Arc<Self>, run: RunId, home: &Home, perform: Perform) {
        let mut job = match shell::job(&run, home, &perform) {
            Ok(job) => job,
            Err(failure) => {
                return self.report(run, perform.id, Report::Failed { failure, outputs: Fields::new() });
            }
        };
        let key = (run, perform.id.clone());
        let Some(stops) = self.begin(key.clone()) else { return };
        let (hands, folder) = (Arc::clone(self), home.folder.clone());
        self.runtime.spawn(async move {
            kill_point("before process");
            let report = match hands.give(&folder, &perform, &mut job).await {
                Ok(()) => {
                    let outcome = process::run(&job, &hands.notes, stops).await;
                    kill_point("process ended");
                    shell::report(&outcome, &perform).map(|report| match outcome.ended {
                        process::Ended::NotStarted(_) => masked(report, &job.mask),
                        _ => report,
                    })
                }
                Err(failure) => Some(Report::Failed { failure, outputs: Fields::new() }),
            };
            match report {
                // What it said was masked as it came.
                Some(report) => hands.send(key.0.clone(), perform.id, report, None),
                None => hands.interrupted(key.0.clone(), perform.id),
            }
            hands.over(&key);
        });
    }

    fn file(self: &Arc<Self>, run: RunId, home: Home, perform: Perform) {
        let key = (run, perform.id.clone());
        let Some(stops) = self.begin(key.clone()) else { return };
        let hands = Arc::clone(self);
        self.runtime.spawn(async move {
            kill_point("before file");
            let ended = file::run(Arc::clone(&hands.files), key.0.clone(), home, perform, stops).await;
            kill_point("file done");
            let (run, effect) = key.clone();
            match ended {
                file::Ended::Reported(report, note) => {
                    hands.report_then(run, effect, report, note.map(forget));
                }
                file::Ended::Interrupted => hands.interrupted(run, effect),
            }
            hands.over(&key);
        });
    }

    fn git(self: &Arc<Self>, run: RunId, home: Home, perform: Perform) {
        let key = (run, perform.id.clone());
        let Some(stops) = self.begin(key.clone()) else { return };
        let hands = Arc::clone(self);
        self.runtime.spawn(async move {
            let asked = (&hands.repositories, stops);
            match git::perform(&key.0, &home, &perform, &hands.notes, asked).await {
                Some(report) => hands.report(key.0.clone(), perform.id, report),
                None => hands.interrupted(key.0.clone(), perform.id),
            }
            hands.over(&key);
        });
    }

    fn report(&self, run: RunId, effect: EffectId, report: Report) {
        self.report_then(run, effect, report, None);
    }

    /// Reports, and hears when that is recorded.
    fn report_then(&self, run: RunId, effect: EffectId, report: Report, reply: Option<Reply>) {
        self.send(run, effect, masked(report, &self.secrets.masker()), reply);
    }

    fn send(&self, run: RunId, effect: EffectId, report: Report, reply: Option<Reply>) {
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
        let _ = self.inbox.send(Mail::Letter(Letter::Command { run, command, contents, reply }));
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
        self.open().closed = true;
        self.interrupt(|_| true);
        // The sender is ours, so waiting cannot fail.
        let _ = self.count().wait_for(|count| *count == 0).await;
    }
}

/// Forgets a note once a report is recorded. One that is refused comes again or is not wanted; nothing looks at the note then.
fn forget(note: Created) -> Reply {
    Box::new(move |_| note.forget())
}
