//! Repositories of every sort, and many wishes at once.

use super::{Lab, crashed, refused};
use serde_json::{Value, json};
use std::fs;

#[tokio::test]
async fn without_a_repository_git_says_so() {
    let lab = Lab::empty();
    for words in [refused(lab.create("w", "f").await), refused(lab.remove("w").await)] {
        assert!(words.contains("fatal: not a git repository"), "{words}");
    }
}

#[tokio::test]
async fn without_git_nothing_is_carried_out() {
    let mut lab = Lab::new();
    std::sync::Arc::make_mut(&mut lab.home.env).insert("PATH".to_owned(), "/nowhere".to_owned());
    let words = crashed(lab.create("w", "f").await);
    assert!(
        words.starts_with("could not be started: program `git` was not found in PATH (/nowhere)"),
        "{words}"
    );
}

#[tokio::test]
async fn without_a_commit_there_is_nothing_to_check_out() {
    let lab = Lab::empty();
    lab.git(&["init", "--quiet", "--initial-branch=main"]);
    let words = refused(lab.create("w", "f").await);
    assert_eq!(words, "the repository has no commit yet, and a worktree needs one: commit something first");
    assert!(!lab.root().join("w").exists());
}

#[tokio::test]
async fn from_a_detached_head_a_branch_begins_at_its_commit() {
    let lab = Lab::new();
    lab.git(&["checkout", "--quiet", "--detach"]);
    lab.write("a.txt", "two\n");
    lab.commit("second");
    lab.create("w", "f").await.unwrap();
    assert_eq!(lab.read("w/a.txt").as_deref(), Some("two\n"));
}

