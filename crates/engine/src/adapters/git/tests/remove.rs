//! Removing a worktree: what goes, what keeps it, and what a cut leaves to the next attempt.

use super::{Lab, crashed, program, refused};
use crate::adapters::git::marks::Removing;
use crate::adapters::git::{Trouble, spare_own};
use crate::adapters::process::Notes;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

pub(super) fn wish(path: &str, more: &[(&str, bool)]) -> Value {
    let mut wish = json!({"operation": "remove_worktree", "path": path});
    more.iter().for_each(|(name, flag)| wish[*name] = json!(flag));
    wish
}

#[tokio::test]
async fn a_clean_one_goes_and_its_branch_stays() {
    let lab = Lab::new();
    let path = lab.create("w", "f").await.unwrap()["worktree_path"].clone();
    let removed = lab.remove("w").await.unwrap();
    let expected = json!({"worktree_path": path, "branch": "f", "removed": true, "branch_deleted": false});
    assert_eq!(removed, expected);
    assert!(!lab.root().join("w").exists() && lab.worktrees() == 1);
    assert_eq!(lab.git(&["branch", "--list", "f"]), "  f");
    let again = json!({"worktree_path": path, "branch": null, "removed": false, "branch_deleted": false});
    assert_eq!(lab.ask("other", wish("w", &[])).await.unwrap(), again);
    // The same step asks again: its first attempt was cut off before it could tell.
    assert_eq!(lab.remove("w").await.unwrap(), expected);
    lab.create("w", "f").await.unwrap();
    assert!(fs::read_dir(lab.root().join(".git/switchback")).unwrap().next().is_none());
}

#[tokio::test]
async fn uncommitted_changes_keep_it_and_are_named() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.write("w/a.txt", "changed");
    let words = refused(lab.remove("w").await);
    assert!(
        words.ends_with("w has uncommitted changes (a.txt): commit them, or say `force: true` to lose them")
    );
    for number in 0..7 {
        lab.write(&format!("w/new {number}.txt"), "");
    }
    let words = refused(lab.remove("w").await);
    assert!(words.contains("(a.txt, new 0.txt, new 1.txt, new 2.txt, new 3.txt and 3 more)"), "{words}");
    assert_eq!(lab.read("w/a.txt").as_deref(), Some("changed"));
    assert_eq!(lab.ask("run", wish("w", &[("force", true)])).await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn what_a_rebase_has_put_aside_keeps_it() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.write("w/a.txt", "changed");
    let stop =
        ["-c", "sequence.editor=echo break >", "rebase", "--quiet", "--autostash", "--interactive", "HEAD"];
    lab.git_in(&lab.root().join("w"), &stop);
    assert_eq!(lab.git_in(&lab.root().join("w"), &["status", "--porcelain"]), "");
    let words = refused(lab.remove("w").await);
    assert!(words.contains("is in the middle of a rebase: end or abort it, or say `force: true`"), "{words}");
    lab.git_in(&lab.root().join("w"), &["rebase", "--abort"]);
    assert_eq!(lab.read("w/a.txt").as_deref(), Some("changed"));
    assert_eq!(lab.ask("run", wish("w", &[("force", true)])).await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn notes_that_are_being_merged_keep_it() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    let w = lab.root().join("w");
    lab.git(&["notes", "add", "--message", "mine"]);
    lab.git(&["notes", "--ref", "other", "add", "--message", "theirs"]);
    // It stops at the conflict.
    let merge = ["-c", "user.name=A", "-c", "user.email=a@example.com", "notes", "merge", "other"];
    let merged = std::process::Command::new("git").args(merge).current_dir(&w).output().unwrap();
    assert!(!merged.status.success());
    let words = refused(lab.remove("w").await);
    assert!(words.contains("is in the middle of a merge of notes"), "{words}");
    lab.git_in(&w, &["notes", "merge", "--abort"]);
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn a_search_that_is_under_way_keeps_it() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.git_in(&lab.root().join("w"), &["bisect", "start"]);
    let words = refused(lab.remove("w").await);
    assert!(words.contains("is in the middle of a bisect: end or abort it, or say `force: true`"), "{words}");
    lab.git_in(&lab.root().join("w"), &["bisect", "reset"]);
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn its_branch_goes_only_if_it_is_merged() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.write("w/b.txt", "b");
    lab.git_in(&lab.root().join("w"), &["add", "b.txt"]);
    lab.git_in(&lab.root().join("w"), &["commit", "--quiet", "--message", "b"]);
    for its_own_upstream in [false, true] {
        if its_own_upstream {
            lab.git(&["config", "branch.f.remote", "."]);
            lab.git(&["config", "branch.f.merge", "refs/heads/f"]);
        }
        let words = refused(lab.ask("run", wish("w", &[("delete_branch", true)])).await);
        assert_eq!(
            words,
            "branch `f` is not merged into `HEAD`: merge it, or say `force: true` to lose its commits"
        );
        assert!(lab.read("w/b.txt").is_some(), "nothing was removed");
    }
    lab.git(&["merge", "--quiet", "f"]);
    let removed = lab.ask("run", wish("w", &[("delete_branch", true)])).await.unwrap();
    assert_eq!((&removed["removed"], &removed["branch_deleted"]), (&json!(true), &json!(true)));
    assert_eq!(lab.git(&["branch", "--list", "f"]), "");
}

#[tokio::test]
async fn a_branch_that_is_used_elsewhere_keeps_it() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    let wish = wish("w", &[("delete_branch", true), ("force", true)]);
    lab.git(&["worktree", "add", "--quiet", "--force", "other", "f"]);
    let other = lab.root().join("other");
    let is_kept = async |what: &str| {
        let words = refused(lab.ask("run", wish.clone()).await);
        assert!(words.contains("branch `f` is used by another worktree too, "), "{what}: {words}");
        assert!(words.contains("other, so it cannot be deleted"), "{what}: {words}");
        assert!(lab.read("w/a.txt").is_some(), "{what}: nothing was removed");
    };
    is_kept("checked out").await;
    lab.git_in(&other, &["-c", "sequence.editor=echo break >", "rebase", "--quiet", "--interactive", "HEAD"]);
    is_kept("a rebase").await;
    lab.git_in(&other, &["rebase", "--abort"]);
    lab.git_in(&other, &["bisect", "start"]);
    lab.git_in(&other, &["checkout", "--quiet", "--detach"]);
    is_kept("a bisect").await;
    lab.git_in(&other, &["bisect", "reset"]);
    lab.git_in(&other, &["checkout", "--quiet", "--detach"]);
    // Its own entry says so too, and goes with it.
    lab.git_in(&lab.root().join("w"), &["bisect", "start"]);
    assert_eq!(lab.ask("run", wish.clone()).await.unwrap()["branch_deleted"], json!(true));
}

