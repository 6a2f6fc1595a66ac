//! Names with colons: their files may be spelt so that every file system takes them, and letters count as they are written.

use super::*;

#[test]
fn a_colon_may_be_spelt_as_a_folder_or_as_two_underscores() {
    for file in ["standards:fix", "standards/fix", "standards__fix"] {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), &format!("work/.aromcp/workflows/{file}.yaml"), "other");
        let library = Shelf::new(around(root.path())).library(Order::Reactive);
        let found = library.find("standards:fix").unwrap();
        assert_eq!(found.origin.shown, format!(".aromcp/workflows/{file}.yaml"));
    }
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/.aromcp/workflows/a/b__c.yaml", "other");
    let library = Library::scan(&around(root.path()));
    assert!(library.find("a:b:c").is_ok() && library.find("b__c").is_ok());
    assert!(library.find("a:b").is_err() && library.find("b:c").is_err() && library.find("a__b__c").is_err());
}

#[test]
fn letters_count_as_they_are_written_on_the_disk() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/.aromcp/workflows/Standards:Fix.yaml", "other");
    let library = Library::scan(&around(root.path()));
    assert!(library.find("Standards:Fix").is_ok());
    assert_eq!(library.find("standards:fix").unwrap_err().places[2], ".aromcp/workflows");
}

#[test]
fn a_name_has_no_ending() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/.aromcp/workflows/standards:fix.yaml", "standards:fix");
    let library = Library::scan(&around(root.path()));
    assert_eq!(library.find("standards:fix.yaml").unwrap_err().near, ["standards:fix"]);
}

#[test]
fn the_file_of_a_project_hides_the_one_at_home() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "home/.aromcp/workflows/standards:fix.yaml", "fix");
    let shelf = Shelf::new(around(root.path()));
    let found = || shelf.find(Order::Reactive, "standards:fix").unwrap();
    assert_eq!(found().origin.shown, "~/.aromcp/workflows/standards:fix.yaml");
    write(root.path(), "work/.aromcp/workflows/standards/fix.yaml", "fix");
    assert_eq!(found().origin.shown, ".aromcp/workflows/standards/fix.yaml");
    assert_eq!(found().hides, ["~/.aromcp/workflows/standards:fix.yaml"]);
}
