//! Worktrees, by the real `git`.
//!
//! ```text
//! Request ── place ── repository ── its queue ── create or remove ── Report
//!            (stays    (common       (one at a    (looks first, so that
//!             inside)   folder)       time here)   asking twice is safe)
//! ```
//!
//! Both are idempotent by construction. What is being made is locked with a reason of our own until it is whole, and
//! what is being removed has a note in the repository: whoever comes after a kill knows whose half it finds, and ends
//! it. What somebody else left half is refused with a word on how to go on.
//!
//! Git is never given a value as an option, asks nobody anything, opens no editor and no pager. Hooks of the repository
//! run as they do for its owner (`post-checkout` fills in large files, for one); one that fails, fails the block.

mod branch;
mod call;
mod create;
mod half;
mod held;
mod inside;
mod keeps;
mod list;
mod marks;
mod queue;
mod remove;
mod repository;
mod request;
mod trouble;

#[cfg(test)]
mod tests;

pub(crate) use queue::Queue;

use super::file::{Aim, folder};
use super::process::{Notes, Stops};
use crate::adapters::socket_folder;
use crate::turn::Home;
use call::Git;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Fields, RunId};
use repository::Repository;
use request::{Request, What};
use std::path::Path;
use trouble::Trouble;

/// Carries one effect out; `None` where the server shuts down and recovery will say what came of it.
pub(crate) async fn perform(
    run: &RunId,
    home: &Home,
    perform: &Perform,
    notes: &Notes,
    (queue, stops): (&Queue, Stops),
) -> Option<Report> {
    let mut git = Git::new(run, home, perform, notes, stops);
    let done = match Request::read(run, perform) {
        Ok(request) => carry_out(&mut git, home, &request, queue).await,
        Err(trouble) => Err(trouble),
    };
    match done {
        Ok(outputs) => Some(Report::Done { outputs }),
        Err(trouble) => {
            let failure = trouble.failure(perform.timeout_ms)?;
            Some(Report::Failed { failure, outputs: Fields::new() })
        }
    }
}

/// Tries again, a few times, where another git holds a lock.
async fn carry_out(
    git: &mut Git<'_>,
    home: &Home,
    request: &Request,
    queue: &Queue,
) -> Result<Fields, Trouble> {
    for rest in call::RESTS {
        match once(git, home, request, queue).await {
            Err(Trouble::Locked(_)) => git.rest(rest).await?,
            done => return done,
        }
    }
    once(git, home, request, queue).await
}

async fn once(git: &mut Git<'_>, home: &Home, request: &Request, queue: &Queue) -> Result<Fields, Trouble> {
    let aim = if matches!(request.what, What::Create { .. }) { Aim::Worktree } else { Aim::Removal };
    let target = folder(home, git.data(), &request.path, aim).map_err(Trouble::Place)?;
    repository::text(&target)?;
    spare_own(&target, git.data())?;
    let common = repository::common(git).await?;
    let turn = queue.turn(&common);
    let _turn = git.before_stop(turn.lock()).await?;
    let repository = Repository::enter(git, common).await?;
    match &request.what {
        What::Create { branch, base } => {
            let wish = create::Wish {
                target,
                from: (&request.path, home),
                branch,
                base: base.as_deref(),
                by: &request.by,
            };
            create::create(git, &repository, &wish).await
        }
        What::Remove { force, delete_branch } => {
            let wish = remove::Wish { target, force: *force, delete_branch: *delete_branch, by: &request.by };
            remove::remove(git, &repository, &wish).await
        }
    }
}

/// Refuses to touch a worktree that holds what the server lives by.
fn spare_own(target: &Path, data: &Path) -> Result<(), Trouble> {
    let lies_there = |own: &Path| own.canonicalize().is_ok_and(|own| own.starts_with(target));
    let what = if lies_there(data) {
        "data directory"
    } else if lies_there(&socket_folder()) {
        "folder of the sockets"
    } else {
        return Ok(());
    };
    Err(Trouble::Refused(format!(
        "the {what} of Switchback lies in this worktree, so it stays as it is: keep the data elsewhere (SWITCHBACK_HOME)"
    )))
}
