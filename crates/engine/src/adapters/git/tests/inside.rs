//! What commands put in the place of what the server itself keeps inside a repository.

use super::remove::{cut, wish};
use super::{Lab, crashed, refused};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

impl Lab {
    /// A folder beside the project with a file in it that is older than any note is kept.
    fn outside(&self) -> PathBuf {
        let outside = self.root().parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        let file = fs::File::create(outside.join("old")).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        outside
    }

    /// The only note on a removal.
    fn note(&self) -> PathBuf {
        fs::read_dir(self.root().join(".git/switchback")).unwrap().next().unwrap().unwrap().path()
    }
}

fn fifo(path: &std::path::Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
}

#[tokio::test]
async fn a_note_that_became_a_link_is_written_anew() {
    let lab = Lab::new();
    let outside = lab.outside();
    cut(&lab, "other").await;
    let note = lab.note();
    fs::remove_file(&note).unwrap();
    symlink(outside.join("old"), &note).unwrap();
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
    assert_eq!(fs::read_to_string(outside.join("old")).unwrap(), "");
    assert!(note.symlink_metadata().unwrap().is_file());
}

#[tokio::test]
async fn notes_whose_folder_is_a_link_are_not_written() {
    let lab = Lab::new();
    let outside = lab.outside();
    lab.create("w", "f").await.unwrap();
    symlink(&outside, lab.root().join(".git/switchback")).unwrap();
    let words = crashed(lab.remove("w").await);
    assert!(words.contains(".git/switchback is a link or no folder"), "{words}");
    assert!(lab.read("w/a.txt").is_some(), "nothing was removed");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "nothing came, and what is old stays");
}

#[tokio::test]
async fn a_mark_that_became_a_link_is_written_anew() {
    let lab = Lab::new();
    let outside = lab.outside();
    let link = format!("ln -s '{}' \"$(git rev-parse --git-dir)/switchback\"", outside.join("old").display());
    lab.hook("post-checkout", &link);
    lab.create("w", "f").await.unwrap();
    assert_eq!(fs::read_to_string(outside.join("old")).unwrap(), "");
    assert_eq!(lab.create("w", "f").await.unwrap()["created"], json!(true), "it knows its own");
}

#[tokio::test]
async fn entries_that_lie_elsewhere_are_not_taken_away() {
    let lab = Lab::new();
    let outside = lab.outside();
    lab.create("w", "f").await.unwrap();
    let list = lab.root().join(".git/worktrees");
    fs::rename(&list, outside.join("list")).unwrap();
    symlink(outside.join("list"), &list).unwrap();
    for force in [false, true] {
        let words = crashed(lab.ask("run", wish("w", &[("force", force)])).await);
        assert!(words.contains("worktrees is a link or no folder"), "{words}");
    }
    assert!(lab.read("w/a.txt").is_some() && outside.join("list/w/gitdir").exists());
    let words = crashed(lab.create("v", "g").await);
    assert!(words.contains("worktrees is a link or no folder"), "{words}");
    assert!(!outside.join("list/v").exists());
}

#[tokio::test]
async fn no_pipe_is_waited_for() {
    let lab = Lab::new();
    cut(&lab, "other").await;
    let (note, entry) = (lab.note(), lab.root().join(".git/worktrees/w"));
    fs::remove_file(&note).unwrap();
    fs::remove_file(entry.join("switchback")).unwrap();
    for pipe in [&note, &entry.join("switchback"), &entry.join("BISECT_START")] {
        fifo(pipe);
    }
    assert_eq!(lab.create("w", "f").await.unwrap()["created"], json!(false));
    fifo(&lab.root().join(".git/BISECT_START"));
    lab.git(&["merge", "--quiet", "f"]);
    let removed = lab.ask("run", wish("w", &[("delete_branch", true), ("force", true)])).await.unwrap();
    assert_eq!(removed["branch_deleted"], json!(true));
}

#[tokio::test]
async fn the_folder_of_a_submodule_is_looked_for_through_no_link() {
    let lab = Lab::new();
    let outside = lab.outside();
    symlink(outside.parent().unwrap(), lab.root().join("link")).unwrap();
    lab.write(".gitmodules", "[submodule \"q\"]\n\tpath = link/outside\n\turl = x\n");
    lab.commit("second");
    lab.create("w", "f").await.unwrap();
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn what_a_hook_put_in_the_place_of_its_folder_stays() {
    let lab = Lab::new();
    let outside = lab.outside();
    fs::create_dir(outside.join("w")).unwrap();
    fs::write(outside.join("w/theirs"), "").unwrap();
    let moves = format!("cd ../.. && mv trees gone && ln -s '{}' trees; exit 1", outside.display());
    lab.hook("post-checkout", &moves);
    assert!(lab.create("trees/w", "f").await.is_err());
    assert!(outside.join("w/theirs").exists());
}

/// All that lies below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries
        .flat_map(|path| if path.is_dir() { below(&path) } else { Vec::new() }.into_iter().chain([path]))
        .collect();
    found.sort();
    found
}

#[tokio::test]
async fn a_branch_is_written_and_deleted_in_the_repository_itself() {
    let lab = Lab::new();
    let outside = lab.outside();
    lab.create("old", "team/kept").await.unwrap();
    lab.git(&["pack-refs", "--all"]);
    let all = [("delete_branch", true), ("force", true)];
    for (link, branch) in [
        ("refs/heads/team", "team/new"),
        ("logs/refs/heads/team", "team/new"),
        ("logs/refs", "new"),
        ("packed-refs", "new"),
    ] {
        let (at, moved) = (lab.root().join(".git").join(link), outside.join("moved"));
        let was_there = fs::rename(&at, &moved).is_ok();
        symlink(if was_there { &moved } else { &outside }, &at).unwrap();
        let before = below(&outside);
        for outcome in [lab.create("new", branch).await, lab.ask("run", wish("old", &all)).await] {
            let words = refused(outcome);
            assert!(words.contains(&format!("{link} is a link")), "{words}");
        }
        assert_eq!(below(&outside), before, "{link}");
        fs::remove_file(&at).unwrap();
        if was_there {
            fs::rename(&moved, &at).unwrap();
        }
    }
    assert!(!lab.root().join("new").exists() && lab.read("old/a.txt").is_some());
    lab.create("new", "team/new").await.unwrap();
    lab.ask("run", wish("old", &all)).await.unwrap();
}
