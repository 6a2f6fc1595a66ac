//! Commits: all or nothing, only what follows, and errors that say what to do.

use super::{Home, Journal, PLAN, content, create, id, new_run, plan, store_with};
use crate::journal::{Hash, Head};
use crate::store::{Conflict, Counters, Fault, Freed, Kind, NewRun, Write, WriteError};
use kernel::Digest;
use std::time::Duration;

fn conflict(result: Result<(), WriteError>) -> Conflict {
    match result {
        Err(WriteError::Conflict(conflict)) => conflict,
        other => panic!("expected a conflict, got {other:?}"),
    }
}

#[test]
fn one_bad_write_takes_the_whole_commit_with_it() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 1);
    let before = (store.reader().run(&id("a")).unwrap(), store.counters());
    let good = journal.append("{}");
    let result = store.commit(&[create("b"), good.clone(), content("a", b"data"), create("a")]);
    assert_eq!(conflict(result), Conflict::RunExists(id("a")));
    assert_eq!((store.reader().run(&id("a")).unwrap(), store.counters()), before);
    assert_eq!(store.reader().run(&id("b")).unwrap(), None);
    assert_eq!(store.reader().content(&Digest::of(b"data")).unwrap(), None);
    store.commit(&[good]).unwrap();
}

#[test]
fn an_entry_must_be_the_next_one() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 2);
    let third = journal.append("{}");
    let fourth = journal.append("{}");
    let error = conflict(store.commit(std::slice::from_ref(&fourth)));
    assert_eq!(error, Conflict::Sequence { run: id("a"), stands: 2, given: 4 });
    assert_eq!(error.to_string(), "run a stands at entry 2: entry 4 does not follow");
    store.commit(&[third.clone(), fourth]).unwrap();
    assert_eq!(conflict(store.commit(&[third])), Conflict::Sequence { run: id("a"), stands: 4, given: 3 });
}

#[test]
fn an_entry_must_follow_from_the_journal() {
    let home = Home::new();
    let (mut store, journal) = store_with(&home, "a", 2);
    let hash = Hash::from_bytes([7; 32]);
    let wrong = Write::Append { run: id("a"), head: Head { seq: 3, hash }, at: 1, body: b"{}".to_vec() };
    assert_eq!(conflict(store.commit(&[wrong])), Conflict::Chain { run: id("a"), seq: 3 });
    // The right number on another body: two drivers that both believe to be at entry 2.
    let Write::Append { head, .. } = Journal { run: id("a"), head: journal.head }.append("{\"x\":1}") else {
        unreachable!()
    };
    let other = Write::Append { run: id("a"), head, at: 1, body: b"{\"x\":2}".to_vec() };
    assert_eq!(conflict(store.commit(&[other])), Conflict::Chain { run: id("a"), seq: 3 });
}

#[test]
fn an_entry_and_how_the_run_stands_after_it_are_one_change_or_two_with_the_same_row() {
    let shown = |run: &str, ended: bool| Write::RunStatus {
        run: id(run),
        status: if ended { "failed" } else { "waiting" }.to_owned(),
        detail: Some("why".to_owned()),
        at: 1_001,
        ended,
    };
    for ended in [false, true] {
        let rows = [true, false].map(|together| {
            let home = Home::new();
            let (mut store, mut journal) = store_with(&home, "a", 0);
            let writes = [journal.append("{}"), shown("a", ended)];
            match together {
                true => store.commit(&writes).unwrap(),
                false => writes.chunks(1).for_each(|write| store.commit(write).unwrap()),
            }
            let row = store.reader().run(&id("a")).unwrap().unwrap();
            store.commit(&[journal.append("{}")]).unwrap();
            row
        });
        assert_eq!(rows[0], rows[1]);
        assert_eq!(rows[0].status, if ended { "failed" } else { "waiting" });
        assert_eq!(rows[0].ended_at, ended.then_some(1_001));
    }
    // That of another run is not taken for its own.
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 0);
    store.commit(&[create("b"), journal.append("{}"), shown("b", true)]).unwrap();
    let stands = |run: &str| store.reader().run(&id(run)).unwrap().unwrap();
    assert_eq!((stands("a").ended_at, stands("b").ended_at), (None, Some(1_001)));
    store.commit(&[journal.append("{}"), Journal::of("b").append("{}")]).unwrap();
}

