//! The group `git`, in real repositories and with a real remote: a bare repository on the disk.

use crate::tools::has;
use crate::world::World;
use serde_json::json;

/// A project with one commit and a file that is tracked.
pub(crate) fn repository() -> Option<World> {
    has("git").then_some(())?;
    let world = World::new();
    world.write("a.txt", "one\n");
    world.shell("git init -q . && git add -A && git commit -q -m first");
    Some(world)
}

/// Where the remote of a repository lies.
fn address(world: &World) -> String {
    world.beside("remote.git").display().to_string()
}

/// The same with a remote that has its branch.
fn with_remote() -> Option<World> {
    let world = repository()?;
    let remote = address(&world);
    world.shell(&format!(
        "git init -q --bare {remote} && git remote add origin {remote} && git push -q origin main"
    ));
    Some(world)
}

#[test]
fn git_summary_tells_how_a_repository_stands() {
    let Some(world) = repository() else { return };
    world.write("b.txt", "two\n");
    let ran = world.run("git-summary", &[("commits", "1")]);
    assert_eq!(ran.outputs()["branch"], "main");
    assert_eq!(ran.outputs()["changes"], "?? b.txt");
    assert!(ran.outputs()["commits"].as_str().unwrap().ends_with(" first"));
    world.shell("rm -rf .git");
    assert!(world.run("git-summary", &[]).error().contains("not a git repository"));
}

// covers: D-82
#[test]
fn a_branch_is_made_once_and_then_kept_and_switched_to() {
    let Some(world) = repository() else { return };
    let made = world.run("git-checkout-branch", &[("branch", "feature/x.y")]);
    let head = world.shell("git rev-parse HEAD");
    let expected = json!({"branch": "feature/x.y", "action": "created", "previous": "main", "commit": head});
    assert_eq!(*made.outputs(), expected);
    assert_eq!(world.shell("git branch --show-current"), "feature/x.y");
    // Being there already is fine, whatever is not committed.
    world.write("a.txt", "changed\n");
    let kept = world.run("git-checkout-branch", &[("branch", "feature/x.y")]);
    assert_eq!(kept.outputs()["action"], "kept");
    world.shell("git checkout -q a.txt");
    let back = world.run("git-checkout-branch", &[("branch", "main")]);
    assert_eq!(
        (&back.outputs()["action"], &back.outputs()["previous"]),
        (&json!("switched"), &json!("feature/x.y"))
    );
}

/// Where no branch is checked out, the commit is told as the one before; it is no branch for that.
#[test]
fn a_branch_with_the_name_of_the_commit_is_one_all_the_same() {
    let Some(world) = repository() else { return };
    let short = world.shell("git checkout -q --detach && git rev-parse --short HEAD");
    let made = world.run("git-checkout-branch", &[("branch", &short)]);
    assert_eq!((&made.outputs()["action"], &made.outputs()["previous"]), (&json!("created"), &json!(short)));
    assert_eq!(world.shell("git symbolic-ref HEAD"), format!("refs/heads/{short}"));
    assert_eq!(world.run("git-checkout-branch", &[("branch", &short)]).outputs()["action"], "kept");
}

#[test]
fn a_branch_begins_where_it_is_told_and_comes_from_the_remote_if_that_has_it() {
    let Some(world) = with_remote() else { return };
    let first = world.shell("git rev-parse HEAD");
    world.shell("git commit -q --allow-empty -m second && git push -q origin HEAD:refs/heads/theirs");
    let old = world.run("git-checkout-branch", &[("branch", "old"), ("base", "HEAD~1")]);
    assert_eq!(old.outputs()["commit"], first.as_str());
    world.shell("git fetch -q");
    let theirs = world.run("git-checkout-branch", &[("branch", "theirs")]);
    assert_eq!(theirs.outputs()["action"], "tracked");
    assert_eq!(world.shell("git rev-parse --abbrev-ref theirs@{upstream}"), "origin/theirs");
    let nowhere = world.run("git-checkout-branch", &[("branch", "new"), ("base", "no-such")]);
    assert!(nowhere.error().contains("there is no branch, tag or commit no-such to begin from"));
}

