//! An owner that lost the store without noticing writes nothing any more; one that is killed loses nothing.
//!
//! The other owner is a process of its own: this test binary, asked to run [`other_owner`] alone.

use super::{Home, Journal, id, store_with};
use crate::store::lock;
use crate::store::{Kind, OpenError, Store, WriteError};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

const DIR: &str = "SWITCHBACK_TEST_STORE";

#[test]
fn an_owner_that_was_taken_over_writes_nothing() {
    let home = Home::new();
    let (mut old, mut journal) = store_with(&home, "a", 2);
    fs::remove_file(home.dir().join(lock::FILE)).unwrap();
    let mut new = home.open();
    let entry = journal.append("{}");
    let before = new.reader().load(&id("a")).unwrap();
    let error = old.commit(std::slice::from_ref(&entry)).unwrap_err();
    assert_eq!(error, WriteError::Fenced { ours: 1, now: 2 });
    assert_eq!(error.kind(), Kind::Fenced);
    assert_eq!(old.collect().unwrap_err().kind(), Kind::Fenced);
    assert_eq!(old.delete_run(&id("a")).unwrap_err().kind(), Kind::Fenced);
    assert_eq!(new.reader().load(&id("a")).unwrap(), before);
    new.commit(&[entry]).unwrap();
    old.close().unwrap();
    new.commit(&[journal.append("{}")]).unwrap();
    assert_eq!(new.reader().verify(&id("a")).unwrap().head.seq, 4);
}

#[cfg(feature = "faults")]
#[test]
fn without_the_fence_two_owners_write() {
    let home = Home::new();
    let (mut old, mut journal) = store_with(&home, "a", 2);
    fs::remove_file(home.dir().join(lock::FILE)).unwrap();
    let new = home.open();
    old.plant_missing_fence();
    old.commit(&[journal.append("{}")]).unwrap();
    assert_eq!(new.reader().run(&id("a")).unwrap().unwrap().head.seq, 3);
}

#[test]
fn a_stopped_owner_is_fenced_when_it_wakes() {
    let home = Home::new();
    store_with(&home, "a", 0).0.close().unwrap();
    let mut other = Other::start(&home);
    assert_eq!(other.ask("append"), "ok 1");
    assert!(
        matches!(Store::open(home.dir()), Err(OpenError::Held { pid: Some(pid), .. }) if pid == other.id())
    );

    other.signal(Signal::STOP);
    waitpid(Some(other.pid()), WaitOptions::UNTRACED).unwrap();
    fs::remove_file(home.dir().join(lock::FILE)).unwrap();
    let mut store = home.open();
    let mut journal = Journal { run: id("a"), head: store.reader().run(&id("a")).unwrap().unwrap().head };
    store.commit(&[journal.append("{\"by\":\"new\"}")]).unwrap();

    other.signal(Signal::CONT);
    assert_eq!(other.ask("append"), "Fenced");
    store.commit(&[journal.append("{\"by\":\"new\"}")]).unwrap();
    assert_eq!(other.ask("append"), "Fenced");
    drop(other);
    assert_eq!(store.reader().verify(&id("a")).unwrap().head, journal.head);
}

#[test]
fn a_killed_owner_loses_nothing_it_said_was_done() {
    let home = Home::new();
    store_with(&home, "a", 0).0.close().unwrap();
    let mut done = 0;
    for round in 1..=3 {
        let mut other = Other::start(&home);
        for _ in 0..round {
            done += 1;
            assert_eq!(other.ask("append"), format!("ok {done}"));
        }
        // The last one is not waited for: it may be there or not.
        other.tell("append");
        other.signal(Signal::KILL);
        other.child.wait().unwrap();
        let store = home.open();
        let stands = store.reader().verify(&id("a")).unwrap().head.seq;
        assert!(stands == done || stands == done + 1, "{stands} entries, {done} were acknowledged");
        done = stands;
    }
}

/// Another owner in another process, which appends an entry whenever it is asked to.
struct Other {
    child: Child,
    answers: BufReader<ChildStderr>,
}

impl Other {
    fn start(home: &Home) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::tests::fence::other_owner", "--ignored", "--nocapture"])
            .env(DIR, home.dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(child.stderr.take().unwrap());
        let mut other = Other { child, answers };
        assert_eq!(other.answer(), "ready");
        other
    }

    fn id(&self) -> u32 {
        self.child.id()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    fn tell(&mut self, what: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{what}").unwrap();
    }

    fn ask(&mut self, what: &str) -> String {
        self.tell(what);
        self.answer()
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // Killed twice or gone already: either way it is gone afterwards.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "the other process of the tests above"]
fn other_owner() {
    let Some(dir) = std::env::var_os(DIR).map(PathBuf::from) else { return };
    let mut store = Store::open(&dir).unwrap();
    let head = store.reader().run(&id("a")).unwrap().unwrap().head;
    let mut journal = Journal { run: id("a"), head };
    eprintln!("ready");
    for line in std::io::stdin().lines() {
        assert_eq!(line.unwrap(), "append");
        match store.commit(&[journal.append("{\"by\":\"other\"}")]) {
            Ok(()) => eprintln!("ok {}", journal.head.seq),
            Err(error) => eprintln!("{:?}", error.kind()),
        }
    }
}
