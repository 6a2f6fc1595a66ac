//! What decides over the server or git is read, and written by nobody, whichever way leads there.

use super::*;
use crate::adapters::file::{Aim, folder};
use std::os::unix::fs::symlink;
use std::sync::Barrier;

const WORDS: &str = "is not written by blocks, because it decides what";

/// Tries to write a path with every operation; none may, and nothing may be left.
#[track_caller]
fn is_kept(world: &World, path: &str) {
    let before = tree(world.dir.path());
    is_crash(world.create(path, "x"), WORDS);
    is_crash(world.act("create", json!({"path": path, "content": "x", "create_parents": false})), WORDS);
    is_crash(world.act("write_state", json!({"path": path, "state": {}})), WORDS);
    is_crash(world.act("merge_state", json!({"path": path, "updates": {}})), WORDS);
    is_crash(world.act("render", json!({"source": "x", "target": path})), WORDS);
    assert_eq!(tree(world.dir.path()), before, "{path}");
}

/// All there is, with its content.
fn tree(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        found.push((entry.clone(), fs::read_to_string(&entry).unwrap_or_default()));
        if entry.symlink_metadata().unwrap().is_dir() {
            found.extend(tree(&entry));
        }
    }
    found.sort();
    found
}

fn world(folders: &[&str]) -> World {
    let mut world = World::new();
    for folder in folders {
        fs::create_dir_all(world.project(folder)).unwrap();
    }
    let home = world.dir.path().join("home").display().to_string();
    fs::create_dir(&home).unwrap();
    Arc::make_mut(&mut world.home.env).insert("HOME".to_owned(), home);
    world
}

#[test]
fn by_its_name() {
    let world = world(&["sub", ".git/hooks", ".switchback"]);
    world.put(".git/config", "[core]");
    world.put("switchback.toml", "");
    for path in [
        "switchback.toml",
        "sub/switchback.toml",
        "Switchback.TOML",
        "switchback.toml.",
        ".git/config",
        ".git/hooks/post-checkout",
        ".GIT/config",
        ".git",
        "sub/.git",
        "sub/.g\u{200c}it/config",
        ".switchback/workflows/hello.yaml",
        ".switchback/switchback.toml",
        "sub/.switchback/workflows/hello.yaml",
        ".aromcp/workflows/hello.yaml",
        ".terminal_control_workflows/hello.json",
        "sub/../.git/config",
        "../project/.git/config",
    ] {
        // Without its folders some are simply not there.
        let before = tree(world.dir.path());
        for done in [
            world.create(path, "x"),
            world.act("merge_state", json!({"path": path, "updates": {}})),
            world.act("write_state", json!({"path": path, "state": {}})),
            world.act("render", json!({"source": "x", "target": path})),
        ] {
            is_crash(done, WORDS);
        }
        assert_eq!(tree(world.dir.path()), before, "{path}");
    }
    assert_eq!(world.read(".git/config").unwrap()["content"], json!("[core]"));
    for path in [".gitignore", ".github/x", "switchback.toml/x", "workflows/a.yaml", ".git/../a", "sub/HEAD"]
    {
        if path != "switchback.toml/x" {
            world.create(path, "x").unwrap();
        }
    }
}

#[test]
fn by_links_to_it_and_from_it() {
    let world = world(&["sub", ".git/hooks", "dot/flows", "conf", "sources", ".switchback"]);
    symlink(".git", world.project("x")).unwrap();
    symlink("../.git/hooks", world.project("sub/h")).unwrap();
    symlink("conf/real.toml", world.project("switchback.toml")).unwrap();
    symlink("../dot/flows", world.project(".switchback/workflows")).unwrap();
    symlink("sources/not/yet", world.project(".aromcp")).unwrap();
    for path in
        ["x/config", "sub/h/post-checkout", "switchback.toml", "conf/real.toml", "dot/flows/hello.yaml"]
    {
        is_kept(&world, path);
    }
    is_crash(world.create("sources/not/yet/workflows/a.yaml", "x"), WORDS);
    world.put("conf/real.toml", "");
    is_kept(&world, "conf/real.toml");
    for path in ["conf/other.toml", "dot/a", "sources/a", "sources/not/a"] {
        world.create(path, "x").unwrap();
    }
}

