//! Places in their order, hiding and near names; files that come, change and go; folders that cannot be looked into.

use super::*;
use std::path::{Path, PathBuf};

mod doubt;
mod import;
mod link;
mod names;
mod order;
mod shelf;
mod steps;
mod trouble;

fn around(root: &Path) -> Surroundings {
    Surroundings {
        workspace: root.join("work"),
        home: Some(root.join("home")),
        config: None,
        template_paths: "~/first, second".to_owned(),
        ..Surroundings::default()
    }
}

fn put(root: &Path, path: &str, text: &str) -> PathBuf {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

fn write(root: &Path, path: &str, name: &str) -> PathBuf {
    put(root, path, &text(name))
}

fn text(name: &str) -> String {
    format!("name: {name}\nblocks:\n  - {{id: a, type: Shell, inputs: {{command: 'true'}}}}\n")
}

/// The files of a library that are not built in.
fn files(library: &Library) -> Vec<&str> {
    let own = library.definitions.iter().filter(|one| one.origin.kind != PlaceKind::BuiltIn);
    own.map(|one| one.origin.shown.as_str()).collect()
}
