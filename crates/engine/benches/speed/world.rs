//! The real backend on the disk the build is on, and the baselines beside it.

use engine::adapters::process::Notes;
use engine::answers::{Answers, Nobody};
use engine::backend::{Backend, Start};
use engine::local::Local;
use engine::store::Store;
use engine::turn::Home;
use kernel::{Command as Asked, Fields, Plan, RunId, Status};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A backend in a folder of its own.
pub(crate) struct World {
    pub(crate) dir: TempDir,
    pub(crate) runtime: Runtime,
    local: Local,
    flushed: File,
    next: AtomicU64,
}

impl World {
    pub(crate) fn new() -> Self {
        World::answered_by(Arc::new(Nobody))
    }

    /// One whose questions are answered.
    pub(crate) fn answered_by(answers: Arc<dyn Answers>) -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder beside the build");
        let runtime = Runtime::new().expect("a runtime");
        let store = Store::open(&dir.path().join("data")).expect("a store");
        let notes = Notes::open(&dir.path().join("data")).expect("a folder for notes");
        let local = Local::open(store, notes, answers, runtime.handle().clone());
        let flushed = File::create(dir.path().join("flushed")).expect("a file");
        World { dir, runtime, local, flushed, next: AtomicU64::new(0) }
    }

    /// Runs plans at the same time and waits until all have ended or wait.
    pub(crate) fn run(&self, plan: &Arc<Plan>, count: usize) -> Vec<RunId> {
        self.runtime.block_on(async {
            let mut followed = Vec::new();
            for _ in 0..count {
                let id = RunId::new(format!("r{}", self.next.fetch_add(1, Ordering::Relaxed)));
                let progress = self.local.subscribe(&id).await.expect("a subscription");
                followed.push((id, progress));
            }
            for (id, _) in &followed {
                let home = Home { folder: self.dir.path().to_owned(), env: env().into(), ..Home::default() };
                let plan = Arc::clone(plan);
                let start = Start {
                    id: id.clone(),
                    plan,
                    inputs: Fields::new(),
                    home,
                    request_key: None,
                    pinned: Vec::new(),
                    is_brought: false,
                };
                self.local.start(start).await.expect("a start");
            }
            for (_, progress) in &mut followed {
                while let Some(turn) = progress.recv().await {
                    if matches!(turn.status, Status::Ended(_) | Status::Waiting(_)) {
                        break;
                    }
                }
            }
            followed.into_iter().map(|(id, _)| id).collect()
        })
    }

    /// Hands a command to a run and waits until it is committed.
    pub(crate) fn submit(&self, run: &RunId, command: Asked) {
        self.runtime.block_on(self.local.submit(run, command)).expect("a command that is admitted");
    }

    /// 512 bytes written and flushed, so many times.
    pub(crate) fn flush(&self, times: u32) {
        for _ in 0..times {
            (&self.flushed).write_all(&[7; 512]).expect("a write");
            self.flushed.sync_data().expect("a flush");
        }
    }

    /// `sh -c true` with the same folder, environment and pipes, so many times.
    pub(crate) fn spawn(&self, times: u32) {
        for _ in 0..times {
            spawn(self.dir.path());
        }
    }
}

fn env() -> std::collections::BTreeMap<String, String> {
    std::env::vars().filter(|(name, _)| name == "PATH" || name == "HOME").collect()
}

fn spawn(dir: &Path) {
    let output = Command::new("/bin/sh")
        .args(["-c", "true"])
        .current_dir(dir)
        .env_clear()
        .envs(env())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output();
    assert!(output.is_ok_and(|output| output.status.success()), "BUG: `true` failed");
}
