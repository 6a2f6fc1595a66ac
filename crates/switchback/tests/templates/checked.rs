//! What holds for every workflow that comes with the binary, whatever it does.

use crate::world::World;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const GROUPS: [&str; 6] = ["ci", "examples", "files", "git", "node", "python"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/library/built_in").canonicalize().unwrap()
}

/// Every file with its group and its name.
fn files() -> Vec<(String, String, PathBuf)> {
    let mut files = Vec::new();
    for group in GROUPS {
        for entry in std::fs::read_dir(folder().join(group)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            files.push((group.to_owned(), name, path));
        }
    }
    files.sort();
    files
}

fn listed() -> Vec<Value> {
    let world = World::new();
    let ran = world.switchback(&["list".to_owned(), "--json".to_owned()]);
    ran.document["workflows"].as_array().unwrap().clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

// covers: D-80
#[test]
fn every_file_is_listed_with_its_group_and_as_built_in() {
    let groups: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(groups, GROUPS.map(str::to_owned).into());
    let listed: Vec<(String, String, String, String)> = listed()
        .iter()
        .map(|one| ["group", "name", "from", "file"].map(|key| text(&one[key]).to_owned()).into())
        .collect();
    let expected: Vec<(String, String, String, String)> = files()
        .into_iter()
        .map(|(group, name, _)| {
            (group.clone(), name.clone(), "built-in".to_owned(), format!("built-in:{group}/{name}.yaml"))
        })
        .collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_file_is_without_a_mistake_or_a_warning() {
    let world = World::new();
    let mut arguments = vec!["check".to_owned(), "--json".to_owned()];
    arguments.extend(files().into_iter().map(|(.., path)| path.display().to_string()));
    let checked = world.switchback(&arguments);
    assert_eq!(checked.code, Some(0));
    assert_eq!(checked.document["diagnostics"], serde_json::json!([]));
}

/// When to use it, what it takes, and an example that can be typed.
#[test]
fn every_workflow_says_when_to_use_it_and_what_it_takes() {
    for one in listed() {
        let name = text(&one["name"]);
        let description = text(&one["description"]);
        assert!(description.len() > 40 && description.ends_with('.'), "{name}: {description}");
        assert!(description.starts_with("Use "), "{name}: {description}");
        for input in one["inputs"].as_array().unwrap() {
            let about = text(&input["description"]);
            assert!(about.len() > 10 && about.ends_with('.'), "{name}.{}: {about}", input["name"]);
            assert_ne!(text(&input["type"]), "any", "{name}.{}", input["name"]);
            let open = input["required"] == true;
            assert!(
                open || !input["default"].is_null(),
                "{name}.{} is neither required nor given",
                input["name"]
            );
        }
    }
    for (_, name, path) in files() {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with("# "), "{name} says what it is");
        assert!(text.contains(&format!("#   switchback run {name}")), "{name} has an example to type");
        assert!(text.contains("\noutputs:\n"), "{name} gives something");
    }
}

/// The page names each of them, and nothing else.
#[test]
fn the_page_tells_of_every_workflow() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/templates.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows: BTreeSet<(String, String)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | `"))
        .map(|(name, rest)| (rest.split('`').next().unwrap().to_owned(), name.to_owned()))
        .collect();
    let there: BTreeSet<(String, String)> =
        files().into_iter().map(|(group, name, _)| (group, name)).collect();
    assert_eq!(rows, there);
    for (_, name) in &there {
        assert!(page.contains(&format!("switchback run {name}")), "{name} has no example");
    }
}
