//! A data directory, a project, and the two things everything is measured against: a spawn and a flush.

use crate::client::Client;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

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
        let text = "name: one\nblocks:\n  - {id: a, type: Shell, inputs: {command: 'true'}}\n";
        std::fs::write(workflows.join("one.yaml"), text).expect("a file");
        let file = File::create(dir.path().join("flushed")).expect("a file");
        World { dir, file }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn client(&self) -> Client {
        Client::start(&self.home(), &self.dir.path().join("project"))
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
