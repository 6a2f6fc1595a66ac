//! `switchback terminals`: the terminals that agents have opened, as their daemon holds them. Starts nothing: without a daemon there
//! are only those that were lost.

use super::arguments::TerminalsArguments;
use super::desk::{self, block_on};
use super::error::CommandError;
use super::exit::Exit;
use super::look::{Look, print, print_json, talk};
use super::store::{directory, workspace};
use super::table::table;
use super::time;
use engine::terminals::{Row, noted};
use serde_json::json;

/// Carries the command out.
pub(crate) fn terminals(arguments: &TerminalsArguments) -> Result<Exit, CommandError> {
    let folder = if arguments.all { None } else { Some(workspace()?.display().to_string()) };
    let rows = block_on(rows(folder))??;
    if arguments.json {
        print_json(&json!({ "terminals": rows }))?;
        return Ok(Exit::Succeeded);
    }
    if rows.is_empty() {
        talk(if arguments.all {
            "no terminals"
        } else {
            "no terminals of this folder; --all shows those of others"
        });
        return Ok(Exit::Succeeded);
    }
    let head = ["SESSION", "PROGRAM", "STATUS", "SIZE", "IDLE", "RUN", "WATCHED BY"];
    print(&table(Look::of_stdout(), &head, &rows.iter().map(cells).collect::<Vec<_>>()))?;
    if rows.iter().any(|row| row.status == "running") {
        talk("look at one: switchback attach SESSION; take it over: --control");
    }
    Ok(Exit::Succeeded)
}

async fn rows(folder: Option<String>) -> Result<Vec<Row>, CommandError> {
    let dir = directory()?;
    match desk::find(&dir)? {
        Some(reached) => Ok(desk::remote(reached)?.terminals(folder).await?),
        None => noted(&dir, folder.as_deref()).map_err(|error| {
            CommandError::internal("terminal-note", format!("failed to read the notes of terminals: {error}"))
        }),
    }
}

fn cells(row: &Row) -> Vec<String> {
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let program = match &row.foreground {
        Some(name) => format!("{} ({name})", row.shell),
        None => row.shell.clone(),
    };
    let idle = row.idle_seconds.filter(|_| row.status == "running");
    let idle = idle.map_or_else(|| "-".to_owned(), |seconds| time::ago((seconds * 1000.0) as u64));
    vec![row.session_id.clone(), program, row.status.clone(), or(&row.size), idle, or(&row.run), watched(row)]
}

/// Who has to do with it, or what became of it.
fn watched(row: &Row) -> String {
    if let Some(what) = &row.what {
        return what.clone();
    }
    let agent = format!("agent ({})", row.opened_by);
    let people = match (&row.held_by, row.watchers) {
        (Some(who), _) => Some(format!("held by {who}")),
        (None, 0) => None,
        (None, 1) => Some("1 person".to_owned()),
        (None, count) => Some(format!("{count} people")),
    };
    std::iter::once(agent).chain(people).collect::<Vec<_>>().join(", ")
}
