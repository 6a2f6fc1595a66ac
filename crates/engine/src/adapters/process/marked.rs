//! Trees of processes that somebody else starts (terminals): marked by their environment, known by the first of them, and ended
//! as the adapter ends its own. What this holds is written down by whoever starts them, and ends them after a crash as well.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::job::NoteSpec;
use super::members::{Reach, Roots, start_of};
use super::note::{Born, Leader, marker};
use super::notes::boot_id;
use super::tree;

/// A tree by its mark and, once there is one, by its first process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marked {
    /// The value of [`MARKER`](super::MARKER) in its environment.
    pub(crate) marker: String,
    boot: String,
    first: Option<First>,
}

/// The first process; its number alone may be another's by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct First {
    pid: u32,
    born: u64,
}

impl Marked {
    /// Makes a mark that no other tree has.
    pub(crate) fn new(whose: &str, which: &str) -> Marked {
        let spec = NoteSpec { run: whose.to_owned(), effect: which.to_owned() };
        Marked { marker: marker(&spec), boot: boot_id(), first: None }
    }

    /// Learns its first process, which lives.
    pub(crate) fn born(&mut self, pid: i32) {
        let born = Pid::from_raw(pid).and_then(start_of);
        self.first = born.zip(u32::try_from(pid).ok()).map(|(born, pid)| First { pid, born });
    }

    /// Ends all of it that lives, wherever it went; tells whether something did, and whether all of it is gone.
    pub(crate) async fn end(&self, grace: Duration) -> (bool, bool) {
        if self.boot != boot_id() {
            return (false, true);
        }
        let roots = Roots {
            leader: self.leader(),
            marker: self.marker.clone(),
            group_is_ours: false,
            reach: Reach::Descendants,
            known: BTreeMap::new(),
        };
        let end = tree::end(roots, grace).await;
        (end.was_alive, end.is_gone())
    }

    /// The first process; where none is known, one that never was (no time lies between these two), so that the mark alone tells.
    fn leader(&self) -> Leader {
        let known = self.first.and_then(|first| {
            let pid = Pid::from_raw(i32::try_from(first.pid).ok()?)?;
            Some(Leader { pid, born: Born { earliest: first.born, latest: first.born } })
        });
        known.unwrap_or(Leader { pid: Pid::INIT, born: Born { earliest: 1, latest: 0 } })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::Command;

    #[tokio::test]
    async fn what_bears_the_mark_is_ended_wherever_it_went() {
        let mut marked = Marked::new("terminal", "t1");
        let mut away = Command::new("setsid")
            .args(["sh", "-c", "echo; exec sleep 300"])
            .env(super::super::MARKER, &marked.marker)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // It says something once its environment is its own.
        let mut said = [0];
        std::io::Read::read_exact(away.stdout.as_mut().unwrap(), &mut said).unwrap();
        let mut other = Command::new("sleep").arg("300").spawn().unwrap();
        assert_eq!(marked.end(Duration::from_secs(10)).await, (true, true));
        assert!(!away.wait().unwrap().success());
        assert_eq!(other.try_wait().unwrap(), None);
        marked.born(other.id().cast_signed());
        assert_eq!(marked.end(Duration::from_secs(10)).await, (true, true));
        assert!(!other.wait().unwrap().success());
    }

    #[tokio::test]
    async fn a_mark_of_another_boot_ends_nobody() {
        let mut marked = Marked::new("terminal", "t1");
        let mut other = Command::new("sleep").arg("300").spawn().unwrap();
        marked.born(other.id().cast_signed());
        marked.boot = "another".to_owned();
        assert_eq!(marked.end(Duration::ZERO).await, (false, true));
        assert_eq!(other.try_wait().unwrap(), None);
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
