//! `switchback serve`: MCP on stdin and stdout, by way of the daemon or alone. What is said to people is said on
//! stderr; stdout is the protocol.

use super::arguments::ServeArguments;
use super::aside;
use super::desk::{block_on, is_alone, lent, place};
use super::error::CommandError;
use super::exit::Exit;
use super::follow::Signals;
use super::look::{talk, written};
use super::store::{directory, recordable, workspace};
use crate::daemon::{Door, Hello, Pipe};
use crate::house::{Carries, Client, Flags, House, Sought};
use crate::mcp;
use crate::settings::Settings;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long it waits at the end for whoever reads stderr: many clients never do.
const WORDS_MAX: Duration = Duration::from_secs(1);

/// How long the answers to what is asked already may take once the process is told to end.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// How long calls go on whose client has said its last line, with their answers.
const CALLS_GO_ON: Duration = Duration::from_secs(8);

/// How long it may take to read those.
const LAST_ANSWERS_MAX: Duration = Duration::from_secs(60);

/// Carries the command out.
pub(crate) fn serve(arguments: &ServeArguments) -> Result<Exit, CommandError> {
    aside::begin_for(Some(WORDS_MAX));
    let flags = Flags { toolsets: arguments.toolsets.clone(), read_only: arguments.read_only };
    let client = match folder(arguments.workspace.as_deref()) {
        Ok(folder) => Client::here(folder, flags),
        // Whoever was started in a folder that is gone says so to whoever asks.
        Err(error) if arguments.workspace.is_none() => {
            return block_on(closed(error, Client::here(PathBuf::from("/"), flags)))?;
        }
        Err(error) => return Err(error),
    };
    Settings::read(&client).troubles().iter().for_each(|trouble| talk(trouble));
    if goes_nowhere() {
        talk("stdout is closed or /dev/null: nobody hears what is answered here");
    }
    if arguments.no_daemon || is_alone() {
        return block_on(alone(client))?;
    }
    engine::kill_point::role("pipe");
    let pipe = match opened(&client) {
        Ok(pipe) => pipe,
        Err(error) => return block_on(closed(error, client))?,
    };
    pipe.carry();
    pipe.close();
    written(pipe.heard())?;
    read(pipe.read())?;
    pipe.missed().map_or(Ok(Exit::Succeeded), Err)
}

/// Whether all that a client said was read.
fn read(result: std::io::Result<()>) -> Result<(), CommandError> {
    result.map_err(|error| {
        CommandError::internal("not-read", format!("failed to read what the client says from stdin: {error}"))
    })
}

/// Whether stdout is the file that swallows everything. One that was closed is that too, before this program begins: the two
/// cannot be told from each other, and the first may be meant.
fn goes_nowhere() -> bool {
    let out = rustix::fs::fstat(rustix::stdio::stdout());
    let null = rustix::fs::stat("/dev/null");
    matches!((out, null), (Ok(out), Ok(null)) if out.st_rdev == null.st_rdev)
}

/// A pipe to the daemon, started if need be.
fn opened(client: &Client) -> Result<Arc<Pipe>, CommandError> {
    recordable(client.workspace.clone())?;
    let hello = Hello::new(Door::Mcp, client.clone()).lending(lent(client));
    let dir = directory()?;
    Pipe::open(Box::new(move || place(&dir)), hello, talk)
        .map_err(|error| CommandError::internal("daemon", format!("failed to speak to the daemon: {error}")))
}

/// The project folder that was named, or where the command was started.
fn folder(named: Option<&str>) -> Result<PathBuf, CommandError> {
    let Some(named) = named else { return workspace() };
    let folder = PathBuf::from(named).canonicalize();
    folder.ok().filter(|folder| folder.is_dir()).ok_or_else(|| {
        CommandError::usage("no-folder", format!("there is no folder {named}"))
            .hint("name an existing one: --workspace FOLDER")
    })
}

/// Everything in this one process.
async fn alone(client: Client) -> Result<Exit, CommandError> {
    let (dir, theirs) = (directory()?, client.clone());
    let house = Sought::new(Box::new(move || Box::pin(own(dir.clone(), theirs.clone())))).await;
    let shows_gates = !crate::daemon::is_below_our_own();
    let mut signals = Signals::listen()?;
    let lines = mcp::Stdio::open();
    let unheard = lines.unheard();
    let enough = CancellationToken::new();
    let serving = mcp::serve_alone(Arc::clone(&house), (client, shows_gates), lines, enough.clone());
    let mut serving = std::pin::pin!(serving);
    let served = tokio::select! {
        served = &mut serving => Some(served),
        () = last_answers(&unheard, &house) => {
            unheard.give_up("the client hung up and does not read its last answers");
            Some(Ok(()))
        }
        _ = signals.next() => {
            enough.cancel();
            // Whoever is not answered by then, or by a second signal, will not be.
            tokio::select! {
                _ = tokio::time::timeout(LAST_WORDS, &mut serving) => {}
                _ = signals.next() => {}
            }
            None
        }
    };
    // Whatever ends it: what its runs have started is ended and recorded.
    if let Some(house) = house.house() {
        house.close().await;
    }
    written(unheard.heard())?;
    read(unheard.read())?;
    let Some(served) = served else { return Ok(Exit::Interrupted) };
    // Who is gone is told nothing.
    let served = if unheard.is_so() { Ok(()) } else { served };
    served.map_err(|error| CommandError::internal("mcp", error))?;
    house.missed().map_or(Ok(Exit::Succeeded), Err)
}

/// Waits until nobody can be expected to read any more. The client has said its last line; its calls go on for a moment, what they
/// have started is ended, and what is still to be said to it waits as long as that of a pipe.
async fn last_answers(unheard: &mcp::Unheard, house: &Sought) {
    unheard.hung_up().await;
    tokio::time::sleep(CALLS_GO_ON).await;
    if let Some(house) = house.house() {
        house.close().await;
    }
    tokio::time::sleep(LAST_ANSWERS_MAX).await;
}

/// A house for one client.
async fn own(dir: PathBuf, client: Client) -> Result<House, CommandError> {
    let (house, recovered) = House::open(&dir, Carries::Asked).await?;
    recovered.iter().filter_map(super::recovered).for_each(|line| talk(&line));
    house.lost_terminals.iter().for_each(|line| talk(line));
    house.lend(&client.workspace, lent(&client));
    Ok(house)
}

/// Without a store every tool says why: a client that only sees its server end learns nothing.
async fn closed(error: CommandError, client: Client) -> Result<Exit, CommandError> {
    let served = mcp::serve_closed(error.in_one_line(), client, mcp::Stdio::open()).await;
    served.map_err(|error| CommandError::internal("mcp", error))?;
    Err(error)
}
