//! What a killed git leaves behind, at each of its steps, and how it is mended or told.

use super::{Lab, refused};
use kernel::FailureKind;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// A worktree `w` on `f` as it stands before it is unlocked, made for another run.
fn half(lab: &Lab, reason: &str) -> PathBuf {
    lab.git(&["worktree", "add", "--quiet", "--lock", "--reason", reason, "-b", "f", "--", "w", "main"]);
    lab.root().join(".git/worktrees/w")
}

const OURS: &str = "switchback is making it for other step";

/// What has not been written yet when git is killed, from the last to the first.
const MISSING: [(&str, &[&str]); 6] = [
    ("it was not unlocked", &[]),
    ("no files", &["w/a.txt"]),
    ("no index", &["w/a.txt", "A/index"]),
    ("no reference to the common folder", &["w/a.txt", "A/index", "A/commondir"]),
    ("no HEAD", &["w/a.txt", "A/index", "A/commondir", "A/HEAD", "A/ORIG_HEAD"]),
    ("no link to the repository", &["w/a.txt", "A/index", "A/commondir", "A/HEAD", "A/ORIG_HEAD", "w/.git"]),
];

fn take_away(lab: &Lab, missing: &[&str]) {
    for path in missing {
        let _ = fs::remove_file(lab.root().join(path.replace('A', ".git/worktrees/w")));
    }
}

#[tokio::test]
async fn our_own_half_is_made_whole_at_every_step() {
    for (name, missing) in MISSING {
        let lab = Lab::new();
        let admin = half(&lab, OURS);
        fs::write(admin.join("index.lock"), "").unwrap();
        take_away(&lab, missing);
        let made = lab.create("w", "f").await;
        assert_eq!(made.unwrap_or_else(|error| panic!("{name}: {error:?}"))["created"], json!(true));
        assert_eq!(lab.read("w/a.txt").as_deref(), Some("one\n"), "{name}");
        assert_eq!(lab.git_in(&lab.root().join("w"), &["status", "--porcelain"]), "", "{name}");
        assert_eq!(lab.worktrees(), 2, "{name}");
    }
}

#[tokio::test]
async fn our_own_half_is_removed_at_every_step() {
    for (name, missing) in MISSING {
        let lab = Lab::new();
        half(&lab, OURS);
        take_away(&lab, missing);
        let removed = lab.remove("w").await;
        assert_eq!(removed.unwrap_or_else(|error| panic!("{name}: {error:?}"))["removed"], json!(true));
        assert!(!lab.root().join("w").exists() && lab.worktrees() == 1, "{name}");
    }
}

