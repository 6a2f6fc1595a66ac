//! The house: one data directory as its one owner has it. The store is open, what a crash left running is ended, runs
//! are carried, and any number of clients may come in. The daemon keeps one; `--no-daemon` keeps one for a single command.
//!
//! ```text
//!  client (folder, environment, flags) ── house ──┬── backend: start, submit, cancel, subscribe
//!                                                 ├── readers: what is stored, looked at
//!                                                 └── library of the client's folder
//! ```
//! Nothing here knows which door a client came through.

mod client;
mod error;
mod knows;
pub(crate) mod lent;
mod proof;
mod readers;
mod sought;

pub(crate) use client::{Client, Flags};
pub(crate) use error::HouseError;
pub(crate) use knows::EVALUATOR;
pub(crate) use lent::Lent;
pub(crate) use proof::{CHARS_MIN, Proof, Unproven};
pub(crate) use sought::Sought;

use engine::adapters::process::{Notes, Recovered, take_files};
use engine::answers::{Answers, Patience};
use engine::backend::Backend;
use engine::kernel::{Answer, Plan, Question, RunId};
use engine::library::{Library, Order, Shelf, Surroundings};
use engine::local::Local;
use engine::secrets::{Keeper, Keyring, used};
use engine::store::{Filter, Lost, OpenError, Reader, Store};
use engine::terminals::Keeper as Terminals;
use knows::Knows;
use readers::Readers;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a process that a crash has left behind may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// A data directory and the runs in it.
pub(crate) struct House {
    /// Where the data lies.
    pub(crate) dir: PathBuf,
    /// Carries the runs.
    pub(crate) local: Local,
    /// What proves that a human answers.
    pub(crate) proof: Proof,
    /// Holds the terminals.
    pub(crate) terminals: Terminals,
    /// What is to be said of terminals that a crash has taken.
    pub(crate) lost_terminals: Vec<String>,
    knows: Arc<Knows>,
    readers: Readers,
    /// The first is told when the house begins to close, the second when it has.
    ending: CancellationToken,
    closing: CancellationToken,
}

/// Which runs a new owner goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    /// Every one that nobody set aside.
    All,
    /// Only those it is asked for.
    Asked,
}

impl House {
    /// Becomes the owner of the store, ends what a crash has left running, and goes on with what was open. Gives what was
    /// found running as well.
    pub(crate) async fn open(dir: &Path, carries: Carries) -> Result<(House, Vec<Recovered>), HouseError> {
        take_files();
        let mut store = Store::open(dir)?;
        let notes = Notes::open(dir).map_err(HouseError::Notes)?;
        let recovered = notes.recover(GRACE).await?;
        let (terminals, lost_terminals) = Terminals::open(dir, GRACE).await.map_err(HouseError::Terminals)?;
        if carries == Carries::All {
            store.stay().map_err(HouseError::Lock)?;
        }
        let readers = Readers::over(dir)?;
        let secrets = match carries {
            Carries::All => Keeper::of(dir).awaiting(),
            Carries::Asked => Keeper::of(dir),
        };
        let secrets = secrets.asking(Keyring::here());
        let knows = Arc::new(Knows::new(secrets, terminals.clone()));
        let answers = Arc::clone(&knows) as Arc<dyn Answers>;
        let local = Local::open(store, notes, answers, tokio::runtime::Handle::current());
        let house = House {
            dir: dir.to_owned(),
            local,
            proof: Proof::of(dir),
            terminals,
            lost_terminals,
            knows,
            readers,
            ending: CancellationToken::new(),
            closing: CancellationToken::new(),
        };
        if carries == Carries::All {
            house.go_on().await?;
        }
        Ok((house, recovered))
    }

