//! JSON states: merged without loss, whoever else is at it.

use super::*;

fn merge(world: &World, updates: Value) -> Result<Map<String, Value>, Failure> {
    world.act("merge_state", json!({"path": "s/state.json", "updates": updates}))
}

#[test]
fn a_state_is_read_written_and_merged() {
    let world = World::new();
    let read =
        |required: bool| world.act("read_state", json!({"path": "s/state.json", "required": required}));
    assert_eq!(read(false).unwrap()["state"], json!({}));
    assert_eq!(read(false).unwrap()["exists"], json!(false));
    is_no(read(true), "`s/state.json` does not exist");
    let done = merge(&world, json!({"b": {"x": 1}, "a": [1, 2]})).unwrap();
    assert_eq!(done["state"], json!({"b": {"x": 1}, "a": [1, 2]}));
    let done = merge(&world, json!({"b": {"y": null}, "a": [3]})).unwrap();
    assert_eq!(done["state"], json!({"b": {"x": 1, "y": null}, "a": [3]}));
    let text = "{\n  \"b\": {\n    \"x\": 1,\n    \"y\": null\n  },\n  \"a\": [\n    3\n  ]\n}\n";
    assert_eq!((world.text("s/state.json").as_str(), &done["size_bytes"]), (text, &json!(text.len())));
    assert_eq!(read(true).unwrap()["state"], done["state"]);
    let write = json!({"path": "s/state.json", "state": {"only": 1}});
    assert_eq!(world.act("write_state", write).unwrap()["state"], json!({"only": 1}));
    assert_eq!(world.text("s/state.json"), "{\n  \"only\": 1\n}\n");
    assert_eq!(world.names(&world.project("s")), ["state.json"]);
}

#[test]
fn what_is_no_state_is_left_as_it_is() {
    let world = World::new();
    fs::create_dir(world.project("s")).unwrap();
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(64), "]".repeat(64));
    for (text, words) in [
        ("{\"a\": 1", "`s/state.json` is no JSON that can be kept: EOF"),
        ("", "`s/state.json` is no JSON that can be kept: EOF"),
        ("{\"a\": 1, \"a\": 2}", "is no JSON that can be kept: the key `a` stands there twice"),
        (
            "{\n\"a\": 18446744073709551616}",
            "the number 18446744073709551616 in line 2 cannot be kept as it is",
        ),
        ("[1]", "`s/state.json` holds a list, and a state is an object"),
        (deep.as_str(), "nests deeper than 64 levels"),
    ] {
        world.put("s/state.json", text);
        is_no(merge(&world, json!({"b": 1})), words);
        is_no(world.act("read_state", json!({"path": "s/state.json"})), words);
        assert_eq!(world.text("s/state.json"), text);
    }
    is_crash(merge(&world, json!([1])), "`updates` is an object, and this is a list");
    let write = json!({"path": "s/state.json", "state": "x"});
    is_crash(world.act("write_state", write), "`state` is an object, and this is text");
}

#[test]
fn a_state_is_bounded() {
    let world = World::new();
    world.put("large.json", format!("{{\"a\": \"{}\"}}", "x".repeat(16 * 1024 * 1024)));
    is_no(world.act("read_state", json!({"path": "large.json"})), "has more than 16777216 bytes");
    let half = "x".repeat(9 * 1024 * 1024);
    merge(&world, json!({"a": half})).unwrap();
    is_no(merge(&world, json!({"b": half})), "16777216 are the most");
    assert!(!world.text("s/state.json").contains("\"b\""));
}

#[test]
fn a_state_that_could_not_be_read_again_is_not_written() {
    let world = World::new();
    // One level is the state itself.
    let nested = |levels: usize| (2..levels).fold(json!([]), |inside, _| json!([inside]));
    let write = |levels: usize| {
        world.act("write_state", json!({"path": "s/state.json", "state": {"a": nested(levels)}}))
    };
    write(64).unwrap();
    world.act("read_state", json!({"path": "s/state.json"})).unwrap();
    let words = "the state of `s/state.json` would nest deeper than 64 levels";
    is_no(write(65), words);
    merge(&world, json!({"b": nested(64)})).unwrap();
    is_no(merge(&world, json!({"b": nested(65)})), words);
    world.act("read_state", json!({"path": "s/state.json"})).unwrap();
}

#[test]
fn fifty_merges_at_once_lose_nothing() {
    let world = World::new();
    std::thread::scope(|scope| {
        for number in 0..50 {
            let world = &world;
            scope.spawn(move || {
                let perform = perform(
                    1,
                    "merge_state",
                    json!({"path": "s/state.json", "updates": {format!("k{number}"): number, "all": {format!("n{number}"): 1}}}),
                );
                let run = RunId::new(format!("run-{number}"));
                world.files.carry_out(&run, &world.home, &perform, &Gate::default()).unwrap();
            });
        }
    });
    let state: Value = serde_json::from_str(&world.text("s/state.json")).unwrap();
    assert_eq!((state.as_object().unwrap().len(), state["all"].as_object().unwrap().len()), (51, 50));
    assert_eq!(world.names(&world.project("s")), ["state.json"]);
}
