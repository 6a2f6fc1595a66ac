//! Lists, prefixes, and loading a run to go on with it.

use super::{Home, Journal, PLAN, content, id, new_run, plan, store_with};
use crate::store::{Fault, Filter, Found, NewRun, Reader, RunRow, Write};
use kernel::Digest;

fn ids(runs: Vec<RunRow>) -> Vec<String> {
    runs.into_iter().map(|run| run.id.to_string()).collect()
}

fn home_with_runs() -> Home {
    let home = Home::new();
    let mut store = home.open();
    let run =
        |name: &str, workspace: &str, at| NewRun { workspace: workspace.to_owned(), at, ..new_run(name) };
    let child = NewRun { parent: Some(id("calm-1")), ..run("calm-1/build#1", "/one", 6) };
    let ended = |run| Write::RunStatus {
        run: id(run),
        status: "failed".to_owned(),
        detail: Some("exit 1".to_owned()),
        at: 9,
        ended: true,
    };
    let runs = [run("bold-1", "/one", 3), run("calm-1", "/one", 5), run("calm-2", "/two", 4), child];
    let mut writes = vec![plan()];
    writes.extend(runs.map(Write::CreateRun));
    writes.push(ended("bold-1"));
    store.commit(&writes).unwrap();
    home
}

#[test]
fn runs_are_listed_newest_first_and_filtered() {
    let home = home_with_runs();
    let reader = Reader::open(home.dir()).unwrap();
    let list = |filter| ids(reader.runs(&filter).unwrap());
    assert_eq!(list(Filter::default()), ["calm-1/build#1", "calm-1", "calm-2", "bold-1"]);
    assert_eq!(list(Filter { limit: Some(2), ..Filter::default() }), ["calm-1/build#1", "calm-1"]);
    assert_eq!(list(Filter { roots: true, ..Filter::default() }), ["calm-1", "calm-2", "bold-1"]);
    let one = Some("/one".to_owned());
    assert_eq!(
        list(Filter { workspace: one.clone(), roots: true, ..Filter::default() }),
        ["calm-1", "bold-1"]
    );
    let failed = Some("failed".to_owned());
    assert_eq!(list(Filter { status: failed.clone(), ..Filter::default() }), ["bold-1"]);
    assert_eq!(list(Filter { open: true, roots: true, ..Filter::default() }), ["calm-1", "calm-2"]);
    assert!(list(Filter { workspace: one, status: failed, open: true, ..Filter::default() }).is_empty());
    assert_eq!(ids(reader.children(&id("calm-1")).unwrap()), ["calm-1/build#1"]);
}

/// The lists that a daemon or a person waits for must not read every run.
#[test]
fn lists_use_an_index() {
    let home = home_with_runs();
    let reader = Reader::open(home.dir()).unwrap();
    let how = |rules: &str| -> String {
        let question = format!("EXPLAIN QUERY PLAN SELECT id FROM run WHERE {rules}");
        let mut find = reader.db.prepare(&question).unwrap();
        let lines = find.query_map((), |row| row.get::<_, String>(3)).unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    };
    let newest = "ORDER BY created_at DESC, id DESC LIMIT 9";
    assert!(how(&format!("workspace = 'x' {newest}")).contains("run_workspace"));
    assert!(how(&format!("ended_at IS NULL {newest}")).contains("run_open"));
    assert!(how(&format!("1 {newest}")).contains("run_created"));
    assert!(how("parent = 'x' ORDER BY created_at, id").contains("run_parent"));
    for rules in
        [format!("workspace = 'x' {newest}"), format!("ended_at IS NULL {newest}"), format!("1 {newest}")]
    {
        assert!(!how(&rules).contains("TEMP B-TREE"), "{}", how(&rules));
    }
}

