//! Where a command that moves runs sits down: at the daemon, which is started if need be, or alone in this process.

use super::error::{CommandError, HELD};
use super::look::talk;
use super::store::directory;
use crate::daemon::{self, Door, ENDING, Hello, Passphrase, Place, READY, Reached, Remote, is_said};
use crate::house::{Carries, Client, Flags, House, Lent};
use engine::adapters::process::Recovered;
use engine::backend::{Accepted, Backend};
use engine::kernel::command::Caller;
use engine::kernel::{Command, RunId};
use engine::store::{Ground, Owner, Reader, RunRow};
use engine::view;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::Runtime;

/// How long what is ended at once may take to be gone.
const AT_ONCE: Duration = Duration::from_millis(500);

/// How much of the end of the daemon's log is looked at.
const LAST_BYTES_MAX: usize = 2 * 1024;

/// Does without the daemon.
const VARIABLE: &str = "SWITCHBACK_NO_DAEMON";

/// A backend, and the store to look at.
pub(crate) struct Desk {
    carrier: Carrier,
    dir: PathBuf,
    ground: Option<Ground>,
    pub(crate) reader: Reader,
}

enum Carrier {
    /// This process owns the store.
    Alone(Box<House>),
    /// The daemon does.
    Daemon(Remote),
}

/// Who carries runs for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seating {
    /// This process.
    Alone,
    /// The daemon, which is started if need be.
    Daemon,
    /// The daemon if one runs, else this process.
    Either,
}

impl Seating {
    /// What a command wants, unless its flag or the environment wants to do without the daemon.
    pub(crate) fn unless(no_daemon: bool, wanted: Seating) -> Seating {
        if no_daemon || is_alone() { Seating::Alone } else { wanted }
    }
}

/// That the daemon has ended, with the last it wrote down: where it gave up by itself, that is the reason.
fn ended(log: &Path) -> String {
    let said = std::fs::read(log).unwrap_or_default();
    let said = String::from_utf8_lossy(&said[said.len().saturating_sub(LAST_BYTES_MAX)..]).into_owned();
    match last_words(&said) {
        Some(line) => format!("the daemon has ended; the last line of {} is: {line}", log.display()),
        None => "the daemon has ended without a word, as one does that is killed".to_owned(),
    }
}

/// What a log says of the end of the last daemon: the last line after it said that it ends, or what it did not say itself, such as
/// a panic. What else it wrote down happened while it was well.
fn last_words(log: &str) -> Option<&str> {
    // What Rust says behind every panic tells nothing of this one.
    let tells = |line: &&str| !line.trim().is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE");
    let lines = log.lines().filter(tells);
    let (mut words, mut ends) = (None, false);
    for line in lines {
        let began = line.contains(READY);
        ends = !began && (ends || line.contains(ENDING));
        words = if ends || !is_said(line) { Some(line) } else { words.filter(|_| !began) };
    }
    words
}

/// Whether the environment wants to do without the daemon.
pub(crate) fn is_alone() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

impl Desk {
    /// Sits down.
    pub(crate) async fn open(seating: Seating) -> Result<Desk, CommandError> {
        let dir = directory()?;
        let reached = match seating {
            Seating::Alone => None,
            Seating::Daemon => Some(reach(&dir)?),
            Seating::Either => find(&dir)?,
        };
        let carrier = match reached {
            Some(reached) => Carrier::Daemon(remote(reached)?),
            None => match alone(&dir).await {
                // One has come up meanwhile.
                Err(error) if seating == Seating::Either && error.code == HELD && is_the_daemons(&dir) => {
                    Carrier::Daemon(remote(reach(&dir)?)?)
                }
                opened => Carrier::Alone(Box::new(opened?)),
            },
        };
        let reader = Reader::open(&dir)?;
        let ground = Ground::of(&dir).ok();
        Ok(Desk { carrier, dir, ground, reader })
    }

    /// Whoever carries the runs.
    pub(crate) fn backend(&self) -> &dyn Backend {
        match &self.carrier {
            Carrier::Alone(house) => &house.local,
            Carrier::Daemon(remote) => remote,
        }
    }

    /// Gives a run what a human said, with the passphrase that proves it.
    pub(crate) async fn say(
        &self,
        run: &RunId,
        mut command: Command,
        proof: Option<Passphrase>,
    ) -> Result<Accepted, engine::Error> {
        let house = match &self.carrier {
            Carrier::Daemon(remote) => return remote.submit_with(run, command, proof).await,
            Carrier::Alone(house) => house,
        };
        if let Some(Passphrase(said)) = proof {
            house.proof.check(&said).map_err(|why| daemon::unproven(&why))?;
            if let Command::Answer { by: Caller::Human { proven, .. }, .. } = &mut command {
                *proven = true;
            }
        }
        house.local.submit(run, command).await
    }

    /// Looks for the secrets of a run that is about to go on in this process.
    pub(crate) async fn learn(&self, run: &RunId) -> Result<(), CommandError> {
        match &self.carrier {
            Carrier::Alone(house) => Ok(house.learn(run).await?),
            Carrier::Daemon(_) => Ok(()),
        }
    }

    /// Whether runs go on when this process ends.
    pub(crate) fn outlives_us(&self) -> bool {
        matches!(self.carrier, Carrier::Daemon(_))
    }

    /// The process that owns the data directory.
    pub(crate) fn pid(&self) -> Option<u32> {
        Owner::of(&self.dir)?.pid
    }

