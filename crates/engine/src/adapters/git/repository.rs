//! The repository a run's folder belongs to.

use super::call::Git;
use super::held::{self, Held};
use super::inside::Folder;
use super::list::{self, Entry};
use super::trouble::Trouble;
use rustix::fs::{FlockOperation, flock};
use rustix::io::retry_on_intr;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The reason with which a worktree is locked while it is being made.
const MAKING: &str = "switchback is making it";

/// The reason with which git itself locks one while it makes it.
const MAKING_BY_GIT: &str = "initializing";

/// A repository.
pub(super) struct Repository {
    /// The folder that all its worktrees share.
    pub(super) common: PathBuf,
    /// That folder, locked as long as worktrees are made or removed in it: one server at a time does that, so that a half of one that
    /// is found is one that nobody is at. None where the file system knows no such locks.
    _held: Option<File>,
}

/// Whose half a worktree is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// Ours: nobody was told that it is ready.
    Ours,
    /// Of a git that somebody else called.
    Foreign,
}

/// Finds the repository of the folder in which git is called, by the folder that all its worktrees share.
pub(super) async fn common(git: &Git<'_>) -> Result<PathBuf, Trouble> {
    let said = git.must(&["rev-parse", "--path-format=absolute", "--git-common-dir"]).await?;
    let common = PathBuf::from(said.strip_suffix('\n').unwrap_or(&said));
    common.canonicalize().map_err(|error| {
        Trouble::Crashed(format!("the repository {} cannot be read: {error}", common.display()))
    })
}

impl Repository {
    /// Begins to work in a repository, once no other server does. Where it keeps what it knows of its worktrees must be no link: git
    /// writes there.
    pub(super) async fn enter(git: &mut Git<'_>, common: PathBuf) -> Result<Repository, Trouble> {
        held::entries(&common)?;
        let place = common.clone();
        let hold = blocking(move || {
            let held = Folder::open(&place).ok().flatten().map(|folder| File::from(folder.dir));
            let is_held =
                |folder: &File| retry_on_intr(|| flock(folder, FlockOperation::LockExclusive)).is_ok();
            Ok(held.filter(is_held))
        });
        // Whoever is stopped meanwhile lets go of it once it is theirs.
        let held = git.before_stop(hold).await??;
        Ok(Repository { common, _held: held })
    }

    /// Its worktrees; the first one is the main one.
    pub(super) async fn entries(&self, git: &Git<'_>) -> Result<Vec<Entry>, Trouble> {
        Ok(list::parse(&git.must(&["worktree", "list", "--porcelain", "-z"]).await?))
    }

    /// Takes away a worktree with all its files, of which perhaps only a part is there, or nothing.
    pub(super) async fn clear(&self, held: Option<Held>, target: &Path) -> Result<(), Trouble> {
        let (common, target) = (self.common.clone(), target.to_owned());
        blocking(move || held::clear(&common, &target, held)).await
    }
}

impl Entry {
    /// Whether only a half of it was made, and by whom.
    pub(super) fn half(&self) -> Option<Half> {
        match self.locked.as_deref()? {
            reason if reason.starts_with(MAKING) => Some(Half::Ours),
            MAKING_BY_GIT => Some(Half::Foreign),
            _ => None,
        }
    }

    /// What stands there, in words.
    pub(super) fn on(&self) -> String {
        match &self.branch {
            Some(branch) => format!("on branch `{branch}`"),
            None => "with a detached HEAD".to_owned(),
        }
    }
}

/// The reason with which a worktree is locked while it is made for somebody.
pub(super) fn making(by: &str) -> String {
    format!("{MAKING} for {by}")
}

/// A path as an argument.
pub(super) fn text(path: &Path) -> Result<&str, Trouble> {
    path.to_str().ok_or_else(|| {
        let shown = path.display();
        Trouble::Crashed(format!("the path {shown} is not UTF-8, and a worktree's must be: choose another"))
    })
}

/// Does what may take its time beside the others.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panicked| Err(Trouble::Crashed(panicked.to_string())))
}
