//! Making a worktree: what comes of it, and what is refused.

use super::{Lab, crashed, refused};
use crate::adapters::process::Stops;
use kernel::FailureKind;
use serde_json::json;
use std::fs;
use tokio::sync::watch;

#[tokio::test]
async fn a_new_branch_begins_where_the_folder_stands() {
    let lab = Lab::new();
    let path = lab.root().join(".worktrees/feature/x").display().to_string();
    let made = lab.create(".worktrees/feature/x", "feature/x").await.unwrap();
    assert_eq!(made, json!({"worktree_path": path, "branch": "feature/x", "created": true}));
    assert_eq!(lab.read(".worktrees/feature/x/a.txt").as_deref(), Some("one\n"));
    assert_eq!(lab.git_in(path.as_ref(), &["branch", "--show-current"]), "feature/x");
    assert!(!lab.git(&["worktree", "list", "--porcelain"]).contains("locked"));
    assert!(!lab.read(".git/config").unwrap().contains("feature/x"), "it follows no other branch");
}

#[tokio::test]
async fn asking_twice_makes_one_and_says_who_made_it() {
    let lab = Lab::new();
    let wish = json!({"operation": "create_worktree", "path": "w", "branch": "f"});
    let first = lab.ask("run", wish.clone()).await.unwrap();
    // The same step asks again: its first attempt was cut off before it could tell.
    assert_eq!(lab.ask("run", wish.clone()).await.unwrap(), first);
    let other = lab.ask("other", wish).await.unwrap();
    assert_eq!((&other["created"], &other["worktree_path"]), (&json!(false), &first["worktree_path"]));
    assert_eq!(lab.worktrees(), 2);
}

#[tokio::test]
async fn a_branch_that_is_there_is_taken_as_it_is() {
    let lab = Lab::new();
    lab.git(&["branch", "old"]);
    lab.git(&["tag", "old2"]);
    lab.write("a.txt", "two\n");
    lab.commit("second");
    lab.create("w", "old").await.unwrap();
    assert_eq!(lab.read("w/a.txt").as_deref(), Some("one\n"));
    for (path, base, text) in
        [("x", "old", "one\n"), ("y", "old2", "one\n"), ("z", "main", "two\n"), ("u", "HEAD~1", "one\n")]
    {
        let wish = json!({"operation": "create_worktree", "path": path, "branch": format!("from-{path}"), "base_branch": base});
        lab.ask("run", wish).await.unwrap();
        assert_eq!(lab.read(&format!("{path}/a.txt")).as_deref(), Some(text), "{path}");
    }
}

#[tokio::test]
async fn a_base_that_is_none_is_refused() {
    let lab = Lab::new();
    for base in ["nowhere", "-b", "--orphan", "-", "a b", "main..x"] {
        let wish = json!({"operation": "create_worktree", "path": "w", "branch": "f", "base_branch": base});
        let words = refused(lab.ask("run", wish).await);
        assert_eq!(words, format!("`base_branch` {base} names no branch and no other commit"));
    }
    assert!(lab.git(&["branch", "--list", "f"]).is_empty() && !lab.root().join("w").exists());
}

#[tokio::test]
async fn a_branch_that_cannot_be_one_is_refused_by_git() {
    let lab = Lab::new();
    for branch in ["-b", "--help", "HEAD", "a..b", "a b", "x\ny", "@{-1}", "a.lock", "/a", "~"] {
        let words = refused(lab.create("w", branch).await);
        assert!(words.ends_with(&format!("fatal: '{branch}' is not a valid branch name")), "{words}");
    }
    assert!(crashed(lab.create("w", "a\0b").await).contains("NUL byte"));
    assert_eq!(crashed(lab.create("w", "").await), "`branch` is empty");
    assert_eq!(lab.worktrees(), 1);
}

#[tokio::test]
async fn a_name_that_stands_for_a_branch_is_refused() {
    let lab = Lab::new();
    lab.git(&["checkout", "--quiet", "-b", "second"]);
    let words = refused(lab.create("w", "@{-1}").await);
    assert_eq!(words, "`@{-1}` is not the name of a branch but stands for one: write its name");
}

#[tokio::test]
async fn another_branch_at_that_place_is_refused() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    let words = refused(lab.create("w", "g").await);
    assert!(words.ends_with("w is a worktree already, on branch `f`, not on `g`"), "{words}");
    lab.git_in(&lab.root().join("w"), &["checkout", "--quiet", "--detach"]);
    let words = refused(lab.create("w", "f").await);
    assert!(words.ends_with("w is a worktree already, with a detached HEAD, not on `f`"), "{words}");
    assert!(lab.git(&["branch", "--list", "g"]).is_empty());
}