#[test]
fn uncommitted_changes_are_refused_and_nothing_moves() {
    let Some(world) = repository() else { return };
    world.write("a.txt", "changed\n");
    let refused = world.run("git-checkout-branch", &[("branch", "next")]);
    assert!(refused.error().contains("there are uncommitted changes: commit them"), "{}", refused.error());
    assert!(refused.error().contains(" M a.txt"));
    assert_eq!(refused.block("switch"), "skipped");
    assert_eq!(world.shell("git branch --list"), "* main");
    world.shell("git checkout -q a.txt");
    world.write("new.txt", "x");
    assert!(world.run("git-checkout-branch", &[("branch", "next")]).error().contains("?? new.txt"));
    let allowed = world.run("git-checkout-branch", &[("branch", "next"), ("allow_untracked", "true")]);
    assert_eq!(allowed.outputs()["action"], "created");
}

#[test]
fn a_name_that_no_branch_can_have_is_refused() {
    let Some(world) = repository() else { return };
    for name in ["-f", "a..b", "x y", "$(touch pwned)"] {
        let refused = world.run("git-checkout-branch", &[("branch", name)]);
        assert!(refused.error().contains("cannot be the name of a branch"), "{name}: {}", refused.error());
    }
    assert!(!world.path("pwned").exists());
    world.shell("rm -rf .git");
    let nowhere = world.run("git-checkout-branch", &[("branch", "x")]);
    assert!(nowhere.error().contains(". is in no git repository"));
}

#[test]
fn a_repository_without_a_commit_gets_its_branch() {
    if !has("git") {
        return;
    }
    let world = World::new();
    world.shell("git init -q .");
    let made = world.run("git-checkout-branch", &[("branch", "start")]);
    assert_eq!(
        *made.outputs(),
        json!({"branch": "start", "action": "created", "previous": "main", "commit": ""})
    );
}

#[test]
fn changes_are_committed_once_and_pushed_where_that_is_asked() {
    let Some(world) = with_remote() else { return };
    world.write("a.txt", "changed\n");
    world.write("sub/new.txt", "new\n");
    let done = world.run("commit-and-push", &[("message", "$(touch pwned) \"quoted\""), ("push", "true")]);
    let head = world.shell("git rev-parse HEAD");
    assert_eq!((&done.outputs()["committed"], &done.outputs()["pushed"]), (&json!(true), &json!(true)));
    assert_eq!(done.outputs()["commit"], head.as_str());
    assert_eq!(world.shell("git log -1 --format=%s"), "$(touch pwned) \"quoted\"");
    assert_eq!(world.shell("git -C ../remote.git rev-parse main"), head);
    assert_eq!(world.shell("git status --porcelain"), "");
    let again = world.run("commit-and-push", &[("message", "again")]);
    let remote = address(&world);
    let nothing =
        json!({"committed": false, "commit": "", "branch": "main", "pushed": false, "remote": remote});
    assert_eq!(*again.outputs(), nothing);
    assert_eq!((again.block("committed"), again.block("push")), ("skipped", "skipped"));
    assert_eq!(world.shell("git rev-list --count HEAD"), "2");
}

#[test]
fn a_branch_is_pushed_whatever_else_is_called_like_it() {
    let Some(world) = with_remote() else { return };
    // Git's own short name of the branch is now `heads/main`, and that is another branch.
    world.shell("git branch heads/main && git tag main");
    assert_eq!(world.run("git-summary", &[]).outputs()["branch"], "main");
    world.write("a.txt", "two\n");
    let pushed = world.run("commit-and-push", &[("message", "Second"), ("push", "true")]);
    assert_eq!((&pushed.outputs()["branch"], &pushed.outputs()["pushed"]), (&json!("main"), &json!(true)));
    let head = world.shell("git rev-parse refs/heads/main");
    assert_eq!(world.shell("git ls-remote origin"), format!("{head}\tHEAD\n{head}\trefs/heads/main"));
    let went = world.run("git-checkout-branch", &[("branch", "next")]);
    assert_eq!(went.outputs()["previous"], "main");
}

#[test]
fn what_was_committed_before_is_pushed_too() {
    let Some(world) = with_remote() else { return };
    world.shell("git switch -q -c side && git commit -q --allow-empty -m second");
    let pushed = world.run("commit-and-push", &[("message", "x"), ("push", "true")]);
    assert_eq!((&pushed.outputs()["committed"], &pushed.outputs()["pushed"]), (&json!(false), &json!(true)));
    assert_eq!(world.shell("git -C ../remote.git rev-parse side"), world.shell("git rev-parse HEAD"));
    assert_eq!(world.shell("git rev-parse --abbrev-ref side@{upstream}"), "origin/side");
}

