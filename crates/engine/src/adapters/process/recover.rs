//! Ends what a server that crashed has left running, by its notes.
//!
//! A noted process is ended only on proof that it is the noted one: the same boot and start time, the marker in its
//! environment, or that it is in the group of the noted one and in the own session of the server that has started that. A pid that
//! belongs to another process by now is left alone.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::task::JoinSet;

use super::members::{Reach, Roots, is_left};
use super::note::{Head, Leader, NoteError, parse};
use super::notes::Notes;
use super::tree::{self, TreeEnd};

/// What recovery found of one noted process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The run it was started for.
    pub run: String,
    /// The effect it was started for.
    pub effect: String,
    /// Its pid; `None` if the server ended before there was one, so that nothing was executed.
    pub pid: Option<u32>,
    /// Whether it or a descendant was still alive.
    pub was_alive: bool,
    /// Whether all of it is gone now. If not (it hangs inside the kernel) its note stays.
    pub is_gone: bool,
}

impl Notes {
    /// Ends every noted process tree that still lives, all at the same time, and removes the notes.
    ///
    /// Call it before the first process is started: for a note of this server's own it would wait for ever.
    /// It waits for SIGTERM to take effect as long as `grace`, then sends SIGKILL.
    pub async fn recover(&self, grace: Duration) -> Result<Vec<Recovered>, NoteError> {
        let mut tasks = JoinSet::new();
        for path in self.paths()? {
            let boot = self.boot.clone();
            tasks.spawn(async move { recover_one(&path, &boot, grace).await });
        }
        let mut recovered: Vec<Recovered> =
            tasks.join_all().await.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
        let stubborn = recovered.iter().filter(|recovered| !recovered.is_gone);
        stubborn.for_each(|recovered| self.keep(&recovered.run, &recovered.effect));
        recovered.sort_by(|a, b| (&a.run, &a.effect).cmp(&(&b.run, &b.effect)));
        Ok(recovered)
    }

    fn paths(&self) -> Result<Vec<PathBuf>, NoteError> {
        let entries = fs::read_dir(&self.folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let paths =
            entries.map_err(|error| io_error(&self.folder, error))?.into_iter().map(|entry| entry.path());
        Ok(paths.filter(|path| path.extension().is_some_and(|ending| ending == "note")).collect())
    }
}

/// Ends the process of one note. `None` is a file at rest.
async fn recover_one(path: &Path, boot: &str, grace: Duration) -> Result<Option<Recovered>, NoteError> {
    let text = read(path).await.map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => NoteError::Garbled { path: path.to_owned() },
        _ => io_error(path, error),
    })?;
    let note = parse(path, &text)?;
    let recovered = match note {
        Some((head, process)) => Some(end(head, process, boot, grace).await),
        None => None,
    };
    if recovered.as_ref().is_none_or(|recovered| recovered.is_gone) {
        fs::remove_file(path).map_err(|error| io_error(path, error))?;
    }
    Ok(recovered)
}

async fn end(head: Head, process: Option<Leader>, boot: &str, grace: Duration) -> Recovered {
    let end = match process.filter(|_| head.boot == boot) {
        Some(leader) => {
            let group_is_ours = head.session.is_some_and(|session| is_left(leader, session));
            let roots = Roots {
                leader,
                marker: head.marker,
                group_is_ours,
                reach: Reach::Descendants,
                known: BTreeMap::new(),
            };
            tree::end(roots, grace).await
        }
        None => TreeEnd::of_nobody(),
    };
    Recovered {
        run: head.run,
        effect: head.effect,
        pid: process.map(|process| process.pid.as_raw_nonzero().get().unsigned_abs()),
        was_alive: end.was_alive,
        is_gone: end.is_gone(),
    }
}

/// Reads a note under its lock, which a child that has not signed yet still holds.
async fn read(path: &Path) -> io::Result<String> {
    let path = path.to_owned();
    let reading = tokio::task::spawn_blocking(move || {
        let mut file = File::open(path)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(text)
    });
    reading.await.map_err(io::Error::other)?
}

fn io_error(path: &Path, source: io::Error) -> NoteError {
    NoteError::Io { path: path.to_owned(), source }
}
