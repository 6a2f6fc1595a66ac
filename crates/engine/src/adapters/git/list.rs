//! The worktrees of a repository, as `git worktree list --porcelain -z` names them.

use std::path::PathBuf;

/// One worktree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its folder.
    pub(super) path: PathBuf,
    /// Its branch, without `refs/heads/`; none if its HEAD is detached, or stands on a name of its own.
    pub(super) branch: Option<String>,
    /// The commit it stands on; none in a repository without files.
    pub(super) head: Option<String>,
    /// Whether it is the repository itself, without files.
    pub(super) is_bare: bool,
    /// Why it is locked, if it is.
    pub(super) locked: Option<String>,
}

/// Reads the list. The first one is the main worktree.
pub(super) fn parse(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.split('\0').filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "worktree" {
            entries.push(Entry { path: rest.into(), ..Entry::default() });
            continue;
        }
        let Some(entry) = entries.last_mut() else { continue };
        match word {
            "HEAD" => entry.head = Some(rest.to_owned()),
            // Any other name is the worktree's own, and goes with it.
            "branch" => entry.branch = rest.strip_prefix("refs/heads/").map(str::to_owned),
            "bare" => entry.is_bare = true,
            "locked" => entry.locked = Some(rest.to_owned()),
            _ => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_whatever_a_path_holds() {
        let text = "worktree /r\0bare\0\0worktree /r/a b\n\"c\0HEAD 1\0branch refs/heads/x/y\0locked a b\0\0\
                    worktree /r/z\0HEAD 2\0detached\0locked\0prunable gone\0\0";
        let [main, one, other] = parse(text).try_into().unwrap();
        assert_eq!(main, Entry { path: "/r".into(), is_bare: true, ..Entry::default() });
        assert_eq!(one.path, PathBuf::from("/r/a b\n\"c"));
        assert_eq!((one.branch.as_deref(), one.locked.as_deref()), (Some("x/y"), Some("a b")));
        assert_eq!((other.branch, other.locked.as_deref()), (None, Some("")));
        assert_eq!((one.head.as_deref(), other.head.as_deref()), (Some("1"), Some("2")));
    }
}
