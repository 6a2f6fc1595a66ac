//! `switchback runs`: what ran here, how it stands, and for how long it has stood so.

use super::arguments::RunsArguments;
use super::error::CommandError;
use super::exit::Exit;
use super::look::{Look, clean, cut, print, print_json, talk};
use super::store::{Looked, directory, workspace};
use super::table::table;
use super::time;
use engine::asking::AskedKind;
use engine::kernel::clock::iso;
use engine::store::{Filter, RunRow};
use engine::view::{Line, State, View};
use serde_json::{Value, json};

/// Longest question in a list.
const PROMPT_CHARS_MAX: usize = 60;

/// Most runs of a list with children.
const CHILDREN_MAX: usize = 1_000;

/// A run as the list shows it.
struct Shown {
    row: RunRow,
    /// How many runs of the list are above it.
    depth: usize,
    status: String,
    what: String,
}

/// Carries the command out.
pub(crate) fn runs(arguments: &RunsArguments) -> Result<Exit, CommandError> {
    let looked = Looked::open(&directory()?)?;
    let mut shown = match &looked {
        Some(looked) => find(looked, arguments)?,
        None => Vec::new(),
    };
    let limit = arguments.limit as usize;
    let more = shown.len() > limit;
    shown.truncate(limit);
    let listed = match &looked {
        Some(looked) if arguments.children => with_children(looked, shown)?,
        _ => shown,
    };
    let listed = listed.as_slice();
    if arguments.json {
        print_json(&json!({ "runs": listed.iter().map(document).collect::<Vec<_>>() }))?;
        return Ok(Exit::Succeeded);
    }
    if listed.is_empty() {
        talk(if arguments.all { "no runs" } else { "no runs of this folder; --all shows those of others" });
        return Ok(Exit::Succeeded);
    }
    print(&table(Look::of_stdout(), &head(arguments), &rows(listed, arguments)))?;
    if more {
        talk(&format!("there are more: switchback runs -n {}", limit * 5));
    }
    if listed.iter().any(|run| run.status == "interrupted") {
        talk("go on with one that was interrupted: switchback resume RUN");
    }
    if listed.iter().any(|run| run.what.starts_with("your ")) {
        talk("answer one that asks: switchback answer RUN");
    }
    Ok(Exit::Succeeded)
}

fn find(looked: &Looked, arguments: &RunsArguments) -> Result<Vec<Shown>, CommandError> {
    let workspace = if arguments.all { None } else { Some(workspace()?.display().to_string()) };
    // Whether a run was left is not stored: where a status is asked for, all are looked at.
    let limit = arguments.status.is_none().then(|| arguments.limit.saturating_add(1));
    let filter = Filter { workspace, roots: true, limit, ..Filter::default() };
    let shown = looked.reader.runs(&filter)?.into_iter().map(|row| shown(looked, row));
    Ok(shown.filter(|run| arguments.status.as_ref().is_none_or(|wanted| *wanted == run.status)).collect())
}

/// Each run with those that it started below it, the oldest first.
fn with_children(looked: &Looked, roots: Vec<Shown>) -> Result<Vec<Shown>, CommandError> {
    let mut open: Vec<Shown> = roots.into_iter().rev().collect();
    let mut listed = Vec::new();
    while let Some(run) = open.pop() {
        if listed.len() == CHILDREN_MAX {
            talk(&format!(
                "only {CHILDREN_MAX} runs are shown; switchback show RUN names those that it started"
            ));
            break;
        }
        let children = looked.reader.children(&run.row.id)?.into_iter().rev();
        open.extend(children.map(|row| Shown { depth: run.depth + 1, ..shown(looked, row) }));
        listed.push(run);
    }
    Ok(listed)
}

/// How a run stands. One that has ended says so itself; of others what is open is looked at.
fn shown(looked: &Looked, row: RunRow) -> Shown {
    if row.ended_at.is_some() {
        return Shown {
            status: row.status.clone(),
            what: row.detail.clone().unwrap_or_default(),
            row,
            depth: 0,
        };
    }
    match looked.view(&row) {
        Ok(view) => {
            let what = asks(&view).unwrap_or_else(|| what(&view));
            Shown { status: view.word().to_owned(), what, row, depth: 0 }
        }
        Err(error) if error.code == "diverged" => {
            Shown { status: error.code.into_owned(), what: error.message, row, depth: 0 }
        }
        Err(error) => Shown { status: row.status.clone(), what: error.message, row, depth: 0 },
    }
}

/// What a run asks, if it does.
fn asks(view: &View) -> Option<String> {
    let first = view.asked.first().filter(|_| !view.left)?;
    let more = view.asked.len() - 1;
    let whose = match (first.kind, first.is_gate()) {
        (AskedKind::Agent, _) => "the agent's work",
        (_, true) => "your approval",
        (_, false) => "your answer",
    };
    let prompt = cut(&clean(first.prompt.lines().next().unwrap_or_default()), PROMPT_CHARS_MAX);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    Some(format!("{whose}: \"{prompt}\"{more}"))
}

/// What a run is doing, what it waits for, or what it had open when its process went away.
fn what(view: &View) -> String {
    let in_state = |wanted: State| {
        // What was interrupted below is told by what waits.
        let own = |line: &&Line| view.undecided_below(line).next().is_none();
        let lines = view.lines().iter().filter(own).filter(|line| view.state(line) == wanted);
        lines.map(|line| format!("`{}`", line.id)).collect::<Vec<_>>()
    };
    let waiting = view.waiting_for().join(", ");
    match in_state(State::Interrupted).as_slice() {
        [one] => format!("{one} was interrupted"),
        names @ [_, ..] => format!("{} were interrupted", names.join(", ")),
        [] if view.left && waiting.is_empty() => "its process is gone".to_owned(),
        [] if view.left && view.below.is_empty() => format!("stopped while it waited for {waiting}"),
        [] if waiting.is_empty() => in_state(State::Running).join(", "),
        [] => waiting,
    }
}

fn head(arguments: &RunsArguments) -> Vec<&'static str> {
    match arguments.all {
        true => vec!["RUN", "WORKFLOW", "STATUS", "FOR", "FOLDER", "WHAT"],
        false => vec!["RUN", "WORKFLOW", "STATUS", "FOR", "WHAT"],
    }
}

fn rows(runs: &[Shown], arguments: &RunsArguments) -> Vec<Vec<String>> {
    let now = time::now();
    let cells = |run: &Shown| {
        let since = match run.status.as_str() {
            "running" => run.row.created_at,
            _ => run.row.ended_at.unwrap_or(run.row.updated_at),
        };
        let first = [
            format!("{}{}", "  ".repeat(run.depth), run.row.id),
            run.row.workflow.clone(),
            run.status.clone(),
            time::ago(now.saturating_sub(since)),
        ];
        let folder = arguments.all.then(|| run.row.workspace.clone());
        first.into_iter().chain(folder).chain([run.what.clone()]).collect()
    };
    runs.iter().map(cells).collect()
}

fn document(run: &Shown) -> Value {
    json!({
        "run": run.row.id,
        "parent": run.row.parent,
        "workflow": run.row.workflow,
        "dialect": run.row.dialect,
        "status": run.status,
        "detail": if run.what.is_empty() { None } else { Some(&run.what) },
        "workspace": run.row.workspace,
        "started_at": iso(run.row.created_at),
        "updated_at": iso(run.row.updated_at),
        "ended_at": run.row.ended_at.map(iso),
    })
}
