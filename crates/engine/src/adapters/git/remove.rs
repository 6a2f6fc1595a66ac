//! A worktree shall not be there, and perhaps its branch neither.
//!
//! Nothing is taken away before everything is known to go: see `keeps.rs` for what refuses it. From then on a note in the repository says what is under way, so that the next attempt
//! after a kill ends it: what is missing then is missing because we took it. The files and git's entry are deleted
//! by us, as git would, but by handles: see `held.rs`.

use super::branch;
use super::call::Git;
use super::create::has_link;
use super::half::untouched;
use super::held::{self, Held};
use super::keeps::{
    alone, at_rest, merged, on_a_branch, unlocked, unmounted, unused, without_strays, without_submodules,
};
use super::list::Entry;
use super::marks::Removing;
use super::repository::{Half, Repository};
use super::trouble::Trouble;
use kernel::{Data, Fields};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How many changed files are named.
const NAMED_MAX: usize = 5;

/// The worktree that shall not be there.
pub(super) struct Wish<'a> {
    /// Its folder.
    pub(super) target: PathBuf,
    /// Also with uncommitted changes, and with commits that are nowhere else.
    pub(super) force: bool,
    /// Its branch shall go too.
    pub(super) delete_branch: bool,
    /// Who asks.
    pub(super) by: &'a str,
}

/// Removes a worktree, if it is there.
pub(super) async fn remove(
    git: &Git<'_>,
    repository: &Repository,
    wish: &Wish<'_>,
) -> Result<Fields, Trouble> {
    let note = Removing::read(&repository.common, &wish.target)?;
    let entries = repository.entries(git).await?;
    let Some(entry) = entries.iter().find(|entry| entry.path == wish.target) else {
        return not_listed(git, repository, wish, note).await;
    };
    let note = note.filter(|note| note.over.is_none());
    if entries.first() == Some(entry) {
        let shown = wish.target.display();
        return Err(Trouble::Refused(format!("{shown} is the repository itself, not a worktree beside it")));
    }
    if git.folder.canonicalize().is_ok_and(|folder| folder.starts_with(&wish.target)) {
        let message = "the run's own folder lies in this worktree: remove it from another folder";
        return Err(Trouble::Refused(message.to_owned()));
    }
    alone(&entries, entry)?;
    unmounted(&wish.target)?;
    // From here on it is this folder, whatever its path leads to.
    let held = Held::open(&wish.target)?;
    if held.is_none() && note.is_none() && entry.locked.is_none() {
        return away(entry, wish);
    }
    let removing = removing(entry, wish, note.as_ref());
    if removing.delete_branch {
        if let Some(branch) = removing.branch.as_deref() {
            branch::lies_inside(&repository.common, branch)?;
        }
        unused(&repository.common, &entries, entry, removing.branch.as_deref())?;
        if !wish.force {
            merged(git, removing.branch.as_deref()).await?;
        }
    }
    let was_there = held.is_some();
    let known = held::entry_of(&repository.common, &wish.target)?;
    let known = known.as_deref();
    if let How::Whole { force } = how(git, repository, (entry, known), wish, note.is_some()).await? {
        let held = held.as_ref().ok_or_else(|| vanished(wish))?;
        let known = known.ok_or_else(|| vanished(wish))?;
        unlocked(entry, wish)?;
        if !force {
            without_submodules(git, known, wish).await?;
            without_strays(git, wish).await?;
        }
        if !wish.force {
            at_rest(known, wish)?;
            on_a_branch(git, entry).await?;
        }
        held.belongs_to(known)?;
    }
    removing.write(&repository.common)?;
    repository.clear(held, &wish.target).await?;
    finish(git, repository, wish, removing, was_there || note.is_some_and(|note| note.by == wish.by)).await
}

fn vanished(wish: &Wish<'_>) -> Trouble {
    let shown = wish.target.display();
    Trouble::Refused(format!("{shown} was taken away by somebody else meanwhile: look at what is there"))
}

/// What is going to be removed; an attempt that was cut off may know more of it.
fn removing(entry: &Entry, wish: &Wish<'_>, note: Option<&Removing>) -> Removing {
    let branch = entry.branch.clone().or_else(|| note.and_then(|note| note.branch.clone()));
    Removing {
        path: wish.target.clone(),
        branch,
        delete_branch: wish.delete_branch,
        by: wish.by.to_owned(),
        over: None,
    }
}

/// It is not among the worktrees: it never was, or an attempt that was cut off has removed it.
async fn not_listed(
    git: &Git<'_>,
    repository: &Repository,
    wish: &Wish<'_>,
    note: Option<Removing>,
) -> Result<Fields, Trouble> {
    if let Some(note) = note.filter(|note| note.by == wish.by) {
        return match note.over {
            Some(is_deleted) => Ok(outputs(wish, note.branch.as_deref(), true, is_deleted)),
            None => finish(git, repository, wish, note, true).await,
        };
    }
    let shown = wish.target.display();
    if wish.target.symlink_metadata().is_ok() {
        let message =
            format!("{shown} is there, but it is no worktree of this repository: nothing was removed");
        return Err(Trouble::Refused(message));
    }
    Ok(outputs(wish, None, false, false))
}

