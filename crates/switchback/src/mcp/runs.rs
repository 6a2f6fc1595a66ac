//! Runs as tools name them: those of the caller's folder, by id or by a beginning of it.

use super::problem::{Problem, said};
use super::visit::Visit;
use engine::dialects::near::near;
use engine::kernel::RunId;
use engine::kernel::clock::iso;
use engine::store::{Fault, Filter, Found, Owner, Reader, RunRow};
use engine::turn::LoadError;
use engine::view::{self, View};
use serde_json::{Value, json};

/// How many runs that have ended a list shows, and how many that have not.
const ENDED_MAX: u32 = 20;
const OPEN_MAX: u32 = 50;

/// How the store calls a run all of whose open steps wait, for whatever it is.
const WAITING: &str = "waiting";

/// Among how many runs a near name is looked for.
const NEAR_AMONG: u32 = 1_000;

/// Which runs a caller sees.
#[derive(Clone, Debug)]
pub(super) enum Sight {
    /// Those of a folder.
    Folder(String),
    /// All of them.
    All,
}

impl Sight {
    /// The sight of a client; it sees all where it asks for that.
    pub(super) fn of(visit: &Visit, all: bool) -> Sight {
        if all { Sight::All } else { Sight::Folder(visit.workspace()) }
    }

    fn sees(&self, row: &RunRow) -> bool {
        match self {
            Sight::Folder(folder) => row.workspace == *folder,
            Sight::All => true,
        }
    }

    fn folder(&self) -> Option<String> {
        match self {
            Sight::Folder(folder) => Some(folder.clone()),
            Sight::All => None,
        }
    }
}

/// The run that a word means: its id or a unique beginning of it.
pub(super) fn find(reader: &Reader, word: &str, sight: &Sight) -> Result<RunRow, Problem> {
    match reader.by_prefix(word).map_err(unreadable)? {
        Found::One(row) if sight.sees(&row) => Ok(*row),
        Found::One(_) | Found::Nothing => Err(unknown(reader, word, sight)),
        Found::Many(_) => {
            let filter =
                Filter { workspace: sight.folder(), roots: !word.contains('/'), ..Filter::default() };
            let runs = reader.runs(&filter).map_err(unreadable)?;
            let mut found: Vec<RunRow> =
                runs.into_iter().filter(|run| run.id.as_str().starts_with(word)).collect();
            match found.len() {
                0 => Err(unknown(reader, word, sight)),
                1 => Ok(found.remove(0)),
                _ => Err(Problem::new("ambiguous-run", format!("several runs begin with `{}`", said(word)))
                    .options(found.iter().map(|run| run.id.to_string()))
                    .help("Call again with one of these ids")),
            }
        }
    }
}

fn unknown(reader: &Reader, word: &str, sight: &Sight) -> Problem {
    let filter = Filter { workspace: sight.folder(), limit: Some(NEAR_AMONG), ..Filter::default() };
    let runs = reader.runs(&filter).unwrap_or_default();
    let near = near(word, runs.iter().map(|run| run.id.as_str()));
    let (place, help) = match sight {
        Sight::Folder(_) => (
            " in this folder",
            "get_workflow_status() without an id shows the runs of this folder; all=true those of every folder",
        ),
        Sight::All => ("", "get_workflow_status(all=true) without an id shows the runs of every folder"),
    };
    let problem = Problem::new("unknown-run", format!("there is no run `{}`{place}", said(word)))
        .options(runs.iter().take(ENDED_MAX as usize).map(|run| run.id.to_string()))
        .help(help);
    match near.is_empty() {
        true => problem,
        false => problem.with("did_you_mean", json!(near)),
    }
}

/// The view of a run, and whether some process carries it. Nothing if the run is gone.
pub(super) fn view(visit: &Visit, reader: &Reader, run: &RunId) -> Result<Option<View>, Problem> {
    let row = reader.run(run).map_err(unreadable)?;
    let (Some(row), Some(mut seen)) = (row, View::load(reader, run).map_err(not_loaded)?) else {
        return Ok(None);
    };
    let owner = Owner::of(&visit.house()?.dir);
    seen.left = seen.needs_carrier() && !view::is_carried(&row, owner);
    seen.pending_max = visit.pending_max(seen.pending_max);
    Ok(Some(seen))
}

/// Whether some process carries a run.
pub(super) fn is_carried(visit: &Visit, reader: &Reader, run: &RunId) -> Result<bool, Problem> {
    let row = reader.run(run).map_err(unreadable)?;
    let owner = Owner::of(&visit.house()?.dir);
    Ok(row.is_some_and(|row| view::is_carried(&row, owner)))
}

