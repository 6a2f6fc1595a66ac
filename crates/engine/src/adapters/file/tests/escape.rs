//! Ways out of the folders, each of which must end inside or nowhere.

use super::*;
use crate::adapters::file::bytes::read;
use crate::adapters::file::roots::Roots;
use crate::adapters::file::walk::{Aim, walk};
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};

const OUT: &str = "leads out of the allowed folder";

/// Tries a path with every operation; none may leave.
#[track_caller]
fn stays(world: &World, path: &str) {
    is_crash(world.read(path), OUT);
    is_crash(world.act("look", json!({ "path": path })), OUT);
    is_crash(world.create(path, "escaped"), OUT);
    is_crash(world.act("read_state", json!({ "path": path })), OUT);
    is_crash(world.act("write_state", json!({"path": path, "state": {}})), OUT);
    is_crash(world.act("merge_state", json!({"path": path, "updates": {}})), OUT);
    is_crash(world.act("render", json!({ "template_path": path })), OUT);
    is_crash(world.act("render", json!({"source": "x", "target": path})), OUT);
    assert_eq!(world.names(&world.dir.path().join("outside")), ["secret"]);
    assert_eq!(fs::read_to_string(world.outside("secret")).unwrap(), "secret");
}

fn world() -> World {
    let world = World::new();
    fs::write(world.outside("secret"), "secret").unwrap();
    fs::create_dir(world.project("sub")).unwrap();
    world
}

#[test]
fn names_do_not_lead_out() {
    let world = world();
    let secret = world.outside("secret").display().to_string();
    let project = world.home.folder.display().to_string();
    let up = "../".repeat(60);
    for path in [
        "../outside/secret",
        "../outside/new",
        "../outside/new/deeper",
        "sub/../../outside/secret",
        "./sub/./../../outside/secret",
        "sub/..//../outside/secret",
        "..",
        "../project/..",
        "/",
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/fd/0",
        "/proc/self/cwd/secret",
        "/proc/self/root/etc/passwd",
        "/dev/zero",
        "/dev/stdin",
        "/no/such/place",
        "/etc/shadow/deeper",
        &secret,
        &format!("{project}/../outside/secret"),
        &format!("{up}etc/passwd"),
        &format!("{project}-not/file"),
    ] {
        stays(&world, path);
    }
}

#[test]
fn an_allowed_folder_itself_is_a_folder() {
    let mut world = world();
    let project = world.home.folder.display().to_string();
    world.home.roots = vec![world.dir.path().join("outside")];
    symlink(&project, world.outside("back")).unwrap();
    for path in [project.as_str(), &format!("{project}/"), ".", "../outside", "../project", "../outside/back"]
    {
        is_no(world.read(path), "is a folder, and a file is needed");
        is_no(world.create(path, "x"), "is a folder, and a file is needed");
    }
    fs::remove_file(world.outside("back")).unwrap();
    // What lies beside it is told of as ever.
    stays(&world, &format!("{project}-not"));
    stays(&world, "../data");
}

#[test]
fn links_do_not_lead_out() {
    let world = world();
    let outside = world.dir.path().join("outside");
    symlink(&outside, world.project("folder")).unwrap();
    symlink("../outside", world.project("relative")).unwrap();
    symlink(outside.join("secret"), world.project("file")).unwrap();
    symlink(outside.join("missing"), world.project("dangling")).unwrap();
    symlink("../../outside/secret", world.project("sub/up")).unwrap();
    symlink("sub/up", world.project("twice")).unwrap();
    symlink("/proc/self/cwd", world.project("cwd")).unwrap();
    symlink("/proc/self/fd", world.project("fds")).unwrap();
    symlink("/", world.project("top")).unwrap();
    for path in [
        "folder/secret",
        "folder/new",
        "folder/new/deeper",
        "folder/../outside/secret",
        "relative/secret",
        "file",
        "dangling",
        "sub/up",
        "twice",
        "cwd/Cargo.toml",
        "fds/0",
        "top/etc/passwd",
    ] {
        stays(&world, path);
    }
}