#[test]
fn a_prefix_finds_one_several_or_none() {
    let home = home_with_runs();
    let reader = Reader::open(home.dir()).unwrap();
    let one = |prefix| match reader.by_prefix(prefix).unwrap() {
        Found::One(run) => run.id.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(one("b"), "bold-1");
    assert_eq!(one("calm-1"), "calm-1");
    assert_eq!(one("calm-1/"), "calm-1/build#1");
    assert_eq!(reader.by_prefix("ca").unwrap(), Found::Many(vec![id("calm-1"), id("calm-2")]));
    assert_eq!(reader.by_prefix("calm-3").unwrap(), Found::Nothing);
    assert_eq!(reader.by_prefix("%").unwrap(), Found::Nothing);
}

#[test]
fn a_run_is_loaded_from_its_snapshot_on() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 3);
    assert_eq!(store.reader().load(&id("x")).unwrap(), None);
    let whole = store.reader().load(&id("a")).unwrap().unwrap();
    assert_eq!((whole.plan.as_slice(), whole.snapshot, whole.tail.len()), (PLAN, None, 3));
    store.commit(&[journal.snapshot("old")]).unwrap();
    store.commit(&[journal.append("{}"), journal.snapshot("new"), journal.append("[]")]).unwrap();
    let reader = Reader::open(home.dir()).unwrap();
    let loaded = reader.load(&id("a")).unwrap().unwrap();
    let snapshot = loaded.snapshot.unwrap();
    assert_eq!((snapshot.head.seq, snapshot.body.as_slice()), (4, b"new".as_slice()));
    let [last] = loaded.tail.as_slice() else { panic!("{:?}", loaded.tail) };
    assert_eq!((last.head, last.at, last.body.as_slice()), (journal.head, 1_005, b"[]".as_slice()));
    let seqs = |from| reader.entries(&id("a"), from).unwrap().iter().map(|e| e.head.seq).collect::<Vec<_>>();
    assert_eq!((seqs(0), seqs(4), seqs(6)), (vec![1, 2, 3, 4, 5], vec![4, 5], vec![]));
}

#[test]
fn what_is_corrupt_is_not_loaded() {
    for damage in [
        "UPDATE entry SET body = x'00' WHERE seq = 3",
        "DELETE FROM entry WHERE seq = 3",
        "UPDATE snapshot SET body = x'00'",
        "UPDATE snapshot SET seq = 1",
        "UPDATE plan SET body = x'00'",
        "DELETE FROM plan",
        "UPDATE run SET seq = 2",
        "UPDATE run SET hash = x'00'",
        "UPDATE run SET plan = 'zz'",
    ] {
        let home = Home::new();
        let (mut store, mut journal) = store_with(&home, "a", 2);
        store.commit(&[journal.snapshot("{}"), journal.append("{}")]).unwrap();
        assert_eq!(home.raw().execute(damage, ()).unwrap(), 1);
        let fault = store.reader().load(&id("a")).expect_err(damage);
        assert!(matches!(fault, Fault::Corrupt(_)), "{damage}: {fault}");
    }
}

#[test]
fn a_content_is_checked_when_it_is_read() {
    let home = Home::new();
    let (mut store, _) = store_with(&home, "a", 0);
    store.commit(&[content("a", b"data")]).unwrap();
    let found = store.reader().content(&Digest::of(b"data")).unwrap().unwrap();
    assert_eq!((found.kind.as_str(), found.body.as_slice()), ("text", b"data".as_slice()));
    home.raw().execute("UPDATE content SET body = x'00'", ()).unwrap();
    assert!(matches!(store.reader().content(&Digest::of(b"data")), Err(Fault::Corrupt(_))));
}

/// A driver's handle and a reader give the same answers.
#[test]
fn the_owner_reads_as_a_reader_does() {
    let home = Home::new();
    let (store, _) = store_with(&home, "a", 2);
    let reader = Reader::open(home.dir()).unwrap();
    assert_eq!(store.reader().load(&id("a")).unwrap(), reader.load(&id("a")).unwrap());
    assert_eq!(reader.run(&id("a")).unwrap().unwrap().head, {
        let mut journal = Journal::of("a");
        journal.append("{\"n\":1}");
        journal.append("{\"n\":2}");
        journal.head
    });
}
