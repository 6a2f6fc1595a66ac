//! What is kept, as whoever reads the folder sees it.

use super::{FOLDER, Kept, NotCreated, NotLoaded, Saved, Success};
use crate::library::{Library, Surroundings};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const AT: u64 = 1_700_000_000_000;

fn definition(name: &str, tool: &str) -> Value {
    json!({"name": name, "description": "d", "initial_state": "a", "states": {"a": {"action": {"tool": tool, "params": {}}}}})
}

fn by(run: &str, states: u64) -> Success<'_> {
    Success { run, states, at: AT }
}

/// A library in which no name means anything.
fn nothing() -> Library {
    Library::default()
}

fn read(dir: &Path, name: &str) -> Value {
    serde_json::from_slice(&fs::read(dir.join(FOLDER).join(name)).unwrap()).unwrap()
}

fn lines(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join(FOLDER).join(".index.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

// covers: T-103, T-104, T-106, T-107, T-108, T-110
#[test]
fn what_succeeded_is_kept_once() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    assert_eq!(kept.names(), Vec::<String>::new());
    assert!(!dir.path().join(FOLDER).exists(), "looking makes nothing");
    let saved = kept.save(&definition("test_simple", "exit_terminal"), by("r1", 3), &nothing()).unwrap();
    assert_eq!(saved, Saved::As("test_simple".into()));
    let file = read(dir.path(), "test_simple.json");
    assert_eq!(file["definition"], definition("test_simple", "exit_terminal"));
    let (metadata, at) = (&file["metadata"], json!("2023-11-14T22:13:20.000Z"));
    assert_eq!((&metadata["success_count"], &metadata["total_states"]), (&json!(1), &json!(3)));
    assert_eq!((&metadata["created"], &metadata["last_execution"]), (&at, &at));
    let index = read(dir.path(), "index.json");
    assert_eq!((&index["version"], &index["created"]), (&json!("1.0"), &at));
    let entry = index["workflows"]["test_simple"].as_object().unwrap();
    assert_eq!(entry.keys().collect::<Vec<_>>(), ["file", "hash", "description", "created", "success_count"]);
    assert_eq!((&entry["file"], &entry["hash"]), (&json!("test_simple.json"), &metadata["hash"]));
    assert_eq!((&entry["description"], &entry["success_count"]), (&json!("d"), &json!(1)));
    let again = kept.save(&definition("other", "exit_terminal"), by("r2", 3), &nothing()).unwrap();
    assert_eq!(again, Saved::Already("test_simple".into()));
    let conflict =
        kept.save(&definition("test_simple", "list_terminal_sessions"), by("r1", 1), &nothing()).unwrap();
    let Saved::As(name) = conflict else { panic!("{conflict:?}") };
    assert!(name.starts_with("test_simple_") && name.len() == "test_simple_".len() + 16, "{name}");
    assert_eq!(kept.names(), ["test_simple", &name]);
    assert_eq!(read(dir.path(), "test_simple.json"), file, "the first is untouched");
    // It is run by the name it is kept under, so it says that name itself.
    assert_eq!(read(dir.path(), &format!("{name}.json"))["definition"]["name"], name);
}

// covers: T-109
#[test]
fn long_and_hostile_names_become_good_ones() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    let long = "x".repeat(64);
    kept.save(&definition(&long, "a"), by("r1", 1), &nothing()).unwrap();
    let Saved::As(name) = kept.save(&definition(&long, "b"), by("r1", 1), &nothing()).unwrap() else {
        panic!("it is new")
    };
    assert_eq!(name.len(), 64);
    for (tool, name) in [("c", "../x"), ("d", "index"), ("e", ""), ("f", "a/b"), ("g", ".hidden")] {
        let Saved::As(name) = kept.save(&definition(name, tool), by("r1", 1), &nothing()).unwrap() else {
            panic!("it is new")
        };
        assert!(name.starts_with("workflow_") && name.len() == "workflow_".len() + 16, "{name}");
        assert!(!kept.used(&definition("../x", "c"), by("r1", 1)).unwrap());
    }
    assert!(matches!(kept.create(&definition("../x", "c"), true, AT, &nothing()), Err(NotCreated::Name(_))));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

// covers: C-22, C-92, C-94, C-95, C-97
#[test]
fn what_is_created_is_replaced_only_on_purpose() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    kept.create(&definition("build", "exit_terminal"), false, AT, &nothing()).unwrap();
    let taken = kept.create(&definition("build", "send_input"), false, AT, &nothing()).unwrap_err();
    assert_eq!(taken.to_string(), "Workflow 'build' already exists");
    kept.used(&definition("build", "exit_terminal"), by("r1", 1)).unwrap();
    kept.create(&definition("build", "send_input"), true, AT, &nothing()).unwrap();
    let file = read(dir.path(), "build.json");
    assert_eq!(file["definition"], definition("build", "send_input"));
    let metadata = &file["metadata"];
    assert_eq!((&metadata["run_count"], &metadata["last_run"]), (&json!(0), &json!(null)));
    assert_eq!(
        (&metadata["version"], &metadata["created"]),
        (&json!("1.0"), &lines(dir.path())[0]["created"])
    );
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

// covers: T-114, C-36
#[test]
fn only_success_is_counted_in_file_and_indexes() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    kept.create(&definition("build", "exit_terminal"), false, AT, &nothing()).unwrap();
    let later = Success { at: AT + 1_000, ..by("r1", 1) };
    assert!(kept.used(&definition("build", "exit_terminal"), later).unwrap());
    assert!(!kept.used(&definition("none", "exit_terminal"), later).unwrap());
    // One that says something else only has its name.
    assert!(!kept.used(&definition("build", "send_input"), later).unwrap());
    let metadata = &read(dir.path(), "build.json")["metadata"];
    assert_eq!((&metadata["run_count"], &metadata["success_count"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&metadata["last_execution"], &metadata["created"]),
        (&json!("2023-11-14T22:13:21.000Z"), &json!("2023-11-14T22:13:20.000Z"))
    );
    assert_eq!(
        (&lines(dir.path())[0]["run_count"], &lines(dir.path())[0]["last_run"]),
        (&json!(1), &metadata["last_run"])
    );
    assert_eq!(read(dir.path(), "index.json")["workflows"]["build"]["success_count"], 1);
}

// covers: T-117, C-98, C-100
#[test]
fn broken_indexes_and_files_stop_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    kept.create(&definition("build", "exit_terminal"), false, AT, &nothing()).unwrap();
    let folder = dir.path().join(FOLDER);
    fs::write(folder.join("index.json"), "{").unwrap();
    fs::write(folder.join(".index.jsonl"), "{\nnot json\n").unwrap();
    fs::write(folder.join("broken.json"), "[").unwrap();
    kept.save(&definition("other", "send_input"), by("r1", 1), &nothing()).unwrap();
    assert_eq!(read(dir.path(), "index.json")["workflows"].as_object().unwrap().len(), 2);
    assert_eq!(lines(dir.path()).len(), 2);
    // What somebody has broken is not written over by what succeeded.
    let Saved::As(name) = kept.save(&definition("broken", "open_terminal"), by("r1", 1), &nothing()).unwrap()
    else {
        panic!("new")
    };
    assert!(name.starts_with("broken_"), "{name}");
    assert_eq!(fs::read(folder.join("broken.json")).unwrap(), b"[");
}