#[test]
fn links_that_stay_inside_work_and_circles_end() {
    let world = world();
    world.put("sub/file", "inside");
    symlink(world.project("sub"), world.project("absolute")).unwrap();
    symlink("../project/sub", world.project("around")).unwrap();
    for path in ["absolute/file", "around/file", "sub/../sub/file", "../project/sub/file", "./sub//file"] {
        assert_eq!(world.read(path).unwrap()["content"], json!("inside"), "{path}");
    }
    let absolute = world.project("sub/file").display().to_string();
    assert_eq!(world.read(&absolute).unwrap()["content"], json!("inside"));
    symlink("loop-b", world.project("loop-a")).unwrap();
    symlink("loop-a", world.project("loop-b")).unwrap();
    symlink("self/x", world.project("self")).unwrap();
    for path in ["loop-a", "loop-a/x", "self"] {
        is_no(world.read(path), "leads through more than 40 links");
        is_no(world.create(path, "x"), "leads through more than 40 links");
    }
    // The edge: forty links are walked, forty-one are not.
    world.put("end", "reached");
    symlink("end", world.project("l1")).unwrap();
    for number in 2..=41 {
        symlink(format!("l{}", number - 1), world.project(&format!("l{number}"))).unwrap();
    }
    assert_eq!(world.read("l40").unwrap()["content"], json!("reached"));
    is_no(world.read("l41"), "leads through more than 40 links");
}

#[test]
fn other_folders_are_allowed_by_name() {
    let mut world = world();
    symlink("../outside", world.project("folder")).unwrap();
    stays(&world, "folder/secret");
    world.home.roots = vec![world.dir.path().join("none"), world.dir.path().join("project/../outside")];
    assert_eq!(world.read("folder/secret").unwrap()["content"], json!("secret"));
    world.create("../outside/new", "x").unwrap();
    let failure = world.read("/etc/passwd").unwrap_err();
    for words in ["`/etc/passwd` leads out of the allowed folders", "project", "outside", "[files]"] {
        assert!(failure.message.contains(words), "{failure}");
    }
    assert!(failure.message.ends_with("/none` is not there"), "{failure}");
    fs::write(world.dir.path().join("none"), "a file").unwrap();
    let failure = world.create("../none/x", "x").unwrap_err();
    assert!(failure.message.ends_with("/none` is no folder"), "{failure}");
}

#[test]
fn the_data_of_the_server_is_nobodys() {
    let mut world = world();
    let data = world.dir.path().join("data");
    fs::write(data.join("store"), "x").unwrap();
    world.home.roots = vec![world.dir.path().to_owned()];
    symlink(&data, world.project("data")).unwrap();
    for path in
        ["../data/store", "data/store", "data/new", "data/new/deeper", "data/files/x", "data/../data/x"]
    {
        let words = "leads into the data directory of Switchback";
        is_crash(world.read(path), words);
        is_crash(world.create(path, "x"), words);
        is_crash(world.act("merge_state", json!({"path": path, "updates": {}})), words);
    }
    assert_eq!(world.names(&data), ["store"]);
    world.create("../data-not/x", "beside it").unwrap();
}

