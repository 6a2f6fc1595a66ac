//! What every call of one connection stands on: the house, the client, and the settings that hold for it.

use super::front::Fronts;
use super::last::Last;
use super::problem::Problem;
use super::young::Nursery;
use crate::house::{Client, House, Sought};
use crate::settings::Settings;
use engine::library::{Library, Order};
use engine::store::{OpenError, Reader};
use engine::turn::Home;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::{Semaphore, mpsc};

/// How many of a client's calls look at the store at once.
const AT_ONCE_MAX: usize = 4;

/// The name of the error that the store was taken away.
pub(crate) const LOST: &str = "store-lost";

/// What helps then.
pub(crate) const CALL_AGAIN: &str = "Call again in a moment: a new store is made and runs begin anew in it. Tell the person at this machine; if \
    the data directory was only moved, its runs are where it lies now.";

/// Where a client is.
pub(super) enum Host {
    /// In a house.
    Open(Arc<House>),
    /// Before a closed door, for this reason.
    Shut(String),
    /// Before a door that may be opened later.
    Sought(Arc<Sought>),
}

impl Host {
    /// The house, or why there is none.
    pub(super) fn house(&self) -> Result<Arc<House>, String> {
        match self {
            Host::Open(house) => Ok(Arc::clone(house)),
            Host::Shut(reason) => Err(reason.clone()),
            Host::Sought(sought) => sought.house().ok_or_else(|| sought.reason()),
        }
    }
}

/// One client in the house.
pub(super) struct Visit {
    host: Host,
    pub(super) client: Client,
    /// What of its environment is passed on to commands.
    passed: Arc<BTreeMap<String, String>>,
    /// Whether its human may be shown gates: it was started by neither a workflow nor another client.
    pub(super) shows_gates: bool,
    settings: RwLock<Arc<Settings>>,
    turns: Semaphore,
    /// Runs of it that have just begun.
    pub(super) nursery: Nursery,
    /// The questions that are in front of whoever sits at the client.
    pub(super) fronts: Fronts,
    /// Whether the client has said its last line.
    pub(super) last: Arc<Last>,
    /// Says, by being dropped after the house, that nobody holds it any more.
    _alive: mpsc::Sender<()>,
}

impl Visit {
    /// Begins it: the settings that hold are read.
    pub(super) async fn begin(
        host: Host,
        (client, shows_gates): (Client, bool),
        alive: mpsc::Sender<()>,
    ) -> Visit {
        let (settings, passed) = (read(client.clone()).await, client.passed());
        let (settings, turns) = (RwLock::new(Arc::new(settings)), Semaphore::new(AT_ONCE_MAX));
        Visit {
            host,
            client,
            passed,
            shows_gates,
            settings,
            turns,
            nursery: Nursery::default(),
            fronts: Fronts::default(),
            last: Arc::default(),
            _alive: alive,
        }
    }

    /// The house, or the answer of every tool where there is none.
    pub(super) fn house(&self) -> Result<Arc<House>, Problem> {
        self.host.house().map_err(|reason| no_house(&reason))
    }

    /// Looks for the house again, if there was none.
    pub(super) async fn look_again(&self) {
        if let Host::Sought(sought) = &self.host {
            sought.look().await;
        }
    }

    /// Whether the house is about to close: whoever asks then asks the next one.
    pub(super) fn is_ending(&self) -> bool {
        self.host.house().is_ok_and(|house| house.is_ending())
    }

    /// The folder that the client's runs belong to, as the store writes it.
    pub(super) fn workspace(&self) -> String {
        self.client.workspace.to_string_lossy().into_owned()
    }

    /// The folder and environment of the runs that it starts, by these settings.
    pub(super) fn home(&self, settings: &Settings) -> Home {
        self.client.home(Arc::clone(&self.passed), settings)
    }

    /// Looks at what is stored and at the library, which may wait for the disk.
    pub(super) async fn look<T>(&self, look: impl FnOnce(&Visit, &Reader) -> T) -> Result<T, Problem> {
        // One client that asks a thousand things at once leaves turns for the others.
        let _turn = self.turns.acquire().await;
        let looked = self.house()?.look(|reader| look(self, reader)).await;
        looked.map_err(unseen)
    }

    /// Glances at a few rows and at the library as it was seen last.
    pub(super) async fn glance<T>(&self, look: impl FnOnce(&Visit, &Reader) -> T) -> Result<T, Problem> {
        let _turn = self.turns.acquire().await;
        let looked = self.house()?.glance(|reader| look(self, reader)).await;
        looked.map_err(unseen)
    }

    /// The definitions that the client can name. It waits for the disk.
    pub(super) fn library(&self) -> Result<Arc<Library>, Problem> {
        self.library_of(Order::Blocks)
    }

    /// The definitions that the tools of a source find.
    pub(super) fn library_of(&self, order: Order) -> Result<Arc<Library>, Problem> {
        Ok(self.house()?.library(self.settings().around(&self.client), order))
    }

    /// The same as they were seen last, at once.
    pub(super) fn last_library(&self) -> Result<Arc<Library>, Problem> {
        Ok(self.house()?.last_library(self.settings().around(&self.client)))
    }

    /// Most actions that it is shown at once, where its settings say so.
    pub(super) fn pending_max(&self, usual: usize) -> usize {
        self.settings().pending_max.map_or(usual, |most| most as usize)
    }

    /// What holds for this client.
    pub(super) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What holds for this client, as its files say now.
    pub(super) async fn fresh_settings(&self) -> Arc<Settings> {
        let known = self.settings();
        if known.hold() {
            return known;
        }
        let read = Arc::new(read(self.client.clone()).await);
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&read);
        read
    }
}

async fn read(client: Client) -> Settings {
    let read = tokio::task::spawn_blocking(move || Settings::read(&client)).await;
    read.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Why nothing could be looked at.
fn unseen(error: OpenError) -> Problem {
    match error {
        OpenError::Lost(lost) => self::lost(&lost.to_string()),
        error => no_house(&error.to_string()),
    }
}

/// What a tool says whose store was taken away under it.
pub(super) fn lost(reason: &str) -> Problem {
    Problem::new(LOST, format!("{reason}. Commands that were under way are ended."))
        .help("What steps have done in the project is not undone")
        .next(CALL_AGAIN)
}

/// What a tool says that has nothing to work on.
pub(super) fn no_house(reason: &str) -> Problem {
    Problem::new("no-store", "Server context not available")
        .with("reason", json!(reason))
        .help("This tool requires server context to access resources")
        .next("Ask the person at this machine to run `switchback doctor`; then call again.")
}
