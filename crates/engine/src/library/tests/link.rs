//! Definitions that call each other: what is pinned, what a change changes, and the edges of every bound.

use super::*;
use kernel::Digest;

fn calls(name: &str, called: &[String]) -> String {
    let block =
        |(called, id)| format!("  - {{id: b{id}, type: ExecuteWorkflow, inputs: {{workflow: {called}}}}}\n");
    let blocks: String = called.iter().zip(0..).map(block).collect();
    format!("name: {name}\nblocks:\n{blocks}")
}

fn put_caller(root: &Path, name: &str, called: &[&str]) -> PathBuf {
    let called: Vec<String> = called.iter().map(|name| (*name).to_owned()).collect();
    put(root, &format!("work/workflows/{name}.yaml"), &calls(name, &called))
}

fn shelf(root: &Path) -> Shelf {
    Shelf::new(around(root))
}

fn reading(shelf: &Shelf, name: &str) -> std::sync::Arc<Reading> {
    shelf.find(Order::Plain, name).unwrap().reading
}

fn error(shelf: &Shelf, name: &str) -> Option<(&'static str, String)> {
    reading(shelf, name).first_error().map(|error| (error.code, error.message.clone()))
}

#[test]
fn all_that_is_called_is_pinned_each_once() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/d.yaml", "d");
    put_caller(root.path(), "c", &["d"]);
    put_caller(root.path(), "b", &["d", "c"]);
    put_caller(root.path(), "a", &["b", "c", "d"]);
    let shelf = shelf(root.path());
    let top = reading(&shelf, "a");
    let mut names: Vec<&str> = top.pinned.iter().map(|plan| plan.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["b", "c", "d"]);
    let plan = top.plan.as_ref().unwrap();
    let pinned: Vec<Digest> = plan.pinned.values().copied().collect();
    assert!(pinned.iter().all(|digest| top.pinned.iter().any(|plan| plan.digest() == *digest)));
    assert!(std::sync::Arc::ptr_eq(
        &reading(&shelf, "d"),
        &shelf.library(Order::Blocks).find("d").unwrap().reading
    ));
}

#[test]
fn a_changed_callee_changes_its_callers() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "work/workflows/c.yaml", "c");
    put_caller(root.path(), "b", &["c"]);
    put_caller(root.path(), "a", &["b"]);
    let shelf = shelf(root.path());
    let before = reading(&shelf, "a").plan.as_ref().unwrap().digest();
    let changed = text("c").replace("'true'", "'false'");
    put(root.path(), "work/workflows/c.yaml", &changed);
    let after = reading(&shelf, "a").plan.as_ref().unwrap().digest();
    assert_ne!(before, after, "the digest of what it calls is part of its plan");
    std::fs::remove_file(root.path().join("work/workflows/c.yaml")).unwrap();
    let (code, message) = error(&shelf, "a").unwrap();
    assert_eq!(code, "broken-workflow");
    let expected =
        "the workflow `b` it calls cannot be read: no workflow is called `c` (workflows/b.yaml, line 3)";
    assert_eq!(message, expected);
}

#[test]
fn a_file_that_lies_elsewhere_is_linked_to_what_it_calls_here() {
    let root = tempfile::tempdir().unwrap();
    let shelf = shelf(root.path());
    let alone = read_text(dialects::text::Source::new("x.yaml", text("x")), dialects::ReadOptions::default());
    assert!(shelf.link(alone).plan.is_some() && !shelf.has_looked(), "who calls nobody needs no library");
    let source = || dialects::text::Source::new("x.yaml", calls("x", &["y".to_owned()]));
    let caller = || read_text(source(), dialects::ReadOptions::default());
    assert_eq!(caller().calls, ["y"]);
    assert!(caller().plan.is_some(), "by itself it is good");
    assert!(shelf.link(caller()).plan.is_none(), "and `y` is not there");
    write(root.path(), "work/workflows/y.yaml", "y");
    assert_eq!(shelf.link(caller()).pinned.len(), 1);
}