/// What is laid there now would be the repository's own once there is one: `git init` keeps hooks that it finds.
#[test]
fn where_a_repository_will_be() {
    let mut world = world(&["sub", "empty", "real/objects", "real/refs", "real/tree", "elsewhere"]);
    let git = world.project(".git");
    // Without its folders it is simply not there.
    let is_kept = |world: &World, path: &str| {
        let before = tree(world.dir.path());
        is_crash(world.create(path, "x"), WORDS);
        is_crash(world.act("render", json!({"source": "x", "target": path})), WORDS);
        assert_eq!(tree(world.dir.path()), before, "{path}");
    };
    for (target, path) in [
        ("gone", "gone/config"),
        ("gone", "gone"),
        ("sub/../gone", "gone/hooks/pre-commit"),
        ("empty", "empty/hooks/pre-commit"),
    ] {
        symlink(target, &git).unwrap();
        is_kept(&world, path);
        fs::remove_file(&git).unwrap();
        fs::write(&git, format!("gitdir: {target}\n")).unwrap();
        is_kept(&world, path);
        fs::remove_file(&git).unwrap();
    }
    // A link to such a file leads twice, and the file in the middle is as good as `.git` itself.
    world.put("real/HEAD", "ref: refs/heads/main");
    for target in ["gone", "real"] {
        world.put("dotgit", format!("gitdir: {target}\n"));
        symlink("dotgit", world.project("between")).unwrap();
        symlink("between", &git).unwrap();
        for path in [".git", "./.git", "between", "dotgit", &format!("{target}/config")] {
            is_kept(&world, path);
        }
        for gone in ["between", ".git", "dotgit"] {
            fs::remove_file(world.project(gone)).unwrap();
        }
    }
    fs::remove_file(world.project("real/HEAD")).unwrap();
    // Further down only the name is known.
    for link in [".git", "switchback.toml"] {
        symlink("text", world.project(&format!("sub/{link}"))).unwrap();
        is_kept(&world, &format!("sub/{link}"));
        fs::remove_file(world.project(&format!("sub/{link}"))).unwrap();
    }
    fs::write(&git, format!("gitdir: {}\n", world.project("gone").display())).unwrap();
    is_kept(&world, "gone/config");
    world.create("sub/config", "x").unwrap();
    // The folder of the run may lie below, and further folders may be allowed.
    world.home.folder = world.project("sub");
    world.home.roots = vec![world.dir.path().join("project")];
    is_kept(&world, "../gone/config");
    world.home.folder = world.dir.path().join("outside");
    is_kept(&world, "../project/gone/config");
    world.home.folder = world.dir.path().join("project");
    // One that is there is known by what lies in it, and a worktree in it is none of it.
    world.put("real/HEAD", "ref: refs/heads/main");
    world.put("real/tree/.git", "gitdir: ../worktrees/tree");
    fs::write(&git, "gitdir: real").unwrap();
    is_kept(&world, "real/config");
    world.create("real/tree/config.txt", "x").unwrap();
    // What it shares with others lies where it says, and is not known by a HEAD.
    fs::create_dir_all(world.project("shared/objects")).unwrap();
    for folder in ["real", ".git"] {
        if folder == ".git" {
            fs::remove_file(&git).unwrap();
            fs::create_dir(&git).unwrap();
            world.put(".git/HEAD", "ref: refs/heads/main");
        }
        fs::write(world.project(folder).join("commondir"), "../shared\n").unwrap();
        is_kept(&world, "shared/config");
        is_kept(&world, "shared/hooks/pre-commit");
    }
    fs::remove_dir_all(&git).unwrap();
    world.create("shared/config", "x").unwrap();
    // What names nothing holds nobody up.
    fs::write(&git, "nothing").unwrap();
    world.create("gone/config", "x").unwrap();
}

