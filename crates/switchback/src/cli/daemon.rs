//! `switchback status`, `stop` and `restart`: the daemon, seen and ended from the command line.

use super::arguments::{RestartArguments, StatusArguments, StopArguments};
use super::desk::{self, block_on};
use super::error::CommandError;
use super::exit::Exit;
use super::look::{print, print_json, talk};
use super::store::directory;
use super::time;
use crate::daemon::{Halt, Report};
use engine::kernel::clock::iso;
use serde_json::json;

/// Says whether a daemon runs, and what it is doing.
pub(crate) fn status(arguments: &StatusArguments) -> Result<Exit, CommandError> {
    let dir = directory()?;
    let report = block_on(report(&dir))??;
    if arguments.json {
        let daemon = report.map(|report| {
            json!({
                "version": report.version,
                "pid": report.pid,
                "since": iso(report.since),
                "clients": report.clients,
                "effects": report.effects,
                "timers": report.timers,
            })
        });
        print_json(&json!({ "daemon": daemon, "data_directory": dir }))?;
        return Ok(Exit::Succeeded);
    }
    match report {
        None => print("daemon  none runs; one starts when it is needed\n")?,
        Some(report) => print(&format!("daemon  {}\n", line(&report)))?,
    }
    print(&format!("data    {}\n", dir.display()))?;
    Ok(Exit::Succeeded)
}

/// What the daemon of a data directory says of itself, if one runs.
pub(crate) async fn report(dir: &std::path::Path) -> Result<Option<Report>, CommandError> {
    match desk::find(dir)? {
        None => Ok(None),
        Some(reached) => Ok(Some(desk::remote(reached)?.report().await?)),
    }
}

/// One line about a daemon.
pub(crate) fn line(report: &Report) -> String {
    let count = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    };
    let up = time::ago(time::now().saturating_sub(report.since));
    let (clients, effects) = (count(report.clients, "client"), count(report.effects, "step"));
    format!("{}, process {}, up {up}, {clients}, {effects} under way", report.version, report.pid)
}

/// Ends the daemon.
pub(crate) fn stop(arguments: &StopArguments) -> Result<Exit, CommandError> {
    let stopped = block_on(halt(arguments.now, false))??;
    talk(if stopped { "the daemon has ended" } else { "no daemon runs" });
    Ok(Exit::Succeeded)
}

/// Ends the daemon and starts one.
pub(crate) fn restart(arguments: &RestartArguments) -> Result<Exit, CommandError> {
    block_on(halt(arguments.now, true))??;
    let dir = directory()?;
    desk::reach(&dir)?;
    if let Some(report) = block_on(report(&dir))?? {
        talk(&format!("the daemon is {}", line(&report)));
    }
    Ok(Exit::Succeeded)
}

/// Whether there was one to end.
async fn halt(now: bool, again: bool) -> Result<bool, CommandError> {
    let Some(reached) = desk::find(&directory()?)? else { return Ok(false) };
    let halt = if now { Halt::Now } else { Halt::IfQuiet };
    match desk::remote(reached)?.halt(halt, again).await {
        Ok(()) => Ok(true),
        Err(engine::Error::Told { code, message }) if code == "daemon-busy" => {
            let hint = "what is under way: switchback runs --all --status running";
            let now = "interrupt it all the same, and go on with it when a daemon starts again: --now";
            Err(CommandError::usage("daemon-busy", message).hint(hint).hint(now))
        }
        Err(error) => Err(error.into()),
    }
}
