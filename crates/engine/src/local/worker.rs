//! One round of driving: takes all letters that wait, commits them together and lets the parcels leave. `desk` says whose
//! round it is.

use super::LastWords;
use super::clock::{self, now};
use super::desk::Desk;
use super::hands::Hands;
use super::hold::Hold;
use super::park::{Parked, Parking};
use super::timers::Timers;
use crate::answers::Answers;
use crate::backend::Progress;
use crate::driver::{Driver, Letter, Parcel};
use crate::kill_point;
use crate::log::say;
use crate::store::{Fault, Filter, Kind, WriteError};
use kernel::{Command, RunId, Status};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// How long a commit is tried that the store may still take.
const PATIENCE: Duration = Duration::from_secs(15);

/// The same where another process holds the store: it may be about to let go, and nothing is the matter with the disk. Whoever waits for
/// a call hears the reason before the call counts as lost.
const BUSY_PATIENCE: Duration = Duration::from_secs(40);

/// Most of its own letters, and most timers, that are taken in one round.
const OWN_MAX: usize = 64;

/// What is posted.
pub(crate) enum Mail {
    Letter(Letter),
    Subscribe {
        run: RunId,
        sender: UnboundedSender<Progress>,
        reply: oneshot::Sender<()>,
    },
    Park {
        run: RunId,
        reply: Parked,
    },
    /// Begin nothing for a while; the reply says how many effects are being carried out.
    Hold {
        reply: oneshot::Sender<usize>,
    },
    /// Begin what was held, and go on.
    Release,
    /// Something is over that was waited for.
    Nudge,
    /// The store may have been taken away.
    Doubt,
    /// It will be closed soon.
    Hurry,
    Close,
}

/// What there is to do after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing, until something is posted or a timer is due.
    Rest,
    /// Another round.
    More,
    /// Another round, once the disk has had time to recover.
    Later,
    /// Nothing ever again: it was closed, and all of it is recorded.
    Over,
    /// Nothing ever again: what is open is carried on by the next one.
    Broken,
}

/// What it takes to drive.
pub(super) struct Worker {
    pub(super) driver: Driver,
    pub(super) answers: Arc<dyn Answers>,
    pub(super) hands: Arc<Hands>,
    pub(super) desk: Arc<Desk>,
    pub(super) timers: Timers,
    subscribers: HashMap<RunId, Vec<UnboundedSender<Progress>>>,
    /// Letters it wrote to itself while it let parcels leave.
    pub(super) own: VecDeque<Letter>,
    /// Runs that someone set aside, and those for which that is not yet over.
    pub(super) parked: HashSet<RunId>,
    pub(super) parking: Vec<Parking>,
    pub(super) hold: Hold,
    /// From when on no questions are asked any more.
    pub(super) hurries: Option<Instant>,
    closing: bool,
    /// Whether the store is to be looked at though nothing waits for it.
    doubted: bool,
    /// Runs that ended since the last commit, to be forgotten.
    ended: Vec<RunId>,
    /// Since when the store does not take what waits.
    refused: Option<Instant>,
    last_words: LastWords,
}

impl Worker {
    pub(super) fn new(
        driver: Driver,
        answers: Arc<dyn Answers>,
        hands: Arc<Hands>,
        desk: Arc<Desk>,
        last_words: LastWords,
    ) -> Self {
        let parked = parked(&driver);
        Worker {
            driver,
            answers,
            hands,
            desk,
            timers: Timers::default(),
            subscribers: HashMap::new(),
            own: VecDeque::new(),
            parked,
            parking: Vec::new(),
            hold: Hold::default(),
            hurries: None,
            closing: false,
            doubted: false,
            ended: Vec::new(),
            refused: None,
            last_words,
        }
    }

    /// Takes what was posted and what is due, commits it, and lets leave what it gave.
    pub(super) fn round(&mut self, mail: Vec<Mail>) -> Next {
        self.take_what_waits(mail);
        for parcel in self.driver.questions() {
            self.let_leave(parcel);
        }
        if self.driver.is_pending() || std::mem::take(&mut self.doubted) {
            match self.driver.commit_in_silence() {
                Ok((parcels, replies)) => {
                    self.refused = None;
                    parcels.into_iter().for_each(|parcel| self.let_leave(parcel));
                    replies.send();
                    self.driver.forget_ended(&std::mem::take(&mut self.ended));
                }
                Err(error) if self.may_try_again(&error) => return Next::Later,
                // An engine that cannot write must stop.
                Err(error) => {
                    // It is said only once, before whoever waits is let go.
                    let _ = self.last_words.set(error.clone());
                    self.driver.give_up(&error);
                    return Next::Broken;
                }
            }
            kill_point("parcels left");
        }
        if self.has_more() {
            return Next::More;
        }
        self.settle();
        match self.has_more() {
            true => Next::More,
            // A turn that waits for answers is recorded first: what made it happen is known to nobody else.
            false if self.closing && !self.driver.is_turning(|_| true) => Next::Over,
            false => {
                if self.timers.next().is_none() && self.hands.is_idle() {
                    clock::set();
                }
                Next::Rest
            }
        }
    }

