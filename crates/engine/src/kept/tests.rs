//! What is kept, as whoever reads the folder sees it.

use super::{FOLDER, Kept, NotCreated, Saved};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const AT: u64 = 1_700_000_000_000;

fn definition(name: &str, tool: &str) -> Value {
    json!({"name": name, "description": "d", "initial_state": "a", "states": {"a": {"action": {"tool": tool, "params": {}}}}})
}

fn read(dir: &Path, name: &str) -> Value {
    serde_json::from_slice(&fs::read(dir.join(FOLDER).join(name)).unwrap()).unwrap()
}

fn lines(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join(FOLDER).join(".index.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_succeeded_is_kept_once() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    assert_eq!(kept.names(), Vec::<String>::new());
    let saved = kept.save(&definition("test_simple", "exit_terminal"), 3, AT).unwrap();
    assert_eq!(saved, Saved::As("test_simple".into()));
    let file = read(dir.path(), "test_simple.json");
    assert_eq!(file["definition"], definition("test_simple", "exit_terminal"));
    assert_eq!(
        (&file["metadata"]["success_count"], &file["metadata"]["total_states"]),
        (&json!(1), &json!(3))
    );
    let index = read(dir.path(), "index.json");
    assert_eq!(index["version"], "1.0");
    let entry = index["workflows"]["test_simple"].as_object().unwrap();
    assert_eq!(entry.keys().collect::<Vec<_>>(), ["file", "hash", "description", "created", "success_count"]);
    let again = kept.save(&definition("other", "exit_terminal"), 3, AT).unwrap();
    assert_eq!(again, Saved::Already("test_simple".into()));
    let conflict = kept.save(&definition("test_simple", "list_terminal_sessions"), 1, AT).unwrap();
    let Saved::As(name) = conflict else { panic!("{conflict:?}") };
    assert!(name.starts_with("test_simple_") && name.len() == "test_simple_".len() + 16, "{name}");
    assert_eq!(kept.names(), ["test_simple".to_owned(), name]);
}

#[test]
fn long_and_hostile_names_become_good_ones() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    let long = "x".repeat(64);
    kept.save(&definition(&long, "a"), 1, AT).unwrap();
    let Saved::As(name) = kept.save(&definition(&long, "b"), 1, AT).unwrap() else { panic!("it is new") };
    assert_eq!(name.len(), 64);
    for (tool, name) in [("c", "../x"), ("d", "index"), ("e", ""), ("f", "a/b"), ("g", ".hidden")] {
        let Saved::As(name) = kept.save(&definition(name, tool), 1, AT).unwrap() else { panic!("it is new") };
        assert!(name.starts_with("workflow_"), "{name}");
        assert!(!kept.used("../x", AT).unwrap());
    }
    assert!(matches!(kept.create(&definition("../x", "c"), true, AT), Err(NotCreated::Name(_))));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn what_is_created_is_replaced_only_on_purpose() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    kept.create(&definition("build", "exit_terminal"), false, AT).unwrap();
    let taken = kept.create(&definition("build", "send_input"), false, AT).unwrap_err();
    assert_eq!(taken.to_string(), "Workflow 'build' already exists");
    kept.create(&definition("build", "send_input"), true, AT).unwrap();
    assert_eq!(read(dir.path(), "build.json")["definition"], definition("build", "send_input"));
    let lines = lines(dir.path());
    assert_eq!(lines.len(), 1);
    let names: Vec<&String> = lines[0].as_object().unwrap().keys().collect();
    let nine = [
        "name",
        "file",
        "description",
        "arguments",
        "return_values",
        "created",
        "run_count",
        "last_run",
        "state_count",
    ];
    assert_eq!(names, nine);
    assert_eq!((&lines[0]["run_count"], &lines[0]["last_run"]), (&json!(0), &json!(null)));
}

#[test]
fn only_success_is_counted_in_file_and_indexes() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    kept.create(&definition("build", "exit_terminal"), false, AT).unwrap();
    assert!(kept.used("build", AT + 1_000).unwrap() && !kept.used("none", AT).unwrap());
    let metadata = &read(dir.path(), "build.json")["metadata"];
    assert_eq!((&metadata["run_count"], &metadata["success_count"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&lines(dir.path())[0]["run_count"], &lines(dir.path())[0]["last_run"]),
        (&json!(1), &metadata["last_run"])
    );
    assert_eq!(read(dir.path(), "index.json")["workflows"]["build"]["success_count"], 1);
}

#[test]
fn broken_indexes_and_files_stop_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    kept.create(&definition("build", "exit_terminal"), false, AT).unwrap();
    let folder = dir.path().join(FOLDER);
    fs::write(folder.join("index.json"), "{").unwrap();
    fs::write(folder.join(".index.jsonl"), "{\nnot json\n").unwrap();
    fs::write(folder.join("broken.json"), "[").unwrap();
    kept.save(&definition("other", "send_input"), 1, AT).unwrap();
    assert_eq!(read(dir.path(), "index.json")["workflows"].as_object().unwrap().len(), 2);
    assert_eq!(lines(dir.path()).len(), 2);
    // What somebody has broken is not written over by what succeeded.
    let Saved::As(name) = kept.save(&definition("broken", "open_terminal"), 1, AT).unwrap() else {
        panic!("new")
    };
    assert!(name.starts_with("broken_"), "{name}");
    assert_eq!(fs::read(folder.join("broken.json")).unwrap(), b"[");
}

#[test]
fn many_at_once_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let kept = Kept::of(dir.path());
            scope.spawn(move || {
                let tool = format!("tool_{number}");
                kept.save(&definition(&format!("w{number}"), &tool), 1, AT).unwrap();
                kept.used(&format!("w{number}"), AT).unwrap();
            });
        }
    });
    assert_eq!(Kept::of(dir.path()).names().len(), 8);
    assert!(lines(dir.path()).iter().all(|line| line["run_count"] == 2));
}
