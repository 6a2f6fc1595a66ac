//! `setup-python-env` where it could do harm: whatever it is told, it takes nothing away that is no environment, and says of no
//! environment that it is there while it is not.

use crate::tools::has;
use crate::world::World;
use serde_json::json;

/// A project with something in it that nobody can make again, and all of it.
fn project() -> Option<(World, String)> {
    has("python3").then_some(())?;
    let world = World::new();
    world.write("precious.txt", "years of work");
    world.write("src/main.py", "print(1)\n");
    let all = all(&world);
    Some((world, all))
}

/// Everything in the project and beside it, but the server's data.
fn all(world: &World) -> String {
    world.shell("cd .. && find . -path ./data -prune -o -print | sort")
}

#[test]
fn a_project_is_never_taken_for_an_environment() {
    let Some((world, before)) = project() else { return };
    let above = world.path("").parent().unwrap().display().to_string();
    let here = above.clone() + "/project";
    world.shell("ln -s . here && ln -s .. up && mkdir -p src/deep && ln -s src/deep down");
    let linked = all(&world);
    for path in [".", "./", "..", "src/..", "src/../..", "here", "up", "down/../..", &above, &here] {
        let refused = world.run("setup-python-env", &[("venv_path", path)]);
        assert!(refused.error().contains("is the project itself, or lies around it"), "{path}: {refused:?}");
        assert_eq!(all(&world), linked, "{path}");
    }
    world.shell("rm here up down && rmdir src/deep");
    for path in ["", " ", "\n\t"] {
        let refused = world.run("setup-python-env", &[("venv_path", path)]);
        assert!(refused.error().contains("venv_path is empty: name a folder"), "{path:?}: {refused:?}");
        assert_eq!(all(&world), before, "{path:?}");
    }
    let lines = world.run("setup-python-env", &[("venv_path", "a\n")]);
    assert!(lines.error().contains("venv_path has more than one line"), "{lines:?}");
    // Python would take these parts away before it looks.
    for path in ["not/..", "not/../..", "../not/../project", ".venv/../not"] {
        let refused = world.run("setup-python-env", &[("venv_path", path)]);
        assert!(refused.error().contains("is not there: write it without `..`"), "{path}: {refused:?}");
        assert_eq!(all(&world), before, "{path}");
    }
    // Not even where somebody has made one of it.
    world.shell("python3 -m venv --without-pip . && ln -sf /no/such/python bin/python");
    let before = all(&world);
    let refused = world.run("setup-python-env", &[("venv_path", ".")]);
    assert!(refused.error().contains("is the project itself, or lies around it"), "{refused:?}");
    assert_eq!(all(&world), before);
}

#[test]
fn what_is_no_environment_is_kept() {
    let Some((world, _)) = project() else { return };
    world.shell("mkdir half && mkdir half/bin && ln -s nowhere dangling && ln -s src linked");
    world.shell(
        "for one in odd lib include; do python3 -m venv --without-pip $one && rm $one/bin/python; done",
    );
    world.shell("mkdir -p usr/bin && ln -s \"$(command -v python3)\" usr/bin/python");
    world.shell("touch odd/notes.md lib/lib/mine.c include/include/mine.h");
    let before = all(&world);
    for (path, words) in [
        ("src", "is there and is no virtual environment: name another folder by venv_path"),
        ("half", "is there and is no virtual environment"),
        ("linked", "is there and is no virtual environment"),
        ("precious.txt", "is there and is no folder"),
        ("dangling", "is there and is no folder"),
        ("usr", "is there and is no virtual environment"),
        ("odd", "does not work, and notes.md in it is none of its own"),
        ("lib", "does not work, and mine.c in it is none of its own"),
        ("include", "does not work, and mine.h in it is none of its own"),
    ] {
        let refused = world.run("setup-python-env", &[("venv_path", path)]);
        assert!(refused.error().contains(words), "{path}: {refused:?}");
        assert_eq!(all(&world), before, "{path}");
    }
}