// covers: T-116
#[test]
fn many_at_once_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let kept = Kept::of(dir.path());
            scope.spawn(move || {
                let tool = format!("tool_{number}");
                kept.save(&definition(&format!("w{number}"), &tool), by("r1", 1), &nothing()).unwrap();
                kept.used(&definition(&format!("w{number}"), &tool), by("r2", 1)).unwrap();
            });
        }
    });
    assert_eq!(Kept::of(dir.path()).names().len(), 8);
    assert!(lines(dir.path()).iter().all(|line| line["run_count"] == 2));
    let left: Vec<String> = fs::read_dir(dir.path().join(FOLDER))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".new"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "what is written beside is put in its place");
}

// covers: T-113, T-146, C-98
#[test]
fn what_was_saved_is_loaded_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    let written = definition("test_workflow", "list_terminal_sessions");
    assert_eq!(kept.save(&written, by("r1", 0), &nothing()).unwrap(), Saved::As("test_workflow".into()));
    assert_eq!(kept.load("test_workflow").unwrap(), written);
    let missing = kept.load("nobody").unwrap_err().to_string();
    let path = dir.path().join(FOLDER).join("nobody.json");
    assert_eq!(missing, format!("Workflow file not found: {}", path.display()));
    assert!(matches!(kept.load("../x"), Err(NotLoaded::Missing(_))));
    for broken in ["[", "[]", "{\"definition\": 1}"] {
        fs::write(dir.path().join(FOLDER).join("broken.json"), broken).unwrap();
        let why = kept.load("broken").unwrap_err().to_string();
        assert!(why.starts_with("Failed to load workflow 'broken': "), "{why}");
    }
}

// covers: T-147
#[test]
fn the_same_twice_is_kept_once() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    let twice = definition("duplicate_test", "list_terminal_sessions");
    assert_eq!(kept.save(&twice, by("r1", 0), &nothing()).unwrap(), Saved::As("duplicate_test".into()));
    assert_eq!(kept.save(&twice, by("r1", 0), &nothing()).unwrap(), Saved::As("duplicate_test".into()));
    assert_eq!(kept.save(&twice, by("r2", 0), &nothing()).unwrap(), Saved::Already("duplicate_test".into()));
    assert_eq!((kept.names(), lines(dir.path()).len()), (vec!["duplicate_test".to_owned()], 1));
    let count = || read(dir.path(), "duplicate_test.json")["metadata"]["success_count"].clone();
    assert_eq!(count(), 1);
    // After a crash it is asked for again by the run that did it: that is told the same, and counted once.
    for _ in 0..2 {
        assert!(kept.used(&twice, by("r3", 0)).unwrap());
    }
    assert_eq!(count(), 2);
}

