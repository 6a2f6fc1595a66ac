//! A half of a worktree that was being made for somebody here, and whether anything is in it that git did not put there: such
//! work is nowhere else, and is not taken away without a word.
//!
//! | git was ended | what is in the folder is its own if |
//! |---|---|
//! | after it wrote the index | `git status` names nothing but files that are missing |
//! | before that, with a commit | the commit has a file of that name |
//! | before it knew the commit | there is no file |

use super::call::Git;
use super::held::{self, Held};
use super::list::Entry;
use super::repository::{Repository, blocking};
use super::trouble::Trouble;
use std::collections::BTreeSet;
use std::path::Path;

/// How many files are named.
const NAMED_MAX: usize = 5;

/// Refuses to take a half away that somebody has worked in.
pub(super) async fn untouched(git: &Git<'_>, repository: &Repository, entry: &Entry) -> Result<(), Trouble> {
    let target = &entry.path;
    let Some(folder) = Held::open(target)? else { return Ok(()) };
    let known = held::entry_of(&repository.common, target)?;
    let is_linked = known.as_ref().is_some_and(|known| folder.belongs_to(known).is_ok());
    let written = known.as_ref().filter(|known| is_linked && known.join("index").exists());
    let found = match (written, &entry.head) {
        (Some(known), _) => changes(git, known, target).await?,
        (None, head) => {
            let files = blocking(move || folder.files()).await?;
            let own = if files.is_empty() { BTreeSet::new() } else { names(git, head.as_deref()).await? };
            files.into_iter().filter(|file| !own.contains(file)).collect()
        }
    };
    if found.is_empty() { Ok(()) } else { Err(touched(target, &found)) }
}

/// What is changed in a worktree, but for files that are missing.
async fn changes(git: &Git<'_>, known: &Path, target: &Path) -> Result<Vec<String>, Trouble> {
    let changes = git.changes(known, target).await?;
    let changes = changes.iter().filter(|change| !change.starts_with(" D "));
    Ok(changes.map(|change| change.get(3..).unwrap_or(change).to_owned()).collect())
}

/// The files of a commit.
async fn names(git: &Git<'_>, commit: Option<&str>) -> Result<BTreeSet<String>, Trouble> {
    let Some(commit) = commit else { return Ok(BTreeSet::new()) };
    let said = git.call(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit]).await?;
    Ok(said.stdout.split('\0').map(str::to_owned).collect())
}

fn touched(target: &Path, files: &[String]) -> Trouble {
    let names: Vec<&str> = files.iter().take(NAMED_MAX).map(String::as_str).collect();
    let rest = match files.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (shown, names) = (target.display(), names.join(", "));
    Trouble::Refused(format!(
        "{shown} was only half made when its server was ended, and somebody has worked in it since ({names}{rest}): put that \
         elsewhere, or `git worktree remove --force --force -- {shown}` takes it away"
    ))
}