#[tokio::test]
async fn what_the_server_trusts_keeps_it() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.write("w/defs/a.yaml", "name: a");
    fs::create_dir(lab.root().join(".switchback")).unwrap();
    std::os::unix::fs::symlink("../w/defs", lab.root().join(".switchback/workflows")).unwrap();
    let words = crashed(lab.ask("run", wish("w", &[("force", true)])).await);
    assert!(words.contains("`w` is not removed by blocks: `.switchback/workflows` leads into it"), "{words}");
    assert!(lab.read("w/defs/a.yaml").is_some());
}

#[tokio::test]
async fn with_force_its_branch_goes_with_its_commits() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.write("w/b.txt", "b");
    lab.git_in(&lab.root().join("w"), &["add", "b.txt"]);
    lab.git_in(&lab.root().join("w"), &["commit", "--quiet", "--message", "b"]);
    let removed = lab.ask("run", wish("w", &[("delete_branch", true), ("force", true)])).await.unwrap();
    assert_eq!((&removed["branch"], &removed["branch_deleted"]), (&json!("f"), &json!(true)));
    assert_eq!(lab.git(&["branch", "--list", "f"]), "");
}

#[tokio::test]
async fn one_that_was_moved_by_hand_stays_with_its_branch() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    fs::rename(lab.root().join("w"), lab.root().join("moved")).unwrap();
    for force in [false, true] {
        let words = refused(lab.ask("run", wish("w", &[("force", force), ("delete_branch", true)])).await);
        assert!(words.contains("it was moved or deleted by hand, so its branch `f` stays"), "{words}");
        let away = lab.ask("run", wish("w", &[("force", force)])).await.unwrap();
        let expected = (&json!(false), &json!(false), &json!("f"));
        assert_eq!((&away["removed"], &away["branch_deleted"], &away["branch"]), expected);
    }
    lab.git(&["worktree", "repair", "moved"]);
    assert_eq!(lab.git(&["-C", "moved", "status", "--porcelain", "--branch"]), "## f");
    assert_eq!(
        lab.ask("other", wish("moved", &[("delete_branch", true)])).await.unwrap()["removed"],
        json!(true)
    );
}

