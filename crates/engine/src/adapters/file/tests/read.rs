//! ReadFile: text or base64, up to a bound.

use super::*;

#[test]
fn text_is_text_and_bytes_are_base64() {
    let world = World::new();
    world.put("text", "wörld");
    world.put("bytes", [0xff, 0x00]);
    let done = world.read("text").unwrap();
    assert_eq!(
        (&done["content"], &done["encoding"], &done["size_bytes"]),
        (&json!("wörld"), &json!("utf-8"), &json!(6))
    );
    let done = world.read("bytes").unwrap();
    assert_eq!((&done["content"], &done["encoding"]), (&json!("/wA="), &json!("base64")));
    let as_text = world.act("read", json!({"path": "bytes", "encoding": "utf-8"}));
    is_no(as_text, "`bytes` is not UTF-8 (byte 0): read it with `encoding: base64`");
    let done = world.act("read", json!({"path": "text", "encoding": "base64"})).unwrap();
    assert_eq!(done["content"], json!("d8O2cmxk"));
    is_no(world.read("none"), "`none` does not exist");
    is_no(world.read("none/deeper"), "`none/deeper` does not exist");
}

#[test]
fn a_file_is_read_up_to_its_bound() {
    let world = World::new();
    let bounded = |bytes: u64| world.act("read", json!({"path": "file", "max_bytes": bytes}));
    world.put("file", "12345");
    assert_eq!(bounded(5).unwrap()["content"], json!("12345"));
    is_no(bounded(4), "`file` has more than 4 bytes, and `max_bytes` allows no more");
    is_crash(bounded(0), "`max_bytes` is a whole number from 1 to");
    is_crash(bounded(64 * 1024 * 1024 + 1), "`max_bytes` is a whole number from 1 to");
    world.put("file", vec![b'x'; 10 * 1024 * 1024]);
    assert_eq!(world.read("file").unwrap()["size_bytes"], json!(10 * 1024 * 1024));
    world.put("file", vec![b'x'; 10 * 1024 * 1024 + 1]);
    is_no(world.read("file"), "`file` has more than 10485760 bytes");
}

#[test]
fn a_file_is_there_or_not() {
    let world = World::new();
    let look = |path: &str| world.act("look", json!({ "path": path }));
    world.put("file", [0xff]);
    fs::create_dir(world.project("folder")).unwrap();
    fs::set_permissions(world.project("file"), fs::Permissions::from_mode(0o000)).unwrap();
    assert_eq!(look("file").unwrap()["path"], json!(fs::canonicalize(world.project("file")).unwrap()));
    is_no(look("none"), "`none` does not exist");
    is_no(look("none/deeper"), "`none/deeper` does not exist");
    is_no(look("file/deeper"), "`file/deeper` leads through a file");
    is_no(look("folder"), "`folder` is a folder, and a file is needed");
    is_crash(look(""), "the path is empty");
}