/// The view of a run that was just there.
pub(super) fn view_of(visit: &Visit, reader: &Reader, run: &RunId) -> Result<View, Problem> {
    view(visit, reader, run)?.ok_or_else(|| Problem::new("unknown-run", format!("there is no run `{run}`")))
}

/// The runs that are open or ended last, as one list.
pub(super) fn list(visit: &Visit, reader: &Reader, sight: &Sight) -> Result<Vec<Value>, Problem> {
    let filter = |open, limit| Filter {
        workspace: sight.folder(),
        roots: true,
        open,
        limit: Some(limit),
        ..Filter::default()
    };
    let open = reader.runs(&filter(true, OPEN_MAX)).map_err(unreadable)?;
    let last = reader.runs(&filter(false, ENDED_MAX)).map_err(unreadable)?;
    let ended = last.into_iter().filter(|run| run.ended_at.is_some());
    let owner = Owner::of(&visit.house()?.dir);
    let all = open.into_iter().chain(ended);
    Ok(all.map(|row| document(&row, status(reader, &row, owner))).collect())
}

/// The word for a run, and what is to be said beside it. Of one that waits, or that perhaps nobody carries any more, the row
/// does not tell whether someone must do something.
fn status(reader: &Reader, row: &RunRow, owner: Option<Owner>) -> (String, Option<String>) {
    let is_carried = view::is_carried(row, owner);
    if row.ended_at.is_some() || (is_carried && row.status != WAITING) {
        return (row.status.clone(), row.detail.clone());
    }
    match View::load(reader, &row.id) {
        Ok(Some(mut view)) => {
            view.left = view.needs_carrier() && !is_carried;
            let waiting = view.waiting_for();
            (view.word().to_owned(), (!waiting.is_empty()).then(|| waiting.join(", ")))
        }
        Ok(None) => (row.status.clone(), row.detail.clone()),
        Err(LoadError::Diverged(_)) => ("diverged".to_owned(), row.detail.clone()),
        Err(error) => (format!("{} ({error})", row.status), row.detail.clone()),
    }
}

fn document(row: &RunRow, (status, detail): (String, Option<String>)) -> Value {
    json!({
        "workflow_id": row.id,
        "workflow": row.workflow,
        "status": status,
        "detail": detail,
        "started_at": iso(row.created_at),
        "updated_at": iso(row.updated_at),
        "ended_at": row.ended_at.map(iso),
        "workspace": row.workspace,
    })
}

/// The store cannot be read.
pub(super) fn unreadable(fault: Fault) -> Problem {
    super::visit::no_house(&fault.to_string())
}

/// A run cannot be brought back.
pub(super) fn not_loaded(error: LoadError) -> Problem {
    match error {
        LoadError::Store(fault) => unreadable(fault),
        LoadError::Diverged(_) => Problem::new("diverged", error.to_string())
            .help("The run was stopped and left as it is. A person looks at it with `switchback verify`"),
        _ => Problem::new("unreadable-run", error.to_string())
            .help("A person looks at it with `switchback verify`"),
    }
}

/// What the engine said no to.
pub(super) fn refused(error: engine::Error) -> Problem {
    use engine::Error;
    match error {
        Error::Refused(refusal) => refused_command(&refusal),
        Error::KeyUsed(_) => Problem::new("key-used", error.to_string())
            .help("The same key means the same call: use another key, or the same arguments as before"),
        Error::NameTaken(_) => {
            Problem::new("name-taken", error.to_string()).help("Nothing was started: call again")
        }
        Error::NoRun(_) => Problem::new("unknown-run", error.to_string())
            .help("get_workflow_status() without an id shows the runs of this folder"),
        Error::Load(error) => not_loaded(error),
        Error::Store(_) | Error::Fenced | Error::Stopped(_) => super::visit::no_house(&error.to_string()),
        Error::Lost(lost) => super::visit::lost(&lost.to_string()),
        Error::NoSecret(_) => Problem::new("missing-secret", error.to_string())
            .help("Nothing was started. A person sets the value at this machine; never ask for it here")
            .next("Ask the person at this machine to set it, then call again."),
        Error::Told { .. } => Problem::new("refused", error.to_string()).help("Nothing was changed"),
    }
}

/// What a run said no to, and what is due instead.
fn refused_command(refusal: &engine::kernel::Refusal) -> Problem {
    use engine::kernel::Refusal;
    let problem = Problem::new("refused", refusal.to_string());
    match refusal {
        Refusal::NotOpen { due, .. } => problem
            .options_as("due", due.iter().map(ToString::to_string))
            .help("get_workflow_status(workflow_id) shows what is due"),
        Refusal::Stale { due, .. } => problem
            .options_as("due", [due.to_string()])
            .help("get_workflow_status(workflow_id) shows what is due"),
        _ => problem.help("Nothing was changed. get_workflow_status(workflow_id) shows how the run stands"),
    }
}
