//! The store as those who only look see it: where it lies, which run a word means, and who carries it.

use super::error::CommandError;
use crate::house::{Client, Flags};
use crate::settings::Settings;
use engine::dialects::near::near;
use engine::library::Surroundings;
use engine::store::{Filter, Found, OpenError, Owner, Reader, RunRow};
use engine::view::{self, View};
use std::path::{Path, PathBuf};

/// The data directory: `$SWITCHBACK_HOME`, else the one of XDG.
pub(crate) fn directory() -> Result<PathBuf, CommandError> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = folder("XDG_DATA_HOME").filter(|data| data.is_absolute());
    let data = data.or_else(|| Some(folder("HOME")?.join(".local/share")));
    let found = folder("SWITCHBACK_HOME").or_else(|| Some(data?.join("switchback"))).ok_or_else(|| {
        CommandError::internal("no-data-directory", "neither SWITCHBACK_HOME nor HOME says where data lies")
            .hint("set SWITCHBACK_HOME to a folder of your own")
    })?;
    // Whoever reads a message may stand in another folder.
    Ok(std::path::absolute(&found).unwrap_or(found))
}

/// The project folder: where the command was typed.
pub(crate) fn workspace() -> Result<PathBuf, CommandError> {
    std::env::current_dir()
        .map_err(|error| CommandError::internal("no-folder", format!("failed to find this folder: {error}")))
}

/// A project folder in which runs can be recorded: with each of them its folder is, as text.
pub(crate) fn recordable(folder: PathBuf) -> Result<PathBuf, CommandError> {
    if folder.to_str().is_some() {
        return Ok(folder);
    }
    let message =
        format!("the name of this folder is not UTF-8, and no run can be recorded in it: {folder:?}");
    Err(CommandError::usage("folder-not-utf8", message).hint("rename it, or work in another folder"))
}

/// Where the definitions of a project folder lie, and how they are read.
pub(crate) fn surroundings(workspace: PathBuf) -> Surroundings {
    let client = Client::here(workspace, Flags::default());
    Settings::read(&client).around(&client)
}

/// A store that is looked at.
pub(crate) struct Looked {
    pub(crate) reader: Reader,
    owner: Option<Owner>,
}

impl Looked {
    /// Opens the store for reading; nothing if there is none yet.
    pub(crate) fn open(dir: &Path) -> Result<Option<Looked>, CommandError> {
        let owner = Owner::of(dir);
        match Reader::open(dir) {
            Ok(reader) => Ok(Some(Looked { reader, owner })),
            Err(OpenError::Absent(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the store that must hold a run.
    pub(crate) fn open_for(dir: &Path, word: &str) -> Result<Looked, CommandError> {
        Looked::open(dir)?.ok_or_else(|| unknown(word))
    }

    /// Whether some process carries a run at this moment.
    pub(crate) fn is_carried(&self, row: &RunRow) -> bool {
        view::is_carried(row, self.owner)
    }

    /// The view of a run.
    pub(crate) fn view(&self, row: &RunRow) -> Result<View, CommandError> {
        let mut view = View::load(&self.reader, &row.id)?.ok_or_else(|| unknown(row.id.as_str()))?;
        view.left = view.needs_carrier() && !self.is_carried(row);
        if view.left {
            view.ask(&self.reader)?;
        }
        Ok(view)
    }
}

/// The run that a word means: its whole name or a unique beginning of it.
pub(crate) fn find(reader: &Reader, word: &str) -> Result<RunRow, CommandError> {
    // Every name begins with nothing: a variable that is not set means no run.
    if word.trim().is_empty() {
        return Err(CommandError::usage("unknown-run", "the id of the run is empty")
            .hint("`switchback runs --all` shows all there are"));
    }
    match reader.by_prefix(word)? {
        Found::One(row) => Ok(*row),
        Found::Nothing => {
            let runs = reader.runs(&Filter { limit: Some(1_000), ..Filter::default() })?;
            Err(unknown(word).near(&near(word, runs.iter().map(|run| run.id.as_str()))))
        }
        Found::Many(runs) => {
            let error = CommandError::usage("ambiguous-run", format!("several runs begin with `{word}`"));
            Err(runs.iter().fold(error, |error, run| error.hint(run.as_str())))
        }
    }
}

fn unknown(word: &str) -> CommandError {
    CommandError::usage("unknown-run", format!("there is no run `{word}`"))
        .hint("`switchback runs --all` shows all there are")
}