    /// Goes on with all that is open and that nobody set aside. One that cannot go on is told and left as it is.
    async fn go_on(&self) -> Result<(), HouseError> {
        let filter = Filter { open: true, ..Filter::default() };
        let open = self.look(|reader| reader.runs(&filter)).await??;
        let notes: Vec<RunId> = open.iter().map(|run| run.id.clone()).collect();
        self.look(|_| self.local.keep(&notes)).await?;
        let parked: Vec<RunId> =
            open.iter().filter(|run| run.parked_at.is_some()).map(|run| run.id.clone()).collect();
        for run in open.into_iter().filter(|run| !parked.iter().any(|head| run.id.is_within(head))) {
            self.learn(&run.id).await?;
            if let Err(error) = self.local.recover(&run.id).await {
                engine::log::say(format_args!("switchback: {} cannot go on: {error}", run.id));
            }
        }
        Ok(())
    }

    /// Looks for the secrets of a run that is about to go on, so that they are masked from its first word. Those that are not
    /// found are missed by the steps that use them.
    pub(crate) async fn learn(&self, run: &RunId) -> Result<(), HouseError> {
        let Some(loaded) = self.look(|reader| reader.load(run)).await?? else { return Ok(()) };
        // A plan that cannot be read is told by whoever carries it on.
        let Ok(plan) = serde_json::from_slice::<Plan>(&loaded.plan) else { return Ok(()) };
        let folder = PathBuf::from(loaded.run.workspace);
        let (secrets, names) = (Arc::clone(&self.knows.secrets), used(&plan));
        if names.is_empty() {
            return Ok(());
        }
        let learn = move || names.iter().for_each(|name| drop(secrets.find(&folder, name)));
        let learned = tokio::task::spawn_blocking(learn).await;
        learned.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        Ok(())
    }

    /// Asks an evaluator something that belongs to no run.
    pub(crate) async fn ask(&self, question: Question) -> Answer {
        let knows = Arc::clone(&self.knows);
        let ask = move || {
            let answers = knows.answer(&RunId::new("tried"), &[question], &Patience::default());
            answers.into_iter().next().unwrap_or_else(|| Answer::Unanswered("nobody answered".to_owned()))
        };
        let answered = tokio::task::spawn_blocking(ask).await;
        answered.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }

    /// Takes what a client lends.
    pub(crate) fn lend(&self, folder: &Path, lent: Lent) {
        self.knows.secrets.lend(folder, lent.into_secrets());
    }

    /// Looks at what is stored, which may wait for the disk.
    pub(crate) async fn look<T>(&self, look: impl FnOnce(&Reader) -> T) -> Result<T, OpenError> {
        self.stands()?;
        self.readers.look(look).await
    }

    /// Glances at a few rows of what is stored.
    pub(crate) async fn glance<T>(&self, look: impl FnOnce(&Reader) -> T) -> Result<T, OpenError> {
        self.stands()?;
        self.readers.glance(look).await
    }

    /// The definitions that a client can name. Whoever asks it for some waits for the disk.
    pub(crate) fn shelf(&self, around: Surroundings) -> Arc<Shelf> {
        self.knows.shelf(around)
    }

    /// The definitions that the tools of a source find.
    pub(crate) fn library(&self, around: Surroundings, order: Order) -> Arc<Library> {
        self.shelf(around).library(order)
    }

    /// Those of the tools of `blocks`, as they were seen last.
    pub(crate) fn last_library(&self, around: Surroundings) -> Arc<Library> {
        self.shelf(around).last_seen(Order::Blocks)
    }

    /// Whether the store is still where it was opened. Where it is not, all work stops.
    pub(crate) fn stands(&self) -> Result<(), Lost> {
        self.local.stands()
    }

    /// Whether all work has stopped because the store was taken away.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.local.stopped(), engine::Error::Lost(_))
    }

    /// Whether the house is about to close, or has.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.is_cancelled()
    }

    /// Told once the house has closed: whoever is inside says a last word and leaves.
    pub(crate) fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Ends what works for a store that was lost. Whoever is inside stays: another house follows.
    pub(crate) async fn abandon(&self) {
        self.readers.close();
        tokio::join!(self.local.close(), self.terminals.close());
    }

    /// Ends what works, records it, and closes the store.
    pub(crate) async fn close(&self) {
        self.ending.cancel();
        self.readers.close();
        tokio::join!(self.local.close(), self.terminals.close());
        self.closing.cancel();
    }
}
