//! Files that are imported: where they are looked for, and that nothing outside is read.

use super::*;
use crate::library::import::Importer;
use dialects::known::Import;

fn found(import: Import) -> (String, String) {
    match import {
        Import::Found { id, source } => (id, source.name),
        other => panic!("{other:?}"),
    }
}

fn refused(import: Import) -> String {
    match import {
        Import::Refused { why } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_path_is_of_the_workflows_folder_or_of_the_folder_of_the_file() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("work/.aromcp/workflows");
    let shared = put(root.path(), "work/.aromcp/workflows/shared/tasks.yaml", "a: 1\n");
    put(root.path(), "work/.aromcp/workflows/team/near.yaml", "a: 1\n");
    let main = put(root.path(), "work/.aromcp/workflows/team/main.yaml", "a: 1\n");
    let around = around(root.path());
    let importer = Importer::new(&around, &folder, &main);
    let (id, name) = found(importer.import(None, "shared/tasks.yaml"));
    assert_eq!(name, ".aromcp/workflows/shared/tasks.yaml");
    assert_eq!(id, shared.canonicalize().unwrap().display().to_string());
    assert_eq!(found(importer.import(None, "../shared/./tasks.yaml")).0, id, "two ways lead to one file");
    assert_eq!(found(importer.import(None, "near.yaml")).1, ".aromcp/workflows/team/near.yaml");
    let Import::Absent { looked, near } = importer.import(Some(&id), "near.yaml") else { panic!() };
    assert_eq!(looked, [".aromcp/workflows/near.yaml", ".aromcp/workflows/shared/near.yaml"]);
    assert_eq!(near, Vec::<String>::new());
    let Import::Absent { near, .. } = importer.import(None, "shared/task.yaml") else { panic!() };
    assert_eq!(near, ["shared/tasks.yaml"]);
    assert!(matches!(importer.import(None, "shared/Tasks.yaml"), Import::Absent { .. }));
}

#[test]
fn nothing_outside_is_read_however_it_is_written() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("home/.aromcp/workflows");
    let main = put(root.path(), "home/.aromcp/workflows/main.yaml", "a: 1\n");
    let secret = put(root.path(), "home/secret.yaml", "key: 1\n");
    put(root.path(), "home/.aromcp/workflows/plain.txt", "a: 1\n");
    put(root.path(), "home/.aromcp/workflows/large.yaml", &"#".repeat(20 << 20));
    std::os::unix::fs::symlink(&secret, folder.join("link.yaml")).unwrap();
    std::os::unix::fs::symlink(root.path().join("home"), folder.join("up")).unwrap();
    std::fs::create_dir_all(root.path().join("work")).unwrap();
    let around = around(root.path());
    let importer = Importer::new(&around, &folder, &main);
    let absolute = secret.display().to_string();
    for path in ["../../secret.yaml", "link.yaml", "up/secret.yaml", &absolute] {
        let why = refused(importer.import(None, path));
        assert_eq!(why, "lies outside of ~/.aromcp/workflows and of the `roots` of the settings", "{path}");
    }
    let around = Surroundings { roots: vec![root.path().join("home")], ..around.clone() };
    assert_eq!(
        found(Importer::new(&around, &folder, &main).import(None, "link.yaml")).1,
        "~/.aromcp/workflows/link.yaml"
    );
    assert!(refused(importer.import(None, "plain.txt")).starts_with("does not end in"));
    assert!(refused(importer.import(None, "large.yaml")).contains("too large"));
}

#[test]
fn what_was_found_is_kept_until_it_looks_otherwise() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("work/.aromcp/workflows");
    let main = put(root.path(), "work/.aromcp/workflows/main.yaml", "a: 1\n");
    let around = around(root.path());
    let importer = Importer::new(&around, &folder, &main);
    assert!(matches!(importer.import(None, "later.yaml"), Import::Absent { .. }));
    let imports = importer.into_imports();
    assert!(imports.is_current() && !imports.is_empty());
    put(root.path(), "work/.aromcp/workflows/later.yaml", "a: 1\n");
    assert!(!imports.is_current(), "a file that was missing is there");
    assert!(matches!(imports.get(None, "later.yaml"), Import::Absent { .. }));
}