#[test]
fn a_push_to_a_remote_that_is_not_there_fails_before_anything_is_committed() {
    let Some(world) = with_remote() else { return };
    world.write("a.txt", "changed\n");
    let elsewhere = [("message", "x"), ("push", "true"), ("remote", "upstream")];
    let refused = world.run("commit-and-push", &elsewhere);
    assert!(refused.error().contains("there is no remote upstream to push to"), "{}", refused.error());
    assert_eq!(world.shell("git rev-list --count HEAD; git status --porcelain"), "1\n M a.txt");
    // Without a push nobody needs it.
    let done = world.run("commit-and-push", &[elsewhere[0], elsewhere[2]]);
    assert_eq!((&done.outputs()["committed"], &done.outputs()["remote"]), (&json!(true), &json!("")));
}

#[test]
fn only_the_paths_that_are_named_are_committed() {
    let Some(world) = repository() else { return };
    world.write("with blank.txt", "x");
    world.write("b.txt", "x");
    world.write("c.txt", "x");
    world.shell("git add c.txt");
    let done = world.run("commit-and-push", &[("message", "some"), ("paths", "with blank.txt\nb.txt")]);
    assert_eq!(done.outputs()["committed"], true);
    assert_eq!(world.shell("git show --name-only --format= HEAD"), "b.txt\nwith blank.txt");
    assert_eq!(world.shell("git status --porcelain"), "A  c.txt");
    let wrong = world.run("commit-and-push", &[("message", "some"), ("paths", "no-such.txt")]);
    assert!(wrong.error().contains("'no-such.txt' did not match any files"), "{}", wrong.error());
}

#[test]
fn lines_without_a_path_are_not_all_there_is() {
    let Some(world) = repository() else { return };
    world.write("secret.txt", "x");
    for paths in ["\n", " ", "\n \n\t\n"] {
        let refused = world.run("commit-and-push", &[("message", "some"), ("paths", paths)]);
        assert!(refused.error().contains("no path in them: name what to commit"), "{paths:?}: {refused:?}");
        let refused = world.run("review-with-agent", &[("paths", paths)]);
        assert!(refused.error().contains("no path in them: name what to review"), "{paths:?}: {refused:?}");
    }
    assert_eq!(world.shell("git rev-list --count HEAD; git status --porcelain"), "1\n?? secret.txt");
    world.run("commit-and-push", &[("message", "all"), ("paths", "")]).outputs();
    assert_eq!(world.shell("git show --name-only --format= HEAD"), "secret.txt");
}

#[test]
fn what_is_inside_the_folder_of_git_is_not_committed() {
    let Some(world) = repository() else { return };
    world.write("b.txt", "x");
    for path in [".git/config", ".git", ".GIT/config", "sub/../.git/hooks/x", ":(top).git/config", ":/.git"] {
        let paths = format!("b.txt\n{path}");
        let refused = world.run("commit-and-push", &[("message", "some"), ("paths", &paths)]);
        let said = format!("{path} is inside .git, and what is there is never committed");
        assert!(refused.error().contains(&said), "{path}: {}", refused.error());
    }
    assert_eq!(world.shell("git rev-list --count HEAD; git status --porcelain"), "1\n?? b.txt");
    world.write(".gitignore", "x");
    world.write("x.git/a", "x");
    let paths = ".gitignore\nx.git/a\n:!.git";
    let done = world.run("commit-and-push", &[("message", "some"), ("paths", paths)]);
    assert_eq!(done.outputs()["committed"], true, "{done:?}");
}

