//! A broken file that another definition of its name is run instead of: nobody runs that one unknowing.

use super::*;
use kernel::Plan;

const BROKEN: &str = "name: build\nfoo: 1\nblocks:\n  - {id: a, type: Shell, inputs: {command: 'true'}}\n";

fn library(root: &Path) -> Library {
    Library::scan(&around(root))
}

#[test]
fn a_broken_file_that_comes_first_is_told_with_its_mistake_and_what_is_meant_instead() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/b.yaml", "build");
    assert!(library(root.path()).passed_over("build").is_empty());
    put(root.path(), "work/.switchback/workflows/mine.yaml", BROKEN);
    let told = library(root.path()).passed_over("build");
    assert_eq!(
        told,
        [
            ".switchback/workflows/mine.yaml is broken (line 2: a workflow has no key `foo`), so `build` means \
          workflows/b.yaml"
        ]
    );
    put(root.path(), "work/.switchback/workflows/hello.yaml", "name: hello\nblocks: [");
    put(root.path(), "work/.aromcp/workflows/git-summary.yaml", "blocks: [");
    let library = library(root.path());
    for (name, file, line) in [
        ("hello", ".switchback/workflows/hello.yaml", 2),
        ("git-summary", ".aromcp/workflows/git-summary.yaml", 1),
    ] {
        let told = library.passed_over(name);
        assert_eq!(told.len(), 1, "{name}");
        assert!(told[0].starts_with(&format!("{file} is broken (line {line}: ")), "{told:?}");
        let used = &library.find(name).unwrap().origin.shown;
        assert!(told[0].ends_with(&format!("so `{name}` means {used}")), "{told:?}");
    }
}

#[test]
fn one_that_comes_later_or_has_its_name_alone_is_passed_over_by_nobody() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/.switchback/workflows/b.yaml", "build");
    put(root.path(), "work/workflows/later.yaml", BROKEN);
    put(root.path(), "work/workflows/alone.yaml", "blocks: 3\n");
    let library = library(root.path());
    assert!(library.passed_over("build").is_empty() && library.passed_over("alone").is_empty());
    assert!(library.passed_over("nobody").is_empty());
    assert!(library.find("alone").unwrap().reading.plan.is_none(), "and is refused");
}

#[test]
fn a_file_that_only_its_path_calls_so_comes_after_all_that_call_themselves_so() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/.switchback/workflows/build.yaml", "other");
    put(root.path(), "work/workflows/mine.yaml", BROKEN);
    let library = library(root.path());
    assert_eq!(library.find("build").unwrap().name, "other");
    assert_eq!(library.passed_over("build").len(), 1);
}

#[test]
fn whoever_calls_such_a_name_is_warned_at_the_call_and_whoever_calls_them_is_told() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/b.yaml", "build");
    put(root.path(), "work/.switchback/workflows/mine.yaml", BROKEN);
    let call = |name: &str, called: &str| {
        let text = format!(
            "name: {name}\nblocks:\n  - {{id: x, type: ExecuteWorkflow, inputs: {{workflow: {called}}}}}\n"
        );
        put(root.path(), &format!("work/workflows/{name}.yaml"), &text);
    };
    call("caller", "build");
    call("above", "caller");
    let library = library(root.path());
    let sentence = library.passed_over("build");
    let caller = library.find("caller").unwrap();
    let warned: Vec<_> =
        caller.reading.diagnostics.iter().map(|one| (one.code, one.message.clone())).collect();
    assert_eq!(warned, [("passed-over", sentence[0].clone())]);
    let above = library.find("above").unwrap();
    assert!(above.reading.diagnostics.is_empty());
    assert_eq!(library.doubts("above", &above.reading), sentence);
    let plan = above.reading.plan.as_ref().unwrap();
    assert_eq!(library.doubts_of(plan), sentence);
    let build = library.find("build").unwrap().reading.plan.clone().unwrap();
    assert_eq!(library.doubts_of(&build), sentence);
    let earlier = Plan { description: "as it was before".to_owned(), ..Plan::clone(&build) };
    assert!(library.doubts_of(&earlier).is_empty(), "its name means another one by now");
}

#[test]
fn a_long_mistake_is_told_in_short() {
    let root = tempfile::tempdir().unwrap();
    let key = "k".repeat(1000);
    put(root.path(), "work/workflows/hello.yaml", &format!("name: hello\n{key}: 1\nblocks: []\n"));
    let told = library(root.path()).passed_over("hello");
    assert!(told[0].len() < 400 && told[0].contains("kkk...), so `hello` means built-in:"), "{told:?}");
}

#[test]
fn two_files_of_one_folder_with_one_name_are_told_and_two_places_are_not() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/.switchback/workflows/a.yaml", "build");
    write(root.path(), "work/workflows/c.yaml", "build");
    let file = |name: &str| root.path().join("work").join(name);
    let before = library(root.path());
    assert_eq!(before.passed_over("build"), [""; 0]);
    assert_eq!(before.shared_name(&file(".switchback/workflows/a.yaml")), None);
    write(root.path(), "work/.switchback/workflows/b.yaml", "build");
    let library = library(root.path());
    let sentence = "`build` is also the name of .switchback/workflows/b.yaml beside it; it means .switchback/workflows/a.yaml";
    assert_eq!(library.passed_over("build"), [sentence]);
    for name in [".switchback/workflows/a.yaml", ".switchback/workflows/b.yaml"] {
        assert_eq!(library.shared_name(&file(name)).as_deref(), Some(sentence), "{name}");
    }
    assert_eq!(library.shared_name(&file("workflows/c.yaml")), None);
    let plan = library.find("build").unwrap().reading.plan.clone().unwrap();
    assert_eq!(library.doubts_of(&plan), [sentence]);
}