#[tokio::test]
async fn a_bare_repository_has_worktrees_too() {
    let mut lab = Lab::new();
    lab.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    lab.home.folder = lab.root().parent().unwrap().join("bare");
    lab.create("w", "f").await.unwrap();
    assert_eq!(lab.read("w/a.txt").as_deref(), Some("one\n"));
    assert!(refused(lab.create(".", "g").await).contains("is the repository itself"));
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn no_worktree_is_made_inside_another_repository() {
    let mut lab = Lab::new();
    lab.git(&["init", "--quiet", "--bare", "other.git"]);
    for path in ["other.git/w", "other.git/config.lock", "other.git/deep/er/w", "other.git/FETCH_HEAD"] {
        let told = refused(lab.create(path, "f").await);
        assert!(told.contains("lies in another git repository"), "{told}");
    }
    assert!(!lab.root().join("other.git/deep").exists());
    // A checkout in it is one like any other.
    lab.git(&["-C", "other.git", "fetch", "--quiet", "..", "HEAD:refs/heads/main"]);
    lab.git(&["-C", "other.git", "worktree", "add", "--quiet", "w", "main"]);
    lab.create("other.git/w/inner", "f").await.unwrap();
    // In its own, only names that nobody else uses.
    lab.git(&["clone", "--quiet", "--bare", ".", "../bare"]);
    lab.home.folder = lab.root().parent().unwrap().join("bare");
    for path in ["switchback", "HEAD.lock", "ORIG_HEAD", "gc.pid"] {
        let told = refused(lab.create(path, "g").await);
        assert!(told.contains("is a name that git or Switchback uses"), "{told}");
    }
    lab.create("w", "g").await.unwrap();
}

#[tokio::test]
async fn inside_a_worktree_and_a_folder_of_it_the_repository_is_the_same() {
    let mut lab = Lab::new();
    lab.create("w", "f").await.unwrap();
    lab.write("w/deep/er/x.txt", "");
    lab.home.folder = lab.root().join("w/deep");
    lab.create("er/inner", "g").await.unwrap();
    assert_eq!(lab.worktrees(), 3);
    assert_eq!(lab.remove("er/inner").await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn a_worktree_with_submodules_goes_only_with_force() {
    let lab = Lab::new();
    let other = lab.root().parent().unwrap().join("other");
    lab.git(&["clone", "--quiet", ".", &other.display().to_string()]);
    lab.git(&["submodule", "--quiet", "add", &other.display().to_string(), "sub"]);
    lab.commit("with a submodule");
    lab.create("w", "f").await.unwrap();
    assert!(lab.read("w/sub/a.txt").is_none(), "as git has it, submodules are filled in by their owner");
    lab.write("w/sub/mine.txt", "a day of work");
    let words = refused(lab.remove("w").await);
    assert!(words.contains("mine.txt lies in the folder of a submodule that is not filled in"), "{words}");
    std::fs::remove_file(lab.root().join("w/sub/mine.txt")).unwrap();
    lab.git_in(&lab.root().join("w"), &["submodule", "--quiet", "update", "--init"]);
    assert!(refused(lab.remove("w").await).contains("containing submodules cannot be"));
    let force = json!({"operation": "remove_worktree", "path": "w", "force": true});
    assert_eq!(lab.ask("run", force).await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn a_submodule_is_a_repository_of_its_own() {
    let mut lab = Lab::new();
    let other = lab.root().parent().unwrap().join("other");
    lab.git(&["clone", "--quiet", ".", &other.display().to_string()]);
    lab.git(&["submodule", "--quiet", "add", &other.display().to_string(), "sub"]);
    lab.home.folder = lab.root().join("sub");
    lab.create("w", "f").await.unwrap();
    assert_eq!(lab.read("w/a.txt").as_deref(), Some("one\n"));
    assert_eq!(lab.remove("w").await.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn any_name_can_be_a_folder() {
    let lab = Lab::new();
    let names =
        ["a b", "it's \"quoted\"", "two\nlines", "-x", "--force", "$(touch ran)", "é漢🙂", "a;b*", "\ttab "];
    for (number, name) in names.into_iter().enumerate() {
        let made = lab.create(name, &format!("f{number}")).await.unwrap();
        let expected = lab.root().join(name).display().to_string();
        assert_eq!(
            (&made["worktree_path"], &made["created"]),
            (&Value::from(expected), &json!(true)),
            "{name:?}"
        );
        let again = json!({"operation": "create_worktree", "path": name, "branch": format!("f{number}")});
        assert_eq!(lab.ask("other", again).await.unwrap()["created"], json!(false), "{name:?}");
        assert_eq!(lab.remove(name).await.unwrap()["removed"], json!(true), "{name:?}");
        assert!(!lab.root().join(name).exists(), "{name:?}");
    }
    assert!(!lab.root().join("ran").exists());
}

#[tokio::test]
async fn a_folder_that_is_not_utf8_is_told() {
    use std::os::unix::ffi::OsStrExt;
    let mut lab = Lab::new();
    let folder = lab.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    lab.home.folder = folder;
    assert!(crashed(lab.create("w", "f").await).contains("is not UTF-8"));
    lab.git(&["init", "--quiet"]);
    assert!(crashed(lab.create("w", "f").await).contains("is not UTF-8"));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_are_made_and_removed() {
    let lab = std::sync::Arc::new(Lab::new());
    let each = |operation: &'static str| {
        let lab = std::sync::Arc::clone(&lab);
        let tasks: Vec<_> = (0..12)
            .map(|number| {
                let lab = std::sync::Arc::clone(&lab);
                let wish = json!({"operation": operation, "path": format!("w/{number}"), "branch": format!("f{number}"), "delete_branch": true});
                tokio::spawn(async move { lab.ask(&format!("run-{number}"), wish).await })
            })
            .collect();
        async move {
            for task in tasks {
                task.await.unwrap().unwrap();
            }
            lab.worktrees()
        }
    };
    assert_eq!(each("create_worktree").await, 13);
    assert_eq!(each("remove_worktree").await, 1);
    assert_eq!(lab.git(&["branch"]), "* main");
}

#[tokio::test]
async fn a_lock_that_stays_is_told_in_the_words_of_git() {
    let lab = Lab::new();
    fs::create_dir_all(lab.root().join(".git/refs/heads")).unwrap();
    fs::write(lab.root().join(".git/refs/heads/f.lock"), "").unwrap();
    let words = refused(lab.create("w", "f").await);
    let lock = lab.root().join(".git/refs/heads/f.lock");
    assert!(words.contains(&format!("'{}': File exists", lock.display())), "{words}");
    assert_eq!(lab.worktrees(), 1);
}

#[tokio::test]
async fn locks_that_go_are_waited_for() {
    let lab = Lab::new();
    let wait = || tokio::time::sleep(std::time::Duration::from_millis(300));
    let lock = lab.root().join(".git/refs/heads/f.lock");
    fs::write(&lock, "").unwrap();
    let free = async {
        wait().await;
        fs::remove_file(lock).unwrap()
    };
    tokio::join!(lab.create("w", "f"), free).0.unwrap();
    let other = fs::File::open(lab.root().join(".git")).unwrap();
    other.lock().unwrap();
    let free = async {
        wait().await;
        drop(other);
    };
    assert_eq!(tokio::join!(lab.remove("w"), free).0.unwrap()["removed"], json!(true));
}

#[tokio::test]
async fn nobody_is_asked_anything() {
    let mut lab = Lab::new();
    std::sync::Arc::make_mut(&mut lab.home.env).extend(
        [("EDITOR", "vi"), ("PAGER", "less")].map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    lab.hook("post-checkout", "env > seen");
    lab.create("w", "f").await.unwrap();
    let seen = lab.read("w/seen").unwrap();
    for line in [
        "GIT_TERMINAL_PROMPT=0",
        "GIT_EDITOR=true",
        "GIT_PAGER=cat",
        "PAGER=cat",
        "SSH_ASKPASS_REQUIRE=never",
    ] {
        assert!(seen.lines().any(|one| one == line), "{line} in {seen}");
    }
}