#[tokio::test]
async fn a_branch_without_its_worktree_is_taken_up() {
    let lab = Lab::new();
    lab.git(&["branch", "f"]);
    fs::create_dir_all(lab.root().join(".git/worktrees/w")).unwrap();
    fs::write(lab.root().join(".git/worktrees/w/locked"), OURS).unwrap();
    assert_eq!(lab.create("w", "f").await.unwrap()["created"], json!(true));
    assert_eq!(lab.git_in(&lab.root().join("w"), &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn the_half_of_another_git_is_refused() {
    let lab = Lab::new();
    half(&lab, "initializing");
    let words = refused(lab.create("w", "f").await);
    assert!(words.contains("w is only half made: another git is making it"), "{words}");
    assert!(words.contains("`git worktree remove --force --force -- "), "{words}");
    assert!(refused(lab.remove("w").await).contains("cannot remove a locked working tree"));
}

#[tokio::test]
async fn somebody_at_it_is_waited_for() {
    let mut lab = Lab::new();
    half(&lab, OURS);
    let other = fs::File::open(lab.root().join(".git")).unwrap();
    other.lock().unwrap();
    lab.timeout_ms = Some(200);
    for asked in [lab.create("w", "f").await, lab.remove("w").await] {
        assert_eq!(asked.unwrap_err().0, FailureKind::TimedOut);
    }
    assert!(lab.read("w/a.txt").is_some());
    lab.timeout_ms = Some(60_000);
    let (made, ()) = tokio::join!(lab.create("w", "f"), async {
        tokio::task::yield_now().await;
        drop(other);
    });
    made.unwrap();
}

#[tokio::test]
async fn a_branch_that_somebody_else_made_meanwhile_stays() {
    let mut lab = Lab::new();
    // After it was looked for, before it is made.
    let path = lab.home.env["PATH"].clone();
    let bin = lab.root().parent().unwrap().join("bin");
    let script = format!("PATH={path}\ncase \" $* \" in *' branch '*) git branch f;; esac\nexec git \"$@\"");
    super::program(&bin.join("git"), &script);
    std::sync::Arc::make_mut(&mut lab.home.env)
        .insert("PATH".to_owned(), format!("{}:{path}", bin.display()));
    let words = refused(lab.create("w", "f").await);
    assert!(words.contains("already exists"), "{words}");
    assert_eq!(lab.git(&["branch", "--list", "f"]).trim(), "f");
    assert!(!lab.root().join("w").exists() && lab.worktrees() == 1);
}

#[tokio::test]
async fn an_entry_without_its_folder_is_left_alone() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.write("w/staged.txt", "only in its index");
    lab.git(&["-C", "w", "add", "staged.txt"]);
    fs::rename(lab.root().join("w"), lab.root().join("moved")).unwrap();
    for branch in ["f", "g"] {
        let words = refused(lab.create("w", branch).await);
        assert!(words.contains("git worktree repair") && words.contains("git worktree prune"), "{words}");
    }
    fs::create_dir(lab.root().join("w")).unwrap();
    assert!(refused(lab.create("w", "f").await).contains("moved or deleted by hand"));
    fs::remove_dir(lab.root().join("w")).unwrap();
    lab.git(&["worktree", "repair", "moved"]);
    assert_eq!(lab.git(&["-C", "moved", "status", "--porcelain"]), "A  staged.txt");
    // Of one that was deleted git is told.
    fs::remove_dir_all(lab.root().join("moved")).unwrap();
    lab.git(&["worktree", "prune"]);
    assert_eq!(lab.create("w", "f").await.unwrap()["created"], json!(true));
}

#[tokio::test]
async fn what_a_removal_left_that_was_cut_off_makes_room() {
    let lab = Lab::new();
    super::remove::cut(&lab, "run").await;
    fs::remove_dir_all(lab.root().join("w")).unwrap();
    assert_eq!(lab.create("w", "f").await.unwrap()["created"], json!(true));
}

#[tokio::test]
async fn an_entry_that_is_locked_and_away_is_refused() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.git(&["worktree", "lock", "--reason", "on a stick", "w"]);
    assert_eq!(
        lab.ask("x", json!({"operation": "create_worktree", "path": "w", "branch": "f"})).await.unwrap()["created"],
        json!(false)
    );
    fs::remove_dir_all(lab.root().join("w")).unwrap();
    for words in [refused(lab.create("w", "f").await), refused(lab.remove("w").await)] {
        assert!(words.contains("(on a stick)"), "{words}");
    }
    assert_eq!(lab.worktrees(), 2);
}

#[tokio::test]
async fn files_that_lost_their_link_are_left_alone() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    fs::remove_file(lab.root().join("w/.git")).unwrap();
    for words in [refused(lab.create("w", "f").await), refused(lab.remove("w").await)] {
        assert!(words.contains("lost its `.git`"), "{words}");
    }
    assert!(lab.read("w/a.txt").is_some());
    let wish = json!({"operation": "remove_worktree", "path": "w", "force": true});
    assert_eq!(lab.ask("run", wish).await.unwrap()["removed"], json!(true));
    assert!(!lab.root().join("w").exists());
}

#[tokio::test]
async fn work_in_a_half_is_not_lost() {
    for (name, missing) in MISSING {
        let lab = Lab::new();
        half(&lab, OURS);
        take_away(&lab, missing);
        lab.write("w/deep/precious", "work");
        for words in [refused(lab.create("w", "f").await), refused(lab.remove("w").await)] {
            assert!(words.contains("somebody has worked in it since (deep/precious)"), "{name}: {words}");
        }
        assert_eq!(lab.read("w/deep/precious").as_deref(), Some("work"), "{name}");
        let wish = json!({"operation": "remove_worktree", "path": "w", "force": true});
        assert_eq!(lab.ask("run", wish).await.unwrap()["removed"], json!(true), "{name}");
    }
}

#[tokio::test]
async fn a_hook_that_breaks_the_link_leaves_nothing_behind() {
    for script in
        ["echo gitdir: /nope > .git", "rm .git", "rm .git; exit 1", "git update-ref -d refs/heads/f"]
    {
        let lab = Lab::new();
        lab.hook("post-checkout", script);
        let words = refused(lab.create("w", "f").await);
        assert!(!lab.root().join("w").exists() && lab.worktrees() == 1, "{script}: {words}");
        assert_eq!(lab.git(&["branch", "--list", "f"]), "", "{script}");
        fs::remove_file(lab.root().join(".git/hooks/post-checkout")).unwrap();
        assert_eq!(lab.create("w", "f").await.unwrap()["created"], json!(true), "{script}");
    }
}

#[tokio::test]
async fn a_folder_that_belongs_to_something_else_is_no_worktree() {
    let lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    fs::remove_file(lab.root().join("w/.git")).unwrap();
    lab.git_in(&lab.root().join("w"), &["init", "--quiet"]);
    let words = refused(lab.create("w", "f").await);
    assert!(words.contains("by name only"), "{words}");
}
