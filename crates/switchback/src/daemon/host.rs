//! The daemon itself: opens the house, listens, and lets clients in until it is told to end, has nothing to do for a
//! while, or a newer one is to take its place.
//!
//! ```text
//!  detach ── open the house (lock, recovery) ── listen ── say that it is ready ── let in ──┬── halt
//!                                                                                          ├── idle
//!                                                                                          └── replaced
//! ```

use super::detach;
use super::gate::Pipes;
use super::hello::VERSION;
use super::idle;
use super::listen::Listener;
use super::place::Place;
use super::successor::Successor;
use super::vigil;
use crate::cli::CommandError;
use crate::house::{Carries, House};
use engine::kill_point;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// What the pid file says between a daemon that was told to be started again and the next one.
pub(super) const RESTARTED: &str = "restarted";

/// How long connections have to hear the last words.
const LAST_WORDS_MAX: Duration = Duration::from_secs(1);

/// What a daemon has.
pub(super) struct Host {
    pub(super) house: Arc<House>,
    pub(super) since: u64,
    /// How many connections there are, and how many of them speak MCP.
    pub(super) connections: watch::Sender<usize>,
    pub(super) clients: watch::Sender<usize>,
    /// The processes of those that speak MCP.
    pub(super) pipes: Pipes,
    /// Why it is to end.
    end: watch::Sender<Option<End>>,
    /// The newest program that came in and is newer than this one.
    pub(super) successor: watch::Sender<Option<Successor>>,
}

/// What would be interrupted if the daemon ended now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Busy {
    /// Effects that are being carried out.
    pub(super) effects: usize,
    /// Terminals whose program runs.
    pub(super) terminals: usize,
}

/// Why a daemon ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Halted,
    /// Another is started right away.
    Restarted,
    Idle,
    Replaced,
    /// The engine has stopped by itself: the next daemon may do better.
    Broken,
}

/// What the log says of a daemon that has begun, before its number.
pub(crate) const READY: &str = "is ready, process";

/// What the log says of a daemon that ends by itself or because it was told to, before how.
pub(crate) const ENDING: &str = "ending: ";

/// The daemon of a data directory. Says on stdout that it is ready, or why it is not; whoever started it reads that.
pub(crate) fn main(dir: &Path) -> ExitCode {
    engine::kill_point::role("daemon");
    match detach::detach() {
        Ok(true) => {}
        Ok(false) => return ExitCode::SUCCESS,
        Err(error) => {
            return announce(Some(&CommandError::internal("daemon", format!("failed to detach: {error}"))));
        }
    }
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(workers()).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                return announce(Some(&CommandError::internal(
                    "no-runtime",
                    format!("the system gives no threads: {error}"),
                )));
            }
        };
    let code = runtime.block_on(keep(dir));
    runtime.shutdown_timeout(LAST_WORDS_MAX);
    code
}

/// Half of the cores, and one that may wait for the disk: whoever posts something may have to drive. The other half is for what
/// is carried out. Fewer threads also wake each other less, which is most of what a call costs.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2)) + 1
}

async fn keep(dir: &Path) -> ExitCode {
    let opened = match Place::of(dir) {
        Ok(place) => open(&place).await.map(|host| (place, host)),
        Err(error) => Err(CommandError::internal("daemon", format!("{}: {error}", dir.display()))),
    };
    let (place, (host, listener)) = match opened {
        Ok(opened) => opened,
        Err(failed) => return announce(Some(&failed)),
    };
    kill_point("daemon listens");
    announce(None);
    say(&format!("switchback {} {READY} {}", VERSION, std::process::id()));
    let mut met = JoinSet::new();
    let end = host.let_in(&place, listener, &mut met).await;
    say(&format!("{ENDING}{end:?}").to_lowercase());
    if end == End::Broken {
        say(&host.house.local.stopped().to_string());
    }
    // What lies there now may be the next one's.
    let lost = host.house.is_lost() || host.house.stands().is_err();
    let _ = if lost { Ok(()) } else { fs::remove_file(&place.socket) };
    host.house.close().await;
    // Those who are inside hear how their runs stand; whoever does not leave then is left behind.
    let _ = tokio::time::timeout(LAST_WORDS_MAX, async { while met.join_next().await.is_some() {} }).await;
    kill_point("daemon closed");
    // Last of all: what is left of the pid file tells clients whether to find the next daemon at once.
    let _ = match end {
        _ if lost => Ok(()),
        End::Restarted => place.sign(RESTARTED),
        End::Broken => Ok(()),
        End::Halted | End::Idle | End::Replaced => fs::remove_file(&place.pid),
    };
    ExitCode::SUCCESS
}

async fn open(place: &Place) -> Result<(Arc<Host>, Listener), CommandError> {
    // From the first moment on: whoever misses the socket of a daemon that just begins must not end it.
    let asked = signal(SignalKind::hangup())
        .map_err(|error| CommandError::internal("no-signals", format!("no signals: {error}")))?;
    let (house, recovered) = House::open(&place.dir, Carries::All).await?;
    recovered.iter().filter_map(crate::cli::recovered).for_each(|line| say(&line));
    house.lost_terminals.iter().for_each(|line| say(line));
    kill_point("daemon has the house");
    let failed = |error: io::Error| {
        let message = format!("failed to listen at {}: {error}", place.socket.display());
        let failed = CommandError::internal("daemon", message);
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                failed.hint("free some space on the disk of the data directory, and try again")
            }
            _ => failed,
        }
    };
    let listener = Listener::bind(place, asked).map_err(failed)?;
    place.sign(&std::process::id().to_string()).map_err(failed)?;
    let host = Host {
        house: Arc::new(house),
        since: now(),
        connections: watch::channel(0).0,
        clients: watch::channel(0).0,
        pipes: Pipes::default(),
        end: watch::channel(None).0,
        successor: watch::channel(None).0,
    };
    Ok((Arc::new(host), listener))
}

