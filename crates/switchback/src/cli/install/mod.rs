//! `switchback install`: sets a client up to use this server. It says what it would do, and does it with `--yes`.
//!
//! ```text
//!  client ── file ── read ── standing ──┬── current: nothing to do
//!                                       ├── absent, outdated: a change (text and picture), or calls of the client's program
//!                                       └── foreign, not to be understood: refused, untouched
//!                                   --yes ── copy beside it ── write or call ── read again
//! ```
//! What is in a file stays: other servers, keys we do not know, comments, layout, what a person added to our entry.

mod change;
mod client;
mod entry;
mod here;
mod job;
mod json_edit;
mod jsonc;
mod picture;
mod program;
mod refusal;
mod report;
mod toml_form;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use change::{File, Trouble};
pub(crate) use client::{Client, Scope};
pub(crate) use entry::Standing;
pub(crate) use here::Here;

use super::arguments::InstallArguments;
use super::error::CommandError;
use super::exit::Exit;
use job::Job;

/// Carries the command out.
pub(crate) fn install(arguments: &InstallArguments) -> Result<Exit, CommandError> {
    let here = Here::look()?;
    let client = Client::named(&arguments.client).ok_or_else(|| {
        CommandError::usage("unknown-client", format!("there is no client `{}`", arguments.client))
    })?;
    let scope = if arguments.project { Scope::Project } else { Scope::User };
    let job = Job::plan(client, scope, &here)?;
    let done = if arguments.yes { job.carry_out(&here)? } else { None };
    report::report(&job, done.as_ref(), &here, arguments)?;
    Ok(Exit::Succeeded)
}
