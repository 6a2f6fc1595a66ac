//! What keeps a worktree that shall go. Without `force` nothing goes that is nowhere else; with it only what is the
//! worktree's own: a lock, and another worktree that lies in it, were somebody else's word.

use super::call::Git;
use super::held::{self, Held};
use super::inside::Folder;
use super::list::Entry;
use super::remove::Wish;
use super::repository::{blocking, text};
use super::trouble::Trouble;
use crate::adapters::mounts::{Mount, mounts};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// How many other worktrees are named.
const NAMED_MAX: usize = 5;
/// How many folders git is asked about at once.
const ASKED_MAX: usize = 64;
/// What lies in git's entry of a worktree while something is under way.
const UNDER_WAY: [(&str, &str); 9] = [
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase or `git am`"),
    ("MERGE_HEAD", "a merge"),
    ("MERGE_AUTOSTASH", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a cherry-pick or a revert"),
    ("BISECT_LOG", "a bisect"),
    ("NOTES_MERGE_PARTIAL", "a merge of notes"),
];
/// Where git notes the branch that it goes back to when something is over.
const GOES_BACK_TO: [(Option<&str>, &str); 3] =
    [(Some("rebase-merge"), "head-name"), (Some("rebase-apply"), "head-name"), (None, "BISECT_START")];
/// How git says that what it tracks is a submodule.
const SUBMODULE: &str = "160000 ";

/// Checks that no other worktree of the repository lies in it: that one has changes, a lock and a life of its own.
pub(super) fn alone(entries: &[Entry], entry: &Entry) -> Result<(), Trouble> {
    let lies_inside = |other: &&Entry| {
        other.path != entry.path && other.path.starts_with(&entry.path) && other.path.exists()
    };
    let inside: Vec<&Entry> = entries.iter().filter(lies_inside).collect();
    let Some(first) = inside.first() else { return Ok(()) };
    let shown = entry.path.display();
    if inside.len() == 1 {
        let inner = first.path.display();
        return Err(Trouble::Refused(format!(
            "{shown} holds another worktree, {inner}: remove that one first"
        )));
    }
    let names: Vec<String> =
        inside.iter().take(NAMED_MAX).map(|inner| inner.path.display().to_string()).collect();
    let rest = match inside.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names.join(", ");
    Err(Trouble::Refused(format!("{shown} holds other worktrees, {names}{rest}: remove those first")))
}

/// Checks that nothing is mounted in it: what lies there is somebody else's, and would go with it.
pub(super) fn unmounted(folder: &Path) -> Result<(), Trouble> {
    // Where the system has no such list, nothing is known. One that is a mount itself cannot be taken away either.
    let lies_inside = |mount: &Mount| mount.point.starts_with(folder);
    let Some(inside) = mounts().into_iter().flatten().find(lies_inside) else { return Ok(()) };
    let (shown, inside) = (folder.display(), inside.point.display());
    Err(Trouble::Refused(format!("{shown} has something mounted in it, {inside}: unmount that first")))
}

/// Checks that nothing is under way in it: what a rebase or a merge has put aside lies nowhere but in git's entry of it.
pub(super) fn at_rest(known: &Path, wish: &Wish<'_>) -> Result<(), Trouble> {
    let is_there = |mark: &str| known.join(mark).symlink_metadata().is_ok();
    let Some((_, what)) = UNDER_WAY.iter().find(|(mark, _)| is_there(mark)) else { return Ok(()) };
    let shown = wish.target.display();
    Err(Trouble::Refused(format!(
        "{shown} is in the middle of {what}: end or abort it, or say `force: true` to lose what it has noted"
    )))
}

/// Checks that what a worktree without a branch stands on is kept by something else than its own HEAD.
pub(super) async fn on_a_branch(git: &Git<'_>, entry: &Entry) -> Result<(), Trouble> {
    let (None, Some(head)) = (&entry.branch, &entry.head) else { return Ok(()) };
    let contains = format!("--contains={head}");
    let kept = ["refs/heads", "refs/tags", "refs/remotes"];
    let arguments = [&["for-each-ref", "--count=1", &contains], kept.as_slice()].concat();
    if !git.must(&arguments).await?.is_empty() {
        return Ok(());
    }
    let shown = entry.path.display();
    Err(Trouble::Refused(format!(
        "{shown} stands on a commit that is on no branch, no tag and no remote branch: `git branch NAME {head}` keeps it, \
         or say `force: true` to lose it"
    )))
}

/// What someone locked stays.
pub(super) fn unlocked(entry: &Entry, wish: &Wish<'_>) -> Result<(), Trouble> {
    let Some(reason) = &entry.locked else { return Ok(()) };
    let shown = wish.target.display();
    let because = if reason.is_empty() { String::new() } else { format!(", lock reason: {reason}") };
    Err(Trouble::Refused(format!(
        "cannot remove a locked working tree: `git worktree unlock {shown}` comes first{because}"
    )))
}

/// Commits of a submodule may be nowhere else: as for git, it goes only with `force`.
pub(super) async fn without_submodules(git: &Git<'_>, known: &Path, wish: &Wish<'_>) -> Result<(), Trouble> {
    let refusal = || {
        let shown = wish.target.display();
        Trouble::Refused(format!(
            "{shown}: working trees containing submodules cannot be removed without `force: true`"
        ))
    };
    if known.join("modules").is_dir() {
        return Err(refusal());
    }
    let target = wish.target.clone();
    let found = blocking(move || Held::open(&target)?.map_or(Ok(Vec::new()), |held| held.repositories()));
    for some in found.await?.chunks(ASKED_MAX) {
        let (known, target) = (text(known)?, text(&wish.target)?);
        let mut arguments =
            vec!["--literal-pathspecs", "--git-dir", known, "--work-tree", target, "-C", target];
        arguments.extend(["ls-files", "--stage", "--"]);
        for path in some {
            arguments.push(text(path)?);
        }
        if git.must(&arguments).await?.lines().any(|line| line.starts_with(SUBMODULE)) {
            return Err(refusal());
        }
    }
    Ok(())
}

/// Checks that nothing lies in the folders of submodules that are not filled in: git does not look there.
pub(super) async fn without_strays(git: &Git<'_>, wish: &Wish<'_>) -> Result<(), Trouble> {
    let listed = wish.target.join(".gitmodules");
    if listed.symlink_metadata().is_err() {
        return Ok(());
    }
    let asked = ["config", "--file", text(&listed)?, "--null", "--get-regexp", r"^submodule\..*\.path$"];
    // Where none is named, git says no.
    if !git.agrees(&asked).await? {
        return Ok(());
    }
    let named = git.must(&asked).await?;
    let paths = named.split('\0').filter_map(|entry| Some(Path::new(entry.split_once('\n')?.1)));
    let inside = paths.filter(|path| path.components().all(|part| matches!(part, Component::Normal(_))));
    let Some(held) = Held::open(&wish.target)? else { return Ok(()) };
    for path in inside {
        if let Some(first) = held.first_in(path) {
            return Err(Trouble::Refused(format!(
                "{} lies in the folder of a submodule that is not filled in, where git does not look: move it, or say \
                 `force: true` to lose it",
                wish.target.join(path).join(first).display()
            )));
        }
    }
    Ok(())
}

/// Checks, as `git branch` does before it deletes one, that no other worktree is on the branch or will go back to it.
pub(super) fn unused(
    common: &Path,
    entries: &[Entry],
    entry: &Entry,
    branch: Option<&str>,
) -> Result<(), Trouble> {
    let Some(branch) = branch else { return Ok(()) };
    let on_it = |other: &&Entry| other.path != entry.path && other.branch.as_deref() == Some(branch);
    let users = entries.iter().find(on_it).map(|other| other.path.display().to_string());
    let user = users.map_or_else(|| goes_back(common, entry, branch), |user| Ok(Some(user)))?;
    let Some(user) = user else { return Ok(()) };
    Err(Trouble::Refused(format!(
        "branch `{branch}` is used by another worktree too, {user}, so it cannot be deleted: leave `delete_branch` out, or \
         let that one go first"
    )))
}

/// The worktree in which something is under way that began on a branch.
fn goes_back(common: &Path, entry: &Entry, branch: &str) -> Result<Option<String>, Trouble> {
    let own = held::entry_of(common, &entry.path)?;
    let others = held::entries(common)?.into_iter().filter(|other| Some(&other.path) != own.as_ref());
    let is_meant = |known: &Folder| {
        let noted = GOES_BACK_TO.iter().filter_map(|(folder, name)| match folder {
            Some(folder) => known.below(OsStr::new(folder)).ok()??.read(name),
            None => known.read(name),
        });
        noted
            .map(|name| name.trim_ascii().to_owned())
            .any(|name| name.strip_prefix(b"refs/heads/".as_slice()).unwrap_or(&name) == branch.as_bytes())
    };
    let Some(known) = Folder::open(common)?.into_iter().chain(others).find(is_meant) else { return Ok(None) };
    let folder = known.read("gitdir").unwrap_or_default();
    let folder = PathBuf::from(OsString::from_vec(folder.trim_ascii_end().to_vec()));
    let folder = folder.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok(Some(folder.unwrap_or(&known.path).display().to_string()))
}

/// Checks, as `git branch -d` does, that the commits of a branch are somewhere else too. What is its own upstream is nowhere else.
pub(super) async fn merged(git: &Git<'_>, branch: Option<&str>) -> Result<(), Trouble> {
    let Some(branch) = branch else { return Ok(()) };
    let upstream = format!("{branch}@{{upstream}}");
    let name = format!("refs/heads/{branch}");
    let found = git.call(&["rev-parse", "--verify", "--quiet", "--symbolic-full-name", &upstream]).await?;
    let into = if found.code == 0 && found.stdout.trim_end() != name { &upstream } else { "HEAD" };
    if git.agrees(&["merge-base", "--is-ancestor", &name, into]).await? {
        return Ok(());
    }
    Err(Trouble::Refused(format!(
        "branch `{branch}` is not merged into `{into}`: merge it, or say `force: true` to lose its commits"
    )))
}
