//! A worktree shall be there, on a branch.
//!
//! | what is there | what becomes of it |
//! |---|---|
//! | nothing | it is made, from the branch if there is one, else with a new branch from the base |
//! | the same worktree on the same branch | nothing: it is done |
//! | a half of one that was being made for somebody here | that half is taken away, and it is made |
//! | an entry of the list whose folder a removal here took away, and was cut off then | the entry is taken away, and it is made |
//! | any other entry without its folder | refused: the folder may have been moved, and then the entry is its index and its log |
//! | a half of another git's, another branch, other files | refused |

use super::branch;
use super::call::Git;
use super::half::untouched;
use super::held::{self, Held};
use super::list::Entry;
use super::marks;
use super::repository::{Half, Repository, making, text};
use super::trouble::Trouble;
use crate::adapters::file::{Aim, folder};
use crate::turn::Home;
use kernel::{Data, Fields};
use std::path::{Path, PathBuf};

/// The worktree that shall be there.
pub(super) struct Wish<'a> {
    /// Its folder.
    pub(super) target: PathBuf,
    /// How its folder is written, and the run that wrote it so.
    pub(super) from: (&'a str, &'a Home),
    /// Its branch.
    pub(super) branch: &'a str,
    /// What the branch begins from if it does not exist.
    pub(super) base: Option<&'a str>,
    /// Who asks.
    pub(super) by: &'a str,
}

/// Makes a worktree, unless it is there.
pub(super) async fn create(
    git: &Git<'_>,
    repository: &Repository,
    wish: &Wish<'_>,
) -> Result<Fields, Trouble> {
    branch::check_name(git, wish.branch).await?;
    let entries = repository.entries(git).await?;
    check_place(repository, &entries, &wish.target)?;
    if let Some(entry) = entries.iter().find(|entry| entry.path == wish.target) {
        match state(entry, wish)? {
            State::Whole => {
                let known = known(repository, wish)?;
                return Ok(outputs(wish, marks::is_made_by(&known, wish.by)?));
            }
            State::Half => {
                // Nobody was told of what was being made for this very one.
                if entry.locked.as_ref() != Some(&making(wish.by)) {
                    untouched(git, repository, entry).await?;
                }
                repository.clear(Held::open(&wish.target)?, &wish.target).await?;
            }
            State::Gone => {
                let note = marks::Removing::read(&repository.common, &wish.target)?;
                if note.is_none_or(|note| note.over.is_some()) {
                    return Err(away(wish));
                }
                make_way(&wish.target)?;
                repository.clear(None, &wish.target).await?;
            }
        }
    }
    marks::Removing::forget(&repository.common, &wish.target)?;
    make(git, repository, wish).await?;
    Ok(outputs(wish, true))
}

fn outputs(wish: &Wish<'_>, created: bool) -> Fields {
    let path = wish.target.display().to_string();
    Fields::from([
        ("worktree_path".to_owned(), Data::Inline(path.into())),
        ("branch".to_owned(), Data::Inline(wish.branch.into())),
        ("created".to_owned(), Data::Inline(created.into())),
    ])
}

fn check_place(repository: &Repository, entries: &[Entry], target: &Path) -> Result<(), Trouble> {
    let shown = target.display();
    let Some(main) = entries.first() else { return Ok(()) };
    if main.path == target {
        return Err(Trouble::Refused(format!("{shown} is the repository itself: name a folder inside it")));
    }
    if !main.is_bare && target.starts_with(&repository.common) {
        let message = format!("{shown} lies where git keeps its own files: name another folder");
        return Err(Trouble::Refused(message));
    }
    let below = target.strip_prefix(&repository.common).ok().and_then(|below| below.iter().next());
    if let Some(name) = below.filter(|name| is_gits(&name.to_string_lossy())) {
        return Err(Trouble::Refused(format!(
            "{shown} is not made: `{}` is a name that git or Switchback uses in a repository; name another folder",
            name.display()
        )));
    }
    match other_repository(repository, target) {
        Some(other) => Err(Trouble::Refused(format!(
            "{shown} lies in another git repository, {}, where git keeps its own files: name another folder",
            other.display()
        ))),
        None => Ok(()),
    }
}

/// Whether git, or a server, makes files of that name in a repository, and would stumble over a folder.
fn is_gits(name: &str) -> bool {
    let name = name.to_lowercase();
    [".lock", ".pid", ".log", "_head"].iter().any(|end| name.ends_with(end))
        || ["switchback", "description", "custom_hooks"].contains(&name.as_str())
}

/// The repository in which a place lies though it is not its own. What lies in a checkout lies in no repository.
fn other_repository<'t>(repository: &Repository, target: &'t Path) -> Option<&'t Path> {
    let above = target.ancestors().skip(1).take_while(|folder| !has_link(folder));
    above.take_while(|folder| **folder != repository.common).find(|folder| is_repository(folder))
}

