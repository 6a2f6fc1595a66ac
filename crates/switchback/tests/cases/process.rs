//! Starts one command of a case, waits for it no longer than its limit, and brings back what it said.
//!
//! Output goes to files, not to pipes: a process that outlives its parent must not keep the runner waiting. The
//! command gets a process group of its own and a closed stdin.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::strays;

/// A command with everything it needs to be started.
pub(crate) struct Spec<'a> {
    pub(crate) argv: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) folder: &'a Path,
    /// Where its two outputs are kept; the endings `.out` and `.err` are added.
    pub(crate) capture: PathBuf,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) end: End,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Whether it was said with tools, so that nothing was printed for people.
    pub(crate) is_said: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum End {
    Exit(i32),
    Signal(i32),
    TimedOut(Duration),
}

impl End {
    /// Returns what `expect: {exit: ...}` is held against: the code, or the name of the signal.
    pub(crate) fn to_json(self) -> Value {
        match self {
            Self::Exit(code) => code.into(),
            Self::Signal(2) => "SIGINT".into(),
            Self::Signal(9) => "SIGKILL".into(),
            Self::Signal(15) => "SIGTERM".into(),
            Self::Signal(number) => format!("signal {number}").into(),
            Self::TimedOut(limit) => format!("still running after {} s", limit.as_secs()).into(),
        }
    }
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exit(code),
            (None, signal) => Self::Signal(signal.unwrap_or(0)),
        }
    }
}

/// A command that has been started.
pub(crate) struct Running {
    pid: Pid,
    ended: Receiver<io::Result<ExitStatus>>,
    capture: PathBuf,
}

/// Starts a command with nothing inherited but what the spec names.
pub(crate) fn start(spec: Spec<'_>) -> io::Result<Running> {
    let (program, args) = spec.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .envs(spec.env)
        .current_dir(spec.folder)
        .stdin(Stdio::null())
        .stdout(File::create(spec.capture.with_extension("out"))?)
        .stderr(File::create(spec.capture.with_extension("err"))?)
        .process_group(0)
        .spawn()?;
    let pid = Pid::from_child(&child);
    let (tell, ended) = channel();
    thread::spawn(move || tell.send(child.wait()));
    Ok(Running { pid, ended, capture: spec.capture })
}

impl Running {
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<()> {
        kill_process(self.pid, signal).map_err(io::Error::from)
    }

    /// Waits for the end. Past the limit everything that lives under `root` is ended.
    pub(crate) fn wait(self, limit: Duration, root: &Path) -> io::Result<Ended> {
        let end = match self.ended.recv_timeout(limit) {
            Ok(status) => End::from(status?),
            Err(_) => {
                strays::end_tree(self.pid, root);
                End::TimedOut(limit)
            }
        };
        let (stdout, stderr) = self.said()?;
        Ok(Ended { end, stdout, stderr, is_said: false })
    }

    /// Returns what it has said so far on stdout and stderr.
    pub(crate) fn said(&self) -> io::Result<(String, String)> {
        let read = |ending| read_lossy(&self.capture.with_extension(ending));
        Ok((read("out")?, read("err")?))
    }

    /// Ends it and whatever it started.
    pub(crate) fn end(self, root: &Path) {
        strays::end_tree(self.pid, root);
    }
}

fn read_lossy(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}
