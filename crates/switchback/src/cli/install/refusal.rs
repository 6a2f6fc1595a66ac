//! Why a client was not set up, in words: what, where, and what to do next.

use super::change::Trouble;
use super::client::Client;
use super::entry::NAME;
use super::here::Here;
use super::write::Unwritten;
use crate::cli::error::CommandError;
use std::path::{Path, PathBuf};

pub(super) fn no_project_file(client: Client) -> CommandError {
    let (title, name) = (client.title(), client.name());
    CommandError::usage("no-project-file", format!("{title} has no file of its own for a project"))
        .hint(format!("set it up for every project: switchback install {name}"))
}

pub(super) fn of_trouble(path: &Path, trouble: Trouble, here: &Here) -> CommandError {
    let shown = here.shown(path);
    match trouble {
        Trouble::Io(error) => CommandError::usage("client-file", format!("failed to read {shown}: {error}"))
            .hint("nothing was changed"),
        Trouble::NotText => CommandError::usage("client-file", format!("{shown} is not text (UTF-8)"))
            .hint("nothing was changed; mend the file, then try again"),
        Trouble::Mistake { line, column, message } => CommandError::usage(
            "client-file",
            format!("{shown}:{line}:{column} cannot be understood: {message}"),
        )
        .hint("nothing was changed; mend the file there, then try again"),
        Trouble::Unsafe => CommandError::internal(
            "client-file",
            format!("{shown} cannot be changed without changing more than our entry"),
        )
        .hint("nothing was changed; write the entry by hand: docs/install.md shows it"),
    }
}

pub(super) fn foreign(client: Client, path: &Path, what: &str, here: &Here) -> CommandError {
    let (shown, title) = (here.shown(path), client.title());
    CommandError::usage("other-server", format!("{title} already has another server called `{NAME}`: {what}"))
        .hint(format!("nothing was changed; rename or remove it in {shown}, then try again"))
}

pub(super) fn of_writing(client: Client, unwritten: Unwritten, here: &Here) -> CommandError {
    let name = client.name();
    match unwritten {
        Unwritten::ReadOnly(path) => CommandError::usage(
            "read-only",
            format!("{} is read-only, and was left as it is", here.shown(&path)),
        )
        .hint("something else may look after it; if it is yours alone: chmod u+w, then try again")
        .hint(format!("what to write there: switchback install {name}")),
        Unwritten::Changed(path) => {
            let message = format!("{} was changed by someone else at the same moment", here.shown(&path));
            CommandError::internal("client-file-changed", message)
                .hint("nothing was changed by us; try again")
        }
        Unwritten::Io(path, error) => {
            CommandError::internal("client-file", format!("failed to write {}: {error}", here.shown(&path)))
                .hint("nothing was changed")
        }
    }
}

pub(super) fn not_there(client: Client, path: &Path, here: &Here) -> CommandError {
    let (title, shown) = (client.title(), here.shown(path));
    CommandError::internal("not-set-up", format!("{title} was told, but {shown} does not say so"))
        .hint("look at the file, then try again")
}

pub(super) fn with_backup(error: CommandError, backup: Option<&PathBuf>, here: &Here) -> CommandError {
    match backup {
        Some(backup) => error.hint(format!("what was there before: {}", here.shown(backup))),
        None => error,
    }
}