    /// Whether a run is carried at this moment.
    pub(crate) fn carries(&self, row: &RunRow) -> bool {
        self.outlives_us() && view::is_carried(row, Owner::of(&self.dir))
    }

    /// Why nothing comes any more.
    pub(crate) fn stopped(&self) -> engine::Error {
        match &self.carrier {
            Carrier::Alone(house) => house.local.stopped(),
            Carrier::Daemon(_) if let Some(Err(lost)) = self.ground.as_ref().map(Ground::holds) => {
                engine::Error::Lost(lost)
            }
            Carrier::Daemon(_) => {
                let log = self.dir.join("daemon.log");
                engine::Error::Stopped(ended(&log))
            }
        }
    }

    /// Gets up. Alone, what works is ended and recorded; at the daemon, everything goes on.
    pub(crate) async fn close(&self) {
        if let Carrier::Alone(house) = &self.carrier {
            house.close().await;
        }
    }
}

fn is_the_daemons(dir: &Path) -> bool {
    Owner::of(dir).is_some_and(|owner| owner.carries_all)
}

/// A house for this command alone.
async fn alone(dir: &Path) -> Result<House, CommandError> {
    let (house, recovered) = House::open(dir, Carries::Asked).await?;
    recovered.iter().filter_map(self::recovered).for_each(|line| talk(&line));
    house.lost_terminals.iter().for_each(|line| talk(line));
    let client = client()?;
    house.lend(&client.workspace, lent(&client));
    Ok(house)
}

/// The daemon of the data directory, if one runs.
pub(crate) fn find(dir: &std::path::Path) -> Result<Option<Reached>, CommandError> {
    if !dir.exists() {
        return Ok(None);
    }
    Ok(daemon::find(&place(dir)?, &Hello::new(Door::Control, client()?))?)
}

/// The daemon of the data directory, started if need be.
pub(crate) fn reach(dir: &std::path::Path) -> Result<Reached, CommandError> {
    let client = client()?;
    let lent = lent(&client);
    let reached = daemon::reach(&place(dir)?, &Hello::new(Door::Control, client).lending(lent))?;
    if let Some(note) = &reached.welcome.note {
        talk(note);
    }
    Ok(reached)
}

/// A daemon that was reached, as a backend.
pub(crate) fn remote(reached: Reached) -> Result<Remote, CommandError> {
    Remote::over(reached)
        .map_err(|error| CommandError::internal("daemon", format!("failed to speak to the daemon: {error}")))
}

/// The daemon's files.
pub(crate) fn place(dir: &std::path::Path) -> Result<Place, CommandError> {
    Place::of(dir).map_err(|error| {
        CommandError::internal("store", format!("{}: {error}", dir.display()))
            .hint("the data directory must be a folder that you may read and write")
            .hint("get that right, or name another one: SWITCHBACK_HOME=/some/folder")
    })
}

fn client() -> Result<Client, CommandError> {
    Ok(Client::here(super::store::workspace()?, Flags::default()))
}

/// What this process lends; what it cannot is told.
pub(crate) fn lent(client: &Client) -> Lent {
    let (lent, doubts) = Lent::here(client);
    doubts.iter().for_each(|doubt| talk(doubt));
    lent
}

/// What became of a process that a crash had left running, if that is worth a word.
pub(crate) fn recovered(recovered: &Recovered) -> Option<String> {
    let Recovered { run, effect, pid, was_alive, is_gone } = recovered;
    let step = effect.split('#').next().unwrap_or(effect);
    let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    match (was_alive, is_gone) {
        (true, true) => Some(format!("ended the process of `{step}`{pid} that {run} had left running")),
        (_, false) => Some(format!("the process of `{step}`{pid} of {run} cannot be ended")),
        (false, true) => None,
    }
}

/// Runs something on a runtime of its own. Whatever still runs at its end is killed.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = Runtime::new().map_err(|error| {
        CommandError::internal("no-runtime", format!("the system gives no threads: {error}"))
    })?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(AT_ONCE);
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_that_gave_up_is_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("daemon.log");
        assert_eq!(ended(&log), "the daemon has ended without a word, as one does that is killed");
        let line = "2026-01-01T00:00:00.000Z ending: the store cannot be written: the disk is full";
        std::fs::write(&log, format!("{}\n{line}\n\n", "x".repeat(LAST_BYTES_MAX))).unwrap();
        assert!(ended(&log).ends_with(&format!("daemon.log is: {line}")));
    }

    #[test]
    fn a_daemon_that_only_began_has_left_no_words() {
        let at = "2026-01-01T00:00:00.000Z";
        let began = format!("{at} switchback 1.0.0 {READY} 7\n\n");
        let (ends, full) = (format!("{at} {ENDING}broken\n"), format!("{at} the disk is full"));
        assert_eq!(last_words(""), None);
        assert_eq!(last_words(&began), None);
        assert_eq!(last_words(&format!("{began}{ends}{full}\n\n")), Some(full.as_str()));
        assert_eq!(last_words(&format!("{began}{ends}{full}\n{began}")), None);
        assert_eq!(last_words(&format!("{began}{at} a client went away: no hello came\n")), None);
        let panic = "thread 'main' panicked at x.rs:1:1:";
        assert_eq!(last_words(&format!("{began}{panic}\n{at} a client went away\n")), Some(panic));
        let note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
        assert_eq!(last_words(&format!("{began}{panic}\n{note}\n")), Some(panic));
    }
}