/// Whether git keeps its files in a folder.
fn is_repository(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// How much of a worktree is there.
enum State {
    /// All of it.
    Whole,
    /// A part, which was being made for somebody here.
    Half,
    /// Its entry only.
    Gone,
}

/// How much is there of what git lists at that place; what is not ours to mend is refused.
fn state(entry: &Entry, wish: &Wish<'_>) -> Result<State, Trouble> {
    let shown = wish.target.display();
    let refused = |message: String| Err(Trouble::Refused(message));
    match (entry.half(), &entry.locked) {
        (Some(Half::Ours), _) => return Ok(State::Half),
        (Some(Half::Foreign), _) => {
            return refused(format!(
                "{shown} is only half made: another git is making it, or was ended while it did. If none is at it, \
                 `git worktree remove --force --force -- {shown}` takes it away"
            ));
        }
        (None, Some(reason)) if !has_link(&wish.target) => {
            return refused(format!(
                "{shown} is a locked worktree whose files are not there ({reason}): bring them back, or unlock it"
            ));
        }
        _ if has_link(&wish.target) => {}
        _ if is_empty(&wish.target) => return Ok(State::Gone),
        _ => {
            return refused(format!(
                "{shown} was a worktree and has lost its `.git`: put its files elsewhere, or `git worktree repair` it"
            ));
        }
    }
    if entry.branch.as_deref() == Some(wish.branch) {
        return Ok(State::Whole);
    }
    refused(format!("{shown} is a worktree already, {}, not on `{}`", entry.on(), wish.branch))
}

/// Whether a worktree says where its repository is.
pub(super) fn has_link(target: &Path) -> bool {
    target.join(".git").symlink_metadata().is_ok()
}

/// Whether there is nothing at a place, or a folder with nothing in it.
fn is_empty(target: &Path) -> bool {
    match target.read_dir() {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// That git knows a worktree there whose folder is not there.
fn away(wish: &Wish<'_>) -> Trouble {
    let shown = wish.target.display();
    Trouble::Refused(format!(
        "{shown} is not there, and git still knows a worktree of that path: it was moved or deleted by hand. If it was moved, \
         `git worktree repair` with its new path tells git; if it was deleted, `git worktree prune` clears up, and then \
         it can be made"
    ))
}

/// Takes an empty folder away, as git wants it for an entry whose files are not there.
fn make_way(target: &Path) -> Result<(), Trouble> {
    Held::open(target)?.map_or(Ok(()), Held::delete_empty)
}

/// Where git keeps what it knows of a worktree, if that is what its folder belongs to.
fn known(repository: &Repository, wish: &Wish<'_>) -> Result<PathBuf, Trouble> {
    let known = held::entry_of(&repository.common, &wish.target)?;
    let folder = Held::open(&wish.target)?;
    match (known, folder) {
        (Some(known), Some(folder)) if folder.belongs_to(&known).is_ok() => Ok(known),
        _ => Err(Trouble::Refused(format!(
            "{} is a worktree of this repository by name only: its `.git` is missing, or leads to something else",
            wish.target.display()
        ))),
    }
}

async fn make(git: &Git<'_>, repository: &Repository, wish: &Wish<'_>) -> Result<(), Trouble> {
    let name = format!("refs/heads/{}", wish.branch);
    let is_new = !git.agrees(&["rev-parse", "--verify", "--quiet", &name]).await?;
    if is_new {
        branch::lies_inside(&repository.common, wish.branch)?;
    }
    let from = if is_new { base(git, wish.base).await? } else { wish.branch.to_owned() };
    if is_new {
        // By itself: where it fails because there is one by now, that is somebody else's.
        git.must(&["branch", "--quiet", "--no-track", "--", wish.branch, &from]).await?;
    }
    let (reason, target) = (making(wish.by), text(&wish.target)?);
    let add = ["worktree", "add", "--quiet", "--lock", "--reason", &reason, "--", target, wish.branch];
    let made = match git.must(&add).await {
        Ok(_) => finish(git, repository, wish).await,
        Err(trouble) => Err(trouble),
    };
    let Err(trouble) = made else { return Ok(()) };
    if trouble != Trouble::Interrupted {
        put_back(git, repository, wish, is_new.then_some((name.as_str(), from.as_str()))).await;
    }
    Err(trouble)
}

async fn finish(git: &Git<'_>, repository: &Repository, wish: &Wish<'_>) -> Result<(), Trouble> {
    check_arrival(git, wish).await?;
    marks::made(&known(repository, wish)?, wish.by)?;
    git.must(&["worktree", "unlock", "--", text(&wish.target)?]).await.map(drop)
}

/// Git was given a path, and a folder on its way may have become a link meanwhile: what counts is where the worktree is now.
async fn check_arrival(git: &Git<'_>, wish: &Wish<'_>) -> Result<(), Trouble> {
    let (path, home) = wish.from;
    let now = folder(home, git.data(), path, Aim::Worktree).map_err(Trouble::Place)?;
    let entries = super::list::parse(&git.must(&["worktree", "list", "--porcelain", "-z"]).await?);
    let reason = making(wish.by);
    let is_ours = |entry: &Entry| entry.path == wish.target && entry.locked.as_ref() == Some(&reason);
    if let Some(entry) = entries.iter().find(|entry| is_ours(entry)).filter(|_| now == wish.target) {
        if entry.branch.as_deref() != Some(wish.branch) {
            branch::no_other_name(git, wish.branch).await?;
        }
        return on_its_branch(entry, wish);
    }
    Err(Trouble::Crashed(format!(
        "{} led elsewhere while the worktree was made, because a folder on the way became a link: it was taken away again",
        wish.target.display()
    )))
}

/// A hook that runs when files are checked out may check out something else.
fn on_its_branch(entry: &Entry, wish: &Wish<'_>) -> Result<(), Trouble> {
    let has_commit = entry.head.as_ref().is_some_and(|head| head.bytes().any(|digit| digit != b'0'));
    if entry.branch.as_deref() == Some(wish.branch) {
        let shown = wish.target.display();
        return if has_commit { Ok(()) } else { Err(without_branch(&shown.to_string(), wish.branch)) };
    }
    Err(Trouble::Refused(format!(
        "{} came to be {}, not on `{}`, because a hook of the repository (`post-checkout`) checked out something else: it was \
         taken away again; mend the hook",
        wish.target.display(),
        entry.on(),
        wish.branch
    )))
}

fn without_branch(shown: &str, branch: &str) -> Trouble {
    Trouble::Refused(format!(
        "the branch `{branch}` of {shown} was deleted while it was made, perhaps by a hook of the repository \
         (`post-checkout`): it was taken away again; mend the hook"
    ))
}

/// The commit from which a new branch begins.
async fn base(git: &Git<'_>, base: Option<&str>) -> Result<String, Trouble> {
    let Some(base) = base.filter(|base| !base.is_empty()) else {
        let none = "the repository has no commit yet, and a worktree needs one: commit something first";
        return commit(git, "HEAD").await?.ok_or_else(|| Trouble::Refused(none.to_owned()));
    };
    let none = || Trouble::Refused(format!("`base_branch` {base} names no branch and no other commit"));
    if base.starts_with('-') {
        return Err(none());
    }
    match commit(git, &format!("refs/heads/{base}")).await? {
        Some(found) => Ok(found),
        None => commit(git, base).await?.ok_or_else(none),
    }
}

async fn commit(git: &Git<'_>, name: &str) -> Result<Option<String>, Trouble> {
    let said = git.call(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]).await?;
    Ok((said.code == 0).then(|| said.stdout.trim_end().to_owned()))
}

/// Takes away what a failed attempt left: a worktree that is locked as being made for this one, wherever it came to be, and its
/// new branch.
///
/// What cannot be taken away stays; the failure itself is what is told, and the next attempt mends the rest.
async fn put_back(git: &Git<'_>, repository: &Repository, wish: &Wish<'_>, branch: Option<(&str, &str)>) {
    let Ok(said) = git.put_back(&["worktree", "list", "--porcelain", "-z"]).await else { return };
    let reason = making(wish.by);
    let entries = super::list::parse(&said.stdout);
    for left in entries.iter().filter(|entry| entry.locked.as_ref() == Some(&reason)) {
        // Where a folder on the way has become a link, what lies behind that is somebody else's.
        let Ok(held) = Held::open(&left.path) else { continue };
        let known = held::entry_of(&repository.common, &left.path).ok().flatten();
        let is_linked = |held: &Held| known.as_ref().is_some_and(|known| held.belongs_to(known).is_ok());
        // A hook may have broken the link of what it was called for.
        if left.path == wish.target || held.as_ref().is_none_or(is_linked) {
            let _ = repository.clear(held, &left.path).await;
        }
    }
    let is_used = |entry: &Entry| {
        entry.branch.as_deref() == Some(wish.branch) && entry.locked.as_ref() != Some(&reason)
    };
    if let Some((name, at)) = branch
        && !entries.iter().any(is_used)
        && git.put_back(&["rev-parse", "--verify", "--quiet", name]).await.is_ok_and(|said| said.code == 0)
    {
        let _ = git.put_back(&["update-ref", "-d", name, at]).await;
    }
}