#[test]
fn what_is_no_file_is_never_opened() {
    let mut world = world();
    let fifo = world.project("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let _socket = UnixListener::bind(world.project("socket")).unwrap();
    world.home.roots = vec![PathBuf::from("/dev")];
    for (path, words) in [
        ("fifo", "is a FIFO"),
        ("socket", "is a socket"),
        ("sub", "is a folder"),
        ("/dev/zero", "is a device"),
    ] {
        is_no(world.read(path), words);
        is_no(world.create(path, "x"), words);
        is_no(world.act("merge_state", json!({"path": path, "updates": {}})), words);
    }
}

#[test]
fn names_that_cannot_be() {
    let world = world();
    is_crash(world.read("a\0b"), "contains a NUL byte");
    is_crash(world.create("", "x"), "the path is empty");
    is_no(world.create(&"n".repeat(300), "x"), "a name may have 255 bytes");
    is_no(world.read(&"d/".repeat(3_000)), "name may have 255 bytes");
    world.create(&"n".repeat(255), "x").unwrap();
    let odd = OsStr::from_bytes(b"caf\xe9");
    fs::create_dir(world.project("").join(odd)).unwrap();
    symlink(odd, world.project("link")).unwrap();
    is_no(world.create("link/a", "x"), "leads to a name that is not UTF-8");
    assert!(world.names(&world.home.folder.join(odd)).is_empty());
}

#[test]
fn a_long_path_is_walked_to_its_end_and_back() {
    let world = world();
    let deep = "d/".repeat(500);
    world.create(&format!("{deep}a"), "deep").unwrap();
    let path = format!("{}a", "d/../".repeat(40) + &deep);
    assert_eq!(world.read(&path).unwrap()["content"], json!("deep"));
    let failure = world.read(&format!("{deep}b/../a")).unwrap_err();
    assert!(failure.message.contains("does not exist"), "{failure}");
}

#[test]
fn the_folder_of_the_run_must_be_there() {
    let mut world = World::new();
    world.home.folder = world.dir.path().join("gone");
    is_crash(world.create("a", "x"), "the folder of the run");
}

/// A folder becomes a link and a folder again, as fast as it goes, while files are written and read through it.
#[test]
fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    let world = world();
    let (real, link, place) = (world.project("real"), world.project("link"), world.project("sub/swap"));
    fs::create_dir(&real).unwrap();
    fs::write(real.join("secret"), "inside").unwrap();
    symlink("../../outside", &link).unwrap();
    let over = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                fs::rename(&real, &place).unwrap();
                fs::rename(&place, &real).unwrap();
                fs::rename(&link, &place).unwrap();
                fs::rename(&place, &link).unwrap();
            }
        });
        for number in 0..4_000 {
            match world.read("sub/swap/secret") {
                Ok(done) => {
                    assert_eq!(done["content"], json!("inside"));
                    inside += 1;
                }
                Err(_) => refused += 1,
            }
            if number % 4 == 0 {
                let options = json!({"path": "sub/swap/new", "content": "x", "create_parents": false});
                let _ = world.act("create", options);
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(world.names(&world.dir.path().join("outside")), ["secret"]);
    assert!(inside > 0 && refused > 0, "{inside} {refused}");
}

#[test]
fn an_allowed_folder_that_becomes_a_link_is_not_followed() {
    for moved in ["project", "project/sub"] {
        let mut world = world();
        let real = world.home.folder.parent().unwrap().to_owned();
        world.home.folder = real.join("project/sub");
        fs::create_dir(world.outside("sub")).unwrap();
        world.create("file", "mine").unwrap();
        fs::rename(real.join(moved), real.join("away")).unwrap();
        symlink(real.join("outside"), real.join(moved)).unwrap();
        let is_link = "has become a link, or a folder above it has, since the run began";
        is_crash(world.read("secret"), is_link);
        is_crash(world.read("../secret"), is_link);
        is_crash(world.create("new", "x"), is_link);
        // A root is left out, as one that is not there.
        fs::create_dir(real.join("other")).unwrap();
        world.home.roots = vec![std::mem::replace(&mut world.home.folder, real.join("other"))];
        is_crash(world.create(&real.join("project/sub/new").display().to_string(), "x"), is_link);
        assert_eq!(world.names(&real.join("outside")), ["secret", "sub"]);
        assert!(world.names(&real.join("outside/sub")).is_empty());
    }
}

#[test]
fn a_folder_that_is_moved_out_while_a_block_is_at_it_is_left_alone() {
    let inputs = [
        ("merge_state", json!({"path": "sub/s.json", "updates": {"new": 1}})),
        ("write_state", json!({"path": "sub/s.json", "state": {"new": 1}})),
        ("create", json!({"path": "sub/HEAD", "content": "x"})),
    ];
    for (operation, inputs) in inputs {
        let world = World::new();
        fs::create_dir(world.project("sub")).unwrap();
        world.put("sub/s.json", "{}");
        let held = fs::File::open(world.project("sub")).unwrap();
        flock(&held, FlockOperation::LockExclusive).unwrap();
        let gate = Gate::default();
        std::thread::scope(|scope| {
            let at_it = scope.spawn(|| {
                let perform = perform(1, operation, inputs);
                world.files.carry_out(&RunId::new("calm-fox-1"), &world.home, &perform, &gate)
            });
            while !gate.waits.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            fs::rename(world.project("sub"), world.outside("sub")).unwrap();
            drop(held);
            let trouble = at_it.join().unwrap().unwrap_err().into_failure();
            assert!(trouble.message.contains("`sub/"), "{operation}: {}", trouble.message);
            assert!(trouble.message.contains("was moved or replaced"), "{operation}: {}", trouble.message);
        });
        assert_eq!(world.names(&world.outside("sub")), ["s.json"], "{operation}");
        assert_eq!(fs::read_to_string(world.outside("sub/s.json")).unwrap(), "{}");
    }
}

#[test]
fn what_was_read_in_a_folder_that_was_moved_out_is_not_told() {
    let world = World::new();
    fs::create_dir(world.project("sub")).unwrap();
    world.put("sub/file", "text");
    let roots = Roots::open(&world.home, &world.dir.path().join("data")).unwrap();
    let place = walk(&roots, "sub/file", Aim::Read).unwrap();
    let read = || read(&place, 10, "", &Gate::default());
    fs::rename(world.project("sub"), world.project("other")).unwrap();
    assert_eq!(read().unwrap(), b"text", "inside it may move");
    fs::rename(world.project("other"), world.outside("sub")).unwrap();
    is_crash(
        read().map(|_| Map::new()).map_err(crate::adapters::file::Trouble::into_failure),
        "was moved or replaced",
    );
}

#[test]
fn what_the_server_keeps_is_not_read_by_a_second_name() {
    let world = World::new();
    let data = world.dir.path().join("data");
    fs::create_dir(data.join("recordings")).unwrap();
    for kept in ["switchback.db", "recordings/t1.cast"] {
        fs::write(data.join(kept), "kept").unwrap();
        let second = world.project("second");
        fs::hard_link(data.join(kept), &second).unwrap();
        is_crash(world.read("second"), "leads into the data directory of Switchback");
        let roots = Roots::open(&world.home, &data).unwrap();
        // It was another one when it was looked at.
        fs::rename(&second, world.project("later")).unwrap();
        world.put("second", "text");
        let place = walk(&roots, "second", Aim::Read).unwrap();
        fs::rename(world.project("later"), &second).unwrap();
        let read = read(&place, 10, "", &Gate::default()).map(|_| Map::new());
        let read = read.map_err(crate::adapters::file::Trouble::into_failure);
        is_crash(read, "leads into the data directory of Switchback");
        fs::remove_file(second).unwrap();
    }
    world.put("own", "text");
    fs::hard_link(world.project("own"), world.project("other")).unwrap();
    assert_eq!(world.read("other").unwrap()["content"], json!("text"));
}

#[test]
fn what_is_not_whole_yet_is_written_by_nobody_else() {
    let world = World::new();
    let name = format!(".switchback-{}-1", "a".repeat(24));
    is_crash(world.create(&name, "x"), "is a name that blocks give to files that are not whole yet");
    world.put(&name, "half");
    symlink(&name, world.project("link")).unwrap();
    is_crash(world.act("merge_state", json!({"path": "link", "updates": {}})), "not whole yet");
    for other in [".switchback-notes-1", ".switchback-notes"] {
        assert!(world.create(other, "x").is_ok(), "{other}");
    }
}
