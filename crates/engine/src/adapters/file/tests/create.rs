//! CreateFile: whole or not at all, and the same when it is done again.

use super::*;
use std::os::unix::fs::{MetadataExt, symlink};

#[test]
fn a_file_is_written_with_its_folders() {
    let world = World::new();
    let done = world.create("out/deep/report.md", "Hello, wörld\n").unwrap();
    assert_eq!(world.text("out/deep/report.md"), "Hello, wörld\n");
    let path = fs::canonicalize(world.project("out/deep/report.md")).unwrap();
    assert_eq!(done, json!({"path": path, "size_bytes": 14, "created": true}).as_object().unwrap().clone());
    assert_eq!((world.rights("out/deep/report.md"), world.rights("out")), (0o644, 0o755));
    assert_eq!(world.names(&world.project("out/deep")), ["report.md"]);
}

#[test]
fn rights_are_those_of_the_client_or_as_told_or_kept() {
    let mut world = World::new();
    world.home.umask = Some(0o077);
    world.create("private/a", "x").unwrap();
    assert_eq!((world.rights("private/a"), world.rights("private")), (0o600, 0o700));
    world.home.umask = Some(0o022);
    let told = json!({"path": "b.sh", "content": "x", "permissions": "0755"});
    world.act("create", told).unwrap();
    assert_eq!(world.rights("b.sh"), 0o755);
    let again = world.create("b.sh", "y").unwrap();
    assert_eq!((world.rights("b.sh"), world.text("b.sh").as_str()), (0o755, "y"));
    assert_eq!(again["created"], json!(false));
    let told = json!({"path": "b.sh", "content": "x", "permissions": 600});
    world.act("create", told).unwrap();
    assert_eq!(world.rights("b.sh"), 0o600);
    for wrong in [json!("rw-r--r--"), json!("04755"), json!(true), json!(9)] {
        let told = json!({"path": "c", "content": "x", "permissions": wrong});
        is_crash(world.act("create", told), "`permissions` cannot be");
    }
}

#[test]
fn what_is_there_stays_where_that_is_wanted() {
    let world = World::new();
    world.put("a", "old");
    let keep = json!({"path": "a", "content": "new", "overwrite": false});
    is_no(world.act("create", keep.clone()), "`a` exists already");
    // Not ours, though an attempt came before.
    is_no(world.attempt(2, "create", keep), "`a` exists already");
    assert_eq!(world.text("a"), "old");
    let parents = json!({"path": "x/y", "content": "new", "create_parents": false});
    is_no(
        world.act("create", parents),
        "`x/y` cannot be written: its folder does not exist; make that first, or `create_parents: true`",
    );
    assert!(!world.project("x").exists());
}