    fn has_more(&self) -> bool {
        !self.own.is_empty() || self.driver.is_pending()
    }

    /// Writes down what was not begun, and closes the store.
    pub(super) fn end(mut self) {
        self.write_unbegun();
        if let Err(error) = self.driver.commit() {
            say(format_args!("switchback: what was not begun counts as begun: {error}"));
        }
        if let Err(error) = self.driver.close() {
            say(format_args!("switchback: the store was not closed cleanly: {error}"));
        }
    }

    /// Whether the store may still take what waits. Said once, so that a full disk is not a silent one.
    fn may_try_again(&mut self, error: &WriteError) -> bool {
        let is_first = self.refused.is_none();
        let since = *self.refused.get_or_insert_with(Instant::now);
        if is_first && error.kind() == Kind::Retryable {
            say(format_args!("switchback: the store does not take what happens, trying again: {error}"));
        }
        let patience = match error {
            WriteError::Fault(Fault::Busy(_)) => BUSY_PATIENCE,
            _ => PATIENCE,
        };
        error.kind() == Kind::Retryable && since.elapsed() < patience && !self.closing
    }

    fn take_what_waits(&mut self, mail: Vec<Mail>) {
        // Never all of them: thousands of runs that call each other would keep everybody else waiting.
        let count = self.own.len().min(OWN_MAX);
        for letter in self.own.drain(..count) {
            self.driver.take(letter, now());
        }
        for _ in 0..OWN_MAX {
            let Some((run, timer)) = self.timers.take_due(now()) else { break };
            let command = Command::Fire { timer };
            self.driver.take(Letter::Command { run, command, contents: Vec::new(), reply: None }, now());
        }
        mail.into_iter().for_each(|mail| self.take_mail(mail));
    }

    fn take_mail(&mut self, mail: Mail) {
        match mail {
            Mail::Letter(letter) => self.take_letter(letter),
            Mail::Park { run, reply } => self.park(run, reply),
            // Whoever does not listen any more has changed their mind.
            Mail::Hold { reply } => drop(reply.send(self.hold())),
            Mail::Release => self.release(),
            Mail::Nudge => {}
            Mail::Doubt => self.doubted = true,
            Mail::Hurry => self.hurry(),
            Mail::Subscribe { run, sender, reply } => {
                let listening = self.subscribers.entry(run).or_default();
                // A run that waits for days is asked about often, and nothing is told meanwhile.
                listening.retain(|listener| !listener.is_closed());
                listening.push(sender);
                // It may have given up.
                let _ = reply.send(());
            }
            Mail::Close => self.closing = true,
        }
    }

    fn let_leave(&mut self, parcel: Parcel) {
        match parcel {
            Parcel::Effect { run, home, effect } => self.dispatch(run, home, effect),
            Parcel::Ask { run, questions, patience } => self.ask(run, questions, patience),
            Parcel::Died { run, home, perform } => self.clear(run, home, perform),
            Parcel::Progress(progress) => self.tell(progress),
        }
    }

    /// Tells whoever listens to the run or to one above it. After the end nothing more comes, and nobody is kept waiting
    /// for it.
    fn tell(&mut self, progress: Progress) {
        for run in progress.run.lineage() {
            if let Some(listening) = self.subscribers.get_mut(&run) {
                listening.retain(|listener| listener.send(progress.clone()).is_ok());
            }
        }
        if matches!(progress.status, Status::Ended(_)) {
            self.subscribers.remove(&progress.run);
            self.ended.push(progress.run);
        }
    }
}

/// The runs that were set aside before. A store that cannot be read says so at the first commit.
fn parked(driver: &Driver) -> HashSet<RunId> {
    let open = Filter { open: true, ..Filter::default() };
    let runs = driver.store().reader().runs(&open).unwrap_or_default();
    runs.into_iter().filter(|run| run.parked_at.is_some()).map(|run| run.id).collect()
}
