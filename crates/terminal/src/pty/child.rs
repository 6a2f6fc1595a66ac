//! What the child does between its birth and its program.
#![expect(
    unsafe_code,
    reason = "signal dispositions are set between fork and exec, for which there is no safe form"
)]

use std::io;

use pty_process::blocking::Command;
use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The last signal that has a meaning of its own.
const SIGNAL_MAX: i32 = 31;

/// Gives every signal its default action (a server that ignores SIGHUP must not teach it to shells), and takes back what the
/// server took of open files.
pub(super) fn prepare(command: Command, files_max: Option<u64>, umask: Option<u32>) -> Command {
    let follow = move || {
        for signal in 1..=SIGNAL_MAX {
            // SAFETY: `signal` is async-signal-safe, SIG_DFL runs no code, and SIGKILL and SIGSTOP are refused.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        if let Some(umask) = umask {
            rustix::process::umask(Mode::from_raw_mode(umask));
        }
        limit_files(files_max)
    };
    // SAFETY: the closure makes system calls with numbers on the stack: no allocation, no lock, no panic.
    unsafe { command.pre_exec(follow) }
}

fn limit_files(files_max: Option<u64>) -> io::Result<()> {
    let Some(files_max) = files_max else { return Ok(()) };
    let now = getrlimit(Resource::Nofile);
    let fits = now.maximum.is_none_or(|maximum| files_max <= maximum);
    if fits {
        setrlimit(Resource::Nofile, Rlimit { current: Some(files_max), maximum: now.maximum })?;
    }
    Ok(())
}