#[test]
fn what_is_named_must_be_there() {
    let home = Home::new();
    let mut store = home.open();
    assert_eq!(
        conflict(store.commit(&[create("a")])),
        Conflict::UnknownPlan { run: id("a"), plan: Digest::of(PLAN) }
    );
    let unknown = Conflict::UnknownRun(id("x"));
    assert_eq!(conflict(store.commit(&[Journal::of("x").append("{}")])), unknown);
    let (status, digest) = ("failed".to_owned(), Digest::of(b"nowhere"));
    let moved = Write::RunStatus { run: id("x"), status, detail: None, at: 1, ended: true };
    assert_eq!(conflict(store.commit(&[moved])), unknown);
    store.commit(&[plan(), create("a")]).unwrap();
    for run in ["a", "x"] {
        let mention = Write::Mention { run: id(run), digest };
        let error = Conflict::UnknownContent { run: id(run), digest };
        assert_eq!(conflict(store.commit(&[mention])), error);
    }
}

#[test]
fn a_body_must_have_its_digest() {
    let home = Home::new();
    let (mut store, _) = store_with(&home, "a", 0);
    let digest = Digest::of(b"one");
    let other = b"two".to_vec();
    let plan = Write::Plan { digest, body: other.clone().into() };
    assert_eq!(conflict(store.commit(&[plan])), Conflict::Digest(digest));
    let content = Write::Content { run: id("a"), digest, kind: "text".to_owned(), body: other };
    assert_eq!(conflict(store.commit(&[content])), Conflict::Digest(digest));
}

#[test]
fn a_snapshot_must_stand_on_an_entry() {
    let home = Home::new();
    let (mut store, journal) = store_with(&home, "a", 2);
    store.commit(&[journal.snapshot("{}")]).unwrap();
    for head in [Head { seq: 1, ..journal.head }, Head { seq: 3, ..journal.head }, Journal::of("a").head] {
        let wrong = Write::Snapshot { run: id("a"), head, body: vec![] };
        assert_eq!(conflict(store.commit(&[wrong])), Conflict::Chain { run: id("a"), seq: head.seq });
    }
}

#[test]
fn a_key_stands_for_one_start_in_each_workspace() {
    let home = Home::new();
    let (mut store, _) = store_with(&home, "a", 0);
    let request = |workspace: &str, fingerprint: &[u8], run| Write::Request {
        workspace: workspace.to_owned(),
        key: "k".to_owned(),
        fingerprint: Digest::of(fingerprint),
        run: id(run),
    };
    store.commit(&[create("b"), request("/w", b"x", "a")]).unwrap();
    store.commit(&[request("/w", b"x", "a"), request("/other", b"y", "b")]).unwrap();
    for other in [request("/w", b"y", "a"), request("/w", b"x", "b")] {
        let error = conflict(store.commit(&[other]));
        assert_eq!(error, Conflict::Request { key: "k".to_owned(), run: id("a") });
    }
    let unknown = Write::Request {
        workspace: "/w".to_owned(),
        key: "new".to_owned(),
        fingerprint: Digest::of(b"x"),
        run: id("x"),
    };
    assert_eq!(conflict(store.commit(&[unknown])), Conflict::UnknownRun(id("x")));
    let found = store.reader().request("/w", "k").unwrap().unwrap();
    assert_eq!((found.run, found.fingerprint), (id("a"), Digest::of(b"x")));
    assert_eq!(store.reader().request("/w", "new").unwrap(), None);
}

