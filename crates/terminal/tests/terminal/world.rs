//! Sessions for tests, and what tests say to them.

use std::time::Duration;

use tempfile::TempDir;
use terminal::{Input, Match, Outcome, Pattern, Session, Settle, Size, Spec, Waited};

/// Long enough for a machine with much to do; nothing waits so long unless it fails.
pub(crate) const LONG: Duration = Duration::from_secs(60);
/// How long something that must not come is waited for.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

/// Tells whether a program is there; where it must be, it fails instead.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").expect("a PATH");
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let must = std::env::var("SWITCHBACK_REQUIRE_TOOLS").is_ok_and(|value| value == "1");
    assert!(is_there || !must, "{program} is not installed");
    if !is_there {
        eprintln!("left out: {program} is not installed");
    }
    is_there
}

/// A session in an empty folder of its own.
pub(crate) struct World {
    pub(crate) session: Session,
    pub(crate) folder: TempDir,
}

impl std::ops::Deref for World {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

pub(crate) fn spec(folder: &TempDir, program: &str, args: &[&str]) -> Spec {
    let home = folder.path().display().to_string();
    let path = std::env::var("PATH").expect("a PATH");
    let variables =
        [("PATH", path.as_str()), ("HOME", &home), ("LANG", "C.UTF-8"), ("PS1", "$ "), ("LESS", "")];
    let mut spec = Spec::new(program, folder.path());
    spec.args = args.iter().map(|argument| (*argument).to_owned()).collect();
    spec.environment =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    spec.size = Size::clamped(80, 24);
    spec
}

pub(crate) fn open(program: &str, args: &[&str]) -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let session = Session::open(&spec(&folder, program, args)).expect("a session");
    World { session, folder }
}

/// A shell at its first prompt.
pub(crate) fn bash() -> World {
    let world = open("bash", &["--norc", "--noprofile"]);
    world.expect(r"\$ $");
    world
}

/// Runs a script of Python in a terminal.
pub(crate) fn python(script: &str) -> World {
    open("python3", &["-u", "-c", script])
}

impl World {
    pub(crate) fn text(&self, text: &str) {
        let sent = self.send(Input::Text(text), Settle::default()).expect("a program that reads");
        assert_eq!((sent.written, sent.unwritten), (text.len(), 0));
    }

    pub(crate) fn keys(&self, text: &str) {
        let keys = terminal::Keys::parse(text).expect("keys");
        self.send(Input::Keys(&keys), Settle::default()).expect("a program that reads");
    }

    pub(crate) fn waited(&self, pattern: &str, timeout: Duration) -> Waited {
        self.wait(&Pattern::new(pattern).expect("a pattern"), timeout, None).expect("a cheap pattern")
    }

    pub(crate) fn expect(&self, pattern: &str) -> Match {
        let waited = self.waited(pattern, LONG);
        match waited.outcome {
            Outcome::Matched(found) => found,
            other => panic!("{pattern} did not appear ({other:?}) on this screen:\n{}", waited.screen),
        }
    }

    pub(crate) fn expect_not(&self, pattern: &str) {
        self.expect_not_for(pattern, SHORT);
    }

    pub(crate) fn expect_not_for(&self, pattern: &str, time: Duration) {
        let waited = self.waited(pattern, time);
        assert_eq!(
            waited.outcome,
            Outcome::TimedOut,
            "{pattern} appeared on this screen:\n{}",
            waited.screen
        );
    }
}
