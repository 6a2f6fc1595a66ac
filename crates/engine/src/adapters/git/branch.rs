//! A branch: its name, and where git writes what it knows of it.

use super::call::Git;
use super::inside::Folder;
use super::trouble::Trouble;
use rustix::fs::FileType;
use std::ffi::OsStr;
use std::path::Path;

/// Where git keeps branches and their logs.
const KEPT_IN: [&str; 2] = ["refs/heads", "logs/refs/heads"];

/// Git expands some names (`@{-1}`); only one that stays what it is can be a branch.
pub(super) async fn check_name(git: &Git<'_>, branch: &str) -> Result<(), Trouble> {
    let said = git.must(&["check-ref-format", "--branch", branch]).await?;
    if said.trim_end_matches('\n') == branch {
        return Ok(());
    }
    Err(Trouble::Refused(format!(
        "`{branch}` is not the name of a branch but stands for one: write its name"
    )))
}

/// What looks like a branch may be another name of one, and git goes on with that.
pub(super) async fn no_other_name(git: &Git<'_>, branch: &str) -> Result<(), Trouble> {
    let name = format!("refs/heads/{branch}");
    if !git.agrees(&["symbolic-ref", "--quiet", &name]).await? {
        return Ok(());
    }
    let real = git.must(&["symbolic-ref", "--short", &name]).await?;
    let real = real.trim_end();
    Err(Trouble::Refused(format!(
        "`{branch}` is another name of the branch `{real}`, and a worktree is on a branch itself: name `{real}`"
    )))
}

/// Checks that what git is about to write, or to delete, of a branch lies in the repository itself: git follows links there.
pub(super) fn lies_inside(common: &Path, branch: &str) -> Result<(), Trouble> {
    let Some(repository) = Folder::open(common)? else { return Ok(()) };
    let is_link = |folder: &Folder, name: &OsStr| {
        folder.stat(name).is_some_and(|stat| FileType::from_raw_mode(stat.st_mode).is_symlink())
    };
    if is_link(&repository, OsStr::new("packed-refs")) {
        return Err(elsewhere(&common.join("packed-refs"), branch));
    }
    for kept_in in KEPT_IN {
        let mut folder = Folder::open(common)?;
        for name in Path::new(kept_in).join(branch).parent().into_iter().flat_map(Path::iter) {
            let Some(above) = folder else { break };
            if is_link(&above, name) {
                return Err(elsewhere(&above.path.join(name), branch));
            }
            folder = above.below(name)?;
        }
    }
    Ok(())
}

fn elsewhere(link: &Path, branch: &str) -> Trouble {
    Trouble::Refused(format!(
        "{} is a link, and git would follow it with what it writes of the branch `{branch}`: put the folder or the file itself \
         there",
        link.display()
    ))
}