/// Git knows it, and nobody here took its folder away. It may stand elsewhere, moved by hand, and then git's entry and its
/// branch are all that holds it together.
fn away(entry: &Entry, wish: &Wish<'_>) -> Result<Fields, Trouble> {
    let branch = entry.branch.as_deref();
    let Some(kept) = branch.filter(|_| wish.delete_branch) else {
        return Ok(outputs(wish, branch, false, false));
    };
    let shown = wish.target.display();
    Err(Trouble::Refused(format!(
        "{shown} is not there, and git still knows it: it was moved or deleted by hand, so its branch `{kept}` stays. If \
         it was moved, `git worktree repair` with its new path tells git; if it was deleted, `git worktree prune` and \
         `git branch -D {kept}` clear up"
    )))
}

/// How a worktree is removed.
enum How {
    /// All of it is there, and what git looks at before it removes one is looked at.
    Whole { force: bool },
    /// What is left of it goes.
    Rest,
}

async fn how(
    git: &Git<'_>,
    repository: &Repository,
    (entry, known): (&Entry, Option<&Path>),
    wish: &Wish<'_>,
    is_under_way: bool,
) -> Result<How, Trouble> {
    if entry.half() == Some(Half::Ours) {
        if !wish.force {
            untouched(git, repository, entry).await?;
        }
        return Ok(How::Rest);
    }
    let shown = wish.target.display();
    if !has_link(&wish.target) {
        let is_gone = wish.target.symlink_metadata().is_err();
        if entry.locked.is_some() || !(is_gone || is_under_way || wish.force) {
            let message = match &entry.locked {
                Some(reason) => {
                    format!("{shown} is locked ({reason}), and its files are not there: unlock it")
                }
                None => {
                    format!("{shown} has lost its `.git`: look at what is in it; `force: true` removes it")
                }
            };
            return Err(Trouble::Refused(message));
        }
        return Ok(How::Rest);
    }
    if wish.force {
        return Ok(How::Whole { force: true });
    }
    let known = known.ok_or_else(|| vanished(wish))?;
    let changes = git.changes(known, &wish.target).await?;
    if is_under_way && !changes.is_empty() && changes.iter().all(|change| change.starts_with(" D ")) {
        return Ok(How::Whole { force: true });
    }
    if changes.is_empty() { Ok(How::Whole { force: false }) } else { Err(changed(wish, &changes)) }
}

fn changed(wish: &Wish<'_>, changes: &[String]) -> Trouble {
    let names: Vec<&str> =
        changes.iter().take(NAMED_MAX).map(|change| change.get(3..).unwrap_or(change)).collect();
    let rest = match changes.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (shown, names) = (wish.target.display(), names.join(", "));
    Trouble::Refused(format!(
        "{shown} has uncommitted changes ({names}{rest}): commit them, or say `force: true` to lose them"
    ))
}

/// Deletes the branch if it shall go, and writes down that it is over.
async fn finish(
    git: &Git<'_>,
    repository: &Repository,
    wish: &Wish<'_>,
    mut removing: Removing,
    removed: bool,
) -> Result<Fields, Trouble> {
    let mut is_deleted = false;
    if let Some(branch) = removing.branch.as_deref().filter(|_| removing.delete_branch) {
        let name = format!("refs/heads/{branch}");
        if git.agrees(&["rev-parse", "--verify", "--quiet", &name]).await? {
            let how = if wish.force { "-D" } else { "-d" };
            git.must(&["branch", "--quiet", how, "--", branch]).await.map_err(after_removal)?;
        }
        is_deleted = true;
    }
    if removed {
        removing.over = Some(is_deleted);
        removing.write(&repository.common)?;
    } else {
        Removing::forget(&repository.common, &wish.target)?;
    }
    Ok(outputs(wish, removing.branch.as_deref(), removed, is_deleted))
}

fn after_removal(trouble: Trouble) -> Trouble {
    match trouble {
        Trouble::Refused(said) => {
            Trouble::Refused(format!("the worktree is gone, its branch is not: {said}"))
        }
        other => other,
    }
}

fn outputs(wish: &Wish<'_>, branch: Option<&str>, removed: bool, branch_deleted: bool) -> Fields {
    let path = wish.target.display().to_string();
    Fields::from([
        ("worktree_path".to_owned(), Data::Inline(path.into())),
        ("branch".to_owned(), Data::Inline(branch.map_or(Value::Null, Value::from))),
        ("removed".to_owned(), Data::Inline(removed.into())),
        ("branch_deleted".to_owned(), Data::Inline(branch_deleted.into())),
    ])
}
