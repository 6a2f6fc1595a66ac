//! `switchback status`, `stop` and `restart`: the daemon, seen and ended from the command line.

use super::answer;
use super::arguments::{RestartArguments, StatusArguments, StopArguments};
use super::desk::{self, block_on};
use super::error::CommandError;
use super::exit::Exit;
use super::look::{print, print_json, talk};
use super::store::{Looked, directory};
use super::time;
use crate::daemon::{Halt, Report};
use engine::asking::{self, Asked};
use engine::kernel::clock::iso;
use engine::kernel::plan::Audience;
use engine::store::Filter;
use serde_json::json;
use std::time::Duration;

/// How many questions are shown.
const SHOWN_MAX: usize = 5;

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
                "terminals": report.terminals,
            })
        });
        let questions: Vec<_> = waiting(&dir)?.iter().map(waiting_json).collect();
        print_json(&json!({ "daemon": daemon, "data_directory": dir, "questions": questions }))?;
        return Ok(Exit::Succeeded);
    }
    match report {
        None => print("daemon  none runs; one starts when it is needed\n")?,
        Some(report) => print(&format!("daemon  {}\n", line(&report)))?,
    }
    print(&format!("data    {}\n", dir.display()))?;
    let waiting = waiting(&dir)?;
    waiting
        .iter()
        .take(SHOWN_MAX)
        .try_for_each(|asked| print(&format!("waits   {}\n", answer::one(asked, false))))?;
    if waiting.len() > SHOWN_MAX {
        talk("more is asked: switchback runs --all --status waiting");
    }
    Ok(Exit::Succeeded)
}

/// What waits for a human, in all folders: the first question of each run.
fn waiting(dir: &std::path::Path) -> Result<Vec<Asked>, CommandError> {
    let Some(looked) = Looked::open(dir)? else { return Ok(Vec::new()) };
    let filter = Filter { open: true, roots: true, status: Some("waiting".to_owned()), ..Filter::default() };
    let mut waiting = Vec::new();
    for row in looked.reader.runs(&filter)? {
        // One that cannot be looked at is told by `switchback runs`.
        let asked = asking::asked(&looked.reader, &row.id).unwrap_or_default();
        waiting.extend(asked.into_iter().find(|asked| asked.audience == Audience::Human));
    }
    Ok(waiting)
}

fn waiting_json(asked: &Asked) -> serde_json::Value {
    let mut document = asking::document(asked);
    document["run"] = asked.root.as_str().into();
    document
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
    let terminals = match report.terminals {
        0 => String::new(),
        open => format!(", {} open", count(open, "terminal")),
    };
    format!("{}, process {}, up {up}, {clients}, {effects} under way{terminals}", report.version, report.pid)
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

/// How long a daemon may take to end all that it carries out, and to say so.
const ENDS_WITHIN: Duration = Duration::from_secs(60);

/// Whether there was one to end.
async fn halt(now: bool, again: bool) -> Result<bool, CommandError> {
    let Some(reached) = desk::find(&directory()?)? else { return Ok(false) };
    let (halt, pid) = (if now { Halt::Now } else { Halt::IfQuiet }, reached.welcome.pid);
    let daemon = desk::remote(reached)?;
    let Ok(halted) = tokio::time::timeout(ENDS_WITHIN, daemon.halt(halt, again)).await else {
        let message = format!("the daemon (process {pid}) was told to end, and has not yet");
        return Err(CommandError::internal("daemon-silent", message)
            .hint(format!("if it was stopped (SIGSTOP), it goes on by: kill -CONT {pid}"))
            .hint(format!("if the disk of a project does not answer: kill -KILL {pid}; runs are kept")));
    };
    match halted {
        Ok(()) => Ok(true),
        Err(engine::Error::Told { code, message }) if code == "daemon-busy" => {
            let hint =
                "what is under way: switchback runs --all --status running, switchback terminals --all";
            let now = "interrupt it all the same, and go on with runs when a daemon starts again (terminals are ended): --now";
            Err(CommandError::usage("daemon-busy", message).hint(hint).hint(now))
        }
        Err(error) => Err(error.into()),
    }
}