#[tokio::test]
async fn one_without_a_branch_goes_too() {
    let lab = Lab::new();
    lab.git(&["worktree", "add", "--quiet", "--detach", "w"]);
    let removed = lab.ask("run", wish("w", &[("delete_branch", true)])).await.unwrap();
    assert_eq!((&removed["branch"], &removed["branch_deleted"]), (&Value::Null, &json!(false)));
}

/// The commit is kept by nothing but the worktree's own HEAD, and that goes with it.
#[tokio::test]
async fn a_commit_on_no_branch_keeps_it() {
    let lab = Lab::new();
    for keep in ["branch", "tag", "update-ref refs/remotes/origin/x"] {
        lab.git(&["worktree", "add", "--quiet", "--detach", "w"]);
        let folder = lab.root().join("w");
        lab.git_in(&folder, &["commit", "--quiet", "--allow-empty", "--message", keep]);
        let commit = lab.git_in(&folder, &["rev-parse", "HEAD"]);
        let words = refused(lab.ask(keep, wish("w", &[])).await);
        let expected = format!(
            "w stands on a commit that is on no branch, no tag and no remote branch: `git branch NAME {commit}` keeps it, or \
             say `force: true` to lose it"
        );
        assert!(words.ends_with(&expected), "{words}");
        assert!(folder.join("a.txt").exists(), "nothing was removed");
        // What stands on it keeps it too.
        lab.git_in(&folder, &["commit", "--quiet", "--allow-empty", "--message", "later"]);
        let later = lab.git_in(&folder, &["rev-parse", "HEAD"]);
        lab.git_in(&folder, &["checkout", "--quiet", "HEAD~1"]);
        let (words, name) = (keep.split(' '), (!keep.contains('/')).then_some("kept"));
        lab.git(&words.chain(name).chain([later.as_str()]).collect::<Vec<_>>());
        assert_eq!(lab.ask(keep, wish("w", &[])).await.unwrap()["removed"], json!(true));
    }
    lab.git(&["worktree", "add", "--quiet", "--detach", "w"]);
    lab.git_in(&lab.root().join("w"), &["commit", "--quiet", "--allow-empty", "--message", "lost"]);
    assert_eq!(lab.ask("force", wish("w", &[("force", true)])).await.unwrap()["removed"], json!(true));
}

/// Git itself would take it along where it is ignored, with all its changes, and even if it is locked.
#[tokio::test]
async fn one_that_holds_another_stays_even_with_force() {
    let lab = Lab::new();
    lab.write(".git/info/exclude", "/in/\n/beside\n");
    lab.create("w", "outer").await.unwrap();
    lab.create("w/in/x", "inner").await.unwrap();
    lab.create("w-beside", "beside").await.unwrap();
    lab.write("w/in/x/work.txt", "not committed");
    let inner = lab.root().join("w/in/x").display().to_string();
    for force in [false, true] {
        let words = refused(lab.ask("run", wish("w", &[("force", force), ("delete_branch", true)])).await);
        assert!(
            words.ends_with(&format!("w holds another worktree, {inner}: remove that one first")),
            "{words}"
        );
    }
    lab.create("w/in/y", "third").await.unwrap();
    let words = refused(lab.remove("w").await);
    assert!(words.contains("w holds other worktrees, ") && words.contains(&inner), "{words}");
    assert_eq!(lab.read("w/in/x/work.txt").as_deref(), Some("not committed"));
    lab.remove("w/in/y").await.unwrap();
    // One whose folder is gone holds nobody up.
    fs::remove_dir_all(lab.root().join("w/in/x")).unwrap();
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn what_is_no_worktree_is_left_alone() {
    let lab = Lab::new();
    lab.write("folder/mine.txt", "mine");
    for force in [false, true] {
        let words = refused(lab.ask("run", wish("folder", &[("force", force)])).await);
        assert!(
            words.ends_with("folder is there, but it is no worktree of this repository: nothing was removed")
        );
    }
    assert_eq!(lab.read("folder/mine.txt").as_deref(), Some("mine"));
}

#[tokio::test]
async fn a_locked_one_stays_even_with_force() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.git(&["worktree", "lock", "--reason", "on a stick", "w"]);
    for force in [false, true] {
        let words = refused(lab.ask("run", wish("w", &[("force", force)])).await);
        assert!(words.contains("lock reason: on a stick"), "{words}");
    }
    assert!(lab.read("w/a.txt").is_some());
}

#[tokio::test]
async fn the_folder_of_the_run_stays() {
    let mut lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.home.folder = lab.root().join("w");
    let words = refused(lab.ask("run", wish(".", &[("force", true)])).await);
    assert!(words.starts_with("the run's own folder lies in this worktree"), "{words}");
}

