//! One set-up: what has to be done, and the doing of it.

use super::change::File;
use super::client::{Client, Scope};
use super::entry::Standing;
use super::here::Here;
use super::picture::Picture;
use super::program::Calls;
use super::{refusal, write};
use crate::cli::error::CommandError;
use std::path::PathBuf;

/// One set-up of one client.
pub(super) struct Job {
    pub(super) client: Client,
    pub(super) scope: Scope,
    /// The client's file as it was found.
    pub(super) file: File,
    pub(super) work: Work,
    /// Whether anything said that the client is installed, before we wrote anything.
    pub(super) is_there: bool,
}

/// What has to be done.
pub(super) enum Work {
    /// Nothing: it is as it should be.
    Nothing,
    /// The file gets a new text.
    Write { new: String, picture: Picture },
    /// The client's own program is called.
    Call(Calls),
}

/// What was done.
pub(super) struct Done {
    /// The copy of what was there.
    pub(super) backup: Option<PathBuf>,
}

impl Job {
    /// Looks at what is there and works out what has to be done. Changes nothing.
    pub(super) fn plan(client: Client, scope: Scope, here: &Here) -> Result<Job, CommandError> {
        let path = client.file(here, scope).ok_or_else(|| refusal::no_project_file(client))?;
        let file =
            File::read(client, &path, here).map_err(|trouble| refusal::of_trouble(&path, trouble, here))?;
        let work = match &file.standing {
            Standing::Current => Work::Nothing,
            Standing::Foreign(what) => return Err(refusal::foreign(client, &path, what, here)),
            Standing::Absent | Standing::Outdated(_) => match own_program(client, scope, here) {
                Some(program) => Work::Call(Calls::of(program, file.entry.as_ref(), here)),
                None => {
                    let new = file
                        .changed(client, here)
                        .map_err(|trouble| refusal::of_trouble(&path, trouble, here))?;
                    let picture = Picture::of(file.text.as_deref().unwrap_or_default(), &new);
                    Work::Write { new, picture }
                }
            },
        };
        Ok(Job { client, scope, file, work, is_there: client.is_there(here) })
    }

    /// Does it; nothing if there is nothing to do.
    pub(super) fn carry_out(&self, here: &Here) -> Result<Option<Done>, CommandError> {
        let path = &self.file.path;
        let refused = |unwritten| refusal::of_writing(self.client, unwritten, here);
        let done = match &self.work {
            Work::Nothing => return Ok(None),
            Work::Write { new, .. } => {
                let backup = write::back_up(path).map_err(refused)?;
                let replaced = write::replace(path, self.file.text.as_deref(), new, self.scope);
                replaced.map_err(|unwritten| {
                    // A copy of what was not changed is of no use; one that cannot be taken away does no harm.
                    let _ = backup.as_ref().map(std::fs::remove_file);
                    refused(unwritten)
                })?;
                Done { backup }
            }
            Work::Call(calls) => {
                let backup = write::back_up(path).map_err(refused)?;
                calls.make(&here.workspace).map_err(|error| self.put_back(error, backup.as_ref(), here))?;
                Done { backup }
            }
        };
        self.prove(&done, here)?;
        Ok(Some(done))
    }

    /// After calls that failed: the entry that was there is there again, and the file is as before unless somebody else
    /// wrote it meanwhile.
    fn put_back(&self, error: CommandError, backup: Option<&PathBuf>, here: &Here) -> CommandError {
        let path = &self.file.path;
        let shown = here.shown(path);
        let Ok(now) = File::read(self.client, path, here) else {
            return refusal::with_backup(error, backup, here);
        };
        if now.text == self.file.text {
            // A copy of what was not changed is of no use; one that cannot be taken away does no harm.
            let _ = backup.map(std::fs::remove_file);
            return error.hint(format!("{shown} is as it was"));
        }
        if now.entry == self.file.entry {
            return refusal::with_backup(
                error.hint(format!("our entry in {shown} is as it was")),
                backup,
                here,
            );
        }
        let again = self.file.entry.as_ref().filter(|_| now.entry.is_none());
        let again = again.and_then(|entry| now.holding(self.client, entry).ok());
        let again =
            again.is_some_and(|new| write::replace(path, now.text.as_deref(), &new, self.scope).is_ok());
        let said = match again {
            true => format!("the entry that was in {shown} is there again"),
            false => format!("{shown} was changed: look at it"),
        };
        refusal::with_backup(error.hint(said), backup, here)
    }

    /// Reads the file again: what it says now is what counts.
    fn prove(&self, done: &Done, here: &Here) -> Result<(), CommandError> {
        let path = &self.file.path;
        let now = File::read(self.client, path, here)
            .map_err(|trouble| refusal::of_trouble(path, trouble, here))?;
        match now.standing {
            Standing::Current => Ok(()),
            _ => Err(refusal::with_backup(
                refusal::not_there(self.client, path, here),
                done.backup.as_ref(),
                here,
            )),
        }
    }
}

/// The program that looks after a client's file itself.
fn own_program(client: Client, scope: Scope, here: &Here) -> Option<PathBuf> {
    match (client, scope) {
        (Client::ClaudeCode, Scope::User) => here.program(client.program()),
        _ => None,
    }
}
