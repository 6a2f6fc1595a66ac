//! Places in their order, hiding, and near names.

use super::*;
use std::path::{Path, PathBuf};

fn around(root: &Path) -> Surroundings {
    Surroundings {
        workspace: root.join("work"),
        home: Some(root.join("home")),
        config: None,
        template_paths: "~/first, second".to_owned(),
    }
}

fn write(root: &Path, path: &str, name: &str) -> PathBuf {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = format!("name: {name}\nblocks:\n  - {{id: a, type: Shell, inputs: {{command: 'true'}}}}\n");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn places_come_in_the_agreed_order_and_later_paths_win() {
    let shown: Vec<String> = around(Path::new("/r")).places().into_iter().map(|place| place.shown).collect();
    let order = [
        ".switchback/workflows",
        "~/.config/switchback/workflows",
        ".aromcp/workflows",
        "~/.aromcp/workflows",
        "workflows",
        ".terminal_control_workflows",
        "second",
        "~/first",
    ];
    assert_eq!(shown, order);
}

#[test]
fn the_first_hides_the_others_and_a_broken_one_hides_nothing() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/b.yaml", "build");
    write(root.path(), "home/first/old.yaml", "build");
    let broken = write(root.path(), "work/.switchback/workflows/build.yaml", "build");
    std::fs::write(&broken, "name: build\nblocks: 3\n").unwrap();
    let library = Library::scan(&around(root.path()));
    let found = library.find("build").unwrap();
    assert_eq!(
        (found.shown.as_str(), found.hides.as_slice()),
        ("workflows/b.yaml", ["~/first/old.yaml".to_owned()].as_slice())
    );
    assert!(library.definitions[0].reading.first_error().is_some());
    assert_eq!(library.definitions[2].hidden_by.as_deref(), Some("workflows/b.yaml"));
    assert_eq!(library.find("biuld").unwrap_err().near, ["build"]);
}

#[test]
fn a_word_with_a_slash_or_an_ending_is_a_file() {
    assert!(looks_like_a_file("./hello") && looks_like_a_file("a.yml") && !looks_like_a_file("hello"));
}