/// Git itself would take the data away without a word where it is ignored.
#[tokio::test]
async fn what_holds_the_data_of_the_server_stays() {
    let mut lab = Lab::new();
    lab.write(".gitignore", "/deep/\n");
    lab.commit("ignore it");
    lab.create("w", "f").await.unwrap();
    let data = lab.root().join("w/deep/data");
    fs::create_dir_all(&data).unwrap();
    lab.notes = Notes::open(&data).unwrap();
    lab.write("w/deep/data/journal", "all runs");
    std::os::unix::fs::symlink("w", lab.root().join("link")).unwrap();
    for path in ["w", "link", "./w/"] {
        for force in [false, true] {
            let words =
                refused(lab.ask("run", wish(path, &[("force", force), ("delete_branch", true)])).await);
            assert!(words.starts_with("the data directory of Switchback lies in this worktree"), "{words}");
        }
    }
    assert_eq!(lab.read("w/deep/data/journal").as_deref(), Some("all runs"));
    assert_eq!(lab.git(&["branch", "--list", "f"]), "+ f");
    lab.notes = Notes::open(&lab.root().parent().unwrap().join("data")).unwrap();
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
}

#[test]
fn what_holds_the_sockets_of_the_server_stays() {
    let sockets = crate::adapters::socket_folder();
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&sockets).unwrap();
    let around = sockets.parent().unwrap().canonicalize().unwrap();
    let data = tempfile::tempdir().unwrap();
    let told = spare_own(&around, Path::new("/no/such/data")).unwrap_err();
    assert!(matches!(told, Trouble::Refused(words) if words.starts_with("the folder of the sockets")));
    assert!(spare_own(&data.path().canonicalize().unwrap().join("w"), data.path()).is_ok());
}

/// A worktree that an attempt of `by` was removing.
pub(super) async fn cut(lab: &Lab, by: &str) {
    lab.write("b.txt", "b");
    lab.commit("second");
    lab.create("w", "f").await.unwrap();
    let note = Removing {
        path: lab.root().join("w"),
        branch: Some("f".to_owned()),
        delete_branch: true,
        by: format!("{by} step"),
        over: None,
    };
    note.write(&lab.root().join(".git")).unwrap();
}

#[tokio::test]
async fn a_removal_that_was_cut_off_is_ended() {
    let missing: [&[&str]; 4] = [&[], &["w/a.txt"], &["w/a.txt", "w/b.txt"], &["w/.git", "w/b.txt"]];
    for missing in missing {
        let lab = Lab::new();
        cut(&lab, "run").await;
        missing.iter().for_each(|path| fs::remove_file(lab.root().join(path)).unwrap());
        let removed = lab.ask("run", wish("w", &[("delete_branch", true)])).await.unwrap();
        assert_eq!(
            (&removed["removed"], &removed["branch_deleted"]),
            (&json!(true), &json!(true)),
            "{missing:?}"
        );
        assert!(!lab.root().join("w").exists() && lab.worktrees() == 1, "{missing:?}");
        assert_eq!(lab.git(&["branch", "--list", "f"]), "");
    }
}

#[tokio::test]
async fn after_the_worktree_its_branch_goes_though_it_was_cut_off_between() {
    let lab = Lab::new();
    cut(&lab, "run").await;
    lab.git(&["worktree", "remove", "w"]);
    assert_eq!(lab.ask("other", wish("w", &[])).await.unwrap()["removed"], json!(false));
    let removed = lab.ask("run", wish("w", &[("delete_branch", true)])).await.unwrap();
    let expected = (&json!(true), &json!(true), &json!("f"));
    assert_eq!((&removed["removed"], &removed["branch_deleted"], &removed["branch"]), expected);
    assert_eq!(lab.git(&["branch", "--list", "f"]), "");
}

#[tokio::test]
async fn a_cut_is_no_excuse_to_lose_changes() {
    let lab = Lab::new();
    cut(&lab, "run").await;
    fs::remove_file(lab.root().join("w/a.txt")).unwrap();
    lab.write("w/b.txt", "changed since");
    let words = refused(lab.ask("run", wish("w", &[])).await);
    assert!(words.contains("(a.txt, b.txt)"), "{words}");
}

#[tokio::test]
async fn old_notes_go() {
    let lab = Lab::new();
    for path in ["v", "w"] {
        lab.create(path, path).await.unwrap();
        lab.remove(path).await.unwrap();
        let notes = fs::read_dir(lab.root().join(".git/switchback")).unwrap();
        let file = fs::File::open(notes.last().unwrap().unwrap().path()).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 24 * 60 * 60))
            .unwrap();
    }
    assert_eq!(fs::read_dir(lab.root().join(".git/switchback")).unwrap().count(), 1);
}