#[test]
fn what_a_broken_file_calls_is_told_as_well() {
    let root = tempfile::tempdir().unwrap();
    let text =
        format!("{}  - {{id: bad, type: Shell, inputs: {{comand: x}}}}\n", calls("a", &["nowhere".into()]));
    put(root.path(), "work/workflows/a.yaml", &text);
    let reading = reading(&shelf(root.path()), "a");
    let codes: Vec<&str> = reading.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(codes, ["unknown-workflow", "unknown-key"]);
}

#[test]
fn circles_are_named_whole_however_long_and_wherever_they_are_met() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..10 {
        let next = format!("w{}", (number + 1) % 10);
        put_caller(root.path(), &format!("w{number}"), &[&next]);
    }
    put_caller(root.path(), "self", &["self"]);
    put_caller(root.path(), "outside", &["w3"]);
    let shelf = shelf(root.path());
    let (code, message) = error(&shelf, "w3").unwrap();
    assert_eq!(code, "workflow-cycle");
    assert!(
        message.ends_with(
            "`w3` -> `w4` -> `w5` -> `w6` -> `w7` -> `w8` -> `w9` -> `w0` -> `w1` -> `w2` -> `w3`"
        )
    );
    assert_eq!(error(&shelf, "self").unwrap().0, "workflow-cycle");
    let (code, message) = error(&shelf, "outside").unwrap();
    assert_eq!(code, "broken-workflow");
    assert!(message.contains("in a circle: `w3` -> `w4`") && message.ends_with("`w2` -> `w3`"), "{message}");
    assert_eq!(shelf.library(Order::Plain).definitions().filter(|one| !one.runs()).count(), 12);
}

#[test]
fn five_levels_are_deep_enough_and_a_long_chain_needs_no_stack() {
    let root = tempfile::tempdir().unwrap();
    let count = 600;
    for number in 1..count {
        put_caller(root.path(), &format!("w{number}"), &[&format!("w{}", number - 1)]);
    }
    write(root.path(), "work/workflows/w0.yaml", "w0");
    let shelf = shelf(root.path());
    assert_eq!((error(&shelf, "w5"), reading(&shelf, "w5").pinned.len()), (None, 5));
    let (code, message) = error(&shelf, "w6").unwrap();
    assert_eq!((code, message.matches("->").count()), ("too-deep", 6));
    assert_eq!(error(&shelf, &format!("w{}", count - 1)).unwrap().0, "too-deep");
}

#[test]
fn so_many_may_be_called_and_no_more() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..=CALLED_MAX {
        let name = format!("w{number}");
        write(root.path(), &format!("work/workflows/{name}.yaml"), &name);
    }
    let names: Vec<String> = (0..=CALLED_MAX).map(|number| format!("w{number}")).collect();
    put(root.path(), "work/workflows/most.yaml", &calls("most", &names[..CALLED_MAX]));
    put(root.path(), "work/workflows/more.yaml", &calls("more", &names));
    let shelf = shelf(root.path());
    assert_eq!((error(&shelf, "most"), reading(&shelf, "most").pinned.len()), (None, CALLED_MAX));
    assert_eq!(error(&shelf, "more").unwrap().0, "too-many-workflows");
}

#[test]
fn a_call_means_what_the_tools_of_blocks_find() {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "work/workflows/callee.yaml", &text("callee"));
    put(root.path(), "home/first/callee.yaml", &text("callee").replace("'true'", "'first'"));
    put_caller(root.path(), "caller", &["callee"]);
    let shelf = shelf(root.path());
    for order in Order::ALL {
        let caller = shelf.find(order, "caller").unwrap();
        let wanted = shelf.find(Order::Blocks, "callee").unwrap().reading.plan.as_ref().unwrap().digest();
        assert_eq!(caller.reading.pinned[0].digest(), wanted, "{order:?}");
    }
}