#[test]
fn a_commit_that_cannot_be_made_says_why() {
    let Some(world) = with_remote() else { return };
    world.write("a.txt", "changed\n");
    let empty = world.run("commit-and-push", &[("message", "  "), ("push", "true")]);
    assert!(empty.error().contains("the message is empty"), "{}", empty.error());
    assert!(!empty.error().contains("committed"), "one reason is enough: {}", empty.error());
    assert_eq!((empty.block("committed"), empty.block("pushed")), ("skipped", "skipped"));
    world.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'the hook says no' >&2\nexit 1\n");
    world.shell("chmod +x .git/hooks/pre-commit");
    let refused = world.run("commit-and-push", &[("message", "x"), ("push", "true")]);
    assert!(refused.error().contains("the hook says no"), "{}", refused.error());
    assert_eq!(refused.block("push"), "skipped");
    world.shell("rm .git/hooks/pre-commit && git checkout -q --detach");
    assert!(world.run("commit-and-push", &[("message", "x")]).error().contains("no branch is checked out"));
    world.shell("git checkout -q a.txt && git switch -q main && git switch -q -c side");
    world.shell(
        "echo s >a.txt && git commit -qam s && git switch -q main && echo m >a.txt && git commit -qam m",
    );
    world.shell("git merge -q side >/dev/null 2>&1 || true");
    let conflict = world.run("commit-and-push", &[("message", "x")]);
    assert!(conflict.error().contains("there are conflicts"), "{}", conflict.error());
    assert!(conflict.error().contains("a.txt"));
}

#[test]
fn a_push_of_nothing_is_none() {
    let Some(world) = with_remote() else { return };
    world.shell("git config push.recurseSubmodules only");
    world.write("a.txt", "changed\n");
    let failed = world.run("commit-and-push", &[("message", "ours"), ("push", "true")]);
    assert!(failed.error().contains("git pushed nothing of main"), "{}", failed.error());
    assert_eq!((failed.block("committed"), failed.block("pushed")), ("success", "skipped"));
    world.shell("git config --unset push.recurseSubmodules");
    let pushed = world.run("commit-and-push", &[("message", "ours"), ("push", "true")]);
    assert_eq!(pushed.outputs()["pushed"], true);
    assert_eq!(world.shell("git -C ../remote.git rev-parse main"), world.shell("git rev-parse HEAD"));
}

#[test]
fn a_submodule_that_moved_is_committed_whatever_git_does_not_look_at() {
    let Some(world) = with_remote() else { return };
    world.shell("git init -q ../part && git -C ../part commit -q --allow-empty -m first");
    world
        .shell("git -c protocol.file.allow=always submodule --quiet add ../part sub && git commit -q -m sub");
    world.shell("git config diff.ignoreSubmodules all && git -C sub commit -q --allow-empty -m second");
    for (paths, moves) in [("", false), ("sub", true)] {
        if moves {
            world.shell("git -C sub commit -q --allow-empty -m third");
        }
        let done = world.run("commit-and-push", &[("message", "The part has moved"), ("paths", paths)]);
        assert_eq!(done.outputs()["committed"], true, "{paths}");
        assert_eq!(world.shell("git status --porcelain --ignore-submodules=none"), "");
    }
}

#[test]
fn a_push_that_is_refused_fails_the_run_and_keeps_the_commit() {
    let Some(world) = with_remote() else { return };
    world.shell("git clone -q ../remote.git ../other && cd ../other && git commit -q --allow-empty -m theirs && git push -q");
    world.write("a.txt", "changed\n");
    let refused = world.run("commit-and-push", &[("message", "ours"), ("push", "true")]);
    assert!(refused.error().contains("`push` exited with 1"), "{}", refused.error());
    assert!(refused.error().contains("rejected"), "{}", refused.error());
    assert_eq!(refused.block("committed"), "success");
    assert_eq!(world.shell("git log -1 --format=%s"), "ours");
}

// covers: D-96
#[test]
fn a_feature_is_worked_on_in_a_worktree_that_is_cleared_away() {
    let Some(world) = with_remote() else { return };
    world.write("a.txt", "not committed\n");
    let work = [("feature_name", "login"), ("command", "echo new >b.txt; pwd"), ("message", "Add b")];
    let done = world.run("worktree-feature", &[work[0], work[1], work[2], ("push", "true")]);
    let outputs = done.outputs();
    assert_eq!(outputs["branch"], "feature/login");
    for flag in ["committed", "pushed", "removed"] {
        assert_eq!(outputs[flag], true, "{flag}");
    }
    assert!(outputs["output"].as_str().unwrap().ends_with("/project/.worktrees/feature/login"));
    assert_eq!(world.shell("git show feature/login:b.txt"), "new");
    assert_eq!(world.shell("git -C ../remote.git rev-parse feature/login"), outputs["commit"]);
    // What is checked out here is as it was.
    assert_eq!(world.shell("git branch --show-current; git status --porcelain"), "main\n M a.txt");
    assert!(!world.path(".worktrees/feature/login").exists());
    let again = world.run("worktree-feature", &work);
    assert_eq!((&again.outputs()["committed"], &again.outputs()["removed"]), (&json!(false), &json!(true)));
    let kept = world.run("worktree-feature", &[work[0], work[1], work[2], ("keep", "true")]);
    assert_eq!(kept.outputs()["removed"], false);
    assert!(world.path(".worktrees/feature/login/b.txt").exists());
    assert_eq!(world.shell("git status --porcelain"), " M a.txt", "a worktree is no change");
}

