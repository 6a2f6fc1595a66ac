//! The local backend: runs live in this process and its SQLite store. One at a time drives (see `driver`): whoever
//! posts a letter while nobody does, or the thread, which also wakes for timers (see `desk`). Adapters run beside it.
//!
//! ```text
//!  callers ──┐                     ┌── timers
//!  adapters ─┼── letters ── round ─┼── adapters
//!  answers ──┘                     └── subscribers
//! ```

mod carry;
mod clock;
mod desk;
mod dispatch;
mod hands;
mod hold;
mod park;
mod secret;
mod terminal;
mod timers;
mod worker;

pub(crate) use hands::Hands;

use crate::adapters::file;
use crate::adapters::process::Notes;
use crate::answers::Answers;
use crate::backend::{Accepted, Backend, Error, Later, Progress, Standing, Start};
use crate::driver::{Driver, Letter};
use crate::secrets::used;
use crate::store::{Ground, Lost, Store, WriteError};
use desk::Desk;
use kernel::{Command, RunId};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot, watch};
use worker::{Mail, Worker};

/// Runs in this process.
pub struct Local {
    desk: Arc<Desk>,
    thread: Mutex<Option<JoinHandle<()>>>,
    hands: Arc<Hands>,
    timers: watch::Receiver<usize>,
    last_words: LastWords,
    ground: Ground,
}

/// Why the work has stopped, once it has. Said before whoever waits for it is let go.
type LastWords = Arc<OnceLock<WriteError>>;

impl Local {
    /// Starts the backend over an opened store. Adapters run on the given runtime.
    pub fn open(
        store: Store,
        notes: Notes,
        answers: Arc<dyn Answers>,
        runtime: tokio::runtime::Handle,
    ) -> Self {
        let (desk, last_words) = (Arc::new(Desk::default()), LastWords::default());
        let ground = store.ground().clone();
        let hands = Arc::new(Hands::new(notes, Arc::clone(&answers), runtime, Arc::clone(&desk)));
        let (driver, at) = (Driver::new(store), Arc::clone(&desk));
        let worker = Worker::new(driver, answers, Arc::clone(&hands), at, Arc::clone(&last_words));
        let timers = worker.timers.count();
        desk.seat(worker);
        let at = Arc::clone(&desk);
        let thread = std::thread::Builder::new()
            .name("driver".into())
            .spawn(move || at.work())
            .expect("BUG: the system gives no thread");
        Local { desk, thread: Mutex::new(Some(thread)), hands, timers, last_words, ground }
    }

    /// Tells how many effects are being carried out.
    pub fn effects(&self) -> watch::Receiver<usize> {
        self.hands.count()
    }

    /// Begins nothing more until it is released, and gives how many effects are being carried out. What is asked for
    /// meanwhile is begun on release, or by the next owner of the store.
    pub async fn hold(&self) -> usize {
        let (reply, answer) = oneshot::channel();
        self.desk.post(Mail::Hold { reply });
        // An engine that has stopped begins nothing.
        answer.await.unwrap_or(0)
    }

    /// Begins what was held, and goes on.
    pub fn release(&self) {
        self.desk.post(Mail::Release);
    }

    /// Tells how many timers run.
    pub fn timers(&self) -> watch::Receiver<usize> {
        self.timers.clone()
    }

    /// Ends all processes, records that they were interrupted, and closes the store.
    pub async fn close(&self) {
        self.desk.post(Mail::Hurry);
        self.hands.shut_down().await;
        self.desk.post(Mail::Close);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
        self.hands.notes.let_go();
    }

    /// Whether the store is still under its name. Where it is not, the work stops.
    pub fn stands(&self) -> Result<(), Lost> {
        self.ground.holds().inspect_err(|_| self.desk.post(Mail::Doubt))
    }

    /// Takes away what a crash has left of other runs than these, which are all that are not over.
    pub fn keep(&self, open: &[RunId]) {
        file::keep(self.hands.notes.data(), open.iter());
    }

    /// Why the backend does not answer any more.
    pub fn stopped(&self) -> Error {
        match self.last_words.get() {
            Some(WriteError::Lost(lost)) => Error::Lost(lost.clone()),
            Some(error) => Error::Stopped(error.to_string()),
            None if !self.hands.is_open() => Error::Stopped("it was told to end".to_owned()),
            None => Error::Stopped("by a mistake of its own".to_owned()),
        }
    }

    fn ask(&self, letter: impl FnOnce(crate::turn::Reply) -> Letter) -> Later<'_, Accepted> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |result| drop(reply.send(result)));
        self.desk.post(Mail::Letter(letter(reply)));
        Box::pin(async move { answer.await.unwrap_or_else(|_| Err(self.stopped())) })
    }
}

impl Backend for Local {
    fn start(&self, start: Start) -> Later<'_, Accepted> {
        let plans = std::iter::once(&start.plan).chain(&start.pinned);
        let names: BTreeSet<String> = plans.flat_map(|plan| used(plan)).collect();
        if names.is_empty() {
            return self.ask(move |reply| Letter::Start { start: Box::new(start), reply: Some(reply) });
        }
        Box::pin(async move {
            let (secrets, folder) = (Arc::clone(self.hands.secrets()), start.home.folder.clone());
            let missing = tokio::task::spawn_blocking(move || secrets.missing(&folder, &names)).await;
            let missing = missing.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
            let start = Box::new(start);
            let asked = match missing {
                None => self.ask(move |reply| Letter::Start { start, reply: Some(reply) }),
                // One that was started before is there whatever became of its secrets.
                Some(missing) => self.ask(move |reply| {
                    let otherwise = Error::NoSecret(missing);
                    Letter::StartedBefore { start, otherwise, reply: Some(reply) }
                }),
            };
            asked.await
        })
    }

    fn submit(&self, run: &RunId, command: Command) -> Later<'_, Accepted> {
        let run = run.clone();
        self.ask(move |reply| Letter::Command { run, command, contents: Vec::new(), reply: Some(reply) })
    }

    fn recover(&self, run: &RunId) -> Later<'_, Accepted> {
        let run = run.clone();
        self.ask(move |reply| Letter::Recover { run, reply: Some(reply) })
    }

    fn park(&self, run: &RunId) -> Later<'_, Accepted> {
        let (reply, answer) = oneshot::channel();
        self.desk.post(Mail::Park { run: run.clone(), reply });
        Box::pin(async move { answer.await.unwrap_or_else(|_| Err(self.stopped())) })
    }

    fn query(&self, run: &RunId) -> Later<'_, Standing> {
        let (reply, answer) = oneshot::channel();
        let reply = Box::new(move |result| drop(reply.send(result)));
        self.desk.post(Mail::Letter(Letter::Query { run: run.clone(), reply }));
        Box::pin(async move { answer.await.unwrap_or_else(|_| Err(self.stopped())) })
    }

    fn subscribe(&self, run: &RunId) -> Later<'_, mpsc::UnboundedReceiver<Progress>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (reply, answer) = oneshot::channel();
        self.desk.post(Mail::Subscribe { run: run.clone(), sender, reply });
        // Whoever looks at the store from here on misses nothing: a turn is there, or will be told.
        Box::pin(async move { answer.await.map(|()| receiver).map_err(|_| self.stopped()) })
    }
}