#[tokio::test]
async fn a_branch_that_is_checked_out_elsewhere_is_refused_by_git() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    for branch in ["f", "main"] {
        let words = refused(lab.create("x", branch).await);
        assert!(words.contains(&format!("fatal: '{branch}' is already used by worktree at")), "{words}");
    }
}

#[tokio::test]
async fn what_is_in_the_way_is_left_alone() {
    let lab = Lab::new();
    lab.write("full/mine.txt", "mine");
    lab.write("file", "mine");
    for (path, why) in [("full", "already exists"), ("file", "leads through a file where a folder should be")]
    {
        let words = refused(lab.create(path, "f").await);
        assert!(words.contains(why), "{words}");
    }
    assert_eq!(
        (lab.read("full/mine.txt").as_deref(), lab.read("file").as_deref()),
        (Some("mine"), Some("mine"))
    );
    assert!(lab.git(&["branch", "--list", "f"]).is_empty(), "the branch was put back");
    fs::create_dir(lab.root().join("empty")).unwrap();
    lab.create("empty", "f").await.unwrap();
}

#[tokio::test]
async fn no_path_leads_out() {
    let mut lab = Lab::new();
    let outside = lab.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, lab.root().join("link")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", lab.root().join("dangling")).unwrap();
    let absolute = outside.join("w").display().to_string();
    for path in
        ["../w", "a/../../w", "link/w", "link", "dangling/w", "dangling", "/", "/tmp/w-of-a-test", &absolute]
    {
        for words in [crashed(lab.create(path, "f").await), crashed(lab.remove(path).await)] {
            assert!(words.contains("leads out of the allowed folder"), "{path}: {words}");
        }
    }
    let data = lab.folder.path().join("data/w").display().to_string();
    lab.home.roots = vec![lab.folder.path().to_owned()];
    assert!(crashed(lab.create(&data, "f").await).contains("leads into the data directory"));
    assert!(crashed(lab.create("a\0b", "f").await).contains("NUL byte"));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    lab.create("a/../w/./x/", "f").await.unwrap();
    assert!(lab.root().join("w/x/a.txt").exists());
}