/// While git looks at the changes of a worktree, for the first or the second time, a folder on the way to it becomes a link to
/// another worktree of the same repository.
#[tokio::test]
async fn what_is_removed_is_what_was_looked_at() {
    for looks in [1, 2] {
        let lab = Lab::new();
        let (inside, outside) = (lab.root().join("d"), lab.root().parent().unwrap().join("outside"));
        fs::create_dir(&outside).unwrap();
        lab.write(".gitattributes", "a.txt filter=swap\n");
        lab.commit("filtered");
        lab.create("d/w", "f").await.unwrap();
        lab.git(&["worktree", "add", "--quiet", "-b", "g", &outside.join("w").display().to_string()]);
        fs::write(outside.join("w/work.txt"), "not committed").unwrap();
        let (d, count) = (inside.display(), lab.root().parent().unwrap().join("count"));
        let script = format!(
            "echo >> {count}; if [ $(wc -l < {count}) = {looks} ]; then mv {d} {d}-kept; ln -s {} {d}; fi; cat",
            outside.display(),
            count = count.display(),
        );
        let filter = lab.root().parent().unwrap().join("filter");
        program(&filter, &script);
        lab.git(&["config", "filter.swap.clean", &filter.display().to_string()]);
        // As long as the index is not sure of a file, each look reads it.
        let file = fs::File::open(inside.join("w/a.txt")).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
        let removed = lab.remove("d/w").await;
        assert!(outside.join("w/work.txt").exists(), "look {looks}: {removed:?}");
        if looks == 1 {
            assert!(crashed(removed).contains("led elsewhere while the worktree was looked at"));
            assert!(lab.root().join("d-kept/w/a.txt").exists(), "nothing was removed");
        } else {
            assert_eq!(removed.unwrap()["removed"], json!(true));
            assert!(!inside.join("w").exists() && lab.worktrees() == 2);
        }
    }
}

#[tokio::test]
async fn changes_are_looked_for_in_its_folder_whatever_its_settings_say() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.write("w/new.txt", "nowhere else");
    let clean = lab.root().parent().unwrap().join("clean");
    fs::create_dir(&clean).unwrap();
    fs::copy(lab.root().join("a.txt"), clean.join("a.txt")).unwrap();
    lab.git(&["config", "extensions.worktreeConfig", "true"]);
    lab.git_in(&lab.root().join("w"), &["config", "--worktree", "core.worktree", clean.to_str().unwrap()]);
    let words = refused(lab.remove("w").await);
    assert!(words.contains("has uncommitted changes (new.txt)"), "{words}");
    fs::remove_file(lab.root().join("w/new.txt")).unwrap();
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn what_stands_on_a_name_of_its_own_is_on_no_branch() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    let w = lab.root().join("w");
    lab.git_in(&w, &["update-ref", "refs/worktree/own", "HEAD"]);
    lab.git_in(&w, &["symbolic-ref", "HEAD", "refs/worktree/own"]);
    lab.git_in(&w, &["commit", "--quiet", "--allow-empty", "--message", "only here"]);
    let words = refused(lab.remove("w").await);
    assert!(words.contains("stands on a commit that is on no branch"), "{words}");
    let removed = lab.ask("run", wish("w", &[("force", true), ("delete_branch", true)])).await.unwrap();
    assert_eq!((&removed["branch"], &removed["branch_deleted"]), (&json!(null), &json!(false)));
    assert_eq!(lab.git(&["branch", "--list", "f"]).trim(), "f");
}

#[tokio::test]
async fn settings_that_let_git_compare_less_hide_nothing() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    for (setting, value) in
        [("core.ignorecase", "true"), ("core.checkStat", "minimal"), ("core.trustctime", "false")]
    {
        lab.git(&["config", setting, value]);
    }
    lab.git_in(&lab.root().join("w"), &["status"]);
    // The same length and the same time: nothing but what is in it tells.
    let file = lab.root().join("w/a.txt");
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, "two\n").unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    let words = refused(lab.remove("w").await);
    assert!(words.contains("has uncommitted changes (a.txt)"), "{words}");
    fs::write(&file, "one\n").unwrap();
    lab.write("w/A.txt", "mine\n");
    if lab.read("w/a.txt").as_deref() == Some("one\n") {
        let words = refused(lab.remove("w").await);
        assert!(words.contains("has uncommitted changes (A.txt)"), "{words}");
    }
    assert!(lab.read("w/A.txt").is_some());
}
