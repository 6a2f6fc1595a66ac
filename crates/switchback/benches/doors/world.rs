//! A data directory, a project, and the two things everything is measured against: a spawn and a flush.

use crate::client::Client;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How many blocks a long chain and a wide wave have.
pub(crate) const BLOCKS: u32 = 50;

/// Blocks that run `true`, one after the other or all at once.
fn blocks(count: u32, chained: bool) -> String {
    let block = |n: u32| {
        let after = if chained && n > 0 { format!("depends_on: [b{}], ", n - 1) } else { String::new() };
        format!("  - {{id: b{n}, type: Shell, {after}inputs: {{command: 'true'}}}}\n")
    };
    (0..count).map(block).collect()
}

pub(crate) struct World {
    dir: tempfile::TempDir,
    file: File,
}

impl World {
    pub(crate) fn new() -> World {
        // Not in memory: a flush must be one.
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let workflows = dir.path().join("project/.switchback/workflows");
        std::fs::create_dir_all(&workflows).expect("a folder");
        for (name, blocks) in
            [("one", blocks(1, false)), ("chain", blocks(BLOCKS, true)), ("wave", blocks(BLOCKS, false))]
        {
            let text = format!("name: {name}\nblocks:\n{blocks}");
            std::fs::write(workflows.join(format!("{name}.yaml")), text).expect("a file");
        }
        let file = File::create(dir.path().join("flushed")).expect("a file");
        World { dir, file }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn client(&self) -> Client {
        Client::start(&self.home(), &self.dir.path().join("project"))
    }

    /// A client of another folder.
    pub(crate) fn client_in(&self, folder: &str) -> Client {
        let folder = self.dir.path().join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Client::start(&self.home(), &folder)
    }

    /// The process of the daemon.
    pub(crate) fn daemon(&self) -> u32 {
        let written = std::fs::read_to_string(self.home().join("daemon.pid")).unwrap_or_default();
        written.trim().parse().unwrap_or(0)
    }

    /// `switchback stop --now`.
    pub(crate) fn stop(&self) {
        let mut stop = Command::new(env!("CARGO_BIN_EXE_switchback"));
        stop.args(["stop", "--now"]).env("SWITCHBACK_HOME", self.home()).stderr(Stdio::null());
        stop.status().expect("the product runs");
    }

    /// 512 bytes, written and flushed, as the engine's rows do.
    pub(crate) fn flush(&mut self) {
        self.file.write_all(&[7; 512]).and_then(|()| self.file.sync_data()).expect("a disk");
    }

    /// `sh -c true` with its output read, from its start to its end.
    pub(crate) fn shell(&self) {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "true"]).stdin(Stdio::null());
        shell.output().expect("a shell");
    }

    /// So many `sh -c true`, as many at once as there are cores.
    pub(crate) fn shells(&self, count: u32) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let left = AtomicU32::new(count);
        let take = || left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    while take() {
                        self.shell();
                    }
                });
            }
        });
    }

    /// `true`, from its start to its end.
    pub(crate) fn spawn(&self) {
        Command::new("/bin/true").stdin(Stdio::null()).status().expect("a process");
    }

    /// The resident memory of a process, in KiB.
    pub(crate) fn resident(pid: u32) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
        line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop();
    }
}