#[test]
fn a_commit_counts_as_one_however_much_it_holds() {
    let home = Home::new();
    let mut store = home.open();
    let mut journal = Journal::of("a");
    store.commit(&[]).unwrap();
    assert_eq!(store.counters(), Counters::default());
    let writes = [plan(), create("a"), journal.append("{}"), journal.append("{}"), content("a", b"data")];
    store.commit(&writes).unwrap();
    let bytes = PLAN.len() as u64 + 2 + 2 + 4;
    assert_eq!(store.counters(), Counters { commits: 1, appends: 2, bytes });
}

#[test]
fn contents_live_as_long_as_a_run_names_them() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 0);
    let shared = Digest::of(b"shared");
    let mention = Write::Mention { run: id("b"), digest: shared };
    store.commit(&[create("b"), content("a", b"shared"), content("a", b"own"), mention]).unwrap();
    store.commit(&[journal.append("{}"), journal.snapshot("{}")]).unwrap();
    assert_eq!(store.collect().unwrap(), Freed::default());
    store.delete_run(&id("a")).unwrap();
    assert_eq!(store.reader().entries(&id("a"), 0).unwrap(), []);
    assert_eq!(store.collect().unwrap(), Freed { contents: 1, bytes: 3 });
    assert_eq!(store.reader().content(&shared).unwrap().unwrap().body, b"shared");
    store.delete_run(&id("b")).unwrap();
    store.delete_run(&id("b")).unwrap();
    assert_eq!(store.collect().unwrap(), Freed { contents: 1, bytes: 6 });
}

#[test]
fn a_full_disk_writes_nothing_and_may_be_tried_again() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 1);
    let pages: i64 = store.reader.db.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let limit = |store: &crate::store::Store, pages: i64| {
        store.reader.db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    };
    limit(&store, pages);
    let writes = [journal.append("{}"), content("a", &[7; 100_000])];
    let error = store.commit(&writes).unwrap_err();
    assert!(matches!(error, WriteError::Fault(Fault::Full(_))), "{error}");
    assert_eq!(error.kind(), Kind::Retryable);
    assert_eq!(store.reader().run(&id("a")).unwrap().unwrap().head.seq, 1);
    limit(&store, pages + 100);
    store.commit(&writes).unwrap();
    assert_eq!(store.reader().verify(&id("a")).unwrap().contents, 1);
}

#[test]
fn a_store_that_is_locked_by_another_process_is_busy() {
    let home = Home::new();
    let (mut store, mut journal) = store_with(&home, "a", 1);
    store.reader.db.busy_timeout(Duration::ZERO).unwrap();
    let raw = home.raw();
    raw.execute_batch("BEGIN IMMEDIATE").unwrap();
    let entry = journal.append("{}");
    let error = store.commit(std::slice::from_ref(&entry)).unwrap_err();
    assert!(matches!(error, WriteError::Fault(Fault::Busy(_))), "{error}");
    assert_eq!(error.kind(), Kind::Retryable);
    raw.execute_batch("ROLLBACK").unwrap();
    store.commit(&[entry]).unwrap();
}

#[test]
fn a_run_says_how_it_stands() {
    let home = Home::new();
    let (mut store, _) = store_with(&home, "a", 0);
    let child = NewRun { parent: Some(id("a")), ..new_run("a/build#1") };
    let detail = Some("gate: deploy?".to_owned());
    let status = "waiting".to_owned();
    let moved = Write::RunStatus { run: id("a"), status, detail: detail.clone(), at: 5, ended: false };
    store.commit(&[moved, Write::CreateRun(child)]).unwrap();
    let run = store.reader().run(&id("a")).unwrap().unwrap();
    assert_eq!((run.status.as_str(), run.detail, run.updated_at, run.ended_at), ("waiting", detail, 5, None));
    let status = "succeeded".to_owned();
    store.commit(&[Write::RunStatus { run: id("a"), status, detail: None, at: 9, ended: true }]).unwrap();
    let run = store.reader().run(&id("a")).unwrap().unwrap();
    assert_eq!((run.detail, run.created_at, run.ended_at), (None, 1_000, Some(9)));
    assert_eq!(store.reader().children(&id("a")).unwrap()[0].id, id("a/build#1"));
}