#[test]
fn by_links_inside_the_places_of_definitions() {
    let folders =
        ["wf", "wf2/deep", "wf3", "other", ".switchback/workflows/a/b/c/d", ".terminal_control_workflows"];
    let mut world = world(&folders);
    let config = world.dir.path().join("home/.config/switchback/workflows");
    fs::create_dir_all(&config).unwrap();
    for (target, link) in [
        ("../../wf/k.yaml", ".switchback/workflows/k.yaml"),
        ("../../wf/through.yaml", ".switchback/workflows/l.yaml"),
        ("real.txt", "wf/through.yaml"),
        ("../../wf2", ".switchback/workflows/g"),
        ("../other/m.yaml", "wf2/m.yaml"),
        ("../../../other/new", ".switchback/workflows/a/not-yet"),
        ("../wf3", ".terminal_control_workflows/group"),
        ("..", ".switchback/workflows/a/circle"),
        // What the library does not look at.
        ("../../other/README.md", ".switchback/workflows/README.md"),
        ("../../other/hidden.yaml", ".switchback/workflows/.hidden.yaml"),
        ("../../../../../../other/deep.yaml", ".switchback/workflows/a/b/c/d/deep.yaml"),
        ("../../../../../other", ".switchback/workflows/a/b/c/deeper"),
        ("../../../../../other/not.yaml", ".switchback/workflows/a/b/c/last.yaml"),
    ] {
        symlink(target, world.project(link)).unwrap();
    }
    world.put("other/README.md", "");
    symlink(world.project("other/user.yaml"), config.join("user.yaml")).unwrap();
    for path in [
        "wf/k.yaml",
        "wf/through.yaml",
        "wf/real.txt",
        "wf2/a.yaml",
        "other/m.yaml",
        "other/user.yaml",
        "other/not.yaml",
    ] {
        is_kept(&world, path);
    }
    for path in ["wf2/deep/er/a.yaml", "other/new/a.yaml", "wf3/x"] {
        is_crash(world.create(path, "x"), WORDS);
    }
    is_crash(
        world.create("wf/k.yaml", "x"),
        "leads to `.switchback/workflows/k.yaml`: that is not written by blocks",
    );
    for path in ["wf/a.yaml", "other/README.md", "other/hidden.yaml", "other/deep.yaml"] {
        world.create(path, "x").unwrap();
    }
    // It is looked at anew each time, and a link that is gone protects nothing.
    fs::remove_file(world.project(".switchback/workflows/k.yaml")).unwrap();
    world.create("wf/k.yaml", "x").unwrap();
    world.home.roots = vec![config.clone()];
    is_crash(world.create(&config.join("user.yaml").display().to_string(), "x"), WORDS);
}

#[test]
fn by_nobody_where_a_place_has_too_many_entries() {
    use crate::library::ENTRIES_MAX;
    let world = world(&[".switchback/workflows/group", "wf"]);
    for number in 2..ENTRIES_MAX {
        world.put(&format!(".switchback/workflows/group/{number}"), "");
    }
    symlink("../../wf/k.yaml", world.project(".switchback/workflows/k.yaml")).unwrap();
    is_kept(&world, "wf/k.yaml");
    world.create("wf/a", "x").unwrap();
    world.put(".switchback/workflows/group/one more", "");
    let told = "`wf/a` is not written: `.switchback/workflows` has more than 4096 entries";
    is_crash(world.create("wf/a", "x"), told);
    assert!(world.read("wf/a").is_ok());
}

#[test]
fn in_the_settings_of_a_user() {
    let mut world = world(&[]);
    world.home.roots = vec![world.dir.path().to_owned()];
    // Not there yet, there, and elsewhere.
    is_crash(world.create("../home/.config/switchback/workflows/a.yaml", "x"), WORDS);
    assert_eq!(world.names(&world.dir.path().join("home")), [""; 0]);
    fs::create_dir_all(world.dir.path().join("home/.config/switchback")).unwrap();
    for path in ["../home/.config/switchback/x", "../home/.config/Switchback.toml"] {
        is_kept(&world, path);
    }
    world.create("../home/.config/other/x", "x").unwrap();
    let config = world.outside("config").display().to_string();
    Arc::make_mut(&mut world.home.env).insert("XDG_CONFIG_HOME".to_owned(), config);
    is_crash(world.create("../outside/config/switchback/x", "x"), WORDS);
    // The same user without that variable reads the usual place.
    for path in ["../home/.config/switchback/x", "../home/.config/git/config"] {
        is_crash(world.create(path, "x"), WORDS);
    }
}

