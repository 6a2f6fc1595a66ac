//! `commit-and-push` while others commit too: what it calls its own was made by it, and by nobody else.

use crate::git::repository;
use crate::world::World;
use std::time::Duration;

/// A git that somebody else commits with as soon as it has been asked for the commit one stands on.
fn with_a_neighbour(world: World) -> World {
    let real = world.shell("command -v git");
    let path = std::env::var("PATH").unwrap();
    world.write("../bin/git", &format!(
        "#!/bin/sh\n{real} \"$@\" || exit\nif [ \"$*\" = 'rev-parse --verify --quiet HEAD' ] && mkdir ../once 2>/dev/null; then\n\
         {real} commit -q -m prefix -- b.txt\nfi\n"
    ));
    world.shell("chmod +x ../bin/git");
    let bin = world.beside("bin").display().to_string();
    world.with("PATH", format!("{bin}:{path}"))
}

#[test]
fn a_commit_of_somebody_else_is_not_taken_for_ones_own() {
    let Some(world) = repository() else { return };
    world.shell(
        "echo b >b.txt && git add b.txt && git commit -q -m b && echo mine >a.txt && echo theirs >b.txt",
    );
    let world = with_a_neighbour(world);
    let done = world.run("commit-and-push", &[("message", "fix"), ("paths", "a.txt")]);
    assert_eq!(done.outputs()["committed"], true);
    assert_eq!(world.shell("git log -2 --format=%s; git status --porcelain"), "fix\nprefix");
    assert_eq!(done.outputs()["commit"], world.shell("git rev-parse HEAD"));
    // Nor one that comes right after it.
    world.write(
        ".git/hooks/post-commit",
        "#!/bin/sh\nunset GIT_REFLOG_ACTION\nmkdir .git/hooked 2>/dev/null && git commit -q --allow-empty -m fix\n",
    );
    world.shell("chmod +x .git/hooks/post-commit && echo more >a.txt");
    let done = world.run("commit-and-push", &[("message", "fix")]);
    assert_eq!(done.outputs()["commit"], world.shell("git rev-parse HEAD~1"));
}

#[test]
fn commits_made_at_the_same_time_hold_their_own_paths() {
    let Some(world) = repository() else { return };
    world.write(
        "flow.yaml",
        "name: four
blocks:
  - id: all
    type: ExecuteWorkflow
    for_each: {items: [a, b, c, d], parallel: 4}
    inputs: {workflow: commit-and-push, inputs: {message: wip, paths: '${each.item}'}}
outputs: {results: '${blocks.all.results}'}
",
    );
    world.shell("git add flow.yaml && git commit -q -m flow && for file in a b c d; do echo x >$file; done");
    let done = world.run("flow.yaml", &[]);
    for result in done.outputs()["results"].as_array().unwrap() {
        let commit = result["outputs"]["commit"].as_str().unwrap();
        assert_eq!(
            world.shell(&format!("git show --name-only --format= {commit}")),
            result["item"],
            "{result}"
        );
    }
    assert_eq!(world.shell("git status --porcelain; git rev-list --count HEAD"), "6");
}

#[test]
fn another_git_that_writes_is_waited_for_a_while() {
    let Some(world) = repository() else { return };
    world.shell("echo two >a.txt && touch .git/index.lock");
    let lock = world.path(".git/index.lock");
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(1));
        std::fs::remove_file(lock).unwrap();
    });
    assert_eq!(world.run("commit-and-push", &[("message", "two")]).outputs()["committed"], true);
    other.join().unwrap();
    world.shell("echo three >a.txt && touch .git/index.lock");
    let locked = world.run("commit-and-push", &[("message", "three")]);
    assert!(locked.error().contains("ex.lock': File exists"), "{}", locked.error());
    assert_eq!(world.shell("git log -1 --format=%s"), "two");
}

#[test]
fn a_hook_that_moves_nothing_leaves_no_commit_behind() {
    let Some(world) = repository() else { return };
    world.write(
        ".git/hooks/pre-commit",
        "#!/bin/sh\necho x >>hooked\ngit stash -q --all && git stash pop -q --index\n",
    );
    world.shell("chmod +x .git/hooks/pre-commit && echo two >a.txt");
    let done = world.run("commit-and-push", &[("message", "updating HEAD")]);
    assert_eq!(done.outputs()["commit"], world.shell("git rev-parse HEAD"));
    assert_eq!(world.shell("git rev-list --count HEAD; git show HEAD:a.txt"), "2\ntwo");
}
