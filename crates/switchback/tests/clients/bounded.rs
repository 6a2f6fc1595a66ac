//! Commands that end in time: what they start is in a group of its own and ended with it.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// What became of a command.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Nothing if it took too long.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }
}

/// Runs a command, and ends it if it takes longer.
pub(crate) fn run(command: &mut Command, longest: Duration) -> std::io::Result<Ended> {
    let streams = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.process_group(0).spawn()?;
    let group = Pid::from_child(&child);
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let (ended, end) = channel();
    let waiting = thread::spawn(move || ended.send(child.wait()).is_ok());
    let status = match end.recv_timeout(longest) {
        Ok(status) => Some(status?),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
    };
    // Whoever is left of the group would hold its streams open. Mostly there is nobody.
    let _ = kill_process_group(group, Signal::KILL);
    waiting.join().unwrap();
    Ok(Ended { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() })
}

fn read(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.unwrap().read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