#[test]
fn the_settings_of_a_users_git() {
    let mut world = world(&["me/.config/git"]);
    let home = world.project("me").display().to_string();
    Arc::make_mut(&mut world.home.env).insert("HOME".to_owned(), home);
    for path in ["me/.gitconfig", "me/.config/git/config", "me/.config/git/attributes"] {
        is_kept(&world, path);
    }
    world.create("me/.config/other", "x").unwrap();
}

#[test]
fn only_in_the_folders_of_the_run_but_for_git() {
    let mut world = world(&[".switchback/worktrees/feature/.switchback", ".git/worktrees/feature"]);
    let project = world.home.folder.clone();
    world.home.folder = project.join(".switchback/worktrees/feature");
    world.create("a", "x").unwrap();
    is_kept(&world, ".switchback/a");
    world.home.folder = project.join(".git/worktrees/feature");
    is_kept(&world, "a");
    world.home.folder = project.join(".switchback");
    is_kept(&world, "a");
}

#[test]
fn in_a_repository_of_another_name() {
    let world = world(&["bare/objects", "bare/refs", "bare/wt", "half/objects", "apart"]);
    world.put("bare/HEAD", "ref: refs/heads/main");
    for path in ["bare/config", "bare/HEAD", "bare/Config"] {
        is_kept(&world, path);
    }
    is_crash(
        world.create("bare/hooks/post-checkout", "x"),
        "leads to a git repository: that is not written by blocks",
    );
    assert!(!world.project("bare/hooks").exists());
    for path in [
        "bare/rebase-merge/git-rebase-todo",
        "bare/MERGE_MSG",
        "bare/remotes/origin",
        "bare/notes.txt",
        "bare/wt/x",
    ] {
        is_crash(world.create(path, "x"), "leads to a git repository: that is not written by blocks");
    }
    // But for worktrees that lie in it.
    world.put("bare/wt/.git", "gitdir: ../worktrees/wt");
    world.create("bare/wt/config", "x").unwrap();
    // None is made either, in whatever order.
    world.create("half/config", "x").unwrap();
    world.create("half/HEAD", "x").unwrap();
    is_crash(world.create("half/refs/x", "x"), WORDS);
    world.create("apart/HEAD", "x").unwrap();
    is_crash(world.create("apart/commondir", "../half"), WORDS);
    assert_eq!(world.names(&world.project("apart")), ["HEAD"]);
}

#[test]
fn of_many_that_write_at_once_the_last_one_sees_the_others() {
    let world = world(&[]);
    for round in 0..60 {
        let paths = ["HEAD", "objects/x", "refs/x", "config"].map(|name| format!("r{round}/{name}"));
        let start = Barrier::new(paths.len());
        let written = std::thread::scope(|scope| {
            let writers = paths.each_ref().map(|path| {
                let (world, start) = (&world, &start);
                scope.spawn(move || {
                    start.wait();
                    world.create(path, "x").is_ok()
                })
            });
            writers.map(|writer| writer.join().unwrap())
        });
        assert!(written.contains(&false), "round {round}: all of them were written");
        let missing = paths[..3].iter().filter(|path| !world.project(path).exists()).count();
        assert!(missing > 0, "round {round}: it is a repository");
    }
}

#[test]
fn also_by_worktrees() {
    let world = world(&[".git", "bare/objects", "bare/refs"]);
    world.put("bare/HEAD", "");
    let at = |path: &str, aim| folder(&world.home, &world.dir.path().join("data"), path, aim);
    for path in [".git/x", ".switchback/worktrees/x", ".aromcp", "a/.GIT/b", "bare/hooks"] {
        is_crash(at(path, Aim::Worktree), WORDS);
        assert!(at(path, Aim::Read).is_ok(), "{path}");
    }
    for path in ["apart/objects", "apart/Refs", "apart/refs/x"] {
        is_crash(at(path, Aim::Worktree), "is a name by which git knows a repository; use another");
    }
    for path in ["x", ".worktrees/x", "bare/x"] {
        at(path, Aim::Worktree).unwrap();
    }
}