#[test]
fn what_cannot_make_one_leaves_nothing_and_is_told() {
    let Some((world, before)) = project() else { return };
    world.write("liar", "#!/bin/sh\ncase $* in *print*) echo 42;; esac\n");
    world.write(
        "breaks",
        "#!/bin/sh\ncase $* in *print*) echo 42; exit;; esac\nmkdir $3/bin\necho 'no room' >&2\nexit 1\n",
    );
    world.shell("chmod +x liar breaks");
    for python in
        ["", " ", ".", "..", "/", "-x", "true", "echo", "exit", "a b", "a\nb", "\"'", "src", "precious.txt"]
    {
        let refused = world.run("setup-python-env", &[("python_path", python)]);
        assert!(
            refused.error().contains(&format!("there is no {python} here: install Python")),
            "{python:?}: {refused:?}"
        );
    }
    let lied = world.run("setup-python-env", &[("python_path", "./liar")]);
    assert!(lied.error().contains(".venv could not be made: its python does not run"), "{lied:?}");
    let broke = world.run("setup-python-env", &[("python_path", "./breaks")]);
    assert!(broke.error().contains("no room"), "{broke:?}");
    world.shell("rm liar breaks");
    assert_eq!(all(&world), before);
}

#[test]
fn odd_names_are_names() {
    let Some((world, _)) = project() else { return };
    for path in ["-x", "it's \"one\"  $(touch pwned) *"] {
        let made = world.run("setup-python-env", &[("venv_path", path)]);
        let python = format!("{}/bin/python", world.path(path).display());
        assert_eq!(made.outputs()["python_path"], python.as_str(), "{made:?}");
        assert!(std::path::Path::new(&python).exists(), "{path}");
        assert_eq!(
            world.run("setup-python-env", &[("venv_path", path)]).outputs()["found"],
            "ready",
            "{path}"
        );
        world.shell("cat precious.txt src/main.py");
    }
    assert!(!world.path("pwned").exists());
}

#[test]
fn what_was_cut_off_while_it_was_made_is_made_anew() {
    let Some((world, _)) = project() else { return };
    // As it is while pip is put in: its python runs, and it is not whole.
    world.shell("python3 -m venv --without-pip .venv && touch .venv/switchback-half");
    let made = world.run("setup-python-env", &[]);
    assert_eq!(made.outputs()["found"], "missing");
    world.shell(".venv/bin/python -c 'import pip' && test ! -e .venv/switchback-half");
    // Before Python has written anything; an empty folder is as good as none.
    for before in ["touch .venv/switchback-half", "true"] {
        world.shell(&format!("rm -rf .venv && mkdir .venv && {before}"));
        assert_eq!(world.run("setup-python-env", &[]).outputs()["found"], "missing", "{before}");
    }
}

#[test]
fn odd_lists_are_told() {
    let Some((world, _)) = project() else { return };
    world.shell("python3 -m venv .venv");
    let nothing = world.run("setup-python-env", &[("packages", " \n ")]);
    assert_eq!(nothing.outputs()["installed"], "nothing is required");
    for list in [" ", ".", "..", "/", "-x", "a b", "a\nb", "\"'", "src"] {
        let refused = world.run("setup-python-env", &[("requirements", list)]);
        assert!(
            refused.error().contains(&format!("there is no {list} in .: correct requirements")),
            "{list:?}: {refused:?}"
        );
    }
    world.write("-x", "# nothing\n");
    let found = world.run("setup-python-env", &[("requirements", "-x")]);
    assert_eq!(found.outputs()["installed"], json!("installed -x"));
    assert_eq!(
        world.run("setup-python-env", &[("requirements", "-x")]).outputs()["installed"],
        "nothing has changed"
    );
    // Whatever it is called, it is looked at.
    world.write("-x", "# still nothing\n");
    let changed = world.run("setup-python-env", &[("requirements", "-x")]);
    assert_eq!(changed.outputs()["installed"], "installed -x");
    for package in ["-x", "--target=src", "/", "\"'", "src/no-such.whl"] {
        let refused = world.run("setup-python-env", &[("packages", package)]);
        assert!(refused.error().contains("`install` exited with 1"), "{package}: {refused:?}");
    }
}