#[test]
fn an_attempt_after_a_crash_knows_its_own_file() {
    for overwrite in [true, false] {
        let world = World::new();
        let inputs = json!({"path": "a", "content": "new", "overwrite": overwrite});
        let first = world.attempt(1, "create", inputs.clone()).unwrap();
        // The report was never recorded, so the note is still there.
        let number = fs::metadata(world.project("a")).unwrap().ino();
        assert_eq!(world.attempt(2, "create", inputs.clone()).unwrap(), first);
        assert_eq!(fs::metadata(world.project("a")).unwrap().ino(), number);
        // Another file of that name is not ours.
        world.put("b", "other");
        fs::rename(world.project("b"), world.project("a")).unwrap();
        match world.attempt(3, "create", inputs) {
            Ok(done) => assert!(overwrite && done["created"] == json!(false)),
            done => is_no(done, "exists already"),
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_is_full_is_waited_for() {
    let world = World::new();
    let errand =
        crate::adapters::file::note::Errand::new(&RunId::new("calm-fox-1"), &EffectId::new("write#1"));
    let note = errand.path(&world.dir.path().join("data"));
    fs::create_dir(note.parent().unwrap()).unwrap();
    // Whatever is written there finds no room; it is gone with the note that could not be made.
    std::os::unix::fs::symlink("/dev/full", &note).unwrap();
    let done = world.attempt(1, "create", json!({"path": "a", "content": "new"})).unwrap();
    assert_eq!(done["created"], json!(true));
    assert!(fs::symlink_metadata(note).unwrap().is_file());
}

#[test]
fn notes_of_runs_that_are_over_are_taken_away() {
    let world = World::new();
    let data = world.dir.path().join("data");
    world.act("create", json!({"path": "a", "content": "new"})).unwrap();
    let note = crate::adapters::file::note::Errand::new(&RunId::new("calm-fox-1"), &EffectId::new("write#1"))
        .path(&data);
    fs::write(note.with_file_name("from before"), "1 2\n").unwrap();
    crate::adapters::file::keep(&data, [RunId::new("calm-fox-1"), RunId::new("bold-owl-2")].iter());
    assert_eq!(world.names(note.parent().unwrap()), [note.file_name().unwrap().to_str().unwrap()]);
    crate::adapters::file::keep(&data, [RunId::new("calm-fox")].iter());
    assert!(world.names(note.parent().unwrap()).is_empty());
}

#[test]
fn what_attempts_left_behind_is_removed() {
    let world = World::new();
    let failed = json!({"path": "sub/a", "content": "x"});
    world.act("create", failed.clone()).unwrap();
    fs::remove_file(world.project("sub/a")).unwrap();
    let errand =
        crate::adapters::file::note::Errand::new(&RunId::new("calm-fox-1"), &EffectId::new("write#2"));
    let left = errand.left_behind().next().unwrap();
    world.put(&format!("sub/{left}"), "half");
    world.put(&format!("sub/{}", errand.temporary()), "half");
    world.attempt(2, "create", failed).unwrap();
    assert_eq!(world.names(&world.project("sub")), ["a"]);
    // Also by one that must not write.
    world.put(&format!("sub/{left}"), "half");
    world.put("sub/b", "another's");
    let refused = world.attempt(2, "create", json!({"path": "sub/b", "content": "x", "overwrite": false}));
    assert!(refused.unwrap_err().message.contains("exists already"));
    assert_eq!(world.names(&world.project("sub")), ["a", "b"]);
}

#[test]
fn what_an_attempt_left_that_died_is_taken_away() {
    let world = World::new();
    fs::create_dir(world.project("sub")).unwrap();
    let (run, id) = (RunId::new("calm-fox-1"), EffectId::new("write#1"));
    let left = crate::adapters::file::note::Errand::new(&run, &id).temporary();
    for (name, path) in [("path", "sub/a"), ("target", "sub/b")] {
        world.put(&format!("sub/{left}"), "half");
        world.put(&format!("sub/{left}0"), "another's");
        let mut perform = perform(1, "create", json!({}));
        perform.inputs.insert(name.to_owned(), Data::Inline(path.into()));
        world.files.clear(&run, &world.home, &perform);
        assert_eq!(world.names(&world.project("sub")), [format!("{left}0")], "{name}");
        // Where there is nothing, nothing is made.
        perform.inputs.insert(name.to_owned(), Data::Inline("none/c".into()));
        world.files.clear(&run, &world.home, &perform);
        assert!(!world.project("none").exists());
        // One after the other may have died.
        perform.id = EffectId::new("write#2");
        perform.inputs.insert(name.to_owned(), Data::Inline("sub/a".into()));
        world.put(&format!("sub/{left}"), "half");
        world.files.clear(&run, &world.home, &perform);
        assert_eq!(world.names(&world.project("sub")), [format!("{left}0")], "{name}");
    }
}

#[test]
fn bytes_come_as_base64() {
    let world = World::new();
    let inputs = json!({"path": "a", "content": "AAH/\n/w==", "encoding": "base64"});
    assert_eq!(world.act("create", inputs).unwrap()["size_bytes"], json!(4));
    assert_eq!(fs::read(world.project("a")).unwrap(), [0, 1, 255, 255]);
    let inputs = json!({"path": "b", "content": "%%%", "encoding": "base64"});
    is_crash(world.act("create", inputs), "`content` is no base64");
    let inputs = json!({"path": "b", "content": "x", "encoding": "latin-1"});
    is_crash(world.act("create", inputs), "there are `utf-8`, `base64`");
    let inputs = json!({"path": "b", "content": "x", "encoding": "auto"});
    is_crash(world.act("create", inputs), "there is no `encoding`");
    assert!(!world.project("b").exists());
}

#[test]
fn values_are_written_as_json_and_nothing_is_not_written() {
    let world = World::new();
    world.act("create", json!({"path": "a", "content": {"k": [1, true]}})).unwrap();
    assert_eq!(world.text("a"), r#"{"k":[1,true]}"#);
    world.create("empty", "").unwrap();
    assert_eq!(world.text("empty"), "");
    is_crash(world.act("create", json!({"path": "b", "content": null})), "`content` has no value");
    is_crash(world.act("create", json!({"path": 5, "content": "x"})), "`path` is text, and this is a number");
    is_crash(world.act("delete", json!({"path": "a"})), "no file operation `delete`");
}

#[test]
fn a_hard_link_is_left_and_a_link_inside_is_followed() {
    let world = World::new();
    fs::write(world.outside("secret"), "outside").unwrap();
    fs::hard_link(world.outside("secret"), world.project("hard")).unwrap();
    world.create("hard", "new").unwrap();
    assert_eq!(fs::read_to_string(world.outside("secret")).unwrap(), "outside");
    fs::create_dir(world.project("real")).unwrap();
    symlink("real", world.project("folder")).unwrap();
    symlink("real/file", world.project("link")).unwrap();
    world.create("folder/a", "one").unwrap();
    let done = world.create("link", "two").unwrap();
    assert_eq!((world.text("real/a"), world.text("real/file")), ("one".to_owned(), "two".to_owned()));
    assert!(done["path"].as_str().unwrap().ends_with("project/real/file"));
    assert!(fs::symlink_metadata(world.project("link")).unwrap().is_symlink());
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let world = World::new();
    fs::create_dir(world.project("locked")).unwrap();
    fs::set_permissions(world.project("locked"), fs::Permissions::from_mode(0o500)).unwrap();
    if !rustix::process::geteuid().is_root() {
        is_no(world.create("locked/a", "x"), "look at its permissions");
    }
    fs::create_dir(world.project("folder")).unwrap();
    is_no(world.create("folder", "x"), "`folder` is a folder");
    is_no(world.create("folder/", "x"), "`folder/` is a folder");
    world.put("file", "x");
    is_no(world.create("file/below", "x"), "leads through a file where a folder should be");
    assert_eq!(world.names(&world.home.folder), ["file", "folder", "locked"]);
    assert!(world.names(&world.project("locked")).is_empty());
    fs::set_permissions(world.project("locked"), fs::Permissions::from_mode(0o700)).unwrap();
}

/// Does it as one to whom rights matter, whoever runs the tests.
#[cfg(target_os = "linux")]
fn as_anybody<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    let acts = || {
        let mut sets = capabilities(None).unwrap();
        sets.effective.remove(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
        set_capabilities(None, sets).unwrap();
        act()
    };
    std::thread::scope(|scope| scope.spawn(acts).join().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_may_be_written_and_not_read_takes_files() {
    let world = World::new();
    fs::create_dir(world.project("drop")).unwrap();
    fs::set_permissions(world.project("drop"), fs::Permissions::from_mode(0o300)).unwrap();
    for (at, path) in ["drop/a", "drop/new/b"].into_iter().enumerate() {
        let wish = json!({"path": path, "content": "x", "overwrite": at > 0});
        let done = as_anybody(|| world.act("create", wish)).unwrap();
        assert_eq!((&done["created"], world.text(path)), (&json!(true), "x".to_owned()));
    }
    fs::set_permissions(world.project("drop"), fs::Permissions::from_mode(0o500)).unwrap();
    is_no(as_anybody(|| world.create("drop/c", "x")), "look at its permissions");
    fs::set_permissions(world.project("drop"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(world.names(&world.project("drop")), ["a", "new"]);
}

#[test]
fn a_path_that_ends_without_a_name_makes_no_folder() {
    let world = World::new();
    symlink("linked/new/", world.project("link")).unwrap();
    for path in ["newf/", "sub/newf/", "sub/newf/.", "sub/newf/..", "sub/newf//", "sub/../newf/", "link"] {
        is_no(
            world.create(path, "x"),
            "leads to a folder, and a file is needed: end it with the name of a file",
        );
        let alone = json!({"path": path, "content": "x", "create_parents": false});
        is_no(world.act("create", alone), "end it with the name of a file");
        assert_eq!(world.names(&world.home.folder), ["link"]);
    }
    world.create("sub/./newf", "x").unwrap();
    is_no(world.create("sub/newf/", "x"), "leads through a file where a folder should be");
}

#[test]
fn no_folder_is_made_for_a_way_that_leaves_it_again() {
    let world = World::new();
    for path in ["nn/mm/../../../zz", "q1/q2/../../.git/x", "new/../file", "sub/new/../../file"] {
        let failure = world.create(path, "x").unwrap_err();
        assert!(failure.message.contains("back out of it by `..`"), "{path}: {failure}");
    }
    for made in ["nn", "q1", "new", "sub/new", "file"] {
        assert!(!world.project(made).exists(), "{made}");
    }
    fs::create_dir(world.project("sub")).unwrap();
    world.create("sub/../file", "x").unwrap();
}

#[test]
fn an_option_without_a_value_is_not_the_usual_one() {
    let world = World::new();
    world.create("file", "old").unwrap();
    for name in ["overwrite", "create_parents", "permissions"] {
        let failure = world.act("create", json!({"path": "file", "content": "new", name: null})).unwrap_err();
        assert!(failure.message.contains(&format!("`{name}` has no value")), "{failure}");
    }
    assert_eq!(world.text("file"), "old");
}

#[test]
fn a_file_that_is_replaced_keeps_its_owner() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new();
    world.put("file", "old");
    std::os::unix::fs::chown(world.project("file"), Some(12_345), Some(54_321)).unwrap();
    fs::set_permissions(world.project("file"), fs::Permissions::from_mode(0o640)).unwrap();
    world.act("create", json!({"path": "file", "content": "new", "overwrite": true})).unwrap();
    let found = fs::metadata(world.project("file")).unwrap();
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o777), (12_345, 54_321, 0o640));
}

/// Knows one secret.
struct Knowing;

impl Answers for Knowing {
    fn answer(&self, run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer> {
        Plain.answer(run, questions, patience)
    }

    fn plan(&self, home: &Home, workflow: &str, plan: Option<Digest>) -> Result<Called, String> {
        Plain.plan(home, workflow, plan)
    }

    fn secrets(&self) -> Arc<crate::secrets::Keeper> {
        let keeper = crate::secrets::Keeper::default();
        let (folder, secret) = (std::path::Path::new("/"), crate::secrets::Secret::new("geheim-1234"));
        keeper.lend(folder, [("TOKEN".to_owned(), secret.unwrap())].into());
        keeper.find(folder, "TOKEN").unwrap();
        Arc::new(keeper)
    }
}

#[test]
fn a_file_is_not_robbed_of_its_secret() {
    let mut world = World::new();
    world.files = Files::new(world.dir.path().join("data"), Arc::new(Knowing));
    world.put("config", "token: geheim-1234\n");
    let write = |world: &World, content: &str| {
        world.act("create", json!({"path": "config", "content": content, "overwrite": true}))
    };
    is_no(write(&world, "token: [secret TOKEN]\nmore: 1\n"), "holds the secret TOKEN");
    assert_eq!(world.text("config"), "token: geheim-1234\n");
    write(&world, "token: [secret OTHER]\n").unwrap();
    write(&world, "a log with [secret TOKEN]\n").unwrap();
    write(&world, "another with [secret TOKEN]\n").unwrap();
}
