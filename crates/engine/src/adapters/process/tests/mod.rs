//! Tests of the adapter with real processes, and what they share.
//!
//! No test sleeps to let something happen: a script tells through a named pipe (`Lab::wait_for_ready`) that it
//! has got where the test wants it.

#[cfg(target_os = "linux")]
mod crash;
mod isolation;
#[cfg(target_os = "linux")]
mod linux;
mod outcomes;
mod output;
mod stops;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::sync::watch;

use super::{Job, NoteSpec, Notes, Outcome, Script, Stops, run};

/// A data directory of its own, and jobs that run in it.
struct Lab {
    folder: TempDir,
    notes: Notes,
    count: AtomicU32,
}

impl Lab {
    fn new() -> Lab {
        let folder = tempfile::tempdir().unwrap();
        let notes = Notes::open(folder.path()).unwrap();
        Lab { folder, notes, count: AtomicU32::new(0) }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn job(&self, script: &str) -> Job {
        self.job_of(Script::Sh(script.into()))
    }

    fn program(&self, program: &str, args: &[&str]) -> Job {
        let args = args.iter().map(|argument| (*argument).to_owned()).collect();
        self.job_of(Script::Shell { program: program.into(), args })
    }

    fn job_of(&self, script: Script) -> Job {
        let effect = format!("effect/{}", self.count.fetch_add(1, Ordering::Relaxed));
        let mut job = Job::new(script, self.path(), NoteSpec { run: "run".into(), effect });
        job.env = BTreeMap::from([("PATH".into(), "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".into())]);
        job
    }

    /// Runs a job to its end, which must leave no note.
    async fn run(&self, job: Job) -> Outcome {
        let outcome = run(&job, &self.notes, Stops::never()).await;
        assert_eq!(self.live_notes(), Vec::<PathBuf>::new());
        outcome
    }

    async fn sh(&self, script: &str) -> Outcome {
        self.run(self.job(script)).await
    }

    /// Starts a job, waits until its script has written to `ready`, and cancels it.
    async fn cancel_when_ready(&self, job: Job) -> Outcome {
        let (cancel, cancelled) = watch::channel(false);
        let stops = Stops::new(cancelled, watch::channel(false).1);
        let ready = self.wait_for_ready();
        let (outcome, ()) = tokio::join!(run(&job, &self.notes, stops), async {
            ready.await;
            cancel.send(true).unwrap();
        });
        assert_eq!(self.live_notes(), Vec::<PathBuf>::new());
        outcome
    }

    fn make_ready_pipe(&self) -> PathBuf {
        let pipe = self.path().join("ready");
        if !pipe.exists() {
            assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        }
        pipe
    }

    /// Makes the named pipe `ready` and waits until something is written to it.
    fn wait_for_ready(&self) -> impl Future<Output = ()> + use<> {
        let pipe = self.make_ready_pipe();
        async { drop(tokio::task::spawn_blocking(|| fs::read(pipe).unwrap()).await.unwrap()) }
    }

    fn note_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path().join("processes")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Lists the files that speak of a process; the others are at rest.
    fn live_notes(&self) -> Vec<PathBuf> {
        self.note_files().into_iter().filter(|path| fs::read(path).unwrap().starts_with(b"{")).collect()
    }
}

/// Reads pids, one a line.
fn pids(text: &str) -> Vec<u32> {
    text.lines().map(|line| line.trim().parse().unwrap()).collect()
}

/// Tells whether a process lives; one that waits for its parent to ask does not.
fn is_alive(pid: u32) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    let state = String::from_utf8(output.stdout).unwrap();
    !state.trim().is_empty() && !state.starts_with('Z')
}

/// Waits for what another thread or process does in its own time.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(20), "still not true: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