/// A list is what it names: files are compared wherever they lie, and what cannot be compared is left to pip.
#[test]
fn what_a_list_names_counts_as_a_part_of_it() {
    let Some((world, _)) = project() else { return };
    world.shell("python3 -m venv .venv && mkdir lists");
    let installed = || world.run("setup-python-env", &[]).outputs()["installed"].clone();
    world.write("requirements.txt", "-r lists/base.txt  # -r nowhere.txt\n");
    world.write("lists/base.txt", "--constraint=bounds.cfg\n");
    world.write("lists/bounds.cfg", "# none\n");
    assert_eq!(installed(), "installed requirements.txt");
    assert_eq!(installed(), "nothing has changed");
    world.write("lists/bounds.cfg", "# still none\n");
    assert_eq!(installed(), "installed requirements.txt");
    assert_eq!(installed(), "nothing has changed");
    for wrong in ["./no-such-package", "-r no-such.txt", "-e ./no-such-folder"] {
        world.write("lists/base.txt", &format!("{wrong}\n"));
        let refused = world.run("setup-python-env", &[]);
        assert!(refused.error().contains("`install` exited with"), "{wrong}: {refused:?}");
    }
    // Whether a folder has changed is for pip to say.
    world.write("lists/base.txt", "--find-links .\n");
    assert_eq!([installed(), installed()], ["installed requirements.txt"; 2]);
}

#[test]
fn an_install_that_broke_off_is_not_taken_for_the_one_before() {
    let Some((world, _)) = project() else { return };
    world.shell("python3 -m venv .venv");
    world.write("list.in", "# nothing\n");
    let list = [("requirements", "list.in")];
    assert_eq!(world.run("setup-python-env", &list).outputs()["installed"], "installed list.in");
    let broke = world.run("setup-python-env", &[list[0], ("packages", "./gone-1.0-py3-none-any.whl")]);
    assert!(broke.error().contains("`install` exited with"), "{}", broke.error());
    assert_eq!(world.run("setup-python-env", &list).outputs()["installed"], "installed list.in");
}

#[test]
fn two_at_once_wait_for_each_other() {
    let Some((world, _)) = project() else { return };
    world.write("list.in", "# nothing\n");
    world.write(
        "flow.yaml",
        "name: two
blocks:
  - id: all
    type: ExecuteWorkflow
    for_each: {items: [1, 2, 3], parallel: 3}
    inputs: {workflow: setup-python-env, inputs: {requirements: list.in}}
outputs: {results: '${blocks.all.results}'}
",
    );
    let done = world.run("flow.yaml", &[]);
    let results = done.outputs()["results"].as_array().unwrap();
    let mut installed: Vec<_> =
        results.iter().map(|result| result["outputs"]["installed"].as_str().unwrap()).collect();
    installed.sort_unstable();
    assert_eq!(installed, ["installed list.in", "nothing has changed", "nothing has changed"]);
    world.shell(".venv/bin/python -c 'import pip' && test ! -e .venv/switchback-half");
}

#[test]
fn one_that_waited_for_another_that_failed_makes_it_itself() {
    let Some((world, _)) = project() else { return };
    // It says that it is at work, and fails once the other waits.
    world.write(
        "breaks",
        "#!/bin/sh\ncase $* in *print*) exec python3 \"$@\";; esac\ntouch began\n\
         until cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -q '[f]cntl.flock(9'; do sleep 0.1; done 2>/dev/null\nexit 1\n",
    );
    world.write(
        "flow.yaml",
        "name: two
blocks:
  - {id: bad, type: ExecuteWorkflow, inputs: {workflow: setup-python-env, inputs: {python_path: ./breaks}}}
  - {id: begun, type: Shell, inputs: {command: 'until test -e began; do sleep 0.1; done'}}
  - {id: good, type: ExecuteWorkflow, depends_on: [begun], inputs: {workflow: setup-python-env}}
outputs: {bad: '${blocks.bad.failed}', found: '${blocks.good.outputs.found}'}
",
    );
    world.shell("chmod +x breaks");
    if !std::path::Path::new("/proc/self/cmdline").exists() {
        return;
    }
    let done = world.run("flow.yaml", &[]);
    assert_eq!(done.document["outputs"], json!({"bad": true, "found": "missing"}), "{done:?}");
    world.shell(".venv/bin/python -c 'import pip' && test ! -e .venv/switchback-half");
}