#[test]
fn no_worktree_is_made_around_what_is_trusted_once_it_is_there() {
    let mut world = world(&[".git"]);
    symlink("later/deep", world.project(".switchback")).unwrap();
    let config = world.project("config").display().to_string();
    Arc::make_mut(&mut world.home.env).insert("XDG_CONFIG_HOME".to_owned(), config);
    let at = |path: &str| folder(&world.home, &world.dir.path().join("data"), path, Aim::Worktree);
    for path in ["later", "config"] {
        is_crash(at(path), "leads into it, which the server or git trusts; use another folder");
    }
    is_crash(at("later/deep"), WORDS);
    fs::create_dir(world.project("config")).unwrap();
    is_crash(at("config"), "which the server or git trusts");
    world.put("config/x", "");
    at("config").unwrap();
    for path in ["later/other", "config/other", "x"] {
        at(path).unwrap();
    }
}

#[test]
fn no_worktree_is_removed_with_what_is_trusted() {
    let world = world(&[
        ".git/hooks",
        ".switchback",
        "work/defs",
        "hooked",
        "set",
        "plain",
        "bare/objects",
        "bare/refs",
        "bare/work",
    ]);
    symlink("../work/defs", world.project(".switchback/workflows")).unwrap();
    world.put("hooked/run.sh", "#!/bin/sh");
    symlink("../../hooked/run.sh", world.project(".git/hooks/pre-push")).unwrap();
    world.put("set/own.toml", "");
    symlink("set/own.toml", world.project("switchback.toml")).unwrap();
    world.put("bare/HEAD", "");
    let at = |path: &str| folder(&world.home, &world.dir.path().join("data"), path, Aim::Removal);
    for path in ["work", "hooked", "set"] {
        is_crash(at(path), "is not removed by blocks:");
    }
    for path in ["work/defs", ".git/x", ".switchback/x", "bare/objects/x"] {
        is_crash(at(path), WORDS);
    }
    // Also what is not there, or lies in a repository as worktrees may, and has lost its link.
    for path in ["plain", "none", "none/refs", "work/other", "bare/work"] {
        at(path).unwrap();
    }
}

#[test]
fn secrets_are_not_read_through_a_link_of_the_server() {
    let world = world(&[]);
    world.put("kept.toml", "TOKEN = \"x\"");
    symlink(world.project("kept.toml"), world.dir.path().join("data/secrets.toml")).unwrap();
    is_crash(world.read("kept.toml"), "leads into the data directory of Switchback");
    is_crash(world.create("kept.toml", "x"), "leads into the data directory of Switchback");
}

#[test]
fn what_a_repository_links_to() {
    let mut world = world(&[".git/hooks", ".git/info", "kept/hooks", "work", "elsewhere/git/worktrees/work"]);
    world.put("kept/config", "[core]");
    world.put("kept/hooks/check.sh", "#!/bin/sh");
    symlink("../kept/config", world.project(".git/config")).unwrap();
    symlink("../../kept/hooks/check.sh", world.project(".git/hooks/pre-commit")).unwrap();
    symlink("../../kept/excludes", world.project(".git/info/exclude")).unwrap();
    for path in ["kept/config", "kept/hooks/check.sh", "kept/excludes"] {
        is_kept(&world, path);
    }
    world.create("kept/hooks/other.sh", "x").unwrap();
    fs::remove_dir_all(world.project(".git/hooks")).unwrap();
    symlink("../kept/hooks", world.project(".git/hooks")).unwrap();
    is_kept(&world, "kept/hooks/other.sh");
    is_kept(&world, "kept/hooks/new.sh");

    // A worktree has its settings and hooks in the repository that it belongs to.
    world.put("work/.git", "gitdir: ../elsewhere/git/worktrees/work\n");
    world.put("elsewhere/git/worktrees/work/commondir", "../..\n");
    world.put("work/hook.sh", "#!/bin/sh");
    fs::create_dir_all(world.project("elsewhere/git/hooks")).unwrap();
    symlink(world.project("work/hook.sh"), world.project("elsewhere/git/hooks/pre-push")).unwrap();
    let work = world.project("work");
    world.home.roots.push(work);
    is_kept(&world, "work/hook.sh");
    world.create("work/notes.md", "x").unwrap();
}