impl Host {
    /// Lets clients in until there is a reason to end.
    async fn let_in(self: &Arc<Self>, place: &Place, mut listener: Listener, met: &mut JoinSet<()>) -> End {
        let mut ended = self.end.subscribe();
        let watching = tokio::spawn(Arc::clone(self).watch(place.clone()));
        let end = loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok(stream) => drop(met.spawn(Arc::clone(self).meet(stream))),
                    Err(error) => {
                        say(&format!("a client could not come in: {error}"));
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
                // What is over is forgotten.
                Some(_) = met.join_next() => {}
                end = ended.wait_for(Option::is_some) => match end.ok().and_then(|end| *end) {
                    Some(end) => break end,
                    None => break End::Halted,
                },
            }
        };
        watching.abort();
        end
    }

    /// Watches for reasons to end.
    async fn watch(self: Arc<Self>, place: Place) {
        let local = &self.house.local;
        let (effects, timers) = (local.effects(), local.timers());
        let terminals = self.house.terminals.count();
        let (mut terminate, mut interrupt) =
            match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
                (Ok(terminate), Ok(interrupt)) => (terminate, interrupt),
                _ => return say("no signals can be heard: end this daemon by `switchback stop`"),
            };
        let touched = vigil::over(&place.dir);
        loop {
            let counts = [self.connections.subscribe(), effects.clone(), timers.clone(), terminals.clone()];
            let end = tokio::select! {
                _ = terminate.recv() => End::Halted,
                _ = interrupt.recv() => End::Halted,
                () = idle::quiet(counts, idle::period()) => End::Idle,
                () = self.replaced(effects.clone(), timers.clone(), &place) => End::Replaced,
                () = gone(timers.clone()) => End::Broken,
                () = touched.notified() => {
                    // Where the store is gone, the engine stops by that and tells. One that carries nothing out harms nobody,
                    // and stays to tell whoever comes next.
                    if *effects.borrow() > 0 {
                        let _ = self.house.stands();
                    }
                    continue;
                }
            };
            // Something may just have begun.
            if matches!(end, End::Idle | End::Replaced) && self.hush().await.is_some() {
                continue;
            }
            return self.finish(end);
        }
    }

    /// Lets nothing begin any more, unless something is being carried out or a terminal is open: then everything goes on, and
    /// how much it is is told.
    pub(super) async fn hush(&self) -> Option<Busy> {
        let local = &self.house.local;
        let busy = Busy { effects: local.hold().await, terminals: *self.house.terminals.count().borrow() };
        if busy == Busy::default() {
            return None;
        }
        local.release();
        Some(busy)
    }

    /// Comes back once a newer program is noted and nothing would be interrupted by taking its place: nothing is being
    /// carried out, no terminal is open, no command follows a run, and if a timer runs, a client is there to start the next daemon.
    async fn replaced(
        &self,
        mut effects: watch::Receiver<usize>,
        mut timers: watch::Receiver<usize>,
        place: &Place,
    ) {
        let mut successor = self.successor.subscribe();
        let (mut connections, mut clients) = (self.connections.subscribe(), self.clients.subscribe());
        let mut terminals = self.house.terminals.count();
        // Until then nothing else is listened to: whatever begins and ends would wake who waits here.
        if successor.wait_for(Option::is_some).await.is_err() {
            return std::future::pending().await;
        }
        loop {
            let next = successor.borrow_and_update().clone();
            let (connected, speaking) = (*connections.borrow_and_update(), *clients.borrow_and_update());
            let (open, due) = (*effects.borrow_and_update(), *timers.borrow_and_update());
            if let Some(next) = next
                && open == 0
                && *terminals.borrow_and_update() == 0
                && connected == speaking
                && (due == 0 || speaking > 0)
            {
                match next.write(place) {
                    Ok(()) => return,
                    Err(error) => say(&format!("the newer program cannot be noted: {error}")),
                }
            }
            let changed = tokio::select! {
                changed = successor.changed() => changed,
                changed = effects.changed() => changed,
                changed = timers.changed() => changed,
                changed = terminals.changed() => changed,
                changed = connections.changed() => changed,
                changed = clients.changed() => changed,
            };
            if changed.is_err() {
                // The engine is gone, and with it whatever could be replaced.
                return std::future::pending().await;
            }
        }
    }

    fn finish(&self, end: End) {
        self.end.send_if_modified(|known| {
            let first = known.is_none();
            known.get_or_insert(end);
            first
        });
    }

    /// Ends the daemon, for good or until it is started again right away.
    pub(super) fn halt(&self, again: bool) {
        self.finish(if again { End::Restarted } else { End::Halted });
    }
}

/// Comes back when the engine has stopped.
async fn gone(mut timers: watch::Receiver<usize>) {
    while timers.changed().await.is_ok() {}
}

/// Tells whoever started the daemon how that went, and lets go of them.
fn announce(failed: Option<&CommandError>) -> ExitCode {
    let line = serde_json::to_string(&failed).unwrap_or_default();
    let mut out = io::stdout();
    // Whoever started it may have gone away meanwhile; then nobody wants to know.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    if let Ok(null) = File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
    }
    if failed.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A line of the daemon's log.
pub(super) fn say(line: &str) {
    engine::log::say(format_args!("{} {line}", engine::kernel::clock::iso(now())));
}

/// Whether a line of the log was said by a daemon: others come from what broke it.
pub(crate) fn is_said(line: &str) -> bool {
    line.split_once(' ')
        .is_some_and(|(at, _)| at.len() == engine::kernel::clock::iso(0).len() && at.ends_with('Z'))
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