#[test]
fn work_that_leaves_its_branch_is_not_committed() {
    let Some(world) = repository() else { return };
    for (name, leave, now) in
        [("one", "git switch -q -c other", "other"), ("two", "git switch -q --detach", "no branch")]
    {
        let command = format!("{leave}; echo n >n");
        let work = [("feature_name", name), ("message", "m"), ("command", command.as_str())];
        let left = world.run("worktree-feature", &work);
        let words = format!("command left feature/{name}, and now {now} is checked out in ");
        assert!(left.said.contains(&words), "{left:?}");
        assert_eq!((left.block("there"), left.block("commit")), ("failure", "skipped"));
        assert_eq!(world.shell("git log --oneline --all | wc -l").trim(), "1");
    }
}

#[test]
fn work_that_fails_leaves_its_worktree_and_can_be_gone_on_with() {
    let Some(world) = repository() else { return };
    let name = [("feature_name", "half"), ("message", "Whole")];
    let failed = world.run("worktree-feature", &[name[0], name[1], ("command", "echo 1 >half.txt; exit 3")]);
    assert!(failed.error().contains("`work` exited with 3"), "{}", failed.error());
    assert_eq!((failed.block("commit"), failed.block("remove")), ("skipped", "skipped"));
    assert!(world.path(".worktrees/feature/half/half.txt").exists());
    let whole = world.run("worktree-feature", &[name[0], name[1], ("command", "echo 2 >>half.txt")]);
    assert_eq!((&whole.outputs()["committed"], &whole.outputs()["removed"]), (&json!(true), &json!(true)));
    assert_eq!(world.shell("git show feature/half:half.txt"), "1\n2");
}

#[test]
fn a_worktree_of_somebody_else_is_worked_in_and_stays() {
    let Some(world) = repository() else { return };
    world.shell(
        "echo '*.env' >>.git/info/exclude && git worktree add -q .worktrees/feature/login -b feature/login",
    );
    world.write(".worktrees/feature/login/my.env", "mine");
    let work = [("feature_name", "login"), ("message", "Format"), ("command", "date +%N >new.txt")];
    let done = world.run("worktree-feature", &work);
    assert_eq!((&done.outputs()["committed"], &done.outputs()["removed"]), (&json!(true), &json!(false)));
    assert_eq!(world.read(".worktrees/feature/login/my.env"), "mine");
    // One that was kept is its person's from then on.
    let other = [("feature_name", "kept"), work[1], work[2]];
    world.run("worktree-feature", &[&other[..], &[("keep", "true")]].concat()).outputs();
    assert_eq!(world.run("worktree-feature", &other).outputs()["removed"], false);
    assert!(world.path(".worktrees/feature/kept/new.txt").exists());
}

#[test]
fn a_worktree_that_cannot_be_made_says_why() {
    let Some(world) = repository() else { return };
    let work = [("command", "true"), ("message", "x")];
    let base =
        world.run("worktree-feature", &[("feature_name", "x"), ("base_branch", "no-such"), work[0], work[1]]);
    assert!(base.error().contains("no-such"), "{}", base.error());
    assert_eq!(base.block("work"), "skipped");
    let name = world.run("worktree-feature", &[("feature_name", "../../out"), work[0], work[1]]);
    assert!(name.error().contains("`worktree`"), "{}", name.error());
    world.shell("rm -rf .git");
    let nowhere = world.run("worktree-feature", &[("feature_name", "x"), work[0], work[1]]);
    assert!(nowhere.error().contains("in no git repository"), "{}", nowhere.error());
}