// covers: T-115, T-148, C-101
#[test]
fn a_list_says_four_things_of_each_and_a_line_nine_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    kept.save(&definition("workflow1", "list_terminal_sessions"), by("r1", 0), &nothing()).unwrap();
    kept.save(&definition("workflow2", "open_terminal"), by("r1", 0), &nothing()).unwrap();
    kept.used(&definition("workflow2", "open_terminal"), by("r2", 1)).unwrap();
    fs::write(dir.path().join(FOLDER).join("broken.json"), "[").unwrap();
    let listed = kept.list();
    let created = "2023-11-14T22:13:20.000Z";
    let told: Vec<(&str, &str, &str, u64)> =
        listed.iter().map(|one| (&*one.name, &*one.description, &*one.created, one.success_count)).collect();
    assert_eq!(told, [("workflow1", "d", created, 1), ("workflow2", "d", created, 2)]);
    assert_eq!(kept.info("workflow2").as_ref(), Some(&lines(dir.path())[1]));
    assert_eq!((kept.info("nobody"), kept.info("broken"), kept.info("../x")), (None, None, None));
}

// covers: C-102
#[test]
fn what_is_deleted_is_gone_from_both_indexes_and_counts_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let kept = Kept::of(dir.path());
    kept.create(&definition("build", "exit_terminal"), false, AT, &nothing()).unwrap();
    kept.create(&definition("other", "send_input"), false, AT, &nothing()).unwrap();
    assert!(kept.delete("build", AT).unwrap());
    assert_eq!((kept.names(), lines(dir.path()).len()), (vec!["other".to_owned()], 1));
    assert_eq!(read(dir.path(), "index.json")["workflows"].as_object().unwrap().len(), 1);
    let before = fs::read(dir.path().join(FOLDER).join(".index.jsonl")).unwrap();
    assert!(!kept.delete("build", AT).unwrap() && !kept.delete("../x", AT).unwrap());
    assert!(!kept.used(&definition("build", "exit_terminal"), by("r1", 1)).unwrap());
    assert_eq!(fs::read(dir.path().join(FOLDER).join(".index.jsonl")).unwrap(), before);
    assert!(!dir.path().join(FOLDER).join("build.json").exists());
}

// covers: T-118
#[test]
fn a_folder_that_cannot_be_made_is_told_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(FOLDER), "a file where the folder should be").unwrap();
    let kept = Kept::of(dir.path());
    assert_eq!(kept.names(), Vec::<String>::new());
    kept.save(&definition("x", "exit_terminal"), by("r1", 1), &nothing()).unwrap_err();
    let why = kept.create(&definition("x", "exit_terminal"), true, AT, &nothing()).unwrap_err();
    assert!(matches!(why, NotCreated::Io(_)), "{why}");
    assert_eq!(fs::read_to_string(dir.path().join(FOLDER)).unwrap(), "a file where the folder should be");
}

// covers: T-110
#[test]
fn a_name_that_means_something_elsewhere_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let around = Surroundings { workspace: dir.path().to_owned(), ..Surroundings::default() };
    let kept = Kept::of(dir.path());
    let there = definition("mine", "list_terminal_sessions").to_string();
    let files = [
        ".switchback/workflows/mine.yaml",
        "workflows/mine.json",
        ".terminal_control_workflows/mine.yml",
        ".terminal_control_workflows/deep/mine.yaml",
        ".terminal_control_workflows/other.json",
    ];
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &there).unwrap();
        let library = Library::scan(&around);
        let refused = kept.create(&definition("mine", "exit_terminal"), true, AT, &library).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("Workflow 'mine' already exists in {file}, which is not replaced. Choose another name")
        );
        let same = kept.save(&definition("mine", "list_terminal_sessions"), by("r1", 1), &library).unwrap();
        assert_eq!(same, Saved::Already("mine".into()), "{file}");
        let Saved::As(name) = kept.save(&definition("mine", file), by("r1", 1), &library).unwrap() else {
            panic!("{file}: it is another definition");
        };
        assert!(name.starts_with("mine_"), "{file}: {name}");
        fs::remove_file(&path).unwrap();
    }
    // What is built in stays what it is.
    let library = Library::scan(&around);
    let Saved::As(name) = kept.save(&definition("node-ci", "a"), by("r1", 1), &library).unwrap() else {
        panic!("it is another definition");
    };
    assert!(name.starts_with("node-ci_"), "{name}");
    let refused = kept.create(&definition("node-ci", "b"), true, AT, &library).unwrap_err();
    assert!(matches!(refused, NotCreated::Elsewhere { .. }), "{refused}");
}