#[tokio::test]
async fn a_folder_that_the_settings_allow_will_do() {
    let mut lab = Lab::new();
    let allowed = lab.root().parent().unwrap().join("home");
    lab.home.roots = vec![allowed.clone()];
    std::os::unix::fs::symlink(&allowed, lab.root().join("link")).unwrap();
    let made = lab.create("link/new/w", "f").await.unwrap();
    let path = allowed.join("new/w");
    assert_eq!(made["worktree_path"], json!(path.display().to_string()));
    assert!(path.join("a.txt").exists());
    assert_eq!(lab.remove(&path.display().to_string()).await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn the_repository_itself_is_no_worktree() {
    let lab = Lab::new();
    for path in [".", "a/.."] {
        assert!(refused(lab.create(path, "f").await).contains("is the repository itself"));
        assert!(refused(lab.remove(path).await).contains("is the repository itself"));
    }
    assert!(crashed(lab.create(".git/w", "f").await).contains("because it decides what git runs"));
    lab.git(&["init", "--quiet", "--separate-git-dir", "elsewhere"]);
    assert!(refused(lab.create("elsewhere/w", "f").await).contains("lies where git keeps its own files"));
}

#[tokio::test]
async fn a_hook_that_checks_out_something_else_is_told_and_leaves_nothing() {
    let lab = Lab::new();
    lab.git(&["branch", "old"]);
    lab.hook("post-checkout", "[ -e once ] && exit; touch once; git switch -q -c hooked");
    for branch in ["new", "old"] {
        let words = refused(lab.create("w", branch).await);
        assert!(
            words.contains("hooked") && words.contains(&format!(", not on `{branch}`, because a hook")),
            "{words}"
        );
        assert!(!lab.root().join("w").exists() && lab.worktrees() == 1);
        lab.git(&["branch", "-D", "--quiet", "hooked"]);
    }
    assert!(
        lab.git(&["branch", "--list", "new"]).is_empty() && !lab.git(&["branch", "--list", "old"]).is_empty()
    );
}

#[tokio::test]
async fn a_hook_runs_and_one_that_fails_leaves_nothing() {
    let lab = Lab::new();
    lab.hook("post-checkout", "echo filled > filled.txt");
    lab.create("w", "f").await.unwrap();
    assert_eq!(lab.read("w/filled.txt").as_deref(), Some("filled\n"));
    lab.hook("post-checkout", "echo no room >&2; exit 3");
    assert_eq!(refused(lab.create("x", "g").await), "`git worktree add` exited with 3: no room");
    assert!(!lab.root().join("x").exists() && lab.git(&["branch", "--list", "g"]).is_empty());
    assert_eq!(lab.worktrees(), 2);
}

#[tokio::test]
async fn past_its_time_it_is_ended_and_leaves_nothing() {
    let mut lab = Lab::new();
    lab.timeout_ms = Some(700);
    lab.hook("post-checkout", "exec sleep 300");
    let (kind, words) = lab.create("w", "f").await.unwrap_err();
    assert_eq!(kind, FailureKind::TimedOut);
    assert_eq!(words, "timed out after 0.7 s (its `timeout` says how long it may take)");
    assert!(!lab.root().join("w").exists() && lab.git(&["branch", "--list", "f"]).is_empty());
    assert_eq!(lab.worktrees(), 1);
}

#[tokio::test]
async fn withdrawn_it_leaves_nothing_and_interrupted_it_says_nothing() {
    for is_withdrawn in [true, false] {
        let lab = Lab::new();
        let pipe = lab.root().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        lab.hook("post-checkout", &format!("echo here > '{}'; exec sleep 300", pipe.display()));
        let (withdraw, interrupt) = (watch::channel(false).0, watch::channel(false).0);
        let stops = Stops::new(withdraw.subscribe(), interrupt.subscribe());
        let wish = json!({"operation": "create_worktree", "path": "w", "branch": "f"});
        let begun = tokio::task::spawn_blocking(move || fs::read_to_string(pipe).unwrap());
        let stopping = async {
            begun.await.unwrap();
            if is_withdrawn { withdraw.send_replace(true) } else { interrupt.send_replace(true) }
        };
        let (report, _) = tokio::join!(lab.perform("run", wish, stops), stopping);
        if is_withdrawn {
            assert_eq!(super::outcome(report.unwrap()).unwrap_err().0, FailureKind::Cancelled);
            assert!(!lab.root().join("w").exists() && lab.git(&["branch", "--list", "f"]).is_empty());
        } else {
            assert_eq!(report, None);
            lab.hook("post-checkout", "true");
            assert_eq!(lab.create("w", "f").await.unwrap()["created"], json!(true));
        }
    }
}

#[tokio::test]
async fn what_is_no_text_is_refused() {
    let lab = Lab::new();
    let wish = json!({"operation": "create_worktree", "path": ["w"], "branch": "f"});
    assert_eq!(crashed(lab.ask("run", wish).await), "`path` is text, and this is [\"w\"]");
    let wish = json!({"operation": "remove_worktree", "path": "w", "force": "yes"});
    assert_eq!(crashed(lab.ask("run", wish).await), "`force` is true or false, and this is \"yes\"");
    let wish = json!({"operation": "clone", "path": "w"});
    assert_eq!(crashed(lab.ask("run", wish).await), "this version has no git operation `clone`");
    let wish = json!({"operation": "create_worktree", "path": "w", "branch": 12});
    assert_eq!(lab.ask("run", wish).await.unwrap()["branch"], "12");
}

/// A folder becomes a link while git is at work, and a folder again, or not.
#[tokio::test]
async fn a_worktree_that_came_to_be_elsewhere_is_taken_away_again() {
    for is_put_back in [false, true] {
        let mut lab = Lab::new();
        let (inside, outside) = (lab.root().join("d"), lab.root().parent().unwrap().join("outside"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        let (link, back) = (inside.display(), if is_put_back { "rm $d; mv $d-kept $d" } else { "" });
        lab.around_adding(&format!("d={link}; mv $d $d-kept; ln -s {} $d", outside.display()), back);
        let words = match is_put_back {
            true => "led elsewhere while the worktree was made",
            false => "leads out of the allowed folder",
        };
        let said = crashed(lab.create("d/w", "f").await);
        assert!(said.contains(words), "{said}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert_eq!(lab.worktrees(), 1);
        assert!(!lab.git(&["branch", "--list"]).contains('f'));
    }
}

#[tokio::test]
async fn another_name_of_a_branch_is_told_as_that() {
    let lab = Lab::new();
    lab.git(&["branch", "real"]);
    lab.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/real"]);
    let words = refused(lab.create("w", "alias").await);
    assert!(words.contains("`alias` is another name of the branch `real`"), "{words}");
    assert_eq!(lab.worktrees(), 1);
    lab.create("w", "real").await.unwrap();
}
