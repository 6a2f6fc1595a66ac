//! Tests of the store through its public face. This file holds what they share.

mod commit;
mod fence;
mod ground;
mod open;
mod read;
mod verify;

use super::{FILE, NewRun, Store, Write};
use crate::journal::Head;
use kernel::{Digest, RunId};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PLAN: &[u8] = br#"{"name":"release"}"#;

/// A data directory that is gone at the end of a test.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Home(tempfile::tempdir().unwrap())
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> PathBuf {
        self.dir().join(FILE)
    }

    fn open(&self) -> Store {
        Store::open(self.dir()).unwrap()
    }

    /// A connection that knows no rules, to do what the store would not.
    fn raw(&self) -> Connection {
        let db = Connection::open(self.file()).unwrap();
        db.pragma_update(None, "foreign_keys", false).unwrap();
        db
    }
}

fn plan() -> Write {
    Write::Plan { digest: Digest::of(PLAN), body: PLAN.into() }
}

fn id(run: &str) -> RunId {
    RunId::new(run)
}

fn new_run(run: &str) -> NewRun {
    NewRun {
        id: id(run),
        workflow: "release".to_owned(),
        dialect: "steps".to_owned(),
        plan: Digest::of(PLAN),
        workspace: "/home/ann/project".to_owned(),
        parent: None,
        status: "running".to_owned(),
        detail: None,
        at: 1_000,
    }
}

fn create(run: &str) -> Write {
    Write::CreateRun(new_run(run))
}

fn content(run: &str, body: &[u8]) -> Write {
    let (kind, body) = ("text".to_owned(), body.to_vec());
    Write::Content { run: id(run), digest: Digest::of(&body), kind, body }
}

/// The journal of one run, as a driver follows it.
struct Journal {
    run: RunId,
    head: Head,
}

impl Journal {
    fn of(run: &str) -> Self {
        Journal { run: id(run), head: Head::first(&id(run), &Digest::of(PLAN)) }
    }

    fn append(&mut self, body: &str) -> Write {
        self.head = self.head.next(body.as_bytes());
        let (run, head, at) = (self.run.clone(), self.head, 1_000 + self.head.seq);
        Write::Append { run, head, at, body: body.into() }
    }

    fn snapshot(&self, body: &str) -> Write {
        Write::Snapshot { run: self.run.clone(), head: self.head, body: body.into() }
    }
}

/// A store with one run of `entries` entries.
fn store_with(home: &Home, run: &str, entries: u64) -> (Store, Journal) {
    let mut store = home.open();
    let mut journal = Journal::of(run);
    store.commit(&[plan(), create(run)]).unwrap();
    for number in 1..=entries {
        store.commit(&[journal.append(&format!("{{\"n\":{number}}}"))]).unwrap();
    }
    (store, journal)
}
